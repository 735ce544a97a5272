#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compose.sh [TEXT]: toolkits composed from archives of CUDA 12.4.1, used as toolkits are: nvcc, CMake 3.25 to 4, Meson, Clang 17 and 19,
# hostpin bind and doctor; cross layouts as CMake 3.25 finds them; damage is found. 25 s of processor. HOSTPIN_FULL=1: Clang 18 too.
only=${1:-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_toolkit
need_archives 12.4.1
lock=$work/redist.lock store=$lab/.cross root=$work/root # the store is shared with tests/e2e/target, so that archives are unpacked once
"$hostpin" redist lock "$manifest" --platforms linux-x86_64,linux-sbsa,linux-ppc64le -o "$lock" 2>"$err" || { cat "$err" && exit 1; }
"$hostpin" redist fetch "$lock" --store "$store" --mirror "$archives" 2>"$err" || { cat "$err" && exit 1; }
# composed DIR OPTION...: for this machine unless the options name other targets.
composed() {
    local directory=$1
    shift
    call "$hostpin" redist compose "$lock" "$directory" --store "$store" --host linux-x86_64 "$@"
    exits 0
}
composed "$root"
# program: a.cu, which has a kernel and prints the version of the runtime that it is linked with.
program() {
    cat >a.cu <<'CUDA'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void kernel(int *p) { *p = 1; }
int main() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    std::printf("%d\n", version);
    return version < 0 ? (kernel<<<1, 1>>>(nullptr), 1) : 0;
}
CUDA
}
with_program() { program && "$@"; }

