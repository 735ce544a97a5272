#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Links that take the CUDA runtime of another release than that of the nvcc which compiles: CMake's find_package(CUDAToolkit) takes the
# toolkit in the default place where CUDA is not enabled before.
#   runtimes.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

ground() {
    need_cuda 12.4
    need_cuda 13.0
    need_lab bin/g++-13
    toolkit=$(cuda 12.4) other=$(cuda 13.0)
    export CUDA_HOME=$toolkit CXX=$lab/bin/g++-13
    echo '__global__ void nothing() {} int main() { nothing<<<1, 1>>>(); }' >app.cu
}
refused() {
    exits 1
    says 'error: .*needs libcudart.so.13 of .*, but CUDA 12.4' "hint: .*CUDAToolkit_ROOT=$(literally "$toolkit")"
    absent app
}
by_cmake() {
    ground
    need_command cmake ninja
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
enable_language(CUDA)
add_executable(app app.cu)
set_target_properties(app PROPERTIES CUDA_RUNTIME_LIBRARY None)
target_link_libraries(app PRIVATE CUDA::cudart)
CMAKE
    local options=(-S . -G Ninja -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_CUDA_COMPILER="$our_nvcc")
    # as if the other one were in the default place
    CUDA_PATH='' PATH=$other/bin:$PATH call cmake "${options[@]}" -B other -DCUDAToolkit_ROOT="$other"
    exits 0
    call cmake --build other
    grep -q 'needs libcudart.so.13 of .*, but CUDA 12.4' "$out" || { show_call; fail 'the other runtime is not named'; }
    absent other/app
    call cmake "${options[@]}" -B right -DCUDAToolkit_ROOT="$toolkit"
    exits 0
    call cmake --build right
    exits 0
    needed right/app | contains -x 'libcudart.so.12'
}
by_hand() {
    ground
    call "$hostpin" bind b
    exits 0
    b/nvcc -arch=sm_80 -c app.cu -o app.o
    call b/c++ app.o -L"$other/lib64" -lcudart -o app
    refused
    call b/c++ app.o "$other/lib64/libcudart.so" -o app
    refused
    call b/c++ app.o -L"$toolkit/lib64" -lcudart -o app
    exits 0
    says_not hostpin
}
without_device_code() {
    ground
    call "$hostpin" bind b
    exits 0
    echo 'extern "C" int cudaRuntimeGetVersion(int *); int main() { int v; return cudaRuntimeGetVersion(&v); }' >host.cpp
    call b/c++ host.cpp "$other/lib64/libcudart.so" -o host
    exits 0
    says 'note: host needs libcudart.so.13 of .*, but CUDA 12.4'
}
another_minor_release() {
    ground
    mkdir older
    cp "$(realpath "$toolkit/lib64/libcudart.so")" older/libcudart.so.12.1.105
    ln -s libcudart.so.12.1.105 older/libcudart.so
    call "$hostpin" bind b
    exits 0
    b/nvcc -arch=sm_80 -c app.cu -o app.o
    call b/c++ app.o -Lolder -lcudart -o app
    exits 0
    says 'note: app needs libcudart.so.12 of .*older/libcudart.so.12.1.105, but CUDA 12.4'
}

it "CMake's project that finds another toolkit is refused, and builds with the one that is named" by_cmake
it 'a link with device code that takes the runtime of another major release is refused' by_hand
it 'one without device code is noted' without_device_code
it 'and so is another minor release' another_minor_release
finish
