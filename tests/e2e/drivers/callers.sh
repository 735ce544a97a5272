#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How build tools that run nvcc themselves name a host compiler: their command lines and environments, with a view of a split. What nvcc alone
# takes is used; where the stdenv is meant, the view's own c++ is named instead.
#   callers.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# A toolkit view, bound to the split, in $view, for all cases.
need_split
view=$work/view
bound() {
    CUDA_HOME=$toolkit CXX=$stdenv call "$hostpin" bind --view "$view"
    exits 0
}
prepare=bound
# A source with code for a GPU that a function of another one calls.
ground() {
    echo '__device__ int one() { return 1; }' >one.cu
    write_source two.cu
    sed -i 's/void nothing() {}/void nothing(int *out) { *out = one(); }/; 1i __device__ int one();' two.cu
}
runs() { same "$("$1")" 'hello from the host half'; }

# Source: cuda/private/toolchain_configs/nvcc.bzl of rules_cuda: PATH alone, the C driver, and links by that.
rules_cuda() {
    local each common cc
    ground
    case $1 in older) cc=$lab/bin/gcc-$older ;; view) cc=$view/hostpin/c++ ;; esac
    common=(-gencode 'arch=compute_80,code=sm_80' -ccbin "$cc" -Xcompiler -fPIC)
    for each in one two; do
        call env -i PATH="$(dirname "$stdenv"):/usr/bin:/bin" "$view/bin/nvcc" -x cu "${common[@]}" -rdc=true -I . -Xcompiler -g1 -c $each.cu -o $each.rdc.pic.o
        exits 0
        made_by $each.rdc.pic.o gcc "$older"
    done
    call env -i PATH="$(dirname "$stdenv"):/usr/bin:/bin" "$view/bin/nvcc" -dlink "${common[@]}" one.rdc.pic.o two.rdc.pic.o -o dlink.o
    exits 0
    "$stdenv" one.rdc.pic.o two.rdc.pic.o dlink.o -L"$view/lib64" -lcudadevrt -lcudart_static -ldl -lpthread -lrt -o app
    runs ./app
}
# Source: torch/utils/cpp_extension.py of PyTorch: $CUDA_HOME/bin/nvcc, and -ccbin $CC.
pytorch() {
    ground
    for CC in "$lab/bin/gcc-$older" "$view/hostpin/c++"; do
        call env CUDA_HOME="$view" CC="$CC" "$view/bin/nvcc" -D__CUDA_NO_HALF_OPERATORS__ --expt-relaxed-constexpr -gencode=arch=compute_80,code=sm_80 \
            --compiler-options -fPIC -ccbin "$CC" -std=c++17 -rdc=true -c two.cu -o two.o
        exits 0
        made_by two.o gcc "$older"
    done
}
# Source: src/lib.rs of bindgen_cuda: nvcc of PATH, and -ccbin $NVCC_CCBIN, which stays in the environment; a library is made by nvcc as well.
bindgen_cuda() {
    ground
    export PATH=$view/bin:$PATH NVCC_CCBIN=$host
    call nvcc --gpu-architecture=sm_80 -c -o one.o --default-stream per-thread -allow-unsupported-compiler -ccbin "$NVCC_CCBIN" one.cu
    exits 0
    made_by one.o gcc "$older"
    call nvcc --lib -o libone.a one.o
    exits 0
    ar t libone.a | contains one.o
    call nvcc --gpu-architecture=sm_80 --ptx --output-directory . -allow-unsupported-compiler -ccbin "$NVCC_CCBIN" one.cu
    exits 0
    [ -s one.ptx ] || fail 'no PTX'
}
# Source: install/cupy_builder/_compiler.py and cupy/cuda/compiler.py of CuPy: the words of $NVCC, and no compiler otherwise.
cupy() {
    ground
    local NVCC="$view/bin/nvcc -ccbin $host" words
    read -ra words <<<"$NVCC"
    call "${words[@]}" --generate-code=arch=compute_80,code=sm_80 -Xfatbin=-compress-all -O2 '--compiler-options=-fPIC' --std=c++17 -rdc=true -c two.cu -o two.o
    exits 0
    made_by two.o gcc "$older"
    call "$view/bin/nvcc" --cubin -arch=sm_80 one.cu -o one.cubin
    exits 0
    [ -s one.cubin ] || fail 'no cubin'
}

it 'rules_cuda, which names a C driver that fits' rules_cuda older
it 'rules_cuda, where the toolchain is the c++ of the view' rules_cuda view
it 'PyTorch, by CC' pytorch
it 'bindgen_cuda, by NVCC_CCBIN' bindgen_cuda
it 'CuPy, by NVCC or not at all' cupy
finish
