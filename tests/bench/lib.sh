# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the benchmarks share: bound and unbound calls of this machine's own toolkit and compilers, and their floor.
# Sourced after tests/e2e/lib.sh, whose variables it uses.
# shellcheck disable=SC2154

describe_machine() {
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p), $(nproc) cores, Linux $(uname -r)," \
        "load $(cut -d' ' -f1 /proc/loadavg)"
}
# The program that runs contenders in turns, as $work/paired.
build_paired() { c++ -std=c++20 -O2 "$repository/tests/bench/paired.cpp" -o "$work/paired"; }

# A binding of what this machine has, in $work/bound.
bind_here() {
    need_hostpin
    if ! "$hostpin" bind "$work/bound" >/dev/null 2>"$work/err"; then
        cat "$work/err"
        skip "nothing to bind on this machine"
    fi
}
# executed WRAPPER: the program that `WRAPPER --version` becomes.
executed() {
    strace -qq -e trace=execve -o "$work/trace" "$1" --version >/dev/null
    sed -n 's/^execve("\([^"]*\)".* = 0$/\1/p' "$work/trace" | sed -n 2p
}
# opened WRAPPER ARGUMENT...: the files that the wrapper itself opens before its exec.
opened() {
    strace -qq -e trace=execve,open,openat,openat2 -o "$work/trace" "$@" >/dev/null
    awk '/^execve/ && / = 0$/ { if (++execs == 2) exit; next } /^open/ && !/ = -1 / { print }' "$work/trace"
}
# system_calls WRAPPER ARGUMENT...: its system calls before its exec, or to its end, without the exec that started it.
system_calls() {
    strace -qq -o "$work/trace" "$@" >/dev/null
    awk '/^execve/ && / = 0$/ { if (++execs == 2) exit; next } /^[a-z]/ { print }' "$work/trace"
}
# looked_at WRAPPER ARGUMENT...: the paths that it stats, in order.
looked_at() {
    system_calls "$@" | sed -nE 's/^(stat|lstat|newfstatat\(AT_FDCWD, |access)\(?"([^"]+)".*/\2/p'
}
# Calls as CMake makes them. They run to their end, but only the part before the exec is measured.
typical_nvcc=(-forward-unknown-to-host-compiler -DNDEBUG -O3 -std=c++17 -I/usr/include "-I$work"
    '--generate-code=arch=compute_75,code=[compute_75,sm_75]' -Xcompiler=-fPIC -MD -MT x.o -MF "$work/x.o.d" -x cu
    -c "$work/x.cu" -o "$work/x.o")
typical_cxx=(-DNDEBUG -O3 -fPIC -I/usr/include "-I$work" -MD -MT x.o -MF "$work/x.o.d" -c "$work/x.cpp" -o "$work/x.o")
: >"$work/x.cu" && : >"$work/x.cpp"
export typical_nvcc typical_cxx
# The text that the bound toolkit's nvcc has its host compiler preprocess, in a file with nvcc's name for it.
write_question() {
    question=$work/tmpxft_0000abcd_00000000-2.cpp
    tr '\0' '\1' <"$work/bound/identity" | sed -z 's/.*\x01question=\([^\x01]*\).*/\1/' >"$question"
}
# instructions WRAPPER ARGUMENT...: from its first instruction to its exec, or to its end, as callgrind counts them.
instructions() {
    local counts=$work/callgrind
    rm -f "$counts"*
    # the exec discards callgrind's state, so it is written just before
    valgrind -q --tool=callgrind --callgrind-out-file="$counts" --dump-before=execve "$@" \
        >/dev/null 2>"$work/valgrind" || true
    cat "$counts"* | awk '/^totals:/ { sum += $2 } END { print sum + 0 }'
}
# instructions_alone WRAPPER ARGUMENT...: without what the caller's environment costs.
instructions_alone() {
    env -i HOME="$HOME" PATH="$PATH" "TMPDIR=$work" "HOSTPIN_CONFIG=$HOSTPIN_CONFIG" bash -c \
        "work=$work; $(declare -f instructions); instructions \"\$@\"" instructions "$@"
}
# peak_memory WRAPPER ARGUMENT...: resident KB before the exec, which is made to fail: the next program is larger.
peak_memory() {
    strace -qq -f -o /dev/null -e inject=execve:error=ENOEXEC:when=2+ \
        /usr/bin/time -f %M -o "$work/peak" "$@" >/dev/null 2>&1 || true
    tail -n 1 "$work/peak"
}
