#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A named driver is refused if its compiler does not fit. If a variable makes the driver run a compiler that fits, the hint names the variable.
# With the variable the call succeeds.
# Open MPI, MPICH and ccache are the machine's own; the scripts of HDF5, Intel MPI and icecc do what their manuals say of the variable.
#   hints.sh [WORDS]   only the cases whose sentence contains WORDS
export HOSTPIN_LAB=/nonexistent # the machine's own compilers, for which its MPI libraries are
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

ground() {
    need_split
    export CUDA_HOME=$toolkit CXX=$stdenv
    write_host_source app.cpp
}
script() { # TEXT
    printf '#!/bin/sh\n%s\n' "$1" >driver
    chmod +x driver
    settle
}
# hinted VARIABLE DRIVER: the hint's assignment is taken from the message.
hinted() {
    local assignment
    call "$our_nvcc" -arch=sm_80 -ccbin "$2" app.cpp -o app
    exits 1
    says "^hostpin: error: .*does not fit CUDA"
    assignment=$(sed -n 's/^hint: set \([^ ,]*\), so that .* runs a compiler that fits, .*/\1/p' "$err")
    same "${assignment%%=*}" "$1"
    call env "$assignment" "$our_nvcc" -arch=sm_80 -ccbin "$2" -c app.cpp -o app.o
    exits 0
    made_by app.o gcc "$older"
    call env "$assignment" "$our_nvcc" -arch=sm_80 -ccbin "$2" app.o -o app
    exits 0
    same "$(./app)" 'hello from the host half'
}
mpi() { # VARIABLE IMPLEMENTATION
    ground
    need_command "mpicxx.$2"
    export "$1=$stdenv"
    hinted "$1" "$(command -v "mpicxx.$2")"
}
by_ccache() {
    ground
    need_command ccache
    PATH=$(dirname "$stdenv"):$PATH
    export CCACHE_DIR=$PWD/ccache
    ln -s "$(command -v ccache)" "$(basename "$stdenv")"
    hinted CCACHE_COMPILER "$PWD/$(basename "$stdenv")"
}
by_script() { # VARIABLE
    ground
    script "exec \"\${$1:-$stdenv}\" \"\$@\""
    hinted "$1" "$PWD/driver"
    call "$hostpin" bind b --host "$PWD/driver"
    exits 1
    says "^hint: set $1=.*, so that $PWD/driver runs a compiler that fits, name one that fits"
}
no_variable() {
    ground
    # shellcheck disable=SC2016 # its own words
    script "case \$OMPI_CXX in ?*) echo broken >&2; exit 3 ;; esac; exec $stdenv \"\$@\""
    call "$our_nvcc" -arch=sm_80 -ccbin "$PWD/driver" app.cpp -o app
    exits 1
    says '^hint: name one that fits'
    call "$our_nvcc" -arch=sm_80 -ccbin "$stdenv" app.cpp -o app
    exits 1
    says '^hint: name one that fits'
}

it "Open MPI's mpicxx" mpi OMPI_CXX openmpi
it "MPICH's mpicxx" mpi MPICH_CXX mpich
it 'a link to ccache' by_ccache
it "HDF5's h5c++" by_script HDF5_CXX
it "Intel MPI's mpicxx" by_script I_MPI_CXX
it 'icecc' by_script ICECC_CXX
it 'a driver that reads no such variable, and a compiler' no_variable
finish
