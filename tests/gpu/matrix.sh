#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cells that need a GPU, built on one machine and tested on another: plan and results travel, with what was built packed in the results.
#
#   matrix.sh build ARCHIVE    where the compilers are: plans and builds saxpy for 9.0 and for 10.0
#   matrix.sh test ARCHIVE     where a GPU of 9.0 is: tests what was built, and merges; without one the cell is lost
#
# HOSTPIN_PREFIX is an install on both machines. The cell for 10.0 has no code for the GPU, which is told without using it.
set -euo pipefail
hostpin=${HOSTPIN_PREFIX:?}/bin/hostpin archive=$(realpath "${2:?}") root=/tmp/hostpin-gpu-matrix
cells() { sed -n 's/^ *"id": "\(.*\)",$/\1/p' "$root/plan/plan.json"; }
case ${1:?} in
build)
    rm -rf "$root"
    mkdir -p "$root"
    cp -r "$(dirname "$0")/../../samples/saxpy" "$root/saxpy"
    cat >"$root/matrix.toml" <<'TOML'
name = "gpu"
[axes]
gpus = ["9.0", "10.0"]
[project.saxpy]
source = "saxpy"
configure = "cmake -S $SOURCE -B $BUILD -DCMAKE_TOOLCHAIN_FILE=$BINDING/toolchain.cmake -DCMAKE_CUDA_RUNTIME_LIBRARY=Static"
build = "cmake --build $BUILD"
install = "cmake --install $BUILD --prefix $PREFIX"
test = "LD_LIBRARY_PATH=$PREFIX/lib $PREFIX/bin/saxpy_cuda device && $PREFIX/bin/saxpy_mixed device"
needs = ["gpu:9.0"]
TOML
    "$hostpin" matrix plan "$root/matrix.toml" -o "$root/plan"
    for cell in $(cells); do "$hostpin" matrix run "$root/plan" --cell "$cell" --stage build -o "$root/results/$cell.json"; done
    tar -C "$root" -cf "$archive" plan results
    ;;
test)
    rm -rf "$root"
    mkdir -p "$root"
    tar -C "$root" -xf "$archive"
    for cell in $(cells); do
        "$hostpin" matrix run "$root/plan" --cell "$cell" --stage test -o "$root/results/$cell.json" || echo "exit code $?"
    done
    "$hostpin" matrix merge "$root/results" --plan "$root/plan" -o "$root/now.json" || echo "exit code $?"
    grep -h '"uncertain"' -A 3 "$root"/results/*.json
    ;;
esac
