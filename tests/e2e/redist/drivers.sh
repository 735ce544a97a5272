#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# drivers.sh [TEXT]: which libcuda a program loads, by what it returns itself (cudaDriverGetVersion), with NVIDIA's real libraries of drivers
# 470, 535 and 550 from Debian's packages, as the driver and as the compatibility libraries. Needs the lab. 15 s of processor.
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
tar -C "$work" -cJf "$mirror/cuda_compat/linux-x86_64/$compat.tar.xz" "$compat"
python3 - "$manifest" "$mirror/cuda_compat/linux-x86_64/$compat.tar.xz" "$mirror/redistrib_12.4.1.json" <<'PY'
import hashlib, json, os, sys
manifest = json.load(open(sys.argv[1]))
content = open(sys.argv[2], "rb").read()
manifest["cuda_compat"] = {"name": "CUDA compat", "license": "CUDA Toolkit", "version": "12.4.1", "linux-x86_64": {
    "relative_path": "cuda_compat/linux-x86_64/" + os.path.basename(sys.argv[2]), "sha256": hashlib.sha256(content).hexdigest(),
    "md5": hashlib.md5(content).hexdigest(), "size": str(len(content))}}
json.dump(manifest, open(sys.argv[3], "w"))
PY
lock=$work/redist.lock store=$work/store
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
# composed OPTION...: a toolkit in `root`, and how programs have to be linked as $flags.
composed() {
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64 "$@"
    exits 0
    flags=$(sed -n 's/^hostpin: link programs with //p' "$err")
}
# built RUNTIME [FLAG]: the program, with the static or the shared runtime.
built() {
    "$hostpin" bind bound --toolkit "$PWD/root" --host "$host" >"$out" 2>"$err"
    ./bound/nvcc -arch=sm_80 -Wno-deprecated-gpu-targets -cudart "$1" "$work/version.cu" -o version ${2:+-Xlinker "${2//-Wl,/}"}
}
# The program's own answer; the loader finds the shared runtime by LD_LIBRARY_PATH, which has no driver.
returns() { same "$(env -i LD_LIBRARY_PATH="$PWD/root/lib" ./version)" "$1"; }

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
        built $runtime "$flags"
        returns "$version"
    done
}
takes_compat_first() {
    local runtime
    composed --compat --driver "$drivers/470"
    for runtime in static shared; do
        built $runtime "$flags"
        returns 12020
        mv root/compat root/hidden # the driver is second
        returns 11040
        mv root/hidden root/compat
    done
    call "$hostpin" redist check root --fail-on warning
    if grep -q compat-order "$out"; then show_call && exit 1; fi
}
reports_older_compat() {
    composed --compat --driver "$drivers/550"
    call "$hostpin" redist check root
    exits 1
    grep -q 'compat-order' "$out" || { show_call && exit 1; }
}
# The link option that most would write: with it a shared runtime does not find the driver.
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
    same "$flags" ''
    built shared
    returns 12020
    call "$hostpin" redist check root --fail-on warning
    exits 0
}
has_no_stub() {
    composed --driver "$drivers/550"
    for runtime in static shared; do
        built $runtime "$flags"
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
it 'compatibility libraries older than the driver are reported' reports_older_compat
it 'a RUNPATH does not reach the shared runtime, and check reports that' runpath_is_not_enough
it 'a patched runtime finds the driver without link options' patched_runtime_finds_it
it 'no program loads the stub' has_no_stub
finish
