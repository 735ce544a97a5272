#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# NVIDIA's own wheels as a toolkit, in the lab's split of GCC 13 and 16.
#   wheels.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# ground RELEASE: $wheels, and a program that uses a header of CCCL.
ground() {
    need_lab bin/g++-13 bin/g++-16
    need_wheels "$1"
    wheels=$(wheels_of "$1")
    consider g++-13 g++-16
    export CXX=$lab/bin/g++-16
    cat >app.cu <<'CU'
#include <cuda/std/array>
#include <cuda_fp16.h>
__global__ void fill(cuda::std::array<__half, 2> *out) { (*out)[0] = __float2half(1.5f); }
int main() { fill<<<1, 1>>>(nullptr); return cudaGetLastError() == cudaSuccess; }
CU
}
builds() {
    ground "$1"
    call "$hostpin" bind b --toolkit "$wheels"
    exits 0
    local options
    stdenv_program "$CXX"
    for options in '' '-cudart shared' '-rdc=true' '-rdc=true -dlto' -lcuda; do
        # shellcheck disable=SC2086 # a list of options
        call b/nvcc -arch=sm_80 -std=c++17 app.cu -o app $options
        exits 0
        # It loads the stdenv's library.
        [ -z "$(loaded ./app libstdc++)" ] || same "$(loaded ./app libstdc++)" "$(loaded plain libstdc++)"
        LD_LIBRARY_PATH=$wheels/lib ./app
    done
    call "$our_nvcc" --version
    exits 0
    CUDA_HOME=$wheels call "$our_nvcc" -arch=sm_80 -std=c++17 app.cu -o app
    exits 0
}
# CMake by the toolchain file and Meson by a view: both identify the release.
projects() {
    ground "$1"
    need_command cmake ninja meson
    call "$hostpin" bind b --toolkit "$wheels"
    exits 0
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(app app.cu)
target_link_libraries(app PRIVATE CUDA::cudart CUDA::cuda_driver)
set_target_properties(app PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Shared)
CMAKE
    call cmake -S . -B build -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$PWD/b/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES=80
    exits 0
    contains -F "CUDA compiler identification is NVIDIA $1." <"$out"
    contains -E "Found CUDAToolkit: .*version \"?$(literally "$1")" <"$out"
    call cmake --build build
    exits 0
    LD_LIBRARY_PATH=$wheels/lib build/app
    call "$hostpin" bind --view v --toolkit "$wheels"
    exits 0
    printf "project('app', 'cpp', 'cuda')\nexecutable('app', 'app.cu', cuda_args: ['-std=c++17', '-arch=sm_80'])\n" >meson.build
    printf "[binaries]\ncpp = '%s'\ncuda = '%s'\n" "$CXX" "$PWD/v/bin/nvcc" >native.ini
    export PATH=$PWD/v/bin:$PATH CUDA_PATH=$PWD/v
    call meson setup --native-file native.ini --buildtype=plain meson
    exits 0
    contains -F "nvcc $1." <"$out"
    call meson compile -C meson
    exits 0
    meson/app
}
# A library of a wheel that is none of the compiler's.
another_wheel() {
    ground 13.0
    call "$hostpin" bind b --toolkit "$wheels" --run-path toolkit
    exits 0
    echo '#include <nvjpeg.h>' >jpeg.cu
    echo 'int main(int argc, char **) { int major; return argc > 1 ? nvjpegGetProperty(MAJOR_VERSION, &major) : 0; }' >>jpeg.cu
    call b/nvcc jpeg.cu -o jpeg -lnvjpeg
    exits 0
    same "$(needed jpeg | grep nvjpeg)" libnvjpeg.so.13
    ./jpeg
    need_command cmake ninja
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(jpeg LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(jpeg jpeg.cu)
target_link_libraries(jpeg PRIVATE CUDA::nvjpeg CUDA::cuda_driver)
CMAKE
    call cmake -S . -B build -G Ninja -DCMAKE_CUDA_COMPILER="$PWD/b/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80
    exits 0
    call cmake --build build
    exits 0
    build/jpeg
}
# device_lto OLDER NEWER: what hostpin lets through is what nvlink reads.
device_lto() {
    local writer source
    echo '__device__ int f(int x) { return x * 3; }' >f.cu
    printf '%s\n' 'extern __device__ int f(int);' '__global__ void k(int *p) { *p = f(*p); }' 'int main() { k<<<1, 1>>>(nullptr); }' >k.cu
    for writer in "$1" "$2"; do
        ground "$writer"
        call "$hostpin" bind "$writer" --toolkit "$wheels"
        exits 0
        for source in f k; do "$writer/nvcc" -dc -gencode arch=compute_80,code=lto_80 "$source.cu" -o "$source.$writer.o"; done
    done
    for writer in "$1" "$2"; do
        call "$2/nvcc" -dlto -arch=sm_80 "k.$2.o" "f.$writer.o" -o app
        exits 0
    done
    call "$1/nvcc" -dlto -arch=sm_80 "k.$1.o" "f.$2.o" -o app
    exits 1
    says 'nvlink does not accept device code of a newer toolkit'
    HOSTPIN_LTO=off call "$1/nvcc" -dlto -arch=sm_80 "k.$1.o" "f.$2.o" -o app
    exits 1
    says 'nvlink fatal'
}
# --concat, since 13.4: one zstd frame for several GPUs.
bundle() {
    ground 13.5
    call "$hostpin" bind b --toolkit "$wheels"
    exits 0
    local gpus=(-gencode "arch=compute_80,code=sm_80" -gencode "arch=compute_90,code=sm_90" -gencode "arch=compute_120,code=compute_120")
    b/nvcc "${gpus[@]}" -std=c++17 --concat app.cu -o app
    b/nvcc "${gpus[@]}" -std=c++17 app.cu -o apart
    call "$hostpin" fatbin app --expect "8.0;9.0;12.0-virtual"
    exits 0
    contains -E '9\.0 +machine code .* zstd with others' <"$out"
    call "$hostpin" fatbin app --no-forward-compatibility --expect "8.6;12.0"
    exits 1
    for gpu in 7.5 8.0 9.0 12.0; do
        local of_bundle=0 of_entries=0
        "$hostpin" doctor app --capabilities "$gpu" >got 2>&1 || of_bundle=$?
        "$hostpin" doctor apart --capabilities "$gpu" >expected 2>&1 || of_entries=$?
        same "$of_bundle" "$of_entries"
    done
    call "$hostpin" fatbin slim app --keep 9.0 -o slim
    exits 0
    call "$hostpin" fatbin prove app slim --gpus 9.0
    exits 0
    ./slim
    call "$hostpin" fatbin slim app --keep 12.0 --ptx all -o slim
    exits 0
    contains -E '9\.0 +machine code +[0-9.]+ KB +[0-9]+ B stays' <"$out"
}

for release in 13.0 13.1 13.2 13.3 13.4 13.5; do
    case $release in 13.0 | 13.5) usually=it ;; *) usually=seldom ;; esac # the layout changed with 13.2
    "$usually" "the wheels of CUDA $release build programs in a split" builds $release
done
for release in 13.0 13.1 13.2 13.3 13.4 13.5; do
    seldom "CMake and Meson build with the wheels of CUDA $release" projects $release
done
it 'device code for link-time optimization links with its own release and newer ones' device_lto 13.0 13.5
seldom 'so it does where two releases write one version of it' device_lto 13.0 13.1
it 'code that is compressed together counts for each of its GPUs' bundle
it 'a library of another wheel is linked and found, by CMake as well' another_wheel
finish
