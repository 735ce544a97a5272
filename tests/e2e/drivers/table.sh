#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Drivers that run another compiler, in each way of naming them, with one compiler and in a split: what nvcc alone builds with them is built.
# Prints a table. The tools themselves are used where they are installed (Open MPI, MPICH, ccache, distcc); the scripts of Nixpkgs,
# Spack, EasyBuild and Cray PE, which need a site of their own, are written here as they are documented.
# HDF5's h5c++ is none: it passes over files with the suffixes that nvcc gives to its own, so nvcc alone builds nothing with it.
#   table.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1 takes each driver in each way and builds
#                      all with it, otherwise each that no other script here is about in one, and builds two things with it
export HOSTPIN_LAB=/nonexistent # the machine's own compilers, for which its MPI libraries are
# shellcheck source=tests/e2e/drivers/nix_wrapper.sh
. "$(dirname "${BASH_SOURCE[0]}")/nix_wrapper.sh"
need_hostpin
only=${1:-}

# A header and a library that only the driver names, or (environment) its environment.
site() {
    mkdir -p site/include site/lib
    echo 'int site();' >site/include/site.h
    echo 'int site() { return 7; }' >site.cpp
    "$newest" -shared -fPIC site.cpp -o site/lib/libsite.so
    uses '#include <site.h>'
}
# uses LINE...: the source as device code, and as host code alone.
uses() {
    printf '%s\n' "$@" '#include <string>' 'int size(int count) { return std::string(count * site(), 0).size(); }' >host.cpp
    { cat host.cpp && echo '__global__ void nothing() {}'; } >device.cu
    for source in host.cpp device.cu; do echo 'int main(int argc, char **) { return size(argc); }' >>$source; done
}
script() {
    printf '#!/bin/sh\n%s\n' "$1" >driver/g++
    chmod +x driver/g++
}

# ---------------------------------------------------------------------------------------------- drivers: driver_NAME COMPILER makes driver/g++

