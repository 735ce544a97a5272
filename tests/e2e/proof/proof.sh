#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# After a link, c++ holds the symbol versions that the output needs against the libraries it will load.
#   proof.sh [WORDS]   only the cases whose sentence contains WORDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}
tab=$'\t'

# ---------------------------------------------------------------------------------------------- the ground

# bound [CONFIGURATION [STDENV]]: GCC 13 compiles and GCC 15 links, in ./bound; nothing of ours is left in the environment.
bound() {
    need_cuda 12.4
    need_lab bin/g++-13 bin/g++-15 roots/sid
    toolkit=$(cuda 12.4) sid=$lab/roots/sid/usr/lib/x86_64-linux-gnu
    echo "${1:-}" >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind bound --toolkit "$toolkit" --host "$lab/bin/g++-13" --stdenv "${2:-$lab/bin/g++-15}"
    unset HOSTPIN_CONFIG HOSTPIN_CACHE_DIR HOSTPIN_PREFIX
    cxx=$PWD/bound/c++
}
# GCC 15 in a prefix that its programs do not know of: its launcher without the run path.
bare_stdenv() {
    need_lab bin/g++-15
    mkdir -p "$bin"
    sed 's/ -Wl,-rpath,[^ ]*//' "$lab/bin/g++-15" >"$bin/bare"
    chmod +x "$bin/bare"
}
# An older C++ library in ./old, and the C library of the stdenv in ./libc, so that nothing but the C++ library is amiss.
libraries() {
    local name
    mkdir -p old libc new
    cp "$(g++-12 -print-file-name=libstdc++.so.6)" old/libstdc++.so.6
    for name in libc.so.6 libm.so.6 libgcc_s.so.1; do ln -sf "$sid/$name" libc/; done
    ln -sf "$sid/libstdc++.so.6" new/
    old=-Wl,-rpath,$PWD/old:$PWD/libc
}
write_program() {
    cat >main.cpp <<'CPP'
int greet();
int main() { return greet(); }
CPP
    cat >greet.cpp <<'CPP'
#include <iostream>
int greet() { std::cout << "hello" << std::endl; return 0; }
CPP
    "$cxx" -c main.cpp -o main.o
    "$cxx" -fPIC -c greet.cpp -o greet.o
}
# Links go wrong: an older library is found first.
misled() { # [CONFIGURATION]
    bare_stdenv
    bound "${1:-}" "$bin/bare"
    libraries
    write_program
}
refuses() { # OUTPUT PATTERN...
    exits 1
    prints_nothing
    says '^hostpin: error: ' '^hint: .' 'GLIBCXX_3\.4\.32' 'ios_base_library_init' "${@:2}"
    absent "$1"
}
accepts() { # OUTPUT
    exits 0
    says_not '^hostpin:'
    [ -e "$1" ] || fail "no $1"
}

# ---------------------------------------------------------------------------------------------- what is found

