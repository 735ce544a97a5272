#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every system call of a call through a binding fails once: the build is correct, or it ends with a message.
#   hot.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: every way in which each may fail
# shellcheck source=tests/e2e/fault/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# normal COMMAND...: its output without a fault, which must be the same with one.
normal() {
    "$@" >expected 2>expected-errors </dev/null || true
}
prints_the_same() { cmp -s "$out" expected && [ "$(normalise <"$err")" = "$(normalise <expected-errors)" ]; }
asks_the_same() { cmp -s "$out" expected; }

# ---------------------------------------------------------------------------------------------- calls

nvcc_call() {
    local command=("$bound/nvcc" --dryrun -c x.cu -o x.o)
    cp "$work/x.cu" .
    normal "${command[@]}"
    grep -q "gnu_version=${older}0" expected-errors
    try() {
        disturbed "$@" "${command[@]}"
        judge prints_the_same
    }
    every try "${command[@]}"
}
question_call() {
    local command question=$PWD/tmpxft_0000abcd_00000000-2.cpp
    tr '\0' '\1' <"$bound/identity" | sed -z 's/.*\x01question=\([^\x01]*\).*/\1/' >"$question"
    command=("$bound/c++" -E "$question")
    "$host" -E "$question" >expected
    try() {
        disturbed "$@" "${command[@]}"
        judge asks_the_same
    }
    every try "${command[@]}"
}
compile_call() {
    [ "$full" = 1 ] || skip 'HOSTPIN_FULL=1 takes it'
    local command=("$bound/c++" -c m.cpp -o m.o)
    echo 'int main() {}' >m.cpp
    made_right() { [ -s m.o ] && [ "$(producers m.o)" = "$(producers normal.o)" ]; }
    "${command[@]}" && mv m.o normal.o
    try() {
        rm -f m.o
        disturbed "$@" "${command[@]}"
        judge made_right
    }
    every try "${command[@]}"
}
link_call() {
    local command=("$bound/c++" m.o -o m)
    printf '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }\n' >m.cpp
    "$bound/c++" -c m.cpp
    # A driver whose wait for its linker fails can end before the linker does.
    runs() {
        for _ in {1..50}; do
            if [ -x m ] && [ "$(./m 2>/dev/null)" = hello ]; then return; fi
            sleep 0.1
        done
        return 1
    }
    try() {
        rm -f m
        disturbed "$@" "${command[@]}"
        judge runs
    }
    every try "${command[@]}"
}

unbound_call() {
    local command=("$our_nvcc" --dryrun -c x.cu -o x.o)
    normal "${command[@]}"
    normal "${command[@]}"
    grep -q "gnu_version=${older}0" expected-errors
    try() {
        # only some of the files that a decision depends on; all are checked in the same way
        if [ "$1" = newfstatat ] && [ "$2" -gt 6 ] && [ $(($2 % 40)) -ne 0 ]; then return; fi
        disturbed "$@" "${command[@]}"
        judge prints_the_same
    }
    every try "${command[@]}"
    call "${command[@]}"
    exits 0
}

# ---------------------------------------------------------------------------------------------- more than one

# Memory allocation fails from some point on, after the C library has started.
no_memory() { # COMMAND...
    local n
    for n in $(seq 6 9); do
        point="brk $n and all after it"
        { call strace -qq -o /dev/null -e "inject=brk:retval=0:when=$n+" -e inject=mmap:error=ENOMEM "$@"; } 2>/dev/null
        echo "$point: $status"
        if [ "$status" -ne 0 ]; then
            exits 2
            says '^hostpin: error: out of memory'
            told=yes
        fi
    done
}
memory_ends() {
    local told=no
    printf '#include <iostream>\nint main() { std::cout << 1; }\n' >m.cpp
    "$bound/c++" -c m.cpp
    no_memory "$bound/c++" m.o -o m
    printf -- '-DMANY_%s\n' {1..99999} >options
    no_memory "$bound/nvcc" --dryrun -optf options -c x.cu
    [ "$told" = yes ] || fail 'memory was never short'
}
# A terminated link ends, and leaves no partial output.
ended_links() {
    local command=("$bound/c++" m.o -o m)
    echo 'int main() {}' >m.cpp
    "$bound/c++" -c m.cpp
    mkdir temporary
    export TMPDIR=$PWD/temporary
    runs() { [ -x m ] && ./m; }
    try() {
        rm -f m
        disturbed "$1" "$2" SIGTERM "${command[@]}"
        case $status in
        0) runs || wrong 'success without a program' ;;
        143) ;;
        *) wrong 'ended in another way' ;;
        esac
        [ -z "$(ls temporary)" ] || wrong "left: $(ls temporary)"
    }
    every try "${command[@]}"
}
short_reads() {
    local count
    "$bin/gcc" -O2 -o short_io "$repository/tests/e2e/fault/short_io.c" 2>why || skip "no tracer for this machine: $(head -n 1 why)"
    printf '#include <iostream>\nint main() { std::cout << "hello"; }\n' >m.cpp
    "$bound/c++" -c m.cpp
    normal "$bound/nvcc" --dryrun -c x.cu -o x.o
    for count in 1 7 100; do
        call ./short_io "$count" "$bound/nvcc" --dryrun -c x.cu -o x.o
        exits 0
        prints_the_same || fail "another result in pieces of $count"
        rm -f m
        call ./short_io "$count" "$bound/c++" m.o -o m
        exits 0
        same "$(./m)" hello
    done
}

