#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rules that are judged against a binding or need a real CUDA runtime: GCC 11 for nvcc, GCC 12 as the stdenv, CUDA 11.8.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_split 11.8 11 12
other=$(cuda 12.4) # with the runtime of another release
if [ "$stands_in" = yes ]; then other=$(cuda "$release"); fi
if [ $# -gt 0 ]; then only=$1; fi

"$hostpin" bind "$work/bound" --toolkit "$toolkit" --host "$host" --stdenv "$stdenv" >/dev/null
bound() { call "$hostpin" leak-check --binding "$work/bound" --json "$@"; }
old=$lab/roots/bullseye/usr/lib/x86_64-linux-gnu/libstdc++.so.6
cxx=$stdenv

library() {
    need_lab roots/bullseye
    mkdir -p tree/bin old same
    cp "$old" old/
    cp "$(realpath "$("$cxx" -print-file-name=libstdc++.so.6)")" same/libstdc++.so.6
    # only throws: the older library defines all versions it needs, so only this rule finds it
    echo 'int main() { try { throw 1; } catch (int) { return 0; } }' >main.cpp
    "$cxx" main.cpp -o tree/bin/old -Wl,-rpath,"$PWD/old"
    "$cxx" main.cpp -o tree/bin/same -Wl,-rpath,"$PWD/same"
    "$cxx" main.cpp -o tree/bin/plain
    bound tree
    exits 1
    graded wrong-libstdcxx bin/old error
    graded wrong-libstdcxx bin/same note
    ungraded wrong-libstdcxx bin/plain
    prints "\"resolved\": *\"$(literally "$PWD")/old/libstdc\\+\\+\\.so\\.6\""
    same "$(loaded tree/bin/old 'libstdc++')" "$PWD/old/libstdc++.so.6"
}
static() {
    mkdir -p tree/bin
    echo 'int main() { try { throw 1; } catch (int) { return 0; } }' >main.cpp
    "$host" main.cpp -o tree/bin/foreign -static-libstdc++
    "$cxx" main.cpp -o tree/bin/own -static-libstdc++
    "$host" main.cpp -o tree/bin/shared
    bound tree
    exits 0
    graded foreign-static-libstdcxx bin/foreign warning
    ungraded foreign-static-libstdcxx bin/own
    ungraded foreign-static-libstdcxx bin/shared
}
runtimes() {
    mkdir -p tree/bin tree/lib
    local cuda=$other origin="-Wl,-rpath,\$ORIGIN/../lib:\$ORIGIN" name shared
    shared=$(readelf -d "$cuda/lib64/libcudart.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    cp "$cuda/lib64/$shared" tree/lib/
    for name in own shared; do
        echo "extern \"C\" int cudaGetDeviceCount(int*); int $name() { int n; return cudaGetDeviceCount(&n); }" >$name.cpp
    done
    "$cxx" -shared -fPIC own.cpp -o tree/lib/libown.so "$cuda/lib64/libcudart_static.a" -ldl -lrt -lpthread
    "$cxx" -shared -fPIC shared.cpp -o tree/lib/libshared.so "tree/lib/$shared" "$origin"
    echo 'int own(); int shared(); int main() { return own() + shared(); }' >both.cpp
    echo 'int own(); int main() { return own(); }' >one.cpp
    "$cxx" one.cpp -o tree/bin/one tree/lib/libown.so "$origin"
    bound --vendor "tree/lib/$shared" tree
    ungraded own-static-and-shared-cudart lib/libown.so
    "$cxx" both.cpp -o tree/bin/both tree/lib/libown.so tree/lib/libshared.so "$origin"
    bound --vendor "tree/lib/$shared" tree
    graded own-static-and-shared-cudart lib/libown.so warning
    ungraded own-static-and-shared-cudart lib/libshared.so
    # files of the toolkit may do so
    bound --vendor tree/lib tree
    ungraded own-static-and-shared-cudart lib/libown.so
}
stubs() {
    mkdir -p tree/bin
    local stubs
    stubs=$other/lib64/stubs
    [ -e "$stubs/libcuda.so" ] || skip "no stubs in $other (NVIDIA's packages and ./bootstrap lab have them)"
    echo 'extern "C" int cuInit(unsigned); int main() { return cuInit(0); }' >main.cpp
    "$cxx" main.cpp -o tree/bin/latent -L"$stubs" -lcuda -Wl,-rpath,"$stubs"
    "$cxx" main.cpp -o tree/bin/linked -L"$stubs" -lcuda
    bound tree
    graded cuda-stub-runpath bin/latent warning
    ungraded cuda-stub-runpath bin/linked
}
# A tree for another machine, of which nothing can be run here.
foreign() {
    need_cross
    mkdir -p tree/bin tree/lib other stage/usr/lib stage/usr/bin
    "$hostpin" bind bound --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross"
    echo 'int f() { return 0; }' >f.cpp
    echo 'int f(); int main() { try { throw f(); } catch (int number) { return number; } }' >main.cpp
    bound/c++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    bound/c++ main.cpp tree/lib/libf.so -o tree/bin/main -Wl,-rpath,'$ORIGIN/../lib'
    bound/c++ -c f.cpp -o f.o
    ar rcs tree/lib/libf.a f.o
    cp "$toolkit"/lib64/libcudadevrt.a other/ # device code is data of every machine
    call "$hostpin" leak-check --binding bound --notes tree
    exits 0
    prints '^3 files: 0 errors, 0 warnings, 0 notes$'

    # planted: an object and a library of this machine, one of the other byte order, a DLL
    g++ -shared -fPIC f.cpp -o tree/lib/libplanted.so
    g++ -c f.cpp -o planted.o
    ar rcs tree/lib/libf.a planted.o
    tar -cJf tree/lib/packed.tar.xz planted.o
    { head -c 60 /dev/zero | sed '1s/^../MZ/' && printf '\100\0\0\0PE\0\0\144\206' && head -c 16 /dev/zero && printf '\042\040'; } >tree/lib/planted.dll
    if [ "$triple" = aarch64-linux-gnu ]; then
        "$cross" -mbig-endian -c -x c /dev/null -o big.o
        "$triple-ld" -EB -shared big.o -o tree/lib/libbig.so
    fi
    call "$hostpin" leak-check --binding bound --json tree
    exits 1
    local name
    for name in libplanted.so libf.a packed.tar.xz planted.dll; do graded foreign-machine "lib/$name" error; done
    if [ -e tree/lib/libbig.so ]; then graded foreign-machine lib/libbig.so error; fi
    for name in lib/libf.so bin/main; do ungraded foreign-machine "$name"; done
    prints 'Its object planted\.o is for'
    printf '[[exception]]\nrule = "foreign-machine"\npath = "lib/*"\nreason = "tools of the next build"\n' >exceptions.toml
    call "$hostpin" leak-check --binding bound --exceptions exceptions.toml tree
    exits 0

    # a library that is found only for this machine, and the right one in a staged tree, where only the target's loader looks
    rm -r tree/lib
    mkdir tree/lib
    g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so
    call "$hostpin" leak-check --binding bound --json tree
    graded foreign-machine bin/main error
    ungraded missing-library bin/main
    bound/c++ -shared -fPIC f.cpp -o stage/usr/lib/libf.so -Wl,-soname,libf.so
    bound/c++ main.cpp stage/usr/lib/libf.so -o stage/usr/bin/main
    call "$hostpin" leak-check --binding bound --notes --root stage
    exits 0
    prints '^2 files: 0 errors, 0 warnings, 0 notes$'
}

it "an older libstdc++ that would be loaded is found, and one that defines all of it is a note" library
it "a static libstdc++ of another GCC is found, and the stdenv's passes" static
it "static and shared runtimes in one program are found, and either alone passes" runtimes
it "a real toolkit's stubs are found in a run path, and pass for the linker alone" stubs
it "files for another machine than a cross binding's target are found, and a clean tree has none" foreign
finish
