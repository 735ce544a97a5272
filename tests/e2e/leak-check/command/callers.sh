#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Callers of leak-check: a CMake project's install and tests, and a Nix-style builder.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

# project WORD...: a project whose program gets a run path of LEAK, with hostpin_leak_check(WORD...).
project() {
    mkdir -p project gcc-11/lib64
    echo 'int main() { return 0; }' >project/main.cpp
    cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(p CXX)
enable_testing()
add_executable(p main.cpp)
set_target_properties(p PROPERTIES INSTALL_RPATH "\${LEAK}")
install(TARGETS p DESTINATION bin)
include("$prefix/share/hostpin/cmake/HostpinLeakCheck.cmake")
hostpin_leak_check($*)
CMAKE
}
# configure LEAK: again, the compiler is known.
configure() { cmake -S project -B build -DCMAKE_BUILD_TYPE=Release "-DHOSTPIN_COMMAND=$hostpin" "-DLEAK=$1" && cmake --build build; }

cmake_project() {
    project FORBID "$PWD/gcc-11"
    configure "$PWD/gcc-11/lib64"
    call cmake --install build --prefix "$PWD/there"
    [ "$status" -ne 0 ] || fail "the install passes"
    prints '^error: forbidden-runpath: '
    call ctest --test-dir build --output-on-failure
    [ "$status" -ne 0 ] || fail "the test passes"
    prints 'forbidden-runpath: '
    call env DESTDIR="$PWD/stage" cmake --install build --prefix /usr
    [ "$status" -ne 0 ] || fail "the install passes"
    prints ' bin/p'
    configure ''
    call cmake --install build --prefix "$PWD/there"
    exits 0
    call ctest --test-dir build
    exits 0
    # only files of this project: others in that prefix are not scanned
    g++ project/main.cpp -o there/bin/other -Wl,-rpath,"$PWD/gcc-11/lib64"
    call cmake --install build --prefix "$PWD/there"
    exits 0
    # a library that the loader finds once the stage is the root
    {
        echo 'add_library(f SHARED f.cpp)'
        echo 'install(TARGETS f DESTINATION lib)'
        echo 'target_link_libraries(p f)'
    } >added.cmake
    echo 'int f() { return 0; }' >project/f.cpp
    echo 'int f(); int main() { return f(); }' >project/main.cpp
    sed -i '/^install/r added.cmake' project/CMakeLists.txt
    configure ''
    call env DESTDIR="$PWD/stage2" cmake --install build --prefix /usr
    exits 0
    prints_no missing-library
    # and one that is missing there too
    sed -i '/install(TARGETS f/d' project/CMakeLists.txt
    cmake -S project -B build
    call env DESTDIR="$PWD/stage3" cmake --install build --prefix /usr
    [ "$status" -ne 0 ] || fail "the install passes"
    prints '^error: missing-library: libf\.so'
}
semicolons() {
    mkdir 'gcc;11'
    local spelling
    for spelling in "$PWD/gcc\\;11" "\"$PWD/gcc\\;11\""; do
        rm -rf project there
        project FORBID "$spelling" "$PWD/gcc-10"
        echo "Libs: -L'$PWD/gcc;11/lib64' -lx" >project/x.pc
        sed -i 's,^include,install(FILES x.pc DESTINATION lib/pkgconfig)\n&,' project/CMakeLists.txt
        configure ''
        call cmake --install build --prefix "$PWD/there"
        [ "$status" -ne 0 ] || fail "the install passes"
        prints 'lib/pkgconfig/x\.pc, pkg-config'
        echo "Libs: -L'$PWD/gcc;12/lib64' -lx" >project/x.pc
        rm -r there # CMake does not copy a file with the same time in seconds
        call cmake --install build --prefix "$PWD/there"
        exits 0
    done
}
many_files() {
    project FORBID "$PWD/gcc-11" EXCEPTIONS "$PWD/known.toml"
    # shellcheck disable=SC2016 # CMake's own
    sed -i 's,^include,install(DIRECTORY many DESTINATION share)\ninstall(TARGETS p DESTINATION lib/plugins/a)\n&,' project/CMakeLists.txt
    mkdir project/many
    # three million bytes of paths, more than the arguments of one exec
    (cd project/many && seq -f "$(printf 'long-name%.0s' {1..25})-%g" 10000 | xargs touch)
    printf '[[exception]]\npath = "lib/plugins/**"\nreason = "known"\n[[exception]]\npath = "bin/*"\nreason = "known"\n' >known.toml
    configure "$PWD/gcc-11/lib64"
    call cmake --install build --prefix "$PWD/there"
    exits 0
    call env DESTDIR="$PWD/stage" cmake --install build --prefix /usr
    exits 0
    call ctest --test-dir build --output-on-failure
    exits 0
    sed -i 's,lib/plugins,lib/others,' known.toml
    call cmake --install build --prefix "$PWD/there"
    [ "$status" -ne 0 ] || fail "the install passes"
    prints ' lib/plugins/a/p'
}
builder() {
    tree
    g++ main.cpp f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/gcc-11/lib64"
    mkdir clean
    cp tree/lib/libf.so clean/
    cat >builder.sh <<BUILDER
before=\$(set +o; shopt -p)
. "$prefix/share/hostpin/setup-hook.sh"
hostpinCommand=$hostpin
dontHostpinFix=1
hostpinLeakCheckFlags="--no-binding --forbid $PWD/gcc-11"
outputs="out dev"
dev=$PWD/clean
out=$PWD/\$1
for hook in "\${postFixupHooks[@]}"; do "\$hook" || exit; done
[ "\$before" = "\$(set +o; shopt -p)" ] || exit 99
BUILDER
    call bash -euo pipefail builder.sh tree
    exits 1
    prints 'forbidden-runpath: '
    call bash -euo pipefail builder.sh clean
    exits 0
    call bash builder.sh clean
    exits 0
    # flags in several lines, and outputs as Nix has them with structured attributes
    sed -i 's,--no-binding --forbid,--no-binding\n  --forbid,; s,^outputs=.*,declare -A outputs=([out]=x [dev]=y),' builder.sh
    call bash -euo pipefail builder.sh tree
    exits 1
    prints 'forbidden-runpath: ' 'hostpin leak-check: .*tree'
    call bash -euo pipefail builder.sh clean
    exits 0
    call env dontHostpinLeakCheck=1 bash -eu builder.sh tree
    exits 0
}

it "a CMake project is checked when it is installed and when it is tested" cmake_project
it "a forbidden path may contain a semicolon" semicolons
it "exceptions match in the install as in the test, for any number of files" many_files
it "a builder's outputs are checked after fixup, and its shell options are preserved" builder
finish