holds() {
    bound
    write_program
    call "$cxx" main.o greet.o -o program
    accepts program
    same "$(./program)" hello
}
names_the_object() {
    misled
    call "$cxx" main.o greet.o -o program "$old"
    refuses program "program .*$(literally "$PWD/old/libstdc++.so.6")" 'greet\.o' "^hint: .*rpath.*$(literally "$PWD/old")" 'link-proof'
    says_not 'main\.o'
}
names_the_member() {
    misled
    ar rcs libgreet.a main.o greet.o
    call "$cxx" libgreet.a -o program "$old"
    refuses program 'libgreet\.a\(greet\.o\)'
    call "$cxx" main.o -L. -lgreet -o program "$old"
    refuses program 'libgreet\.a\(greet\.o\)'
}
debug_information_is_no_reference() {
    misled
    # what is declared only stands in the debug information under its linkage name
    cat >main.cpp <<'CPP'
int greet();
namespace std { inline namespace __1 {} void ios_base_library_init(); struct S { static void f() { } }; }
inline const char* name = "_ZSt21ios_base_library_initv";
int main() { return greet() + (*name == 0); }
CPP
    "$cxx" -g -c main.cpp -o main.o
    call "$cxx" main.o greet.o -o program "$old"
    refuses program 'greet\.o'
    says_not 'main\.o'
}
names_the_library() {
    misled
    "$bin/bare" -shared greet.o -o libgreet.so
    # its own run path would not reach what the library needs
    call "$cxx" main.o libgreet.so -o program "$old:$PWD" -Wl,--disable-new-dtags
    refuses program 'needed by .*libgreet\.so' "$(literally "$PWD/old/libstdc++.so.6")"
}
names_a_library_of_a_newer_compiler() {
    need_lab bin/g++-15
    need_cuda 12.4
    command -v g++-12 >/dev/null || skip 'no g++-12 of this machine'
    "$hostpin" bind bound --toolkit "$(cuda 12.4)" --host g++-12 --stdenv g++-12
    echo '#include <iostream>
int greet() { std::cout << 1; return 0; }' >greet.cpp
    bare_stdenv
    "$bin/bare" -shared -fPIC greet.cpp -o libgreet.so
    echo 'int greet(); int main() { return greet(); }' >main.cpp
    call ./bound/c++ main.cpp libgreet.so -Wl,-rpath,"$PWD" -o program
    [ "$status" -ne 0 ] || fail 'linked'
    # the linker sees it too, unless told not to look
    call ./bound/c++ main.cpp libgreet.so -Wl,-rpath,"$PWD" -Wl,--allow-shlib-undefined -o program
    refuses program 'libgreet\.so' 'libstdc\+\+\.so\.6'
    says_not '-Wl,-rpath,/usr/lib'
}
finds_no_run_path() {
    bare_stdenv
    bound '' "$bin/bare"
    write_program
    call "$cxx" main.o greet.o -o program
    refuses program '^hint: .*-Wl,-rpath,'
    call "$cxx" main.o greet.o -o program "$(grep -o -e '-Wl,-rpath,[^ ,]*' "$err")"
    accepts program
    same "$(./program)" hello
}
obeys_the_cure() {
    misled
    call "$cxx" main.o greet.o -o program "$old"
    refuses program
    call "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/new" "$old"
    accepts program
    same "$(./program)" hello
}

# ---------------------------------------------------------------------------------------------- what is no error

looks_at_library_path() {
    misled
    call "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/libc" "-Wl,--disable-new-dtags"
    exits 1
    call env LD_LIBRARY_PATH="$PWD/new" "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/libc"
    accepts program
    same "$(LD_LIBRARY_PATH=$PWD/new ./program)" hello
}
library_path_in_the_way() {
    misled
    # the program is right; that the variable of this moment hides it is worth a word, not a refusal
    call env LD_LIBRARY_PATH="$PWD/old" "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/new:$PWD/libc"
    exits 0
    says '^hostpin: note: ' 'LD_LIBRARY_PATH' 'GLIBCXX_3\.4\.32'
    same "$(./program)" hello
}
shared_libraries() {
    misled
    # its own run path leads to the old one, whoever loads it
    call "$cxx" -shared greet.o -o libgreet.so "$old"
    refuses libgreet.so 'greet\.o'
    # without one the program decides
    call "$cxx" -shared greet.o -o libgreet.so
    exits 0
    says '^hostpin: note: ' 'GLIBCXX_3\.4\.32'
    call "$cxx" main.o libgreet.so -o program -Wl,-rpath,"$PWD:$PWD/new:$PWD/libc" -Wl,--disable-new-dtags
    accepts program
    same "$(./program)" hello
}
directories_to_come() {
    bare_stdenv
    bound '' "$bin/bare"
    write_program
    # shellcheck disable=SC2016 # the loader reads $ORIGIN
    call "$cxx" main.o greet.o -o program '-Wl,-rpath,$ORIGIN/../not/yet/lib'
    exits 0
    says '^hostpin: note: ' 'GLIBCXX_3\.4\.32'
    [ -x program ] || fail 'no program'
    # one that is there holds what it holds
    # shellcheck disable=SC2016
    call "$cxx" main.o greet.o -o program '-Wl,-rpath,$ORIGIN'
    refuses program
}
stubs_are_missing_on_purpose() {
    bound
    write_program
    echo 'int cuInit(unsigned) { return 0; }' | "$lab/bin/gcc-15" -x c - -shared -Wl,-soname,libcuda.so.1 -o libcuda.so
    echo 'extern "C" int cuInit(unsigned); int main() { return cuInit(0); }' >main.cpp
    call "$cxx" main.cpp greet.o -L. -lcuda -Wl,--no-as-needed -o program
    accepts program
}
not_for_this_loader() {
    misled
    call "$cxx" main.o greet.o -o program "$old" -Wl,--dynamic-linker=/nowhere/ld.so
    accepts program
    call "$cxx" -v main.o greet.o -o program "$old" -Wl,--dynamic-linker=/nowhere/ld.so
    exits 0
    says '^hostpin: note: .*/nowhere/ld\.so'
}
another_root() {
    misled
    call "$cxx" --sysroot="$lab/roots/sid" main.o greet.o -o program "$old"
    accepts program
    call "$cxx" -v --sysroot="$lab/roots/sid" main.o greet.o -o program "$old"
    exits 0
    says '^hostpin: note: not proven: .*sysroot'
}
makes_no_image() {
    misled
    call "$cxx" main.o greet.o -o /dev/null "$old"
    exits 0
    says_not '^hostpin:'
    [ -c /dev/null ] || fail '/dev/null is gone'
    call "$cxx" -r main.o greet.o -o relocated.o "$old"
    accepts relocated.o
    echo 'int main() { return 0; }' >alone.cpp
    call "$cxx" -static alone.cpp -o alone "$old"
    accepts alone
    call "$cxx" -static-pie alone.cpp -o alone-pie "$old"
    accepts alone-pie
    echo untouched >program
    call "$cxx" '-###' main.o greet.o -o program "$old"
    exits 0
    same "$(cat program)" untouched
}

