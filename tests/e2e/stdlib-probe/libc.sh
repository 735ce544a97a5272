#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# C libraries compared with toolkits: the probe's answer, and what nvcc's real front end reports for the same headers. HOSTPIN_FULL=1: also
# each C library with Clang's headers, and other functions with each toolkit.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_cuda 12.4
need_lab bin/g++-10 bin/clang++-14 bin/g++-13-newglibc roots/bullseye roots/trixie roots/sid

readonly releases=(11.2 11.8 12.4 13.0)
declare -A root=([2.31]=$lab/roots/bullseye [2.36]='' [2.41]=$lab/roots/trixie [2.43]=$lab/roots/sid)

# with_glibc NAME DRIVER GLIBC [DIRECTORY...]: a compiler NAME that is DRIVER with the headers of another glibc, the directories
# before them. One compiler that every toolkit accepts, so that only the C library differs.
with_glibc() {
    local name=$1 driver=$lab/bin/$2 usr=${root[$3]}/usr/include own=() directory
    shift 3
    while IFS= read -r directory; do
        directory=$(realpath "${directory# }")
        case $directory in
        */usr/include | */usr/include/x86_64-linux-gnu | */usr/local/include) ;;
        *) own+=(-isystem "$directory") ;;
        esac
    done < <("$driver" -v -E -x c++ /dev/null 2>&1 | sed -n '/^#include <\.\.\.> search/,/^End/p' | grep '^ ')
    for directory in "$@"; do own+=(-isystem "$directory"); done
    compiler "$name" "$driver" -nostdinc "${own[@]}" -isystem "$usr/x86_64-linux-gnu" -isystem "$usr"
}

# Two lines to compare: whether it compiles, and the functions that are refused.
predicted() { # RELEASE COMPILER
    call "$hostpin" stdlib-probe libc --json "$(cuda "$1")" "$bin/$2"
    [ "$status" -le 1 ] || { show_call; fail "no answer"; }
    cp "$out" answer
    json answer each clashes name | sort | xargs >names
    same "$status" "$(($(wc -w <names) > 0))"
    cat names
}
real() { # RELEASE COMPILER [OPTION...]
    : >empty.cu
    call "$(cuda "$1")/bin/nvcc" -allow-unsupported-compiler -arch=sm_75 -ccbin "$bin/$2" "${@:3}" -c empty.cu -o empty.o
    cat "$err" >>"$out"
    { grep -oE '(exception specification is incompatible with that of previous function|allowing all exceptions is incompatible with previous function|more than one instance of overloaded function|linkage specification is incompatible with previous) "[a-z0-9_]+"' "$out" || true; } |
        sed -E 's/.*"(.*)"/\1/' | sort -u | xargs
}
agrees() { # RELEASE COMPILER: what both say is in $said
    local seen
    said=$(predicted "$1" "$2")
    seen=$(real "$1" "$2")
    same "CUDA $1 with $2: $said" "CUDA $1 with $2: $seen"
}

every_pair_of_the_lab_is_predicted() {
    local release glibc driver drivers pairs=0
    for glibc in "${!root[@]}"; do
        drivers=(g++-10)
        if [ "$full" = 1 ] || [ "$glibc" = 2.43 ]; then drivers+=(clang++-14); fi
        for driver in "${drivers[@]}"; do
            with_glibc "$driver-$glibc" "$driver" "$glibc"
            for release in "${releases[@]}"; do
                [ -x "$(cuda "$release")/bin/nvcc" ] || continue
                agrees "$release" "$driver-$glibc"
                # Without a clash nothing else may fail: otherwise the comparison would be useless.
                [ -n "$said" ] || [ -f empty.o ] || { show_call; fail "no object"; }
                rm -f empty.o
                pairs=$((pairs + 1))
            done
        done
    done
    [ "$pairs" -ge 15 ]
}

the_lines_are_those_of_the_real_errors() {
    with_glibc g++-10-2.43 g++-10 2.43
    predicted 12.4 g++-10-2.43 >/dev/null
    real 12.4 g++-10-2.43 >/dev/null
    local i file line name
    for ((i = 0; i < $(json answer length clashes); ++i)); do
        name=$(json answer clashes "$i" name)
        file=$(json answer clashes "$i" libc file) line=$(json answer clashes "$i" libc line)
        grep -F "\"$name\" (declared at line $(json answer clashes "$i" toolkit line) of " "$out" |
            grep -qF "${file}($line): error" || { show_call; fail "$name is not refused at $file:$line"; }
        grep -qF "$(sed -n "${line}p" "$file")" "$file"
    done
    [ "$i" -eq 6 ]
}

