#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpu.sh: what the samples build runs on the GPU of this machine, built here through the wrapper of HOSTPIN_PREFIX; nothing may be
# skipped but what it says. No part of CTest: see README.md.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_hostpin
need_command cmake ninja c++ nvcc cuobjdump nvidia-smi python3
nvidia-smi -L >/dev/null || skip "no GPU here"
here=$repository/tests/gpu
export PATH=$prefix/bin:$PATH
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p)
older=$(command -v g++-12 || true)
exec 3>&1 # what a case has to tell beside its ok

describe() {
    sed -n 's/^PRETTY_NAME=//p' /etc/os-release
    getconf GNU_LIBC_VERSION
    c++ --version | sed -n 1p
    cmake --version | sed -n 1p
    nvcc --version | grep release
    nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
    hostpin doctor
}

# built SAMPLE TOOLCHAIN [ARGUMENT...]: in ./SAMPLE
built() {
    cmake -S "$repository/samples/$1" -B "$1" -G Ninja "-DCMAKE_CUDA_COMPILER=$PWD/$2/nvcc" \
        "-DCMAKE_CUDA_ARCHITECTURES=${capability/./}" "${@:3}" >log
    cmake --build "$1" >>log
}
# Every test of a sample runs, its device half too.
all_run() { # SAMPLE
    (cd "$1" && ctest --output-on-failure) >tests 2>&1 || { cat tests && fail "$1 computes something wrong"; }
    ! grep -qE 'Skipped|No tests' tests || { cat tests && fail "a part of $1 did not run"; }
    echo "        $1: $(grep -E 'tests passed' tests)" >&3
}
# Per file: as many machine codes and PTX of each capability as cuobjdump finds.
as_cuobjdump_says() { # FILE...
    local file ours theirs
    for file in "$@"; do
        theirs=$({ cuobjdump --list-elf "$file"; cuobjdump --list-ptx "$file" || true; } 2>/dev/null |
            sed -nE 's/.*sm_([0-9]+[af]?)\.(cubin|ptx)$/\1 \2/p' | sort)
        ours=$(hostpin fatbin --json "$file" | python3 -c '
import json, sys
for file in json.load(sys.stdin)["files"]:
    for code in file["codes"]:
        # of what was linked cuobjdump lists what a driver would load
        if file["kind"] in ("program", "library") and code["use"] != "run":
            continue
        for _ in range(code["entries"]):
            print(code["capability"].replace(".", ""), code["code"])' | sort)
        [ -n "$theirs" ] || fail "cuobjdump finds nothing in $file"
        same "$ours" "$theirs"
        echo "        $file: $(sort <<<"$ours" | uniq -c | tr -s ' ' | paste -sd,), as cuobjdump says" >&3
    done
}

the_gpu_is_asked_for_its_capability() {
    call hostpin capabilities --format torch native
    exits 0
    same "$(sed 's/+PTX//' "$out")" "$capability"
}
samples_run() { # NAME [BIND ARGUMENT...]
    hostpin bind "$1" "${@:2}"
    local sample
    for sample in saxpy device-lto shared-libraries; do
        built "$sample" "$1"
        all_run "$sample"
    done
    built device-lto "$1" -DDEVICE_LTO=ON
    all_run device-lto
    cmake --install saxpy --prefix there >>log
    hostpin leak-check --binding "$1" --build-dir saxpy there
    # shellcheck disable=SC2046 # names without blanks
    as_cuobjdump_says saxpy/saxpy_cuda device-lto/polynomial shared-libraries/libhistogram.so $(find saxpy shared-libraries -name '*.cu.o')
}
who_compiles_is_the_older_one() {
    hostpin bind older --host "$older"
    built older-host older
    ./older-host/who | sed 's/^/        /' >&3
    ./older-host/who | contains 'kernel.cu  GCC 12' || fail "another compiler compiled"
}
leak_is_found_and_mended() {
    hostpin bind toolchain
    built leak toolchain
    cmake --install leak --prefix there >>log
    call hostpin leak-check --binding toolchain --build-dir leak there
    exits 1
    grep -E '^(error|warning): ' "$out" | sed 's/^/        /' >&3
    built leak toolchain -DTIDY=ON
    cmake --install leak --prefix clean >>log
    hostpin leak-check --binding toolchain --build-dir leak clean
}
wheel_computes_on_the_device() {
    python3 -c 'import setuptools' 2>/dev/null || skip "no setuptools"
    [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] || skip "no Python.h"
    hostpin bind toolchain
    cp -r "$repository/samples/wheel" project
    (cd project && NVCC=$PWD/../toolchain/nvcc CUDAARCHS=${capability/./} python3 setup.py build_ext --inplace >../log 2>&1) || { cat log && fail "not built"; }
    as_cuobjdump_says project/scale*.so
    PYTHONPATH=project python3 -c 'import scale; assert scale.scale([1.0, 2.5], 2.0) == [2.0, 5.0]; assert scale.where() == "device"; print("        scale: right, on the", scale.where())' >&3
}
# PyTorch takes the nvcc of CUDA_HOME, so the view is what brings ours in; with an older host compiler the object shows it.
torch_extension_through_a_view() { # BIND ARGUMENT...
    python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || skip "no PyTorch with CUDA"
    hostpin bind --view view "$@"
    unset TORCH_CUDA_ARCH_LIST # the machine may have one of its own
    export CUDA_HOME=$PWD/view CUDA_PATH=$PWD/view
    python3 "$here/extension/try.py" "$PWD/torch" >log 2>&1 || { tail -n 40 log && fail "not built, or wrong"; }
    echo "        $(tail -n 1 log)" >&3
    grep -q "$PWD/view/bin/nvcc" log torch/build.ninja || fail "cpp_extension took another nvcc"
    producers torch/fused_kernel.cuda.o | sed 's/^/        fused_kernel.cuda.o: /' >&3
    producers torch/fused_kernel.cuda.o | contains "GCC: .* ${1:+12}" || fail "another host compiler made the object"
    as_cuobjdump_says torch/fused.so
    echo "        $(grep -oE 'gencode=[^ ]*' torch/build.ninja | sort -u | paste -sd' ') for TORCH_CUDA_ARCH_LIST=$capability" >&3
}

describe
it "the driver is asked for native" the_gpu_is_asked_for_its_capability
it "the samples run, each compiled and linked by the stdenv" samples_run toolchain
if [ -n "$older" ]; then
    it "the samples run, compiled by GCC 12 and linked by the stdenv" samples_run older --host "$older"
    it "an older host compiler compiles its half" who_compiles_is_the_older_one
    it "a PyTorch extension by cpp_extension through a view, compiled by GCC 12" torch_extension_through_a_view --host "$older"
fi
it "leaks are found and mended" leak_is_found_and_mended
it "a Python extension computes on the device" wheel_computes_on_the_device
it "a PyTorch extension by cpp_extension through a view" torch_extension_through_a_view
finish