# ---------------------------------------------------------------------------------------------- where the output is

finds_the_output() {
    misled
    local output
    call "$cxx" main.o greet.o "$old"
    refuses a.out
    call "$cxx" main.o greet.o "$old" -oprogram
    refuses program
    call "$cxx" main.o greet.o "$old" --output program
    refuses program
    call "$cxx" main.o greet.o "$old" --output=program
    refuses program
    call "$cxx" "$old" -o other main.o greet.o -o 'the program'
    refuses 'the program'
    printf -- '-o "the %s" greet.o\n' program >inner.rsp
    echo "main.o @inner.rsp" >outer.rsp
    call "$cxx" @outer.rsp "$old"
    refuses 'the program' 'greet\.o'
    mkdir there
    call "$cxx" main.o greet.o "$old" -o there/../there/program
    refuses there/program
    call "$cxx" main.cpp greet.cpp "$old" -o program
    refuses program
    for output in main.o greet.o; do [ -f "$output" ] || fail "$output is gone"; done
}
an_older_output_is_gone() {
    misled
    echo older >program
    call "$cxx" main.o greet.o "$old" -o program
    refuses program
}
a_failed_link_is_the_linkers() {
    misled
    call "$cxx" main.o absent.o "$old" -o program
    exits 1
    says_not '^hostpin:'
}

# ---------------------------------------------------------------------------------------------- switches

warns() {
    misled 'link-proof = "warn"'
    call "$cxx" main.o greet.o "$old" -o program
    exits 0
    says '^hostpin: (note|warning): ' 'GLIBCXX_3\.4\.32' 'greet\.o'
    [ -x program ] || fail 'no program'
}
is_off() {
    misled 'link-proof = "off"'
    call "$cxx" main.o greet.o "$old" -o program
    accepts program
    # and then nothing stands between the caller and the driver
    call strace -f -qq -e trace=fork,vfork,clone,clone3,execve -o trace "$cxx" main.o greet.o "$old" -o program
    same "$(grep -m 2 execve trace | cut -d' ' -f1 | sort -u | wc -l)" 1
    awk '/execve/ && ++n == 2 { exit } /clone|fork/ { exit 1 }' trace || fail 'it started a child'
}
knows_no_other_word() {
    bound
    echo 'link-proof = "sometimes"' >config.toml
    call env HOSTPIN_CONFIG="$PWD/config.toml" "$hostpin" bind other --toolkit "$toolkit"
    [ "$status" -ne 0 ] || fail 'bound'
    says 'config.toml:1:' 'link-proof.*error.*warn.*off.*sometimes'
}

