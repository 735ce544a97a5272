#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler drivers of Open MPI and MPICH, with the machine's own GCCs, for which its MPI libraries are, in a split: the stdenv, and found by
# CMake. The host halves of the programs run with two processes. table.sh has the other ways of naming them.
#   mpi.sh [WORDS]   only the cases whose sentence contains WORDS
export HOSTPIN_LAB=/nonexistent
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# ground IMPLEMENTATION: $driver runs the newer compiler of a split, the stdenv. $start begins two processes.
ground() {
    need_split
    driver=$(command -v "mpicxx.$1") || skip "no mpicxx.$1 on PATH (Debian's lib$1-dev has it)"
    start=("mpiexec.$1" -n 2)
    [ "$1" != openmpi ] || start+=(--allow-run-as-root --oversubscribe)
    need_command "${start[0]}"
    export CUDA_HOME=$toolkit CXX=$driver OMPI_CXX=$stdenv MPICH_CXX=$stdenv
    cat >ranks.cu <<'CU'
#include <mpi.h>
#include <cstdio>
__global__ void nothing() {}
int main(int argc, char **argv) {
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ++rank;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) std::printf("%d processes, sum %d\n", size, sum);
    MPI_Finalize();
}
CU
}
runs() { # PROGRAM
    same "$("${start[@]}" "$1" 2>errors)" '2 processes, sum 3'
}
builds() { # COMMAND...
    call "$@" -arch=sm_80 -c ranks.cu -o ranks.o
    exits 0
    made_by ranks.o gcc "$older"
    call "$@" -arch=sm_80 ranks.o -o ranks
    exits 0
    runs ./ranks
}
stdenv_of_a_split() {
    ground "$1"
    builds "$our_nvcc"
    call "$hostpin" bind b
    exits 0
    builds b/nvcc
}
found_by_cmake() {
    ground "$1"
    need_command cmake ninja
    export CXX=$stdenv
    cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(ranks LANGUAGES CXX CUDA)
set(MPI_CXX_COMPILER $driver)
find_package(MPI REQUIRED COMPONENTS CXX)
add_executable(ranks ranks.cu)
target_link_libraries(ranks PRIVATE MPI::MPI_CXX)
CMAKE
    call cmake -S . -B build -G Ninja -DCMAKE_CUDA_COMPILER="$our_nvcc" -DCMAKE_CUDA_ARCHITECTURES=80
    exits 0
    call cmake --build build
    exits 0
    runs build/ranks
}

for kind in openmpi mpich; do
    how=it
    if [ "$kind" = mpich ]; then how=seldom; fi # table.sh has it
    case $kind in openmpi) name='Open MPI' ;; mpich) name=MPICH ;; esac
    $how "$name: the driver as the stdenv of a split, bound or not" stdenv_of_a_split $kind
    $how "$name: what CMake finds, in a split" found_by_cmake $kind
done
finish