# One more declaration in the C library's <math.h>: DECLARATION per line, and nvcc is the judge.
other_functions_and_types_are_predicted() {
    local release declaration number=0 some=(11.2 13.0)
    if [ "$full" = 1 ]; then some=("${releases[@]}"); fi
    mkdir extra
    with_glibc extra g++-10 2.36 "$PWD/extra"
    while IFS= read -r declaration; do
        printf '#ifndef EXTRA\n#define EXTRA\n%s\n#endif\n#include_next <math.h>\n' "$declaration" >extra/math.h
        for release in "${some[@]}"; do
            [ -x "$(cuda "$release")/bin/nvcc" ] || continue
            number=$((number + 1))
            agrees "$release" extra || { cat extra/math.h; exit 1; }
        done
    done <<'END'
extern "C" double rcbrt(double) noexcept;
extern "C" float normcdfinvf(float) throw();
extern "C" double rcbrt(double);
extern "C" double rcbrt(double) noexcept(false);
extern "C" double rcbrt(double) __attribute__((nothrow, leaf, const));
extern "C" double sin(double);
extern "C" double sin(double) throw();
extern double erfcinv(short*);
extern "C" double erfcinv(short*);
extern "C" int no_function_of_cuda(int) noexcept;
END
    [ "$number" -ge 10 ]
}

# GCC and Clang ignore a -I that names a system directory, and nvcc's front end is lenient with system headers.
a_toolkit_among_the_systems_headers_is_predicted() {
    local release
    for release in 12.4 13.0; do
        [ -x "$(cuda "$release")/bin/nvcc" ] || continue
        with_glibc system g++-10 2.43 "$(realpath "$(cuda "$release")/include")"
        same "$(predicted "$release" system)" ''
        same "$(json answer lenient)" ON
        same "$(real "$release" system)" ''
        [ -f empty.o ] || { show_call; fail "no object"; }
    done
}

all_ways_to_name_headers_agree() {
    local usr=$lab/roots/trixie/usr/include
    call "$hostpin" stdlib-probe libc "$(cuda 12.4)" g++-13-newglibc
    exits 1
    cp "$out" by-driver
    grep -qE '^glibc 2.41 and the toolkit declare cospi, cospif, sinpi and sinpif differently' by-driver
    grep -qE "^    libc     $(literally "$usr")/.*/bits/mathcalls.h:[0-9]+: noexcept$" by-driver
    grep -qE '^    toolkit  /.*/crt/math_functions.h:[0-9]+: no exception specification$' by-driver
    call "$hostpin" stdlib-probe libc "$(cuda 12.4)/bin/nvcc" --headers "$usr/x86_64-linux-gnu" --headers "$usr"
    exits 1
    cmp by-driver "$out"
    call "$hostpin" stdlib-probe libc "$(cuda 12.4)" --sysroot "$lab/roots/trixie"
    exits 1
    cmp by-driver "$out"
    call env -i "$hostpin" stdlib-probe libc "$(cuda 12.4)" --sysroot "$lab/roots/bullseye"
    exits 0
    grep -qE '^[0-9]+ functions are declared compatibly by glibc 2.31 and by the toolkit$' "$out"
}

