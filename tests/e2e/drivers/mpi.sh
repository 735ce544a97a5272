#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler drivers of Open MPI and MPICH, with the machine's own GCCs, for which its MPI libraries are: named to nvcc, as the stdenv, and
# found by CMake; with one compiler and in a split. The host halves of the programs run with two processes.
#   mpi.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# ground IMPLEMENTATION: $driver runs $newer, $toolkit takes that, and $split only $older. $start begins two processes.
ground() {
    need_toolkit
    PATH=$plain_path
    driver=$(command -v "mpicxx.$1") || skip "no mpicxx.$1 on PATH (Debian's lib$1-dev has it)"
    start=("mpiexec.$1" -n 2)
    [ "$1" != openmpi ] || start+=(--allow-run-as-root --oversubscribe)
    command -v "${start[0]}" >/dev/null || skip "no ${start[0]} on PATH (Debian's package ${1/openmpi/openmpi-bin} has it)"
    need_command g++-12 g++-11
    newer=$(command -v g++-12)
    older=$(command -v g++-11)
    only_compilers "$newer" "$older"
    case $1 in openmpi) export OMPI_CXX=$newer ;; mpich) export MPICH_CXX=$newer ;; esac
    split=$(limited "$toolkit" 11)
    export CUDA_HOME=$toolkit CXX=$newer
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
builds() { # MAJOR COMMAND...: the compile by that GCC, and the link
    call "${@:2}" -arch=sm_80 -c ranks.cu -o ranks.o
    exits 0
    made_by ranks.o gcc "$1"
    call "${@:2}" -arch=sm_80 ranks.o -o ranks
    exits 0
    runs ./ranks
}
named() {
    ground "$1"
    "$toolkit/bin/nvcc" -arch=sm_80 -ccbin "$driver" ranks.cu -o by-nvcc
    runs ./by-nvcc
    builds 12 "$our_nvcc" -ccbin "$driver"
}
# It compiles with the older GCC; links are the stdenv's.
named_in_a_split() {
    ground "$1"
    case $1 in openmpi) export OMPI_CXX=$older ;; mpich) export MPICH_CXX=$older ;; esac
    builds 11 "$our_nvcc" -ccbin "$driver"
}
stdenv() {
    ground "$1"
    export CXX=$driver
    builds 12 "$our_nvcc"
}
stdenv_of_a_split() {
    ground "$1"
    export CXX=$driver CUDA_HOME=$split
    builds 11 "$our_nvcc"
    call "$hostpin" bind b
    exits 0
    builds 11 b/nvcc
}
found_by_cmake() {
    ground "$1"
    need_command cmake ninja
    export CUDA_HOME=$split
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
    case $kind in openmpi) name='Open MPI' ;; mpich) name=MPICH ;; esac
    it "$name: the driver that is named compiles, links and runs as with nvcc alone" named $kind
    it "$name: one that runs an older GCC compiles with it" named_in_a_split $kind
    it "$name: the driver as the stdenv" stdenv $kind
    it "$name: and in a split, bound or not" stdenv_of_a_split $kind
    it "$name: what CMake finds, in a split" found_by_cmake $kind
done
finish
