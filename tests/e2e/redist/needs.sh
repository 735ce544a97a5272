#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# needs.sh [TEXT]: what builds need of a toolkit composed from archives of CUDA 12.4.1: a toolkit of exactly that builds them, and one without
# any entry of the list does not. 20 s of processor; HOSTPIN_FULL=1: cuBLAS, cuFFT, NVRTC, Thrust and cuSOLVER too.
only=${1:-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_archives 12.4.1
need_split
lock=$work/redist.lock store=$lab/.cross root=$work/root # the store is shared with tests/e2e/target, so that archives are unpacked once
"$hostpin" redist lock "$manifest" --platforms linux-x86_64,linux-sbsa,linux-ppc64le -o "$lock" 2>"$err" || { cat "$err" && exit 1; }
"$hostpin" redist fetch "$lock" --store "$store" --mirror "$archives" 2>"$err" || { cat "$err" && exit 1; }
composed() { # DIR OPTION...
    "$hostpin" redist compose "$lock" "$1" --store "$store" --host linux-x86_64 "${@:2}"
}
composed "$root" 2>"$err" || { cat "$err" && exit 1; }

# program NAME LIBRARY HEADER STATEMENT: NAME.cu.
program() {
    cat >"$1.cu" <<CUDA
#include <cstdio>
#include <$2>
__global__ void kernel(int *p) { *p = 1; }
int main() {
    $3
    kernel<<<1, 1>>>(nullptr);
}
CUDA
}
# build TOOLKIT: app, from app.cu, with what the case links.
build() { "$1/bin/nvcc" -ccbin "$host" app.cu "${links[@]}" -o app; }
needs() { "$hostpin" redist needs "$root" "$@" -- "$root/bin/nvcc" -ccbin "$host" app.cu "${links[@]}" -o app; }
# needed: the list, as compose takes it.
needed() { # OPTION...
    call needs "$@"
    exits 0
    list=$(<"$out")
}
# proven: a toolkit of the list builds the project, and one without any of its entries does not.
proven() {
    local entry rest
    needed --for compose
    composed exact --outputs "$list" 2>log || { cat log && exit 1; }
    build "$PWD/exact" || fail "a toolkit of $list does not build it"
    for entry in ${list//,/ }; do
        if [[ " ${at_run:-} " == *" $entry "* ]]; then continue; fi
        rest=$(tr , '\n' <<<"$list" | grep -vxF "$entry" | paste -sd ,)
        composed less --outputs "$rest" 2>log || { cat log && exit 1; }
        rm -f app
        if build "$PWD/less" >log 2>&1; then fail "$entry is in the list, and not needed: $list"; fi
    done
}
proves() { # LIST
    proven
    same "$list" "$1"
}
base=cuda_cudart.include,cuda_cudart.static,cuda_nvcc.bin,cuda_nvcc.include
with_nvjpeg=$base,libnvjpeg.include,libnvjpeg.lib
nvjpeg_program() { program app nvjpeg.h 'nvjpegHandle_t h; return nvjpegCreateSimple(&h);' && links=(-lnvjpeg); }

nvjpeg() {
    nvjpeg_program
    proves "$with_nvjpeg"
    call needs
    exits 0
    contains -E '^  libnvjpeg\.include .* app\.cu:2 includes nvjpeg\.h$' <"$out"
    contains -E '^  libnvjpeg\.lib .* app needs libnvjpeg\.so\.12$' <"$out"
}
headers_alone() { # of a package without libraries, and the runtime as a shared library
    program app cuda/std/cstddef 'return cudaFree(nullptr);'
    links=(-cudart shared)
    proves "cuda_cccl.include,${base/include,/include,cuda_cudart.lib,}"
}
more() {
    links=(-lcublas)
    program app cublas_v2.h 'cublasHandle_t h; return cublasCreate(&h);'
    at_run=cuda_nvrtc.lib proven
    links=(-lcufft)
    program app cufft.h 'cufftHandle h; return cufftCreate(&h);'
    at_run="cuda_nvrtc.lib libnvjitlink.lib" proven
    links=(-lnvrtc)
    program app nvrtc.h 'int a, b; return nvrtcVersion(&a, &b);'
    proves "cuda_cudart.include,cuda_cudart.static,cuda_nvcc.bin,cuda_nvcc.include,cuda_nvrtc.include,cuda_nvrtc.lib"
    links=()
    program app thrust/device_vector.h 'thrust::device_vector<int> v(3);'
    proves "cuda_cccl.include,$base"
    links=(-lcusolver)
    program app cusolverDn.h 'cusolverDnHandle_t h; return cusolverDnCreate(&h);'
    at_run="cuda_nvrtc.lib libnvjitlink.lib libcublas.lib libcusparse.lib" proven
}
bound() {
    cp -r "$repository/samples/saxpy" saxpy
    "$hostpin" bind bound --toolkit "$root" --host "$host" >log 2>&1 || { cat log && exit 1; }
    # shellcheck disable=SC2016 # the inner shell's
    call "$hostpin" redist needs "$root" --json -- sh -ec '
        cmake -S saxpy -B build -G Ninja --toolchain "$PWD/bound/toolchain.cmake"
        cmake --build build'
    exits 0
    python3 - "$out" <<'PY'
import json, sys
needs = json.load(open(sys.argv[1]))
parts = {f"{one['package']}.{one['output']}": one for one in needs["build"]}
assert set(parts) == {"cuda_cudart.include", "cuda_cudart.static", "cuda_nvcc.bin", "cuda_nvcc.include"}, sorted(parts)
assert needs["uncertain"] == [] and needs["run"] == [] and needs["bytes"] < needs["toolkit_bytes"], needs
PY
}
is_read_by_others() {
    need_command nix-instantiate
    python3 -c 'import yaml, pip' 2>/dev/null || skip 'no yaml and pip for Python (./bootstrap test installs them)'
    local form
    nvjpeg_program
    for form in nix conda pip; do needs --for "$form" -o "list.$form"; done
    python3 - <<'PY'
import yaml
read = yaml.safe_load(open("list.conda"))["requirements"]
assert read == {"build": ["cuda-nvcc"], "host": ["cuda-cudart-dev", "cuda-cudart-static", "cuda-nvcc", "libnvjpeg", "libnvjpeg-dev"],
                "run": ["libnvjpeg"]}, read
from pip._vendor.packaging.requirements import Requirement
read = Requirement([line for line in open("list.pip") if not line.startswith("#")][0].strip())
assert read.name == "cuda-toolkit" and read.extras == {"nvcc", "cudart", "nvjpeg"} and str(read.specifier) == "==12.4.*", read
PY
    cat >eval.nix <<'NIX'
let packages = builtins.listToAttrs (map (name: { inherit name; value = name; }) [ "cuda_cudart" "cuda_nvcc" "libnvjpeg" ]);
    inputs = import ./list.nix { lib.getOutput = output: package: "${package}.${output}"; cudaPackages = packages; };
in builtins.concatStringsSep "," (builtins.sort builtins.lessThan (inputs.nativeBuildInputs ++ inputs.buildInputs))
NIX
    same "$(nix-instantiate --eval eval.nix)" "\"$with_nvjpeg\""
}
is_not_lost() { # a list that cannot be written, or spelled
    local directory=$PWD/gone
    mkdir "$directory"
    # shellcheck disable=SC2016 # the inner shell's
    call "$hostpin" redist needs "$root" --json -o "$directory/list" -- sh -c 'cat "$0/bin/nvcc.profile" && rmdir "$1"' "$root" "$directory"
    exits 2
    says 'cannot create a file next to ' '^  cuda_nvcc\.bin '
    same "$(wc -c <"$out")" 0
    cp -r "$prefix" other
    sed -i 's/"cuda_nvcc"/"cuda_other"/' other/share/hostpin/data/redist-names.toml
    # shellcheck disable=SC2016 # the inner shell's
    call other/bin/hostpin redist needs "$root" --for conda -- sh -c 'cat "$0/bin/nvcc.profile"' "$root"
    exits 2
    says 'it is not known what cuda_nvcc is called there' '^  cuda_nvcc\.bin '
    same "$(wc -c <"$out")" 0
}
refuses() {
    call "$hostpin" redist needs "$root" -- sh -c 'echo told; exit 3'
    exits 2
    says '^told$' 'sh failed with exit code 3, so that it is not known what it needs'
    same "$(wc -c <"$out")" 0
    call "$hostpin" redist needs "$root" -- true
    exits 2
    says 'the command opened no file of' 'hint: build from nothing'
    # shellcheck disable=SC2016 # the inner shell's
    call "$hostpin" redist needs "$root" -- sh -c 'cat "$0/bin/nvcc.profile" && { "$1" || :; }' "$root" "$prefix/libexec/hostpin/nvcc-slices"
    exits 1
    says 'the list may be incomplete: the binding has --slices'
    contains '^  cuda_nvcc\.bin ' <"$out"
    mkdir empty
    call "$hostpin" redist needs empty -- true
    exits 2
    says 'empty is not a composed toolkit' 'hint: compose one'
    local file
    for file in nowhere/list empty; do
        call "$hostpin" redist needs "$root" -o "$file" -- touch built
        exits 2
        says "cannot write $file: "
        absent built
    done
    call "$hostpin" redist needs "$root" --for spack -- true
    exits 2
    says 'there is no form spack'
    call "$hostpin" redist needs "$root"
    exits 2
    says 'needs takes the command of a build after --'
    call composed new --outputs libnvjpeg.lib,libfuture.lib
    exits 2
    says 'the lock has no package libfuture for these platforms, which --outputs names'
    call composed new --outputs .lib
    exits 2
    says 'there is no output .lib'
    absent new
}

it 'of a library, a toolkit of exactly what is needed builds, and none without an entry of it' nvjpeg
it 'of headers alone, and of the runtime as a shared library, too' headers_alone
it 'CMake and a bound toolchain need nothing else' bound
it 'Nix, conda and pip read the list in their spelling' is_read_by_others
it 'a list that cannot be written or spelled is printed' is_not_lost
it 'a build that fails or does nothing has no list, and other bad input is refused' refuses
if [ "$full" = 1 ]; then it 'of cuBLAS, cuFFT, NVRTC, Thrust and cuSOLVER too' more; fi
finish