# ---------------------------------------------------------------------------------------------- refusals

# refused COMMAND...: an error without a fault; no fault makes it a success, except one whose proof failed with a message.
own='^hostpin: error|^hint: |^FATAL: |error while loading shared libraries|^cannot set %fs|^Fatal glibc error' # hostpin's, or the C library's before hostpin runs
says_unproven() { grep -q '^hostpin: note: m was linked, and not verified: cannot examine ' "$err" && [ -x m ]; }
refused() { # PATTERN COMMAND...: the message matches, also with a fault
    local pattern=$1 command=("${@:2}")
    call "${command[@]}"
    [ "$status" -ne 0 ] || fail "not refused: ${command[*]}"
    says "$pattern"
    try() {
        rm -f m
        disturbed "$@" "${command[@]}"
        judge says_unproven
        if [ "$status" -ne 0 ] && [ -s "$err" ]; then grep -qE "$pattern" "$err" || wrong 'failure by another cause'; fi
    }
    every try "${command[@]}"
}
failing_link() {
    if [ "$full" != 1 ]; then
        only_of=' clone waitid wait4 '
    fi
    echo 'int f(); int main() { return f(); }' >m.cpp
    "$bound/c++" -c m.cpp
    refused "$own|undefined reference" "$bound/c++" m.o -o m
}
link_time_code() {
    echo 'int main() {}' >m.cpp
    "$host" -flto -c m.cpp
    refused "$own|bytecode stream in file" "$bound/c++" m.o -o m # GCC's linker reports it too
}
stale_binding() {
    if [ "$full" != 1 ]; then only_of=' openat read newfstatat write '; fi
    cp -a "$bound" stale
    cp -a "$bin" kept
    settle
    compiler "g++-$older" env "$host"
    refused "$own" "$PWD/stale/c++" --version
    rm "$bin/g++-$older"
    cp -a "kept/g++-$older" "$bin/"
}
# A file with another time and the same bytes is read, and the plan written with the new time: that fails, or the call does, and
# no other files are left.
touched_binding() {
    local command=("$PWD/touched/nvcc" --dryrun -c x.cu -o x.o)
    cp "$work/x.cu" .
    cp -a "$bound" touched
    cp -a "$bin" kept
    normal "${command[@]}"
    grep -q "gnu_version=${older}0" expected-errors
    touch "$bin/g++-$older"
    try() {
        cp -a "$bound/plan" touched/
        disturbed "$@" "${command[@]}"
        judge prints_the_same
        [[ $point =~ ^unlink\  ]] || ! compgen -G 'touched/plan.*' >/dev/null || wrong "left: $(ls touched)"
        rm -f touched/plan.*
        cmp -s touched/plan "$bound/plan" || contains touched= <touched/plan || wrong 'the plan is not whole'
    }
    if [ "$full" != 1 ]; then only_of=' fchmod flock fstat getrandom openat read rename write '; fi
    every try "${command[@]}"
    rm "$bin/g++-$older"
    cp -a "kept/g++-$older" "$bin/"
}
misled_link() {
    need_lab bin/g++-16 # in a prefix that its programs do not know
    export PATH=$bin:$tools
    mkdir -p old
    cp "$(/usr/bin/g++-12 -print-file-name=libstdc++.so.6)" old/libstdc++.so.6
    printf '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }\n' >m.cpp
    sed 's/ -Wl,-rpath,[^ ]*//' "$lab/bin/g++-16" >bare # programs do not know its prefix
    chmod +x bare
    "$hostpin" bind --stdenv "$PWD/bare" misled
    ./bare -c m.cpp
    refused "$own" "$PWD/misled/c++" m.o -o m "-Wl,-rpath,$PWD/old"
}

need_hostpin
need_command strace
cd "$work"
ground
bound=$work/bound
"$hostpin" bind "$bound" >/dev/null
settle
it 'nvcc' nvcc_call
it "c++ that answers nvcc's question" question_call
it 'c++ that compiles' compile_call
it 'c++ that links' link_call
it 'nvcc without a binding, from the cache' unbound_call
it 'memory that is used up ends in a message' memory_ends
it 'reads and writes that do less than they were asked change nothing' short_reads
it 'a signal at any moment of a link ends it, and leaves nothing' ended_links
it 'a link that fails' failing_link
it 'a link of link-time code that does not fit' link_time_code
seldom 'a link whose program could not start' misled_link
it 'a binding that is not current' stale_binding
it 'a binding whose files were touched' touched_binding
finish
