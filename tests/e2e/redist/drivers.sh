#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# drivers.sh [TEXT]: which libcuda a program loads, by what it returns itself (cudaDriverGetVersion), with NVIDIA's real libraries of drivers
# 470, 535 and 550 from Debian's packages, as the driver and as the compatibility libraries. Needs the lab. 20 s of processor.
only=${1:-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_toolkit
need_archives 12.4.1
if [ "$stands_in" = yes ]; then without_lab 'no drivers'; fi
HOSTPIN_LAB=$lab "$(dirname "$0")/drivers/provide" >"$work/drivers.log" 2>&1 || { cat "$work/drivers.log" && without_lab 'no drivers'; }
drivers=$lab/drivers

# The archives of a small toolkit, and one of cuda_compat with the libraries of driver 535.
mirror=$work/mirror compat=cuda_compat-linux-x86_64-12.4.1-archive
mkdir -p "$mirror/cuda_compat/linux-x86_64" "$work/$compat"
for package in cuda_cccl cuda_cudart cuda_nvcc; do ln -s "$archives/$package" "$mirror/$package"; done
cp -a "$drivers/535" "$work/$compat/compat"
echo 'a license' >"$work/$compat/LICENSE"
XZ_OPT=-0 tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cJf "$mirror/cuda_compat/linux-x86_64/$compat.tar.xz" "$compat"
python3 - "$manifest" "$mirror/cuda_compat/linux-x86_64/$compat.tar.xz" "$mirror/redistrib_12.4.1.json" <<'PY'
import hashlib, json, os, sys
manifest = json.load(open(sys.argv[1]))
content = open(sys.argv[2], "rb").read()
manifest["cuda_compat"] = {"name": "CUDA compat", "license": "CUDA Toolkit", "version": "12.4.1", "linux-x86_64": {
    "relative_path": "cuda_compat/linux-x86_64/" + os.path.basename(sys.argv[2]), "sha256": hashlib.sha256(content).hexdigest(),
    "md5": hashlib.md5(content).hexdigest(), "size": str(len(content))}}
json.dump(manifest, open(sys.argv[3], "w"))
PY
lock=$work/redist.lock store=$lab/.cross # shared with tests/e2e/target: what is unpacked once stays, so the archive has the same bytes each time
{
    "$hostpin" redist lock "$mirror/redistrib_12.4.1.json" --platforms linux-x86_64 --packages cuda_cccl,cuda_compat,cuda_cudart,cuda_nvcc -o "$lock" &&
        "$hostpin" redist fetch "$lock" --store "$store" --mirror "$mirror"
} 2>"$err" || { cat "$err" && exit 1; }
cat >"$work/version.cu" <<'CU'
#include <cstdio>
#include <cuda_runtime.h>
int main() {
    int version = -1;
    cudaDriverGetVersion(&version);
    std::printf("%d\n", version);
}
CU
"$toolkit/bin/nvcc" -ccbin "$host" -arch=sm_80 -Wno-deprecated-gpu-targets -c "$work/version.cu" -o "$work/version.o"
# composed OPTION...: a toolkit in `root`, bound in `bound`, and how programs of other toolchains have to be linked as $flags.
composed() {
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64 "$@"
    exits 0
    flags=$(sed -n 's/^hostpin: bound .* need: //p' "$err")
    call "$hostpin" bind bound --toolkit "$PWD/root" --host "$host"
    exits 0
}
# built RUNTIME [FLAG]: the program, with the static or the shared runtime, linked without options of its own.
built() {
    ./bound/nvcc -Wno-deprecated-gpu-targets -cudart "$1" "$work/version.o" -o version ${2:+-Xlinker "${2//-Wl,/}"}
}
# The program's own answer; the loader finds the shared runtime by LD_LIBRARY_PATH, which has no driver.
returns() { same "$(env -i LD_LIBRARY_PATH="$PWD/root/lib" "${2:-./version}")" "$1"; }
# is_first PROGRAM COMPAT DRIVER: the answers with the compatibility libraries, and without them.
is_first() {
    returns "$2" "$1"
    mv root/compat root/hidden
    returns "$3" "$1"
    mv root/hidden root/compat
}

without_a_driver() {
    composed
    same "$flags" ''
    for runtime in static shared; do
        built $runtime
        returns 0
    done
}
takes_the_driver() {
    local driver=$1 version=$2 runtime
    composed --driver "$drivers/$driver"
    for runtime in static shared; do
        built $runtime
        returns "$version"
    done
}
takes_compat_first() {
    local runtime
    composed --compat --driver "$drivers/470"
    contains "^  loads .*libcuda.so.1 from $PWD/root/compat, then $drivers/470 " <"$out" || { show_call && exit 1; }
    for runtime in static shared; do
        built $runtime
        is_first ./version 12020 11040
    done
    call "$hostpin" redist check root --fail-on warning
    if grep -q compat-order "$out"; then show_call && exit 1; fi
    # A linker's output that no loader loads has no run path; the options that compose prints are added once.
    ./bound/c++ -r "$work/version.o" -o part.o
    ./bound/c++ part.o -Lroot/lib -lcudart "$flags" -o by_hand
    is_first ./by_hand 12020 11040
    same "$(readelf -d by_hand | grep -c 'compat:.*470\]$')" 1
    same "$(readelf -d by_hand | grep -o /compat | wc -l)" 1
}
# The directories follow what the toolkit is composed with: a binding is stale after that, and refreshed it has the new ones.
follows_the_toolkit() {
    composed --driver "$drivers/535"
    built shared
    returns 12020
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64 --driver "$drivers/550"
    call ./bound/nvcc --version
    exits 2
    says "origin.json"
    call "$hostpin" bind --refresh bound
    exits 0
    same "$(sed -n 's/^driver-path = //p' bound/binding.toml)" "[\"$drivers/550\"]"
    built shared
    returns 12040
    call "$hostpin" explain --bound bound -- c++ version.o -o x
    contains "disable-new-dtags -Xlinker -rpath -Xlinker $drivers/550" <"$out" || { show_call && exit 1; }
    call env PATH="$PWD/bound:$PATH" "$hostpin" doctor --json
    same "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["selection"]["driver_path"])' "$out")" "['$drivers/550']"
}
# CUDA is linked by hostpin's c++, C++ by the stdenv itself, with the options of toolchain.cmake; installed programs keep the order.
keeps_it_in_cmake() {
    local program
    composed --compat --driver "$drivers/470"
    cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(p LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES 80)
configure_file($work/version.cu version.cpp COPYONLY)
foreach(runtime IN ITEMS static shared)
  add_executable(cuda_\${runtime} $work/version.cu)
  string(TOUPPER \${runtime} name)
  set_target_properties(cuda_\${runtime} PROPERTIES CUDA_RUNTIME_LIBRARY \${name} INSTALL_RPATH /opt/p/lib)
  add_executable(cxx_\${runtime} \${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
endforeach()
target_link_libraries(cxx_static CUDA::cudart_static)
target_link_libraries(cxx_shared CUDA::cudart)
install(TARGETS cuda_static cuda_shared cxx_static cxx_shared)
CMAKE
    call cmake -B build -DCMAKE_TOOLCHAIN_FILE="$PWD/bound/toolchain.cmake" -DCMAKE_INSTALL_PREFIX="$PWD/installed"
    exits 0
    call cmake --build build
    exits 0
    call cmake --install build
    exits 0
    for program in cuda_static cuda_shared cxx_static cxx_shared; do
        is_first "build/$program" 12020 11040
        is_first "installed/bin/$program" 12020 11040
    done
}
is_no_leak() {
    composed --compat --driver /opt/of-another-machine
    built static
    call "$hostpin" leak-check --binding bound version
    exits 0
    if grep -q -e compat -e of-another-machine "$out"; then show_call && exit 1; fi
    call "$hostpin" leak-check --no-binding version
    grep -q 'dangling-runpath.*of-another-machine' "$out" || { show_call && exit 1; }
}
refuses_stubs() {
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64 --driver "$toolkit/lib64/stubs/"
    exits 2
    says 'has stubs, which programs must not load'
    absent root
}
reports_older_compat() {
    composed --compat --driver "$drivers/550"
    call "$hostpin" redist check root
    exits 1
    grep -q 'compat-order' "$out" || { show_call && exit 1; }
}
# The link option that most would write: with it a shared runtime does not find the driver. It is the user's choice, and remains.
runpath_is_not_enough() {
    composed --driver "$drivers/550"
    built static "-rpath,$drivers/550"
    returns 12040
    built shared "--enable-new-dtags,-rpath,$drivers/550"
    returns 0
    call "$hostpin" redist check root
    grep -q 'unreachable-driver' "$out" || { show_call && exit 1; }
}
patched_runtime_finds_it() {
    need_command patchelf
    composed --patched --compat --driver "$drivers/470"
    "$host" -x c++ "$work/version.cu" -Iroot/include -Lroot/lib -lcudart -o version
    returns 12020
    built static # which is in the program, and is not patched
    returns 12020
    call "$hostpin" redist check root --fail-on warning
    exits 0
}
has_no_stub() {
    composed --driver "$drivers/550"
    for runtime in static shared; do
        built $runtime
        readelf -d version >dynamic
        if grep -q stubs dynamic; then cat dynamic && exit 1; fi
        LD_DEBUG=libs LD_LIBRARY_PATH="$PWD/root/lib" ./version 2>loaded >/dev/null
        grep -q "calling init: $drivers/550/libcuda" loaded || { cat loaded && exit 1; }
        if grep -q 'init: .*stubs' loaded; then cat loaded && exit 1; fi
    done
}

it 'without a driver the runtime returns 0, static and shared' without_a_driver
it 'driver 470 is found' takes_the_driver 470 11040
it 'driver 535 is found' takes_the_driver 535 12020
it 'driver 550 is found' takes_the_driver 550 12040
it 'the compatibility libraries come first, the driver second' takes_compat_first
it 'after another compose the binding is stale, and follows when it is refreshed' follows_the_toolkit
it 'programs of CMake keep the order, built and installed, with each linker driver' keeps_it_in_cmake
it 'what a binding adds to run paths is no leak' of checks is_no_leak
it 'a directory of stubs is refused as the driver' refuses_stubs
it 'compatibility libraries older than the driver are reported' reports_older_compat
it 'a RUNPATH does not reach the shared runtime, and check reports that' runpath_is_not_enough
it 'a patched runtime finds the driver without link options' patched_runtime_finds_it
it 'no program loads the stub' has_no_stub
finish
