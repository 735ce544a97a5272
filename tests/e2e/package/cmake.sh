#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(hostpin) from an installed and from a moved tree: the program, and the leak check after each install and in CTest.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command cmake c++ make

mkdir "$work/source"
cat >"$work/source/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(uses LANGUAGES CXX)
enable_testing()
find_package(hostpin 0.1 REQUIRED)
add_executable(uses uses.cpp)
set_target_properties(uses PROPERTIES INSTALL_RPATH "${LEAK}")
install(TARGETS uses RUNTIME DESTINATION bin)
add_custom_command(TARGET uses POST_BUILD COMMAND hostpin::hostpin --version >version)
hostpin_leak_check(FORBID /opt/forbidden)
CMAKE
echo 'int main() { throw 1; }' >"$work/source/uses.cpp"
builds() { # PREFIX [ARGUMENT...]
    cmake -S "$work/source" -B build "-DCMAKE_PREFIX_PATH=$1" "-DCMAKE_INSTALL_PREFIX=$PWD/there" "${@:2}" >log
    cmake --build build >>log
}

a_project_finds_it_and_is_checked() {
    builds "$prefix"
    contains '^hostpin 0' <build/version || fail "hostpin::hostpin did not run"
    call cmake --install build
    exits 0
    (cd build && ctest >log) || { cat build/log && fail "a clean project fails its test"; }
    builds "$prefix" -DLEAK=/opt/forbidden/lib
    call cmake --install build
    [ "$status" != 0 ] || fail "a run path into what is forbidden was installed without a word"
    cat "$out" "$err" | contains forbidden-runpath || fail "the finding is not named"
    ! (cd build && ctest >log) || fail "CTest passes a project that leaks"
}
a_moved_tree_is_found() {
    mkdir "another place"
    cp -a "$prefix" "another place/moved"
    builds "$PWD/another place/moved"
    grep -q "another place/moved/bin/hostpin" build/hostpin-leak-check.cmake || fail "the moved tree does not use its own program"
}
a_damaged_tree_says_so() {
    cp -a "$prefix" broken
    rm broken/libexec/hostpin/nvcc
    call cmake -S "$work/source" -B build "-Dhostpin_DIR=$PWD/broken/share/hostpin/cmake"
    [ "$status" != 0 ] || fail "a tree without nvcc was taken"
    tr -s ' \n' ' ' <"$err" | contains 'broken/libexec/hostpin/nvcc' || { cat "$err" && fail "it does not say what is missing"; }
}
another_release_is_refused() {
    sed 's/hostpin 0.1 /hostpin 7.0 /' -i.bak "$work/source/CMakeLists.txt"
    call cmake -S "$work/source" -B build "-DCMAKE_PREFIX_PATH=$prefix"
    mv "$work/source/CMakeLists.txt.bak" "$work/source/CMakeLists.txt"
    [ "$status" != 0 ] || fail "a release that is not there was found"
}
it "a project finds it and is checked" of checks a_project_finds_it_and_is_checked
it "a tree that was moved is found" of checks a_moved_tree_is_found
it "a damaged tree says what is missing" a_damaged_tree_says_so
it "another release is refused" another_release_is_refused
finish