# Source: the three-line script of a site.
driver_script() { site && script "exec $1 -I$PWD/site/include \"\$@\" -L$PWD/site/lib -Wl,-rpath,$PWD/site/lib -lsite"; }
# Source: EasyBuild's docs, "RPATH support" (a script that puts run paths before the words), and its modules, which set CPATH and LIBRARY_PATH.
driver_easybuild() {
    site
    export CPATH=$PWD/site/include LIBRARY_PATH=$PWD/site/lib
    words=(-lsite)
    script "for each; do case \$each in -c | -E | -S | -M | -MM) exec $1 \"\$@\" ;; esac; done
exec $1 -Wl,-rpath=$PWD/site/lib -Wl,--disable-new-dtags \"\$@\""
}
# Source: lib/spack/env/cc of Spack: the mode is told by the words, directories are in variables with colons, before the user's.
# shellcheck disable=SC2016 # the script's own variables
driver_spack() {
    site
    export SPACK_CXX=$1 SPACK_ENV_PATH=$PWD/driver SPACK_INCLUDE_DIRS=$PWD/site/include SPACK_LINK_DIRS=$PWD/site/lib \
        SPACK_RPATH_DIRS=$PWD/site/lib SPACK_LDLIBS=-lsite SPACK_DTAGS_TO_ADD=--disable-new-dtags
    script ': "${SPACK_ENV_PATH?Spack compiler must be run from Spack}"
case " $* " in
*" -v "* | *" --version "* | *" -dumpversion "*) exec "$SPACK_CXX" "$@" ;;
*" -E "*) set -- "-I$SPACK_INCLUDE_DIRS" "$@" ;;
*" -c "* | *" -S "*) set -- "-I$SPACK_INCLUDE_DIRS" "$@" ;;
*) set -- "-I$SPACK_INCLUDE_DIRS" "-L$SPACK_LINK_DIRS" "-Wl,$SPACK_DTAGS_TO_ADD" "-Wl,-rpath,$SPACK_RPATH_DIRS" "$@" $SPACK_LDLIBS ;;
esac
exec "$SPACK_CXX" "$@"'
}
driver_nixpkgs() {
    site
    export NIX_STORE=$PWD NIX_CFLAGS_COMPILE="-isystem $PWD/site/include" NIX_LDFLAGS="-L$PWD/site/lib -lsite"
    wrapped nix "$1"
    path=$PWD/store/nix/bin/g++
}
# Source: CC(1) of Cray PE: the loaded modules are in PE_* variables, and --cray-print-opts prints what they add.
# shellcheck disable=SC2016 # the script's own variables
driver_cray() {
    site
    export CRAYPE_LINK_TYPE=dynamic PE_SITE_INCLUDE_OPTS=-I$PWD/site/include \
        PE_SITE_POST_LINK_OPTS="-L$PWD/site/lib -Wl,-rpath=$PWD/site/lib -Wl,--as-needed,-lsite,--no-as-needed"
    script 'case $1 in --cray-print-opts*) exec echo "$PE_SITE_INCLUDE_OPTS $PE_SITE_POST_LINK_OPTS" ;; esac
for each; do case $each in -c | -E | -S | -M | -MM) exec '"$1"' $PE_SITE_INCLUDE_OPTS "$@" ;; esac; done
exec '"$1"' $PE_SITE_INCLUDE_OPTS "$@" $PE_SITE_POST_LINK_OPTS'
}
# By a file of words, as scripts with many do.
driver_response_file() {
    site
    printf '%s\n' "-I$PWD/site/include" "-L$PWD/site/lib" "-Wl,-rpath,$PWD/site/lib" >words
    script "exec $1 @$PWD/words \"\$@\" -lsite"
}
driver_openmpi() {
    need_command mpicxx.openmpi
    export OMPI_CXX=$1
    ln -s "$(command -v mpicxx.openmpi)" driver/mpicxx # it knows what it is by its name
    mpi
}
driver_mpich() {
    need_command mpicxx.mpich
    export MPICH_CXX=$1
    ln -s "$(command -v mpicxx.mpich)" driver/mpicxx
    mpi
}
mpi() { uses '#include <mpi.h>' 'static int site() { int begun = 0; MPI_Initialized(&begun); return 7 + begun; }'; }
driver_ccache() {
    need_command ccache
    export CCACHE_DIR=$PWD/ccache
    plain_site
    beside "$1" ccache
}
driver_distcc() {
    need_command distcc
    export DISTCC_HOSTS=localhost DISTCC_FALLBACK=1 DISTCC_DIR=$PWD/distcc
    mkdir distcc
    plain_site
    beside "$1" distcc
}
# A link under the compiler's name, which takes the compiler from PATH behind itself.
beside() {
    PATH=$(dirname "$1"):$PATH
    ln -s "$(command -v "$2")" "driver/$(basename "$1")"
}
# Debian's alternatives, Gentoo's gcc-config and Red Hat's toolsets lead to the compiler by links.
driver_links() {
    plain_site
    ln -s "$1" driver/alternative
    ln -s alternative driver/g++
    path=$PWD/driver/g++
}
# The header and the library, by the user's own words.
plain_site() {
    site
    words=("-I$PWD/site/include" "-L$PWD/site/lib" -lsite -Xlinker "-rpath=$PWD/site/lib")
}
drivers=(script response_file easybuild spack nixpkgs cray openmpi mpich ccache distcc links)

# ---------------------------------------------------------------------------------------------- ways: each sets nvcc

by_CXX() { export CXX=$1 && nvcc=("$our_nvcc"); }
by_stdenv_of_bind() {
    "$hostpin" bind b --stdenv "$1" >bound.log 2>&1 || { cat bound.log && fail 'it is not bound'; }
    nvcc=(b/nvcc)
}
by_host_of_bind() {
    export CXX=$newest
    "$hostpin" bind b --host "$1" >bound.log 2>&1 || { cat bound.log && fail 'it is not bound'; }
    nvcc=(b/nvcc)
}
# CMake makes this of CUDAHOSTCXX, and PyTorch of CC.
by_ccbin() { export CXX=$newest && nvcc=("$our_nvcc" -ccbin "$1"); }
by_NVCC_CCBIN() { export CXX=$newest NVCC_CCBIN=$1 && nvcc=("$our_nvcc"); }
by_NVCC_PREPEND_FLAGS() { export CXX=$newest NVCC_PREPEND_FLAGS=" -ccbin=$1" && nvcc=("$our_nvcc"); }
ways=(CXX stdenv_of_bind host_of_bind ccbin NVCC_CCBIN NVCC_PREPEND_FLAGS)

# ---------------------------------------------------------------------------------------------- what is built: each with NVCC...