is_proven() {
    call "$hostpin" redist check "$root" --fail-on error
    exits 0
    composed "$root"
    says 'is up to date: composed from cuda 12.4.1 \(linux-x86_64\) of redist.lock'
}
# One file of each kind of damage, in a copy without links into the store.
finds_damage() {
    cp -a "$root" damaged
    rm damaged/targets/x86_64-linux/include/cuda.h
    rm damaged/bin/ptxas && cp damaged/bin/nvlink damaged/bin/ptxas
    echo x >damaged/include/mine.h
    chmod -x damaged/bin/cudafe++
    chmod u+s damaged/bin/nvcc
    call "$hostpin" redist check damaged --json
    exits 1
    python3 - "$out" <<'PY'
import json, sys
findings = [f for f in json.load(open(sys.argv[1]))["findings"] if f["rule"] == "changed-file"]
names = sorted(f["file"].split("damaged/")[1] for f in findings)
assert names == ["bin/cudafe++", "bin/nvcc", "bin/ptxas", "targets/x86_64-linux/include/cuda.h", "targets/x86_64-linux/include/mine.h"], names
PY
    call "$hostpin" redist compose "$lock" damaged --store "$store" --host linux-x86_64
    exits 0
    call "$hostpin" redist check damaged --fail-on error
    exits 0
}
# A directory that cannot be read may have anything in it, so a tree with one is not proven.
needs_every_directory() {
    local as=()
    if [ "$(id -u)" = 0 ]; then as=(setpriv --bounding-set=-all --inh-caps=-all); fi # root may read everything otherwise
    cp -a "$root" damaged
    mkdir -m 000 damaged/closed
    call "${as[@]}" "$hostpin" redist check damaged --fail-on error
    chmod 700 damaged/closed
    exits 2
    says 'cannot read damaged/closed: Permission denied'
}
# What was changed in the store since it was unpacked is seen without reading it, or with --verify.
refuses_a_changed_store() {
    local file
    "$hostpin" redist lock "$manifest" --platforms linux-x86_64 --packages cuda_cudart -o small.lock
    "$hostpin" redist fetch small.lock --store other --mirror "$archives"
    file=$(find "$PWD/other/cas" -name cuda.h)
    small() { call "$hostpin" redist compose small.lock new --store other --host linux-x86_64 "$@"; }
    changed() { chmod u+w "$file" && damage "$file" 500 && chmod 444 "$file"; }
    refused() {
        exits 2
        says 'is not cuda_cudart 12.4.127 linux-x86_64 any more: a file in it was changed' 'hint: remove that directory, and run'
    }
    changed # before it was composed
    small
    refused
    chmod -R u+w other/cas && rm -r other/cas && "$hostpin" redist fetch small.lock --store other --mirror "$archives"
    small
    exits 0
    find other/cas -type f -exec touch {} + # the times alone do not matter
    small
    exits 0
    changed
    small
    refused
    rm -r new other/cas && "$hostpin" redist fetch small.lock --store other --mirror "$archives"
    small
    exits 0
    cp -p "$file" time
    changed
    touch -r time "$file"
    small --verify
    refused
}
refuses_what_it_did_not_make() {
    mkdir other && echo x >other/file
    call "$hostpin" redist compose "$lock" other --store "$store" --host linux-x86_64
    exits 2
    says 'other exists, and has no origin.json'
    [ -e other/file ]
    call "$hostpin" redist compose "$lock" new --store "$work/none" --host linux-x86_64
    exits 2
    says 'is not in the store' 'hint: run .hostpin redist fetch.'
    absent new
}
binds_and_builds() {
    "$hostpin" bind bound --toolkit "$root" --host "$host" >"$out" 2>"$err"
    bound/nvcc a.cu -o a
    ./a | contains '^12040$'
}
doctor_names_the_origin() {
    call "$hostpin" doctor --toolkit "$root"
    grep -qF 'composed from cuda 12.4.1 (linux-x86_64) of redist.lock' "$out" || { show_call && exit 1; }
    call "$hostpin" doctor --toolkit "$root" --json
    python3 -c 'import json, sys
assert json.load(open(sys.argv[1]))["toolkits"][0]["composed"].startswith("composed from cuda 12.4.1")' "$out"
}
# find_package(CUDAToolkit) with ROOT and definitions prints what it found.
found_by_cmake() {
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(found LANGUAGES CXX)
find_package(CUDAToolkit 12.4 REQUIRED)
message(STATUS "version ${CUDAToolkit_VERSION}")
foreach(library cudart cudart_static cuda_driver nvjpeg nvml)
  get_target_property(path CUDA::${library} IMPORTED_LOCATION)
  if(NOT path) # stubs, since CMake 3.30
    get_target_property(path CUDA::${library} IMPORTED_IMPLIB)
  endif()
  file(REAL_PATH "${path}" path)
  message(STATUS "${library} ${path}")
endforeach()
list(GET CUDAToolkit_INCLUDE_DIRS 0 path) # CMake 3.31 adds where it finds cuBLAS, which a machine may have in /usr/local/include
file(REAL_PATH "${path}" path)
message(STATUS "include ${path}")
CMAKE
    "${cmake:-cmake}" -S . -B "$1" -DCUDAToolkit_ROOT="$2" "${@:3}" >log 2>&1 || { cat log && exit 1; }
    sed -n 's/^-- \(version\|cud.*\|nv.*\|include\) \(.*\)/\1 \2/p' log
}
# lists ROOT TARGET-DIRECTORY: what CMake finds in a composed tree, as found_by_cmake prints it.
lists() {
    local real
    real=$(realpath "$1/$2")
    grep -q "^version 12.4" found || { cat found && exit 1; }
    same "$(grep -v ^version found | sort)" "$(sort <<EOF
cudart $(realpath "$real/lib/libcudart.so")
cudart_static $real/lib/libcudart_static.a
cuda_driver $real/lib/stubs/libcuda.so
nvjpeg $(realpath "$real/lib/libnvjpeg.so")
nvml $real/lib/stubs/libnvidia-ml.so
include $real/include
EOF
)"
}
is_found_by_cmake() {
    found_by_cmake build "$root" >found
    lists "$root" targets/x86_64-linux
}
# The lab's, which also compile with the toolkit's own nvcc.
is_used_by_cmake() {
    local cmake=$lab/cmake/$1/usr/bin/cmake
    need_lab "cmake/$1"
    is_found_by_cmake
    mkdir project && cp a.cu project
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CUDA)\nadd_executable(x a.cu)\n' >project/CMakeLists.txt
    "$cmake" -S project -B used -DCMAKE_CUDA_COMPILER="$root/bin/nvcc" -DCMAKE_CUDA_HOST_COMPILER="$host" -DCMAKE_CUDA_ARCHITECTURES=75 \
        >log 2>&1 || { cat log && exit 1; }
    "$cmake" --build used >log 2>&1 || { cat log && exit 1; }
    ./used/x | contains '^12040$'
}
is_used_by_meson() {
    need_command meson
    mkdir project && cp a.cu project
    cat >project/meson.build <<'MESON'
project('x', 'cpp', 'cuda')
cuda = dependency('cuda', version: '>=12.4', modules: ['cudart_static', 'nvjpeg'])
message('found ' + cuda.version())
executable('x', 'a.cu', dependencies: cuda)
MESON
    printf "[binaries]\ncuda = ['%s', '-ccbin', '%s']\ncpp = '%s'\n" "$root/bin/nvcc" "$host" "$host" >native.ini
    CUDA_PATH=$root meson setup --native-file native.ini used project >log 2>&1 || { cat log && exit 1; }
    contains 'found 12.4' <log
    meson compile -C used >log 2>&1 || { cat log && exit 1; }
    LD_LIBRARY_PATH=$root/lib ./used/x | contains '^12040$' # Meson links the shared runtime
}
is_found_when_crossing_to() {
    local machine=$1 directory=$2
    shift 2
    composed "$PWD/cross" "$@"
    found_by_cmake build "$PWD/cross" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" >found
    lists "$PWD/cross" "$directory"
}
crosses_to_sbsa() {
    is_found_when_crossing_to aarch64 targets/sbsa-linux --target linux-x86_64 --target linux-sbsa
    readelf -h "$(sed -n 's/^cudart //p' found)" | contains 'AArch64'
}
crosses_to_ppc64le() {
    is_found_when_crossing_to ppc64le . --target linux-ppc64le
    readelf -h "$(sed -n 's/^cudart //p' found)" | contains 'PowerPC64'
    absent cross/targets
    call "$hostpin" redist check cross --fail-on error
    exits 0
}
compiles_with_clang() {
    need_lab "bin/clang++-$1"
    "$lab/bin/clang++-$1" --cuda-path="$root" --cuda-gpu-arch=sm_80 a.cu -o a -L"$root/lib" -lcudart_static -ldl -lrt -pthread \
        2>log || { cat log && exit 1; }
    ./a | contains '^12040$'
}
runs_from_a_runtime_view() {
    composed runtime --outputs lib
    absent runtime/include
    absent runtime/bin
    same "$(find runtime/targets -name '*.a')" ''
    readelf -d runtime/lib/libcudart.so.12 | contains SONAME
}
patches_with_patchelf() {
    need_command patchelf
    composed patched --patched --driver /run/driver
    # shellcheck disable=SC2016 # the loader's own variable
    readelf -d patched/lib/libcudart.so.12 | contains -F '[$ORIGIN:/run/driver]'
    call "$hostpin" redist check patched --fail-on warning
    exits 0
    call "$hostpin" redist check "$root" --fail-on error # the store's file is as it was
    exits 0
    cp patched/origin.json before
    composed patched --patched --driver /run/driver
    cmp before patched/origin.json
}
is_described_as_spdx() {
    "$hostpin" redist emit "$root" --for spdx -o root.json
    composed runtime --outputs lib
    "$hostpin" redist emit runtime --for spdx -o runtime.json
    python3 - "$root" <<'PY'
import json, os, sys
whole, libraries = (json.load(open(path)) for path in ("root.json", "runtime.json"))
licenses = {one["licenseId"]: one["extractedText"] for one in whole["hasExtractedLicensingInfos"]}
origin = json.load(open(sys.argv[1] + "/origin.json"))
assert [one["name"] for one in whole["packages"]] == [one["package"] for one in origin["archives"]]
assert len({one["licenseDeclared"] for one in whole["packages"]}) == len(whole["packages"]) == len(licenses)
names = [{one["name"] for one in document["packages"]} for document in (whole, libraries)]
assert "cuda_cudart" in names[1] and "cuda_nvcc" in names[0] - names[1] and names[1] < names[0], names
for one, archive in zip(whole["packages"], origin["archives"]):
    directory = sys.argv[1] + "/share/licenses/" + one["name"]
    text = "\n".join(open(directory + "/" + name, errors="replace").read() for name in sorted(os.listdir(directory)))
    assert licenses[one["licenseDeclared"]] == text, one
    assert one["downloadLocation"] == "https://developer.download.nvidia.com/compute/cuda/redist/" + archive["path"], one
    assert one["checksums"][0]["checksumValue"] == archive["sha256"]
PY
    call "$hostpin" redist emit "$root" --for nix
    exits 2
    says 'is a composed toolkit, which --for spdx describes' 'hint: name the lock'
}
prints_closures() {
    call "$hostpin" redist closure "$root" --json libnvjpeg.include libnvjpeg.so.12
    exits 0
    python3 - "$out" <<'PY'
import json, sys
headers, library = json.load(open(sys.argv[1]))["closures"]
assert library["bytes"] == library["opened_bytes"] > 6_000_000
assert headers["bytes"] == headers["opened_bytes"] < headers["included_bytes"]
runtime = next(p for p in headers["parts"] if p["package"] == "cuda_cudart")
assert runtime["why"][-1]["reason"] == "included", runtime
PY
    call "$hostpin" redist closure "$lock" --store "$store" --platform linux-sbsa libnvjpeg.lib
    exits 0
    grep -q 'libnvjpeg.lib  6' "$out" || { show_call && exit 1; }
}
is_whole_after_kill() {
    local delay
    for delay in 0.01 0.03 0.05; do
        rm -rf "$PWD/killed"
        timeout -s KILL "$delay" "$hostpin" redist compose "$lock" killed --store "$store" --host linux-x86_64 2>/dev/null || true
        [ ! -e killed ] || "$hostpin" redist check killed --fail-on error >/dev/null
    done
    composed killed
    call "$hostpin" redist check killed --fail-on error
    exits 0
}

