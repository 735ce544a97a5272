#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `hostpin stdlib-probe why` as a user calls it.
#   why.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
only=${1:-}
need_hostpin
need_command g++ readelf
why() { call "$hostpin" stdlib-probe why "$@"; }
# value KEY...: of the last answer
value() { json "$out" "$@"; }
prints() {
    local pattern
    for pattern in "$@"; do
        grep -qE -e "$pattern" "$out" || { show_call; fail "stdout does not say: $pattern"; }
    done
}
# An error that names what to do next, and nothing that looks like a pass.
refuses() {
    exits 2
    says '^hostpin: error: ' "$@"
    says_not 'Segmentation|Assertion|terminate called|PLEASE submit'
}
write_random() {
    printf '%s\n' '#include <random>' 'std::random_device device;' 'int dice() { return static_cast<int>(device()); }' >"$1"
}
# What is newer than GCC 4.8 whatever compiles it: the constructor of random_device is in the header, its parts are not.
readonly old=GLIBCXX_3.4.17

names_line_symbol_version_and_release() {
    write_random a.cpp
    why --max "$old" a.cpp -- g++ -std=c++17 -O2
    exits 1
    prints '^a\.cpp needs [0-9]+ symbols? above GLIBCXX_3\.4\.17 and CXXABI_1\.3\.[0-9]+, because of [0-9]+ lines?$' \
        '^GLIBCXX_3\.4\.[0-9]+ \(GCC [0-9.]+\)$' '^  std::random_device::_M_getval\(\)$' '^    a\.cpp:3:[0-9]+: std::random_device::operator\(\)$'
    why --json --max "$old" a.cpp -- g++ -std=c++17 -O2
    exits 1
    same "$(value sources 0 source)" "$(realpath a.cpp)"
    same "$(value sources 0 predicted)" OFF
    same "$(value sources 0 needs 0 uses 0 file)" "$(realpath a.cpp)"
    same "$(value sources 0 library)" "$(realpath "$(g++ -print-file-name=libstdc++.so)")"
}
a_limit_that_suffices_is_no_finding() {
    write_random a.cpp
    why --max GLIBCXX_3.4.99 a.cpp -- g++ -std=c++17
    exits 0
    prints 'a\.cpp needs nothing above GLIBCXX_3\.4\.99'
    why --against "$(g++ -print-file-name=libstdc++.so.6)" a.cpp -- g++ -std=c++17
    exits 0
}
without_a_limit_all_is_listed() {
    write_random a.cpp
    why a.cpp -- g++ -std=c++17
    exits 0
    prints 'newer than GLIBCXX_3\.4 and CXXABI_1\.3' 'std::random_device'
}
leaves_the_build_alone() {
    mkdir build
    write_random a.cpp
    echo theirs | tee a.o a.d build/a.o a.i a.s >/dev/null
    find . -type f -exec sha256sum {} + | sort >"$work/before"
    why --max "$old" -- g++ -std=c++17 -c a.cpp -o a.o -MD -MF a.d -save-temps -Wp,-MMD,build/a.d -flto -gsplit-dwarf \
        --coverage -fstack-usage -fdump-tree-optimized
    exits 1
    find . -type f -exec sha256sum {} + | sort >"$work/after"
    diff "$work/before" "$work/after"
}
launchers_and_response_files_are_followed() {
    write_random 'a b.cpp'
    echo '-std=c++17 "-DTEXT=two words" -c "a b.cpp" -o "a b.o"' >all.rsp
    why --max "$old" -- env LC_ALL=C nice -n 1 g++ @all.rsp
    exits 1
    prints '^    a b\.cpp:3:'
    absent 'a b.o'
    if command -v ccache >/dev/null; then
        why --max "$old" -- ccache g++ @all.rsp
        exits 1
    fi
}
response_files_that_cannot_be_read_are_refused() {
    write_random a.cpp
    mkfifo pipe.rsp
    echo '@self.rsp' >self.rsp
    local file
    for file in missing.rsp pipe.rsp self.rsp . /dev/zero; do
        why a.cpp -- g++ -std=c++17 "@$file"
        refuses 'response file'
    done
}
a_pipe_among_the_headers_keeps_no_one_waiting() {
    write_random a.cpp
    mkfifo pipe.hpp
    why --predict a.cpp -- g++ -std=c++17 -include pipe.hpp
    refuses 'a\.cpp cannot be predicted' 'pipe\.hpp'
}
sources_of_c_are_checked_as_such() {
    echo 'int main(void) { int class = 0; return class; }' >a.c
    why --json a.c -- gcc -O2
    exits 0
    same "$(value sources 0 needs)" '[]'
    why --predict a.c -- gcc
    exits 0
    why --predict a.c -- g++ -x c
    exits 0
}
an_answer_that_cannot_be_written_is_no_answer() {
    write_random a.cpp
    local status=0
    "$hostpin" stdlib-probe why a.cpp -- g++ -std=c++17 >/dev/full 2>full.txt || status=$?
    same "$status" 2
    same "$(head -n 1 full.txt)" 'hostpin: error: the answer cannot be written: No space left on device'
}
own_headers_are_the_users_and_system_ones_are_not() {
    mkdir own system
    echo 'inline int dice() { std::random_device d; return static_cast<int>(d()); }' >own/dice.hpp
    cp own/dice.hpp system/dice.hpp
    printf '%s\n' '#include <random>' '#include "dice.hpp"' 'int play() { return dice(); }' >a.cpp
    why --max "$old" a.cpp -- g++ -std=c++17 -O2 -Iown
    exits 1
    prints '^    own/dice\.hpp:1:'
    why --max "$old" --chain a.cpp -- g++ -std=c++17 -O2 -isystem system
    exits 1
    prints '^    a\.cpp:3:.*: dice$' '^      through dice$'
}
a_project_of_cmake_is_checked_by_its_database() {
    need_command cmake
    mkdir -p project/src
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(x CXX)' 'set(CMAKE_CXX_STANDARD 17)' \
        'add_library(one src/dice.cpp src/plain.cpp)' 'add_library(two src/dice.cpp)' \
        'target_compile_options(two PRIVATE -O2)' >project/CMakeLists.txt
    write_random project/src/dice.cpp
    echo 'int plain() { return 0; }' >project/src/plain.cpp
    CXX=g++ cmake -S project -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
    why --json -p build --max "$old"
    exits 1
    same "$(json "$out" sources | grep -c '"source"')" 3
    why -p build/compile_commands.json --max "$old" project/src/plain.cpp
    exits 0
    why -p build --max "$old" project/src/other.cpp
    refuses 'has no command for project/src/other\.cpp'
    same "$(find build -name '*.o')" ""
}
a_prediction_says_that_it_is_one() {
    write_random a.cpp
    why --predict --max "$old" a.cpp -- g++ -std=c++17
    exits 1
    prints '^a\.cpp may need ' '^note: this is a prediction' '_M_getval' '^    a\.cpp:3:'
    why --max "$old" a.cpp -- /nonexistent/g++ -std=c++17
    refuses '/nonexistent/g\+\+ cannot be used' '--library'
}
a_compiler_that_is_not_here_is_predicted_for_a_named_library() {
    echo 'namespace std { void __throw_bad_array_new_length(); } void f() { std::__throw_bad_array_new_length(); }' >a.cpp
    why --max "$old" --library "$(g++ -print-file-name=libstdc++.so.6)" a.cpp -- /nonexistent/g++ -std=c++17
    exits 1
    prints 'may need [12] symbol' '^    a\.cpp:1:'
}
sources_that_cannot_be_compiled_are_refused() {
    echo 'int main( { return undeclared; }' >broken.cpp
    why --max "$old" broken.cpp -- g++
    refuses 'broken\.cpp cannot be compiled by its command' 'broken\.cpp:1'
    why missing.cpp -- g++
    refuses 'there is no .*missing\.cpp'
    mkdir directory.cpp
    why directory.cpp -- g++
    refuses 'directory\.cpp'
    mkfifo pipe.cpp
    why pipe.cpp -- g++
    refuses 'pipe\.cpp'
}
one_bad_source_hides_no_other() {
    write_random good.cpp
    echo '#error no' >bad.cpp
    why --json --max "$old" bad.cpp good.cpp -- g++ -std=c++17
    refuses 'bad\.cpp cannot be compiled'
    same "$(value sources 1 needs 0 uses 0 file)" "$(realpath good.cpp)"
}
commands_that_make_no_sense_are_refused() {
    write_random a.cpp
    local words
    for words in '' '-O2' 'ccache' '/bin/true' '/bin/false' '/etc/passwd' 'g++ -no-such-flag' 'g++ -fmodules-ts' 'nvcc'; do
        # shellcheck disable=SC2086 # several arguments
        why --max "$old" a.cpp -- $words
        refuses
    done
    why --max "$old" -- g++ -O2
    refuses 'no source is named'
    printf '#!/bin/sh\nexec sleep 1000\n' >sleeper && chmod +x sleeper
    why a.cpp -- ./sleeper
    refuses './sleeper cannot be used'
}
objects_of_another_kind_are_refused() {
    write_random a.cpp
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\ncase "$*" in */object.o*) for last; do :; done; echo garbage >"$last" ;; *) exec g++ "$@" ;; esac\n' >liar
    chmod +x liar
    why a.cpp -- ./liar -std=c++17
    refuses 'object'
}
libraries_that_are_none_are_refused() {
    write_random a.cpp
    local real
    real=$(realpath "$(g++ -print-file-name=libstdc++.so.6)")
    echo garbage >garbage.so
    head -c 5000 "$real" >cut.so
    head -c 1000000 "$real" >half.so
    : >empty.so
    mkfifo pipe.so
    echo 'int x;' | gcc -shared -x c - -o plain.so
    local library
    for library in garbage.so cut.so half.so empty.so pipe.so plain.so missing.so . /dev/null; do
        why --against "$library" a.cpp -- g++ -std=c++17
        refuses 'libstdc\+\+'
    done
}
databases_that_are_none_are_refused() {
    write_random a.cpp
    local text
    for text in '' '[]' '{}' '[{}]' '[{"file": "a.cpp", "command": ""}]' '[{"file": "a.cpp", "command": "\""}]' 'nonsense'; do
        echo "$text" >compile_commands.json
        why -p .
        refuses 'compile_commands\.json'
    done
    echo '[{"directory": "/nonexistent", "file": "'"$PWD"'/a.cpp", "command": "g++ -c a.cpp"}]' >compile_commands.json
    why -p .
    refuses 'cannot work in /nonexistent'
    why -p /nonexistent
    refuses '/nonexistent'
}
limits_that_are_none_are_refused() {
    write_random a.cpp
    local limit
    for limit in 3.4.30 GLIBC_2.38 GLIBCXX_ GLIBCXX_x; do
        why --max "$limit" a.cpp -- g++
        refuses "'$limit' is not a version"
    done
}