explains() {
    bound
    "$hostpin" explain --bound bound -- c++ a.o -o program >explained
    grep -E 'then +holds program against what .*/ld-linux[^ ]* will load +link-proof = "error"' explained || fail "$(cat explained)"
    "$hostpin" explain --bound bound -- c++ --sysroot=/x a.o >explained
    grep -E 'then +nothing is proven +--sysroot' explained || fail "$(cat explained)"
    "$hostpin" explain --bound bound -- c++ -c a.cpp >explained
    ! grep -E 'proven|holds' explained || fail "$(cat explained)"
}

# ---------------------------------------------------------------------------------------------- the child

# A stdenv that answers bind, and whose links do what is said here instead.
linker_that() { # SHELL-LINE
    need_lab bin/g++-15
    mkdir -p "$bin"
    rm -f "$bin/odd"
    # shellcheck disable=SC2016 # the script's own
    printf '%s\n' '#!/bin/sh' 'case " $* " in *" special "*) ;; *) exec '"'$lab/bin/g++-15'"' "$@" ;; esac' "$1" >"$bin/odd"
    chmod +x "$bin/odd"
    bound '' "$bin/odd"
}
status_passes() {
    linker_that 'exit 37'
    call "$cxx" special -o x
    exits 37
    says_not '^hostpin:'
    # shellcheck disable=SC2016
    linker_that 'kill -SEGV $$'
    # shellcheck disable=SC2016
    call perl -e 'system(@ARGV); printf("%d\n", $? & 127)' "$cxx" special -o x
    same "$(cat "$out")" 11
    says_not 'hostpin: error'
}
# started: waits until the linker runs.
started() {
    local _
    for _ in $(seq 100); do if [ -s linker.pid ]; then return; fi; sleep 0.1; done
    fail 'no linker was started'
}
gone() { # PID
    local _
    for _ in $(seq 50); do if ! kill -0 "$1" 2>/dev/null; then return; fi; sleep 0.1; done
    kill -9 "$1"
    fail 'the linker outlived us'
}
signals_arrive() {
    local name number
    # shellcheck disable=SC2016
    linker_that 'trap "echo cleaned >cleaned; exit 9" TERM; echo $$ >linker.pid; sleep 60 & wait'
    "$cxx" special -o x &
    started
    kill -TERM $!
    status=0
    wait $! || status=$?
    same "$status" 9
    same "$(cat cleaned)" cleaned
    # shellcheck disable=SC2016
    linker_that 'echo $$ >linker.pid; exec sleep 60'
    for name in TERM HUP INT KILL; do
        rm -f linker.pid
        # a shell starts its background jobs with SIGINT ignored
        perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$cxx" special -o x &
        started
        number=$(kill -l "$name")
        kill "-$name" $!
        status=0
        wait $! 2>/dev/null || status=$?
        same "$name $status" "$name $((128 + number))"
        gone "$(cat linker.pid)"
    done
}
ignored_signals_stay_ignored() {
    # through a shell in both cases, because that one sets SIGCHLD itself
    linker_that 'grep SigIgn /proc/$$/status >ignored'
    # shellcheck disable=SC2016
    perl -e '$SIG{$_} = "IGNORE" for qw(INT HUP TERM CHLD); exec @ARGV' "$cxx" special -o x
    # shellcheck disable=SC2016
    perl -e '$SIG{$_} = "IGNORE" for qw(INT HUP TERM CHLD); exec @ARGV' sh -c 'grep SigIgn /proc/$$/status; :' >expected
    same "$(cat ignored)" "$(cat expected)"
}
parent_that_ignores_children() {
    bound
    write_program
    # shellcheck disable=SC2016
    call perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$cxx" main.o greet.o -o program
    accepts program
    # shellcheck disable=SC2016
    call perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$cxx" main.o absent.o -o program2
    exits 1
}

# ---------------------------------------------------------------------------------------------- build systems