runs() { # PROGRAM
    local code=0
    "$1" || code=$?
    same "$code" 7
}
build_program() {
    "$@" -arch=sm_80 -c device.cu -o device.o "${words[@]}"
    "$@" -arch=sm_80 device.o -o program "${words[@]}"
    runs ./program
}
build_device_link() {
    "$@" -arch=sm_80 -dc device.cu -o relocatable.o "${words[@]}"
    "$@" -arch=sm_80 -dlink relocatable.o -o linked.o "${words[@]}"
    "$@" -arch=sm_80 -nodlink relocatable.o linked.o -o in_two "${words[@]}"
    runs ./in_two
}
build_link_time_code() {
    "$@" -Xcompiler -flto -c host.cpp -o lto.o "${words[@]}"
    "$@" -Xcompiler -flto lto.o -o lto "${words[@]}"
    runs ./lto
}
build_coverage() {
    "$@" -Xcompiler --coverage -c host.cpp -o covered.o "${words[@]}"
    "$@" -Xcompiler --coverage covered.o -o covered "${words[@]}"
    runs ./covered
    compgen -G '*.gcda' >/dev/null || fail 'it counted nothing'
    rm -- *.gcda
}
kinds=(program device_link link_time_code coverage)

# cell DRIVER WAY one|split TURN
cell() {
    local driver=$1 way=$2 compilers=$3 kind named plain verdict path=
    words=()
    mkdir driver
    need_split
    if [ "$way" = NVCC_CCBIN ]; then need_release 12.5 NVCC_CCBIN; fi
    newest=$stdenv named=$stdenv plain=$toolkit
    if [ "$stands_in" = yes ]; then plain=$(cuda "$machine_release"); fi
    case $compilers-$way in
    one-*) toolkit=$plain newest=$host named=$host ;;
    split-CXX | split-stdenv_of_bind) ;; # the toolkit takes an older GCC than the driver runs
    split-*) named=$host ;;
    esac
    # As nvcc alone links them; the newer compiler of a split cannot.
    { cat "$HOSTPIN_CONFIG" && printf '[runtime]\nlto = "one-compiler"\ncoverage = "one-compiler"\n'; } >config.toml
    export HOSTPIN_CONFIG=$PWD/config.toml
    "driver_$driver" "$named"
    [ -n "$path" ] || path=$(find "$PWD/driver" -mindepth 1)
    export CUDA_HOME=$toolkit
    "by_$way" "$path"
    verdict=as-nvcc
    local built=("${kinds[@]}")
    if [ "$full" != 1 ] && [ -z "$only" ]; then built=(program "${kinds[1 + $4 % 3]}"); fi
    for kind in "${built[@]}"; do
        if [ "$full" = 1 ]; then
            echo "-- $kind by nvcc alone"
            # a shell of its own, which stops at the first failure in a condition as well
            if ! env -u CXX -u NVCC_CCBIN -u NVCC_PREPEND_FLAGS bash -ec "$(declare -f runs same fail "build_$kind" && declare -p words); build_$kind \"\$@\"" bash "$plain/bin/nvcc" -ccbin "$path"; then
                verdict=better-or-neither
                continue
            fi
        fi
        echo "-- $kind"
        "build_$kind" "${nvcc[@]}"
    done
    echo "$driver $compilers by_$way $verdict" >>"$work/verdicts"
}

number=0
for driver in "${drivers[@]}"; do
    for compilers in one split; do
        for way in "${ways[@]}"; do
            # Outside of the full form, drivers take turns, but for those that mpi.sh, nixpkgs.sh and variables.sh build with.
            take=seldom
            case $driver in openmpi | mpich | nixpkgs | spack | easybuild) ;; *)
                if [ $((number % (2 * ${#ways[@]} + 1))) = 0 ]; then take=it; fi
                ;;
            esac
            "$take" "${driver//_/ } by $way with ${compilers/one/one compiler}" cell "$driver" "$way" "$compilers" $((number++))
        done
    done
done
# Of the full form, as Markdown.
print_table() {
    local driver compilers way verdict
    printf '\n| driver | compilers |' && printf ' %s |' "${ways[@]}" && printf '\n|%s' '---|---|' && printf -- '---|%.0s' "${ways[@]}" && echo
    for driver in "${drivers[@]}"; do
        for compilers in one split; do
            printf '| %s | %s |' "${driver//_/ }" "$compilers"
            for way in "${ways[@]}"; do
                verdict=$(grep -s "^$driver $compilers by_$way " "$work/verdicts") || verdict=lost-or-skipped
                printf ' %s |' "${verdict##* }"
            done
            echo
        done
    done
}
if [ "$full" = 1 ]; then print_table; fi
finish