it "names the line, the symbol, its version and the release that introduced it" names_line_symbol_version_and_release
it "finds nothing under a limit that suffices" a_limit_that_suffices_is_no_finding
it "lists everything without a limit" without_a_limit_all_is_listed
it "leaves the build's outputs and dependencies alone" leaves_the_build_alone
it "follows launchers and reads response files" launchers_and_response_files_are_followed
it "refuses response files that cannot be read" response_files_that_cannot_be_read_are_refused
it "does not wait for a pipe that a source includes" a_pipe_among_the_headers_keeps_no_one_waiting
it "takes C for C" sources_of_c_are_checked_as_such
it "fails where its answer cannot be written" an_answer_that_cannot_be_written_is_no_answer
it "names lines of own headers, and calls into system headers" own_headers_are_the_users_and_system_ones_are_not
it "checks a CMake project by its compile_commands.json" a_project_of_cmake_is_checked_by_its_database
it "says when it only predicts" a_prediction_says_that_it_is_one
it "predicts without the compiler for a library named" a_compiler_that_is_not_here_is_predicted_for_a_named_library
it "refuses sources that cannot be compiled" sources_that_cannot_be_compiled_are_refused
it "checks the other sources where one is bad" one_bad_source_hides_no_other
it "refuses invalid commands" commands_that_make_no_sense_are_refused
it "refuses files that are not objects" objects_of_another_kind_are_refused
it "refuses files that are not libraries" libraries_that_are_none_are_refused
it "refuses files that are not databases" databases_that_are_none_are_refused
it "refuses invalid limits" limits_that_are_none_are_refused
finish
