#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin's c++ as users and CMake call it: what compiled, what linked, what the program loads, without our variables.
#   split.sh [WORDS]   only the cases whose sentence contains WORDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

# bound [TOOLKIT HOST STDENV [CONFIGURATION]]: a binding in ./bound with two different GCCs, a copy of one that cases share; then no
# variable of hostpin is left in the environment.
bound() {
    local kept configuration=${4:-}
    need_split "${1:-12.4}" "${2:-13}" "${3:-15}"
    kept=$work/bound-$release-$older-$newer${configuration//[^a-z]/}
    if [ ! -d "$kept" ]; then
        { considers "\"$host\", \"$stdenv\"" && echo "$configuration"; } >config.toml
        HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind "$kept" --toolkit "$toolkit" --host "$host" --stdenv "$stdenv"
    fi
    cp -a "$kept" bound
    unset HOSTPIN_CONFIG HOSTPIN_CACHE_DIR HOSTPIN_PREFIX
    cxx=$PWD/bound/c++
}
# Two files, whose program needs libstdc++.
write_program() {
    cat >main.cpp <<'CPP'
#include <cstdio>
void greet();
int main() {
    try {
        greet();
    } catch (const char *line) {
        std::puts(line);
    }
}
CPP
    echo 'void greet() { throw "hello across the split"; }' >greeting.cpp
}
# linked_by PROGRAM CXX: loader and libstdc++ are those of that compiler's own programs, and nothing else is named.
linked_by() {
    stdenv_program "$2"
    same "$(loaded "$1" libstdc++)" "$(loaded plain libstdc++)"
    same "$(readelf -l "$1" | grep interpreter)" "$(readelf -l plain | grep interpreter)"
    same "$(runpath "$1")" "$(runpath plain)"
}

compiles_and_links() {
    bound
    write_program
    "$cxx" -O2 -c main.cpp -o main.o
    "$cxx" -O2 -c greeting.cpp -o greeting.o
    made_by main.o gcc "$older"
    "$cxx" main.o greeting.o -o program -Wl,-Map=map
    linked_by program "$stdenv"
    same "$(./program)" 'hello across the split'
    ! grep -E "/gcc/x86_64-linux-gnu/$older(/|\$)" map || fail 'the link read files of the host compiler'
}
compiles_sources_of_a_link() {
    bound
    write_program
    mkdir 'a b' temporary
    mv main.cpp 'a b/main file.cpp'
    "$cxx" -c greeting.cpp
    made_by greeting.o gcc "$older"
    printf '#if __GNUC__ != %s\n#error\n#endif\nint three() { return 3; }\n' "$older" >three
    TMPDIR=$PWD/temporary "$cxx" -O1 'a b/main file.cpp' greeting.o -x c++ three -o program -Wl,-Map=map
    linked_by program "$stdenv"
    same "$(./program)" 'hello across the split'
    grep -q "^ .*GCC: ([^)]*) $older" <(readelf -p .comment program) || fail 'the host compiler did not compile'
    same "$(ls temporary)" ''
    ! grep -E "/gcc/x86_64-linux-gnu/$older(/|$)" map || fail 'the link read files of the host compiler'
    echo "-x c++ three 'a b/main file.cpp' -x none greeting.o -o program2" >words
    "$cxx" @words
    same "$(./program2)" 'hello across the split'
    echo 'int main() { return missing(); }' >bad.cpp
    TMPDIR=$PWD/temporary call "$cxx" greeting.o bad.cpp -o bad
    exits 1
    says 'bad.cpp.*missing. was not declared'
    absent bad
    same "$(ls temporary)" ''
    echo 'int missing(); int main() { return missing(); }' >bad.cpp
    TMPDIR=$PWD/temporary call "$cxx" bad.cpp -o bad
    exits 1
    says 'undefined reference to .missing'
    same "$(ls temporary)" ''
    TMPDIR=$PWD/absent call "$cxx" bad.cpp -o bad
    exits 2
    says '^hostpin: error: cannot make a directory for objects' '^hint: .*TMPDIR'
}
# A call that writes further files, named after the output, is done in one step by the driver that links.
leaves_what_writes_beside() {
    bound
    write_program
    "$cxx" main.cpp greeting.cpp -save-temps=obj -o program
    linked_by program "$stdenv"
    for object in *main.o; do made_by "$object" gcc "$newer"; done
}
# CMake identifies a compiler by a call without -c, and compiles with options for that compiler.
is_known_by_what_compiles() { # CMAKE
    bound
    [ "$1" = cmake ] || need_lab "${1#"$lab/"}"
    mkdir project
    cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(known LANGUAGES CXX CUDA)
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#if __GNUC__ != ${OLDER}\n#error\n#endif\nint main() {}" LINKED_SOURCE_IS_OLDER)
file(WRITE "${CMAKE_BINARY_DIR}/known" "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${LINKED_SOURCE_IS_OLDER}\n")
file(WRITE "${CMAKE_BINARY_DIR}/directories" "${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES}\n")
add_executable(known main.cpp kernel.cu)
target_compile_features(known PRIVATE cxx_std_23)
CMAKE
    printf '#include <cstdio>\nvoid launch();\nint main() { try { launch(); throw 1; } catch (int) { std::printf("%%ld\\n", __cplusplus); } }\n' >project/main.cpp
    echo '__global__ void k() {} void launch() { k<<<1, 1>>>(); }' >project/kernel.cu
    CXX=$cxx CUDACXX=$PWD/bound/nvcc "$1" -S project -B build -G Ninja "-DOLDER=$older" -DCMAKE_CUDA_ARCHITECTURES=75 -DCMAKE_CUDA_STANDARD=17
    same "$(cat build/known)" "GNU $("$cxx" -dumpfullversion) 1"
    contains "/${newer}[;/]" <build/directories || fail "it links in $(cat build/directories)"
    "$1" --build build
    made_by build/CMakeFiles/known.dir/main.cpp.o gcc "$older"
    linked_by build/known "$stdenv"
    same "$(build/known)" 202100
}
makes_libraries() {
    bound
    write_program
    "$cxx" -fPIC -c greeting.cpp -o greeting.o
    "$cxx" -shared greeting.o -o libgreeting.so -Wl,-soname,libgreeting.so
    "$cxx" -r greeting.o -o relocated.o
    "$cxx" -c main.cpp -o main.o
    # shellcheck disable=SC2016 # the loader reads $ORIGIN
    "$cxx" main.o -L. -lgreeting '-Wl,-rpath,$ORIGIN' -o program
    "$cxx" main.o relocated.o -o program2
    same "$(./program)$(./program2)" 'hello across the splithello across the split'
}
takes_response_files() {
    bound
    write_program
    mkdir 'a b'
    printf -- '-c "main.cpp"\n -o '"'a b/main.o'"'\n' >compile.rsp
    echo '@compile.rsp -O1' >outer.rsp
    "$cxx" @outer.rsp
    made_by 'a b/main.o' gcc "$older"
    "$cxx" -c greeting.cpp -o greeting.o
    echo "'a b/main.o' greeting.o -o program" >link.rsp
    "$cxx" @link.rsp
    linked_by program "$stdenv"
}
# hostpin's answer is that driver's, byte for byte.
answers_like() { # DRIVER ARGUMENT...
    local driver=$1
    shift
    "$driver" "$@" >expected.out 2>expected.err </dev/null || true
    "$cxx" "$@" >got.out 2>got.err </dev/null || true
    cmp expected.out got.out || fail "c++ $* does not print what $driver prints"
    cmp expected.err got.err || fail "c++ $* does not say what $driver says"
}
# More than one exec takes: two million bytes of arguments and pointers. Objects only, because GCC itself passes options through the environment, which has a
# smaller limit.
links_many_arguments() {
    local number=12000 long=''
    if [ "$full" = 1 ]; then number=100000; else long=$(printf '/.%.0s' {1..100}); fi
    bound
    write_program
    "$cxx" -c main.cpp -o main.o
    "$cxx" -c greeting.cpp -o greeting.o
    ar rcs libempty.a
    { echo main.o greeting.o && seq "$number" | sed "s,.*,.$long/libempty.a,"; } >objects
    [ $(($(wc -c <objects) + 8 * number)) -gt 2097152 ]
    "$cxx" -fno-use-linker-plugin @objects -o program
    linked_by program "$stdenv"
    same "$(./program)" 'hello across the split'
}
answers() {
    local question
    bound 12.4 12 15 # no launcher: those link even with -v alone
    for question in --version -dumpversion -dumpfullversion -dumpmachine -dumpspecs -v -print-prog-name=cc1plus \
        -print-file-name=include '' --help; do
        # shellcheck disable=SC2086 # one is no argument at all
        answers_like "$host" $question
    done
    for question in -print-prog-name=ld -print-prog-name=ar -print-file-name=libstdc++.so -print-libgcc-file-name \
        -print-search-dirs -print-multi-lib -print-multi-directory -print-multi-os-directory -print-multiarch -print-sysroot; do
        answers_like "$stdenv" "$question"
    done
}
# shown_by MAJOR ARGUMENT...: the driver that prints its commands is GCC of that major.
shown_by() {
    local major=$1
    shift
    call "$cxx" "$@"
    exits 0
    says "gcc version $major\\."
}
shows_jobs() {
    bound
    touch a.o a.cpp
    shown_by "$older" '-###' -c a.cpp
    says cc1plus
    shown_by "$newer" '-###' a.o
    says collect2
    shown_by "$older" -v -c a.cpp
}
precompiles_headers() {
    bound 12.4 12 15 # no launcher: those link headers
    echo '#include <vector>' >all.hpp
    echo 'int main() { return std::vector<int>().size(); }' >main.cpp
    "$host" -x c++-header all.hpp -o expected.gch
    "$cxx" -x c++-header all.hpp -o all.hpp.gch
    same "$(head -c 8 all.hpp.gch)" "$(head -c 8 expected.gch)"
    "$cxx" -Winvalid-pch -Werror -include all.hpp -c main.cpp
    "$cxx" -fsyntax-only -include all.hpp main.cpp
    absent a.out
}
passes_failures() {
    bound
    echo 'int main() { return missing(); }' >bad.cpp
    call "$cxx" -c bad.cpp
    exits 1
    says 'missing. was not declared'
    call "$cxx" absent.o -o program
    exits 1
    prints_nothing
}
passes_arguments() {
    # shellcheck disable=SC2016 # nothing is to be expanded
    local -a arguments=(-c 'a b.cpp' '' "it's" '"' "\\" '$HOME' $'new\nline' '-DX="y z"' '@absent' '*' -o 'out put.o')
    need_split 12.4 13 15
    compiler recorder "$host"
    # answers the queries of bind, and records all other calls
    cat >"$bin/recorder" <<SH
#!/bin/sh
case "\$*" in *'it'*) printf '%s\0' "\$@" >'$PWD/recorded' ;; *) exec '$host' "\$@" ;; esac
SH
    "$hostpin" bind bound --toolkit "$toolkit" --host "$bin/recorder" --stdenv "$stdenv"
    ./bound/c++ "${arguments[@]}"
    printf '%s\0' "${arguments[@]}" | cmp - recorded
}
serves_nvcc() { # TOOLKIT HOST STDENV
    bound "$1" "$2" "$3"
    write_source x.cu
    "$toolkit/bin/nvcc" -ccbin "$cxx" -c x.cu -o x.o
    made_by x.o gcc "$older"
    "$toolkit/bin/nvcc" -ccbin "$cxx" x.o -o program
    linked_by program "$stdenv"
    same "$(./program)" 'hello from the host half'
    "$toolkit/bin/nvcc" -ccbin "$cxx" -lib x.o -o libx.a
    "$toolkit/bin/nvcc" -ccbin "$cxx" libx.a -o program2
    linked_by program2 "$stdenv"
}
# launches_cmake_links CMAKE-OPTION...: and the environment has CUDAHOSTCXX, or an option names our c++.
launches_cmake_links() {
    mkdir project
    write_source project/x.cu
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(x CUDA)\nadd_executable(x x.cu)\n' >project/CMakeLists.txt
    CXX=$stdenv cmake -S project -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75 "$@"
    env -u CUDAHOSTCXX cmake --build build -v >build.log
    grep -qF "$cxx" build.log || fail 'CMake does not call our c++'
    stdenv_program "$stdenv"
    same "$(loaded build/x libstdc++)" "$(loaded plain libstdc++)"
    ! runpath build/x | grep -E "/gcc/x86_64-linux-gnu/$older(/|\$)" || fail 'RUNPATH names the host compiler'
    same "$(build/x)" 'hello from the host half'
}
is_cudahostcxx() {
    bound
    CUDAHOSTCXX=$cxx launches_cmake_links
}
is_cmakes_host_compiler() {
    bound
    launches_cmake_links "-DCMAKE_CUDA_HOST_COMPILER=$cxx" "${identified_only[@]}"
}
refuses() { # FLAG
    bound
    write_program
    call "$cxx" "$1" -c main.cpp -o main.o
    [ "$status" -ne 0 ] || fail "$1 was compiled"
    says "hostpin: error: $1: objects of GCC $older\..* cannot be linked by .*g\+\+-$newer\) with it: .*GCC $newer\." 'hint: .*one-compiler'
    prints_nothing
    absent main.o
    "$cxx" "$1" -E main.cpp >/dev/null
}
links_with_refused_flags() {
    bound
    write_program
    "$stdenv" -flto --coverage -c greeting.cpp -o greeting.o
    "$cxx" -c main.cpp -o main.o
    "$cxx" -flto --coverage main.o greeting.o -o program
    linked_by program "$stdenv"
    same "$(./program 2>&1)" 'hello across the split'
    [ -s greeting.gcda ] || fail 'the stdenv measured nothing of its own'
}
crosses() {
    bound
    write_program
    local flag
    for flag in -fsanitize=address -fsanitize=undefined -fopenmp -pg; do
        "$cxx" "$flag" -c main.cpp -o main.o
        "$cxx" "$flag" -c greeting.cpp -o greeting.o
        made_by main.o gcc "$older"
        "$cxx" "$flag" main.o greeting.o -o program
        linked_by program "$stdenv"
        same "$(./program)" 'hello across the split'
    done
}
one_compiler() {
    bound 12.4 13 15 $'[runtime]\ncoverage = "one-compiler"'
    write_program
    "$cxx" --coverage -c main.cpp -o main.o
    "$cxx" --coverage -c greeting.cpp -o greeting.o
    call "$cxx" --coverage main.o greeting.o -o program
    exits 0
    says 'coverage = "one-compiler"'
    same "$(grep -c hostpin "$err")" 1
    linked_by program "$host"
    ./program
    [ -s main.gcda ] || fail 'no coverage was written'
    "$cxx" main.o greeting.o -lgcov -o pinned
    linked_by pinned "$stdenv"
}
# A link names a flag for the objects of the stdenv, and nvcc compiles a source of its own with it.
registers() { # FLAG
    bound
    echo 'void launch(); int main() { try { launch(); throw 1; } catch (int) { return 0; } }' >main.cpp
    echo '__global__ void k() {} void launch() { k<<<1, 1>>>(); }' >kernel.cu
    "$stdenv" "$1" -c main.cpp -o main.o
    call bound/nvcc -rdc=true -Xcompiler "$1" -c kernel.cu -o kernel.o
    [ "$status" -ne 0 ] || fail "the .cu file was compiled with $1"
    says "hostpin: error: $1: objects of GCC $older"
    bound/nvcc -rdc=true -c kernel.cu -o kernel.o
    bound/nvcc -Xcompiler "$1" main.o kernel.o -o program
    linked_by program "$stdenv"
    ./program
    [ "$1" != --coverage ] || [ -s main.gcda ] || fail 'the C++ half measured nothing'
    bound/nvcc -forward-unknown-to-host-compiler "$1" -dlink kernel.o -o device.o
    made_by device.o gcc "$older"
    "$cxx" "$1" main.o kernel.o device.o -L"$toolkit/lib64" -lcudadevrt -lcudart_static -ldl -lrt -lpthread -o program2
    ./program2
}
# As with CXX=g++, nvcc chooses the standard itself: cudafe++ and the preprocessor must agree on it.
without_language_options() {
    need_toolkit 12.4 12
    cat >x.cu <<'CU'
#include <concepts>
#include <cstdio>
#ifdef HALF
#error
#endif
__global__ void nothing() {}
int main() {
    try { throw int(__cplusplus / 100); } catch (int year) { std::printf("%d\n", year); }
}
CU
    export CUDA_HOME=$toolkit CXX="$host -std=c++20 -fno-exceptions -DHALF -O1"
    "$our_nvcc" x.cu -o x
    same "$(./x)" 2017
    if since 12.0; then # which knows it
        "$our_nvcc" -std=c++20 x.cu -o x
        same "$(./x)" 2020
    fi
    "$hostpin" bind bound >printed
    grep -q 'compiles .*its language options are for its own compiles' printed
    ! grep 'compiles .*-std=' printed || fail 'options are shown that are left out'
    call "$hostpin" explain --bound bound -- -c x.cu
    ! grep 'compiles .*-std=' "$out" || fail 'options are shown that are left out'
    bound/nvcc x.cu -o x
    same "$(./x)" 2017
    grep -q "^called-as = \\[\"$host\"\\]" bound/binding.toml
    # a source on a link line like one with -c
    printf '#ifdef HALF\n#error\n#endif\nint main() { return __cplusplus != 201703; }\n' >main.cpp
    bound/c++ main.cpp -o main
    ./main
}
obeys_refusals() {
    bound 12.4 13 15 $'[runtime]\nopenmp = "refuse"'
    write_program
    call "$cxx" -fopenmp -c main.cpp
    [ "$status" -ne 0 ] || fail '-fopenmp was compiled'
    says 'hostpin: error: -fopenmp'
}

