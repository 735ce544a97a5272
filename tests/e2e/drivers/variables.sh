#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One driver, whose environment says what it adds, and two packages after each other, in a split: each is built with its own directories.
#   variables.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# ground TEXT: the stdenv is the script cxx; a header and a library of the same name in the directories of two packages.
ground() {
    local each
    need_split
    for each in 1 2; do
        mkdir -p $each/include $each/lib
        echo "#define PACKAGE $each" >$each/include/package.h
        echo "int package() { return $each; }" >package.cpp
        "$host" -shared -fPIC package.cpp -o $each/lib/libpackage.so
    done
    printf '%s\n' '#include <package.h>' 'int package();' '__global__ void nothing() {}' 'int main() { return 10 * PACKAGE + package(); }' >app.cu
    printf '#!/bin/sh\n%s\n' "$1" >cxx
    chmod +x cxx
    export CUDA_HOME=$toolkit CXX=$PWD/cxx
}
# built PACKAGE [WORD...]: by two calls of the unbound nvcc, with these words, and a link with the words of $with.
built() {
    local code=0
    call "$our_nvcc" "${@:2}" -arch=sm_80 -c app.cu -o app.o
    exits 0
    made_by app.o gcc "$older"
    call "$our_nvcc" "${@:2}" -arch=sm_80 app.o -o app "${with[@]}"
    exits 0
    ./app || code=$?
    same "$code" "$1$1"
}
# Source: lib/spack/env/cc of Spack.
# shellcheck disable=SC2016 # the script's own variables
spack() {
    local package with=()
    ground 'case " $* " in
*" -v "* | *" --version "* | *" -dumpversion "*) exec "$SPACK_CXX" "$@" ;;
*" -E "* | *" -c "* | *" -S "*) exec "$SPACK_CXX" "-I$SPACK_INCLUDE_DIRS" "$@" ;;
esac
exec "$SPACK_CXX" "-I$SPACK_INCLUDE_DIRS" "-L$SPACK_LINK_DIRS" "-Wl,-rpath,$SPACK_RPATH_DIRS" "$@" $SPACK_LDLIBS'
    export SPACK_CXX=$stdenv SPACK_LDLIBS=-lpackage
    for package in 1 2 1; do
        export SPACK_INCLUDE_DIRS=$PWD/$package/include SPACK_LINK_DIRS=$PWD/$package/lib SPACK_RPATH_DIRS=$PWD/$package/lib
        built $package
    done
    same "$(find "$HOSTPIN_CACHE_DIR/bindings" -mindepth 1 -maxdepth 1 -type d | wc -l)" 2 # the third takes the first one's
}
# Source: the manual of Nixpkgs, "Standard environment".
# shellcheck disable=SC2016 # the script's own variables
nixpkgs() {
    local package with=()
    ground 'for each; do case $each in -c | -E | -S | -M) exec COMPILER "$@" $NIX_CFLAGS_COMPILE ;; esac; done
exec COMPILER "$@" $NIX_CFLAGS_COMPILE $NIX_LDFLAGS'
    sed -i "s,COMPILER,$stdenv," cxx
    for package in 1 2; do
        NIX_CFLAGS_COMPILE="-isystem $PWD/$package/include" NIX_LDFLAGS="-L$PWD/$package/lib -Wl,-rpath,$PWD/$package/lib -lpackage" built $package
    done
}
# Source: rpath_args.py of EasyBuild, which makes run paths of LIBRARY_PATH; its modules set CPATH too. The stdenv links for a named one.
# shellcheck disable=SC2016 # the script's own variables
easybuild() {
    local package with=(-lpackage)
    ground 'for each; do case $each in -c | -E | -S | -M) exec COMPILER "$@" ;; esac; done
exec COMPILER "-Wl,-rpath=$LIBRARY_PATH" "$@"'
    sed -i "s,COMPILER,$host," cxx
    CXX=$stdenv
    for package in 1 2; do CPATH=$PWD/$package/include LIBRARY_PATH=$PWD/$package/lib built $package -ccbin "$PWD/cxx"; done
}
# Source: mpicxx(1) of Open MPI.
openmpi() {
    local package with=()
    need_command mpicxx.openmpi
    ground ''
    rm cxx
    CXX=$(command -v mpicxx.openmpi)
    export CXX OMPI_CXX=$stdenv
    for package in 1 2; do
        OMPI_CXXFLAGS=-I$PWD/$package/include OMPI_LDFLAGS="-L$PWD/$package/lib -Wl,-rpath,$PWD/$package/lib" OMPI_LIBS=-lpackage built $package
    done
}
# lto-check caches what a driver answers: a link of objects that only one of two compilers reads.
# shellcheck disable=SC2016 # the script's own variables
link_time_code() {
    ground 'exec "$SPACK_CXX" "$@"'
    echo 'int main() {}' >main.cpp
    "$stdenv" -flto -c main.cpp
    SPACK_CXX=$stdenv call "$hostpin" lto-check -- "$CXX" -flto main.o -o app
    exits 0
    SPACK_CXX=$host call "$hostpin" lto-check -- "$CXX" -flto main.o -o app
    exits 1
}

it "Spack's wrapper, which has the directories of a package in SPACK_*" spack
it "Nixpkgs' wrapper, with NIX_CFLAGS_COMPILE and NIX_LDFLAGS" nixpkgs
it "EasyBuild's wrapper, which makes run paths of LIBRARY_PATH" easybuild
it "Open MPI's mpicxx, with OMPI_CXXFLAGS, OMPI_LDFLAGS and OMPI_LIBS" openmpi
it 'lto-check judges by the compiler that the variables name now' link_time_code
finish