# shellcheck disable=SC2016 # make, ninja and their shells expand
rebuilds() { # make|ninja
    need_command "$1"
    misled
    if [ "$1" = make ]; then
        printf 'program: main.o greet.o flags\n%s%s main.o greet.o `cat flags` -o $@\n' "$tab" "$cxx" >Makefile
    else
        printf 'rule link\n  command = %s main.o greet.o `cat flags` -o $out\nbuild program: link main.o greet.o | flags\n' "$cxx" >build.ninja
    fi
    echo "$old" >flags
    call "$1"
    [ "$status" -ne 0 ] || fail 'built'
    absent program
    call "$1"
    [ "$status" -ne 0 ] || fail "$1 takes the program for done"
    echo "-Wl,-rpath,$PWD/new $old" >flags
    call "$1"
    exits 0
    same "$(./program)" hello
}
fails_cmake_links() {
    need_command ninja
    misled
    cp -r "$repository/samples/saxpy" project
    CXX=$bin/bare cmake -S project -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc" "-DCMAKE_CUDA_HOST_COMPILER=$cxx" \
        "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath,$PWD/new:$PWD/libc" >cmake.log 2>&1 || { tail -n 40 cmake.log; fail 'not configured'; }
    cmake --build build >build.log
    cmake build "-DCMAKE_EXE_LINKER_FLAGS=$old" >/dev/null
    call cmake --build build
    [ "$status" -ne 0 ] || fail 'built'
    cat "$out" >>"$err"
    says 'hostpin: error: .*saxpy' 'GLIBCXX_3\.4\.32'
}
serves_nvcc() {
    misled
    write_source x.cu
    call "$toolkit/bin/nvcc" -ccbin "$cxx" x.cu -o program -Xlinker "-rpath,$PWD/old:$PWD/libc" -Xlinker "-rpath=$PWD/old:$PWD/libc"
    [ "$status" -ne 0 ] || fail 'linked'
    says '^hostpin: error: ' 'GLIBCXX_3\.4\.32'
    absent program
}

need_hostpin
it 'a pin that took effect is silent' holds
it 'a need that is not met is an error that names symbol, version, library, object and cure' names_the_object
it 'a member of an archive is named, given by path or by -l' names_the_member
it 'debug information and strings bring no symbol' debug_information_is_no_reference
it 'a library that the program loads is named' names_the_library
it 'a library of a newer compiler than the stdenv is named, and no run path is suggested' names_a_library_of_a_newer_compiler
it 'a stdenv in a prefix that programs do not know of is found out, and the cure works' finds_no_run_path
it 'the right run path before the wrong one is a cure' obeys_the_cure
it 'a need that LD_LIBRARY_PATH meets is met' looks_at_library_path
it 'a need that only LD_LIBRARY_PATH leaves unmet is a note' library_path_in_the_way
it 'a shared library is refused for its own run path, and else left to the program' shared_libraries
it 'a run path to a directory that is not there yet makes it a note' directories_to_come
it 'a library that is missing on purpose is no error' stubs_are_missing_on_purpose
it 'a program for another loader is left alone' not_for_this_loader
it 'a program for another root is left alone' another_root
it 'devices, relocatable objects and static programs are left alone' makes_no_image
it 'the output is found however it is named' finds_the_output
it 'an output of an earlier link does not stay' an_older_output_is_gone
it 'a link that fails is the linker'"'"'s word alone' a_failed_link_is_the_linkers
it 'link-proof = "warn" lets the program stand' warns
it 'link-proof = "off" executes the driver as before' is_off
it 'link-proof knows no other word' knows_no_other_word
it 'explain says what a link will be held against' explains
it 'exit codes and signals of the driver pass exactly' status_passes
it 'signals reach the driver, which does not outlive us' signals_arrive
it 'signals that are ignored stay ignored' ignored_signals_stay_ignored
it 'a parent that ignores SIGCHLD makes no difference' parent_that_ignores_children
it 'make builds again after an error' rebuilds make
it 'ninja builds again after an error' rebuilds ninja
it 'links that CMake launches are proven' fails_cmake_links
it 'links of nvcc are proven' serves_nvcc
finish
