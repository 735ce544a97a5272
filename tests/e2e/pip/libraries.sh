#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# NVIDIA's own wheels with libraries: what nvcc and CMake link with them loads from them, and works as far as it does without a GPU.
#   libraries.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}
# What cuda-toolkit 13.0.2 requires: 1 GB.
requirements='cuda-toolkit[nvcc,crt,nvvm,cudart,cccl,cublas,cufft,cusolver,cusparse,nvrtc,nvjitlink]==13.0.2'

# a binding b, whose programs find the libraries of $wheels
ground() {
    need_lab bin/g++-13 bin/g++-16
    consider g++-13 g++-16
    export CXX=$lab/bin/g++-16
    local site=$work/site
    wheels=$site/nvidia/cu13
    if [ ! -d "$site" ]; then
        python3 -m pip --version >/dev/null 2>&1 || skip 'no pip for python3'
        python3 -m pip install --quiet --only-binary=:all: --no-compile --target "$site.new" "$requirements" >"$out" 2>&1 ||
            skip "the Python Package Index is not reached, or has no $requirements"
        mv "$site.new" "$site"
    fi
    call "$hostpin" bind b --toolkit "$wheels" --run-path toolkit
    exits 0
    local name
    for name in cublas:cublas_v2 cufft cusolver:cusolverDn cusparse; do
        printf '#include <%s.h>\nint main() { int major; return %sGetProperty(MAJOR_VERSION, &major) != 0 || major != %s_VER_MAJOR; }\n' \
            "${name#*:}" "${name%:*}" "$(tr '[:lower:]' '[:upper:]' <<<"${name%:*}")" >"${name%:*}.cpp"
    done
    cat >nvrtc.cpp <<'CPP'
#include <nvrtc.h>
int main() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, "__global__ void k(int *x) { *x = 1; }", "k.cu", 0, nullptr, nullptr);
    const char *options[] = {"-arch=sm_80"};
    return nvrtcCompileProgram(program, 1, options); // opens libnvrtc-builtins.so
}
CPP
}
# loads PROGRAM LIBRARY: that of the wheels, without any variable, and runs.
loads() {
    same "$(loaded "$1" "lib$2\.so")" "$(realpath "$wheels/lib/lib$2".so.*)"
    "$1"
}
libraries='cublas cufft cusolver cusparse nvrtc'
linked_by_nvcc() {
    ground
    local name
    for name in $libraries; do
        call b/nvcc "$name.cpp" -o "$name" "-l$name"
        exits 0
        loads "./$name" "$name"
    done
}
linked_by_cmake() {
    ground
    need_command cmake ninja
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(libraries LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
foreach(name IN ITEMS cublas cufft cusolver cusparse nvrtc)
  configure_file(${name}.cpp ${name}.cu COPYONLY)
  add_executable(${name} ${name}.cpp)
  add_executable(${name}_cuda ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu)
  target_link_libraries(${name} PRIVATE CUDA::${name})
  target_link_libraries(${name}_cuda PRIVATE CUDA::${name})
  install(TARGETS ${name} ${name}_cuda)
endforeach()
CMAKE
    call cmake -S . -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/b/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES=80 \
        -DCMAKE_INSTALL_PREFIX="$PWD/there"
    exits 0
    call cmake --build build
    exits 0
    call cmake --install build
    exits 0
    local name
    for name in $libraries; do
        loads "there/bin/$name" "$name"
        loads "there/bin/${name}_cuda" "$name"
    done
}

it 'cuBLAS, cuFFT, cuSOLVER, cuSPARSE and NVRTC are linked by nvcc, and load from the wheels' linked_by_nvcc
it 'CMake links them, and what is installed loads them' linked_by_cmake
finish
