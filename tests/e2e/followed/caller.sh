#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin's c++ as the host compiler of a real nvcc: the toolkit is that of the nvcc that runs it, whatever the
# environment, the configuration or the binding.
#   caller.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_lab bin/g++-10 bin/g++-11 bin/g++-13 bin/g++-15
need_cuda 12.4
need_cuda 13.0
CUDA_HOME=$(cuda 13.0)
export CUDA_HOME CXX=$lab/bin/g++-15 # 13.0 accepts that one itself, 12.4 accepts GCC 13
old=$(cuda 12.4)
only_compilers "$lab"/bin/g++-{10,11,13,15}
write_small_source "$work/small.cu"
write_source "$work/x.cu"
write_host_source "$work/x.cpp"

# compiles_with GCC NVCC ARGUMENT...: $source, else one without device code.
compiles_with() {
    local gcc=$1
    shift
    rm -f x.o
    call "$@" -c "${source:-$work/x.cpp}" -o x.o
    exits 0
    made_by x.o gcc "$gcc"
}
decisions() { find "$HOSTPIN_CACHE_DIR/index" -type f ! -name '*.lock' | wc -l; }

each_toolkit() { # VERSION GCC
    local source=$work/small.cu
    need_cuda "$1"
    export HOSTPIN_CACHE_DIR=$PWD/cache
    compiles_with "$2" "$(cuda "$1")/bin/nvcc" -ccbin "$our_cxx"
    says_not hostpin:
    same "$(decisions)" 1 # nvcc's own variables do not change the decision
}
over_every_setting() {
    echo "toolkit = '$CUDA_HOME'" >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml HOSTPIN_TOOLKIT=$CUDA_HOME CUDAToolkit_ROOT=$CUDA_HOME CUDA_PATH=$CUDA_HOME \
        compiles_with 13 "$old/bin/nvcc" -ccbin "$our_cxx"
}
found_on_path() {
    PATH=$old/bin:$PATH compiles_with 13 nvcc -ccbin "$our_cxx"
}
behind_a_wrapper() {
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n%q "$@"\nexit $?\n' "$our_cxx" >wrapped
    chmod +x wrapped
    compiles_with 13 "$old/bin/nvcc" -ccbin "$PWD/wrapped"
}
links_pinned() {
    call "$old/bin/nvcc" -ccbin "$our_cxx" "$work/x.cu" -o x
    exits 0
    stdenv_program "$CXX"
    same "$(loaded x libstdc++)" "$(loaded plain libstdc++)"
    same "$(./x)" 'hello from the host half'
}
as_cudahostcxx() {
    need_command ninja
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(x CUDA)\nadd_library(x OBJECT %s)\n' "$work/small.cu" >CMakeLists.txt
    CUDACXX=$old/bin/nvcc CUDAHOSTCXX=$our_cxx cmake -S . -B build -G Ninja -DCMAKE_CUDA_ARCHITECTURES=75 "${identified_only[@]}"
    cmake --build build
    made_by "$(find build -name small.cu.o)" gcc 13
}