need_hostpin
it 'the host compiler compiles, the stdenv links, and nothing of the host compiler is in the link' compiles_and_links
it 'sources on a link line are compiled by the host compiler, as with -c, and linked by the stdenv' compiles_sources_of_a_link
it 'a link that keeps temporary files of its sources is left to the stdenv' leaves_what_writes_beside
for release in cmake "$lab/cmake/4/bin/cmake"; do
    it "CMake takes it as C++ compiler and knows it by what compiles ($release)" is_known_by_what_compiles "$release"
done
it 'shared libraries and relocatable links are links' makes_libraries
it 'response files, nested and quoted, are read for the decision' takes_response_files
it 'more arguments than a program can be given link through a response file' links_many_arguments
it 'questions are answered by the side they are about' answers
it '-### and -v show the side that would work' shows_jobs
it 'precompiled headers are made and read by the host compiler' precompiles_headers
it 'exit codes and messages of the compilers pass' passes_failures
it 'every argument passes byte for byte' passes_arguments
it 'nvcc takes it as -ccbin' serves_nvcc 12.4 13 15
if [ "$stands_in" = no ]; then it 'nvcc of CUDA 11.8 takes it as -ccbin' serves_nvcc 11.8 11 14; fi
it 'CMake takes it as CUDAHOSTCXX and links with it' is_cudahostcxx
it 'CMake takes it as CMAKE_CUDA_HOST_COMPILER and links with it' is_cmakes_host_compiler
for flag in --coverage -fprofile-generate -flto=auto; do
    it "$flag is refused at the first compile, with the reason and a way out" refuses "$flag"
done
for flag in --coverage -flto; do
    it "nvcc links and device-links with $flag for objects of the stdenv; a .cu file with it is refused" registers "$flag"
done
it 'a link line may carry flags for objects of the stdenv' links_with_refused_flags
it 'sanitizers, OpenMP and -pg cross' crosses
it 'under one-compiler the host compiler links, says so once, and coverage works' one_compiler
it "language options of the stdenv's command are for its own compiles" without_language_options
it 'a feature that would cross is refused where the configuration says so' obeys_refusals
finish