it 'a composed toolkit is proven by its origin, and composing it again changes nothing' is_proven
it 'changed, missing and added files are found, and composing again mends them' finds_damage
it 'a tree with a directory that cannot be read is not proven' needs_every_directory
it 'a file of the store that was changed is refused' refuses_a_changed_store
it 'a directory that compose did not make stays, and an archive that is not in the store is named' refuses_what_it_did_not_make
it 'bind takes a composed toolkit, and what its nvcc builds runs; tests/e2e/target builds the sample' with_program binds_and_builds
it 'doctor prints what a toolkit was composed from' doctor_names_the_origin
it 'CMake finds the libraries, stubs and headers of a composed toolkit' is_found_by_cmake
it 'CMake finds those of sbsa by the alias when it cross-compiles' crosses_to_sbsa
it 'CMake finds those of ppc64le in a toolkit for one target' crosses_to_ppc64le
for release in 3.31 4; do
    it "CMake $release finds them, too, and builds with its nvcc" with_program is_used_by_cmake "$release"
done
it 'Meson finds the toolkit and its libraries, and builds with its nvcc' with_program is_used_by_meson
if [ "$full" = 1 ]; then clangs=(17 18 19); else clangs=(17 19); fi
for release in "${clangs[@]}"; do
    it "Clang $release builds with a composed toolkit" with_program compiles_with_clang "$release"
done
it 'a view of libraries has nothing else' runs_from_a_runtime_view
it 'a patched toolkit has run paths, leaves the store as it is, and is the same again' patches_with_patchelf
it 'the SPDX document of a toolkit has its packages, each with its own license text' is_described_as_spdx
it 'closures have sizes by what is needed, opened and included, with the reasons' prints_closures
it 'a kill leaves a whole toolkit or none' is_whole_after_kill
finish