bound_for_another() {
    local source=$work/small.cu # several calls of c++, and one note
    "$hostpin" bind bound >/dev/null # to 13.0
    compiles_with 13 "$old/bin/nvcc" -ccbin "$PWD/bound/c++"
    says "^hostpin: note: $PWD/bound is bound to CUDA 13\.0.* $old/bin/nvcc.*bin/hostpin bind $PWD/bound-cuda-12.4 --toolkit $old"
    same "$(grep -c hostpin: "$err")" 1
    compiles_with 15 "$CUDA_HOME/bin/nvcc" -ccbin "$PWD/bound/c++"
    says_not hostpin:
    compiles_with 15 bound/nvcc
    says_not hostpin:
}
# nvcc may run c++ indirectly: a script that waits for it, one that becomes it, a link.
bound_behind_another_name() {
    local each
    "$hostpin" bind bound >/dev/null # to 13.0
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n%q "$@"\nexit $?\n' "$PWD/bound/c++" >waits
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nexec %q "$@"\n' "$PWD/bound/c++" >becomes
    chmod +x waits becomes
    ln -s bound/c++ link
    for each in waits becomes link; do
        compiles_with 13 "$old/bin/nvcc" -ccbin "$PWD/$each"
        says "^hostpin: note: $PWD/bound is bound to CUDA 13\.0.* $old/bin/nvcc"
        same "$(grep -c hostpin: "$err")" 1
        compiles_with 15 "$CUDA_HOME/bin/nvcc" -ccbin "$PWD/$each"
        says_not hostpin:
    done
}
bound_and_its_host_does_not_fit() {
    "$hostpin" bind --host "$lab/bin/g++-15" bound >/dev/null
    call "$old/bin/nvcc" -ccbin "$PWD/bound/c++" -c "$work/small.cu" -o x.o
    [ "$status" -ne 0 ] || fail 'compiled with a compiler that does not fit'
    says 'g\+\+-15\) does not fit CUDA 12\.4'
    absent x.o
}
same_toolkit_by_another_name() {
    "$hostpin" bind --toolkit "$old" bound >/dev/null
    ln -s "$old" link
    cp -rs "$old/." farm
    for nvcc in link/bin/nvcc "$PWD/farm/bin/nvcc"; do
        compiles_with 13 "$nvcc" -ccbin "$PWD/bound/c++"
        says_not hostpin:
    done
}
through_a_view() {
    "$hostpin" bind --view --toolkit "$old" view >/dev/null
    compiles_with 13 view/bin/nvcc
    says_not hostpin:
    compiles_with 13 view/bin/nvcc -ccbin "$our_cxx"
    says_not hostpin:
}

# A program that nvcc -run started has nvcc's variables, but that nvcc does not run its children.
left_behind() {
    need_command make
    printf 'all:\n\t%s -c plain.cpp -o plain.o\n' "$our_cxx" >Makefile
    echo 'int main() {}' >plain.cpp
    printf '#include <cstdlib>\nint main() { return std::system("make") != 0; }\n' >starts.cpp
    call "$old/bin/nvcc" -ccbin "$lab/bin/g++-13" -run starts.cpp
    exits 0
    made_by plain.o gcc 15
    # and an nvcc among them is the caller, not the outer one
    printf 'all:\n\t%s/bin/nvcc -ccbin %s -c %s -o inner.o\n' "$CUDA_HOME" "$our_cxx" "$work/small.cu" >Makefile
    call "$old/bin/nvcc" -ccbin "$lab/bin/g++-13" -run starts.cpp
    exits 0
    made_by inner.o gcc 15
}

for pair in 11.2:10 11.8:11 12.4:13 13.0:15; do
    it "an unbound c++ that the nvcc of CUDA ${pair%:*} runs is judged by it, once" each_toolkit "${pair%:*}" "${pair#*:}"
done
it 'the nvcc that calls outranks every variable and the configuration' over_every_setting
it 'an nvcc that was found on PATH is known' found_on_path
it 'an nvcc that runs c++ through a wrapper script is known' behind_a_wrapper
it 'a link by the nvcc that calls is pinned' links_pinned
it "as CUDAHOSTCXX of a real nvcc, c++ goes by CMake's nvcc" as_cudahostcxx
it "a bound c++ that another toolkit's nvcc runs says so once and goes by the caller" bound_for_another
it "a bound c++ that another toolkit's nvcc runs by a script or a link does the same" bound_behind_another_name
it "a bound c++ whose named host compiler does not fit the caller refuses" bound_and_its_host_does_not_fit
it 'a toolkit under another name is the same toolkit' same_toolkit_by_another_name
it 'a view calls its own c++, and an unbound one, without a word' through_a_view
it 'variables that an outer nvcc left behind decide nothing' left_behind
finish
