#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A CUDA toolkit that pip has installed: NVIDIA's wheels, or the machine's own toolkit with their layout. nvcc alone links nothing with it.
#   toolkit.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# site [newer]: a virtual environment in venv/, with its toolkit in $wheels: the files of the wheels nvcc, crt, nvvm and runtime, with the
# nvcc.profile of CUDA 13.0, or that of 13.2 and newer.
site() {
    need_toolkit 13.0 12
    [ "${release%%.*}" -ge 13 ] || skip "CUDA $release is older than NVIDIA's wheels with an nvcc"
    local packages=venv/lib/python3.11/site-packages each
    wheels=$PWD/$packages/nvidia/cu13
    mkdir -p "$wheels"/{bin,lib,nvvm}
    for each in cudafe++ fatbinary nvlink ptxas bin2c crt __nvcc_device_query; do ln -s "$toolkit/bin/$each" "$wheels/bin/"; done
    cp "$(realpath "$toolkit/bin/nvcc")" "$wheels/bin/nvcc" # it looks next to itself
    cp "$(realpath "$toolkit/bin/nvcc.profile")" "$wheels/bin/nvcc.profile"
    # shellcheck disable=SC2016 # nvcc's own variables
    if [ "${1:-}" = newer ]; then sed -i 's,^LIBRARIES.*,LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib/stubs" "-L$(TOP)/lib",' "$wheels/bin/nvcc.profile"; fi
    ln -s "$(realpath "$toolkit/include")" "$wheels/include"
    ln -s "$toolkit/nvvm/bin" "$toolkit/nvvm/libdevice" "$wheels/nvvm/"
    ! [ -e "$toolkit/nvvm/lib64/libnvvm.so.4" ] || cp -L "$toolkit/nvvm/lib64/libnvvm.so.4" "$wheels/lib/"
    for each in libcudadevrt.a libcudart_static.a libcudart.so.13; do cp -L "$toolkit/lib64/$each" "$wheels/lib/"; done
    for each in nvcc crt runtime; do mkdir "$packages/nvidia_cuda_$each-$release.0.dist-info"; done
    export CXX=$host
    echo '__global__ void nothing() {} int main() { nothing<<<1, 1>>>(); return cudaGetLastError() == cudaSuccess; }' >app.cu
}
compiles() { # NVCC...
    call "$@" -arch=sm_80 -c app.cu -o app.o
    exits 0
}
links() { # NVCC...: of app.o, a program with the static and one with the shared runtime
    call "$@" app.o -o app
    exits 0
    ./app
    call "$@" -cudart shared app.o -o app
    exits 0
    same "$(needed app | grep cudart)" libcudart.so.13
    LD_LIBRARY_PATH=$wheels/lib ./app
    # the driver's library is of no wheel
    echo '#include <cuda.h>' >driver.cpp
    echo 'int main(int argc, char **) { CUdeviceptr at; return argc > 1 ? cuInit(0) + cuMemAlloc(&at, 1) + cuMemcpyHtoD(at, &at, 1) : 0; }' >>driver.cpp
    call "$@" driver.cpp -o driver -lcuda
    exits 0
    same "$(needed driver | grep cuda)" libcuda.so.1
    call "$@" -default-stream per-thread driver.cpp -o driver -lcuda
    exits 0
}
found() {
    site
    export VIRTUAL_ENV=$PWD/venv PATH=$plain_path
    call "$hostpin" bind b --toolkit "$wheels"
    exits 0
    compiles b/nvcc
    call "$wheels/bin/nvcc" -v -ccbin "$host" app.o -o app
    # A distribution may have libraries of a toolkit where every linker finds them.
    if [ "$status" != 0 ]; then says 'cannot find -lcudadevrt'; fi
    links b/nvcc
    call b/nvcc -arch=sm_80 -rdc=true app.cu -o app
    exits 0
    if [ -e "$wheels/lib/libnvvm.so.4" ]; then
        call b/nvcc -arch=sm_80 -rdc=true -dlto app.cu -o app
        exits 0
    fi
    # no file of the wheels is changed
    absent "$wheels/lib64"
    absent "$wheels/lib/libcudart.so"
}
unbound() {
    site newer
    export CUDA_HOME=$wheels
    compiles "$our_nvcc"
    links "$our_nvcc"
    absent "$wheels/lib64"
    # a decision that no cache takes has a directory of its own
    export HOSTPIN_CACHE_DIR=/dev/null/none
    call "$our_nvcc" -arch=sm_80 app.cu -o app
    exits 0
    says 'note: the decision cannot be stored'
    links "$our_nvcc"
}
named() {
    site
    need_split
    export CUDA_HOME=$wheels
    call "$hostpin" bind b --stdenv "$stdenv" --toolkit "$wheels" --host "$host"
    exits 0
    compiles b/nvcc -ccbin "$host"
    links b/nvcc -ccbin "$host"
    links "$our_nvcc" -ccbin "$host"
}
view() {
    site
    call "$hostpin" bind --view v --toolkit "$wheels"
    exits 0
    compiles v/bin/nvcc
    links v/bin/nvcc
    if [ ! -e v/lib64/libcudart.so ] || [ ! -e v/lib64/libcudart_static.a ]; then fail 'no libraries in lib64'; fi
}
built_by_cmake() {
    site newer
    need_command cmake ninja
    call "$hostpin" bind b --toolkit "$wheels"
    exits 0
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(app app.cu)
add_executable(other app.cu)
target_link_libraries(other PRIVATE CUDA::cudart)
set_target_properties(other PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
CMAKE
    call cmake -S . -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/b/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES=80
    exits 0
    call cmake --build build
    exits 0
    build/app
    LD_LIBRARY_PATH=$wheels/lib build/other
    call cmake -S . -B build2 -G Ninja -DCMAKE_CUDA_COMPILER="$PWD/b/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80
    exits 0
    call cmake --build build2 --target app
    exits 0
    build2/app
}
# with_shared_runtime SOURCE: a source that needs libcudart.so.13 to start.
with_shared_runtime() { echo 'int main() { int version; return cudaRuntimeGetVersion(&version); }' | sed '1i #include <cuda_runtime_api.h>' >"$1"; }
run_path() {
    site
    call "$hostpin" bind b --toolkit "$wheels" --run-path toolkit
    exits 0
    contains -E "run path +$wheels/lib +of what is linked" <"$out"
    with_shared_runtime shared.cpp
    for link in 'b/nvcc -cudart shared' "b/c++ -I$wheels/include -Lb/cuda/lib64 -lcudart -Wl,--no-as-needed"; do
        # shellcheck disable=SC2086 # a command
        call $link shared.cpp -o shared -lcudart
        exits 0
        same "$(runpath shared)" "$wheels/lib"
        ./shared
    done
    call b/nvcc -cudart shared -Xlinker -rpath -Xlinker "$wheels/lib/" shared.cpp -o shared
    exits 0
    same "$(runpath shared)" "$wheels/lib/"
    call "$hostpin" explain --bound b -- c++ shared.o -o shared
    contains -F -- "-Xlinker -rpath -Xlinker $wheels/lib" <"$out"
    if is_built checks; then
        call "$hostpin" leak-check --binding b shared
        exits 0
    fi
    # an extension module is found next to the wheels, wherever that is
    # shellcheck disable=SC2016 # the loader's variable
    call "$hostpin" bind --refresh b --run-path '$ORIGIN/../nvidia/cu13/lib'
    exits 0
    says 'note: toolchain\.cmake does not add .ORIGIN/\.\./nvidia/cu13/lib'
    call "$hostpin" bind --refresh b
    mkdir "${wheels%/nvidia/*}/package"
    call b/nvcc -cudart shared shared.cpp -o "${wheels%/nvidia/*}/package/shared"
    exits 0
    mv venv moved
    moved/lib/python3.11/site-packages/package/shared
    mv moved venv
    call "$hostpin" bind --refresh b --run-path ''
    exits 0
    call b/nvcc -cudart shared shared.cpp -o shared
    same "$(runpath shared)" ''
    for wrong in lib "$wheels/lib/stubs"; do
        call "$hostpin" bind other --toolkit "$wheels" --run-path "$wrong"
        exits 1
        says "--run-path: '$(literally "$wrong")'"
        absent other
    done
}
run_path_in_cmake() {
    site newer
    need_command cmake ninja
    call "$hostpin" bind b --toolkit "$wheels" --run-path toolkit
    exits 0
    with_shared_runtime shared.cpp
    cp shared.cpp device.cu
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(device device.cu)
set_target_properties(device PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
add_executable(host shared.cpp)
target_link_libraries(host PRIVATE CUDA::cudart)
install(TARGETS device host)
CMAKE
    call cmake -S . -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/b/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_INSTALL_PREFIX="$PWD/there"
    exits 0
    call cmake --build build
    exits 0
    build/device
    build/host
    call cmake --install build
    exits 0
    for program in there/bin/device there/bin/host; do
        $program
        same "$(runpath "$program" | tr ':' '\n' | sed '/^$/d' | sort -u)" "$wheels/lib" # the view's is of the build
    done
}
# installed_later COMMAND...: a library of another wheel
later() {
    site
    export CUDA_HOME=$wheels
    "$hostpin" bind b >/dev/null
    echo 'int main() {}' >first.cpp
    call "$our_nvcc" first.cpp -o first
    exits 0
    echo 'extern "C" int later() { return 0; }' >later.cpp
    "$host" -shared -fPIC -Wl,-soname,liblater.so.3 later.cpp -o "$wheels/lib/liblater.so.3"
    settle
    echo 'extern "C" int later(); int main() { return later(); }' >main.cpp
    call "$our_nvcc" main.cpp -llater -o main
    exits 0
    call "$hostpin" bind --refresh b
    exits 0
    call b/nvcc main.cpp -llater -o main
    exits 0
}
incomplete() { # PATH WHEEL [HALF OPTIONS]
    site
    mv "$wheels/$1" taken
    call "$hostpin" bind b --toolkit "$wheels"
    exits 1
    says "is incomplete: it has no $(literally "$1")${3:-} \(pip install ${4:-}'$2==$(literally "$release").\*'\)"
    absent b
}
# mixed WHEEL...: of another release
mixed() {
    site
    local packages=venv/lib/python3.11/site-packages wheel names='' command=''
    for wheel in "$@"; do
        mv "$packages/nvidia_cuda_$wheel-"* "$packages/nvidia_cuda_$wheel-12.9.86.dist-info"
        names="$names, nvidia-cuda-$wheel 12\.9\.86"
        command="$command 'nvidia-cuda-$wheel==$(literally "$release").\*'"
    done
    call "$hostpin" bind b --toolkit "$wheels"
    exits 1
    says "different releases: nvidia-cuda-runtime $(literally "$release"), but ${names#, } \(pip install$command\)"
}
# PyTorch's requirements pin the runtime, and nothing pins nvcc.
mixed_with_runtime() {
    site
    local packages=venv/lib/python3.11/site-packages
    mv "$packages"/nvidia_cuda_runtime-* "$packages/nvidia_cuda_runtime-12.9.79.dist-info"
    call "$hostpin" bind b --toolkit "$wheels"
    exits 1
    says "nvidia-cuda-runtime 12\.9\.79, but nvidia-cuda-nvcc $(literally "$release")[0-9.]*, nvidia-cuda-crt $(literally "$release") "
    says "\(pip install 'nvidia-cuda-nvcc==12\.9\.\*' 'nvidia-cuda-crt==12\.9\.\*'\)"
}
other_directories() {
    site
    local packages=$PWD/venv/lib/python3.11/site-packages named
    for named in "$packages" "$packages/nvidia" "$PWD/venv"; do
        call "$hostpin" bind b --toolkit "$named"
        exits 1
        says "has no bin/nvcc; the toolkit of NVIDIA's wheels is $(literally "$wheels")"
    done
    mv "$wheels/bin/nvcc" taken
    rm -r "$packages"/nvidia_cuda_nvcc-*
    call "$hostpin" bind b --toolkit "$wheels"
    exits 1
    says "the compiler's are not installed \(pip install 'nvidia-cuda-nvcc==$(literally "$release").\*'\)"
    mkdir -p old/nvidia/cuda_nvcc/bin old/nvidia_cuda_nvcc_cu12-12.9.86.dist-info
    call "$hostpin" bind b --toolkit old/nvidia/cuda_nvcc
    exits 1
    says "wheels for CUDA 12 have ptxas and cicc, but no nvcc"
    absent b
}

it 'it is bound, and links with both runtimes' found
it 'an nvcc that is not bound does as well' unbound
it 'and one with a named host compiler' named
it 'a view of it has what tools look for' view
it 'CMake builds with it, and finds its libraries' built_by_cmake
it 'programs find its libraries by the run path of the binding' run_path
it 'so do those that CMake links, before and after cmake --install' run_path_in_cmake
it 'a library that is installed later is found' later
it 'a missing wheel is named: that of the runtime' incomplete lib/libcudart_static.a nvidia-cuda-runtime " of nvidia-cuda-runtime [0-9.]*, which is installed" \
    '--force-reinstall --no-deps '
it 'that of the compiler' incomplete nvvm/libdevice nvidia-nvvm
it 'wheels of different releases are refused, all of them named' mixed crt
it 'with the command that makes them the release of the runtime' mixed_with_runtime
it 'a directory around the toolkit, or without a compiler, is explained' other_directories
finish
