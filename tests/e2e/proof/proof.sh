#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# After a link, c++ compares the symbol versions that the output needs with the libraries it will load.
#   proof.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/proof/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- what is found

holds() {
    bound
    write_program
    call "$cxx" main.o greet.o -o program
    accepts program
    same "$(./program)" hello
}
names_the_object() {
    misled ''
    call "$cxx" main.o greet.o -o program "$old"
    refuses program "program .*$(literally "$PWD/old/libstdc++.so.6")" 'greet\.o' "^hint: .*rpath.*$(literally "$PWD/old")" 'link-proof'
    says_not 'main\.o'
}
names_the_member() {
    misled ''
    ar rcs libgreet.a main.o greet.o
    call "$cxx" libgreet.a -o program "$old"
    refuses program 'libgreet\.a\(greet\.o\)'
    call "$cxx" main.o -L. -lgreet -o program "$old"
    refuses program 'libgreet\.a\(greet\.o\)'
}
debug_information_is_no_reference() {
    need_lab bin/g++-15
    misled ''
    # a mere declaration has only its linkage name in the debug information
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
    misled ''
    "$bin/bare" -shared greet.o -o libgreet.so
    # its own run path would not apply to the library's dependencies
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
    # the linker reports it too, unless told not to
    call ./bound/c++ main.cpp libgreet.so -Wl,-rpath,"$PWD" -Wl,--allow-shlib-undefined -o program
    refuses program 'libgreet\.so' 'libstdc\+\+\.so\.6'
    says_not '-Wl,-rpath,/usr/lib'
}
finds_no_run_path() {
    need_lab bin/g++-15 # whose libraries no loader finds
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
    misled ''
    call "$cxx" main.o greet.o -o program "$old"
    refuses program
    call "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/new" "$old"
    accepts program
    same "$(./program)" hello
}

# ---------------------------------------------------------------------------------------------- what is no error

looks_at_library_path() {
    [ -z "${ASAN_OPTIONS-}" ] || skip 'a sanitized c++ is not static, and the variable breaks it'
    need_lab bin/g++-15
    misled ''
    call "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/libc" "-Wl,--disable-new-dtags"
    exits 1
    call env LD_LIBRARY_PATH="$PWD/new" "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/libc"
    accepts program
    same "$(LD_LIBRARY_PATH=$PWD/new ./program)" hello
}
library_path_in_the_way() {
    misled ''
    # the program is correct; LD_LIBRARY_PATH hides that only now, so it is a warning, not an error
    call env LD_LIBRARY_PATH="$PWD/old" "$cxx" main.o greet.o -o program -Wl,-rpath,"$PWD/new:$PWD/libc"
    exits 0
    says '^hostpin: note: ' 'LD_LIBRARY_PATH' "$(literally "$version")"
    same "$(./program)" hello
}
shared_libraries() {
    need_lab bin/g++-15
    misled ''
    # its own run path leads to the old one, in every program that loads it
    call "$cxx" -shared greet.o -o libgreet.so "$old"
    refuses libgreet.so 'greet\.o'
    # without one the program decides
    call "$cxx" -shared greet.o -o libgreet.so
    exits 0
    says '^hostpin: note: ' "$(literally "$version")"
    call "$cxx" main.o libgreet.so -o program -Wl,-rpath,"$PWD:$PWD/new:$PWD/libc" -Wl,--disable-new-dtags
    accepts program
    same "$(./program)" hello
}
directories_to_come() {
    need_lab bin/g++-15
    bare_stdenv
    bound '' "$bin/bare"
    write_program
    # shellcheck disable=SC2016 # the loader reads $ORIGIN
    call "$cxx" main.o greet.o -o program '-Wl,-rpath,$ORIGIN/../not/yet/lib'
    exits 0
    says '^hostpin: note: ' "$(literally "$version")"
    [ -x program ] || fail 'no program'
    # if the directory exists, its content counts
    # shellcheck disable=SC2016
    call "$cxx" main.o greet.o -o program '-Wl,-rpath,$ORIGIN'
    refuses program
}
stubs_are_missing_on_purpose() {
    bound
    write_program
    echo 'int cuInit(unsigned) { return 0; }' | "$lab/bin/gcc-$newer" -x c - -shared -Wl,-soname,libcuda.so.1 -o libcuda.so
    echo 'extern "C" int cuInit(unsigned); int main() { return cuInit(0); }' >main.cpp
    call "$cxx" main.cpp greet.o -L. -lcuda -Wl,--no-as-needed -o program
    accepts program
}
not_for_this_loader() {
    misled ''
    call "$cxx" main.o greet.o -o program "$old" -Wl,--dynamic-linker=/nowhere/ld.so
    accepts program
    call "$cxx" -v main.o greet.o -o program "$old" -Wl,--dynamic-linker=/nowhere/ld.so
    exits 0
    says '^hostpin: note: .*/nowhere/ld\.so'
}
another_root() {
    misled ''
    local root=/
    if [ "$stands_in" = no ]; then root=$lab/roots/sid; fi
    call "$cxx" --sysroot="$root" main.o greet.o -o program "$old"
    accepts program
    call "$cxx" -v --sysroot="$root" main.o greet.o -o program "$old"
    exits 0
    says '^hostpin: note: not verified: .*sysroot'
}
# Of what another machine runs, nothing is run here: its libraries are those of a sysroot, or of the cross compiler.
for_another_machine() {
    need_cross
    unset HOSTPIN_CONFIG
    "$hostpin" bind bound --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross"
    unset HOSTPIN_CACHE_DIR
    cxx=$PWD/bound/c++
    version=GLIBCXX_3.4.30 symbol=condition_variable
    write_program
    call "$cxx" main.o greet.o -o program
    accepts program
    if command -v "qemu-${triple%%-*}-static" >/dev/null; then
        same "$("qemu-${triple%%-*}-static" -L "/usr/$triple" ./program)" hello
    fi
    mkdir -p old
    stdenv=$cross older_library
    call "$cxx" main.o greet.o -o program "-Wl,-rpath,\$ORIGIN/old"
    refuses program "$(literally "$PWD/./old/libstdc++.so.6")|$(literally "$PWD/old/libstdc++.so.6")|old/libstdc" 'greet\.o'
    # a variable of this machine's loader
    LD_LIBRARY_PATH=$PWD/old call "$cxx" main.o greet.o -o program
    accepts program

    # a sysroot is what the machine has
    mkdir -p root/lib
    cp -a "/usr/$triple"/lib/ld-* "/usr/$triple"/lib/lib{c,m,gcc_s}.so.* root/lib/
    cp old/libstdc++.so.6 root/lib/
    compiler rooted "$cross" "--sysroot=$PWD/root" "-isystem/usr/$triple/include"
    "$hostpin" bind rooted --toolkit "$cross_toolkit" --stdenv "$bin/rooted" --host "$bin/rooted"
    call rooted/c++ main.o greet.o -o program
    refuses program "$(literally "$PWD/root/lib/libstdc++.so.6")"
    cp "/usr/$triple/lib/libstdc++.so.6" root/lib/
    call rooted/c++ main.o greet.o -o program
    accepts program
    rm root/lib/libstdc++.so.6 "$(realpath root/lib/libgcc_s.so.1)"
    call rooted/c++ "--sysroot=$PWD/root" main.o greet.o -o program
    exits 0
    [ -e program ] || fail 'no program'
}
makes_no_image() {
    misled ''
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
it 'what another machine runs is judged by its sysroot or the libraries of the cross compiler, never by those of this machine' for_another_machine
it 'devices, relocatable objects and static programs are left alone' makes_no_image
finish