what_cannot_be_told_is_told() {
    mkdir empty no-crt cxx libc
    : >no-crt/cuda_runtime.h
    printf '#include_next <math.h>\n' | tee cxx/math.h >cxx/cmath
    printf '#include "math.h"\n' >libc/math.h
    local words hostile
    # Both end only with Clang's stack or the time limit.
    for hostile in parentheses macros; do mkdir -p "$hostile" && printf '#include "math.h"\n' >"$hostile/cmath"; done
    { printf '#if '; head -c 900000 /dev/zero | tr '\0' '('; } >parentheses/math.h
    { echo '#define M0 1'; for i in $(seq 70); do echo "#define M$i M$((i - 1)) + M$((i - 1))"; done; echo 'int x = M70;'; } >macros/math.h
    while IFS= read -r words; do
        # shellcheck disable=SC2086
        call timeout 120 "$hostpin" stdlib-probe libc $words
        exits 2
        prints_nothing
        says '^hostpin: error: '
    done <<END
$(cuda 12.4) --headers $PWD/empty
$(cuda 12.4) --headers $PWD/cxx
$(cuda 12.4) --headers $PWD/libc
$(cuda 12.4) --headers $PWD/parentheses
$(cuda 12.4) --headers $PWD/macros
$(cuda 12.4) --headers $PWD/nowhere
$(cuda 12.4) --sysroot $PWD/empty
$(cuda 12.4) no-such-compiler
$(cuda 12.4) $(command -v true)
$PWD/no-crt g++-10
$PWD/empty g++-10
--toolkit-include $PWD/empty --headers /usr/include
$(cuda 12.4)
--wrong
END
}

doctor_and_bind_name_functions_and_lines() {
    export PATH=$plain_path
    call "$hostpin" doctor --toolkit "$(cuda 12.4)" --stdenv "$lab/bin/g++-13-newglibc"
    grep -qE 'broken +GCC 13.* glibc 2.41 and the toolkit declare cospi, cospif, sinpi and sinpif with different exception specifications' "$out"
    grep -qE ' bits/mathcalls.h:79,81; crt/math_functions.h:[0-9]+,[0-9]+' "$out"
    grep -qE " cospi +$(literally "$lab")/roots/trixie/.*/bits/mathcalls.h:79 +noexcept" "$out"
    call "$hostpin" doctor --json --toolkit "$(cuda 12.4)" --stdenv "$lab/bin/g++-13-newglibc"
    local i=0
    until [ "$(json "$out" toolkits "$i" root)" = "$(json "$out" toolkit)" ]; do i=$((i + 1)); done
    same "$(json "$out" toolkits "$i" c_libraries 0 headers)" "$lab/roots/trixie/usr/include"
    same "$(json "$out" toolkits "$i" c_libraries 0 clashes 0 name)" cospi
    same "$(json "$out" toolkits "$i" c_libraries 0 clashes 0 libc line)" 79
    same "$(json "$out" length suggested)" 0
    call "$hostpin" bind bound --toolkit "$(cuda 12.4)" --stdenv "$lab/bin/g++-13-newglibc" --host "$lab/bin/g++-13-newglibc"
    exits 1
    says 'declare cospi, cospif, sinpi and sinpif with different exception specifications'
    absent bound/binding.toml
}

# A C library whose <math.h> cannot be read: judged by the rest, with a note.
unreadable() {
    mkdir damaged
    printf '#if 1\n' >damaged/math.h
    with_glibc damaged g++-10 2.36 "$PWD/damaged"
}
a_library_that_cannot_be_read_is_told() {
    unreadable
    call "$hostpin" bind bound --toolkit "$(cuda 12.4)" --stdenv "$bin/damaged"
    exits 0
    says "note: whether the C library in $(literally "$PWD/damaged") fits CUDA 12.4 was not checked: .*/math.h:1: unterminated conditional directive"
    call "$hostpin" doctor --toolkit "$(cuda 12.4)" --stdenv "$bin/damaged"
    grep -qE 'note: +whether the C library in .*damaged fits CUDA 12.4 was not checked' "$out"
    call "$hostpin" doctor --json --toolkit "$(cuda 12.4)" --stdenv "$bin/damaged"
    grep -q 'unterminated conditional' "$out"
}

it "every glibc and toolkit of the lab is predicted as by nvcc" every_pair_of_the_lab_is_predicted
it "the lines are those of the real errors" the_lines_are_those_of_the_real_errors
it "other functions and other types are predicted as by nvcc" other_functions_and_types_are_predicted
it "a toolkit among the system's headers is predicted as by nvcc" a_toolkit_among_the_systems_headers_is_predicted
it "a driver, its headers and its root give the same answer" all_ways_to_name_headers_agree
it "an unknown result is reported" what_cannot_be_told_is_told
it "doctor and bind name functions and lines" doctor_and_bind_name_functions_and_lines
it "a C library that cannot be read is reported, and judged by the rest" a_library_that_cannot_be_read_is_told
finish
