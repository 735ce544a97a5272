#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# torch_wheel.sh: the sample wheel-torch, built, repaired over the installed PyTorch, installed into a directory and run on the GPU of this
# machine, whole and as the variant for this GPU, without a network. No part of CTest: see README.md.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_hostpin
need_command c++ nvcc nvidia-smi python3
nvidia-smi -L >/dev/null || skip "no GPU here"
python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || skip "no PyTorch with CUDA"
python3 -c 'import setuptools, wheel, pip' 2>/dev/null || skip "no setuptools, wheel and pip for python3"
export PATH=$prefix/bin:$PATH PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
site=$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p)
other=12.0 # a GPU whose machine code does not run here
[ "$capability" != "$other" ] || other=9.0
exec 3>&1 # what a case has to tell besides its ok
unset TORCH_CUDA_ARCH_LIST PYTHONPATH # the machine may have one of its own
cp -r "$repository/samples/wheel-torch" "$work/sample" && cd "$work/sample"

it_is_built() {
    cd "$work/sample"
    hostpin bind --view toolkit
    CUDA_HOME=$PWD/toolkit TORCH_CUDA_ARCH_LIST="$capability;$other" python3 -m pip wheel . --no-build-isolation --no-deps --wheel-dir built >log 2>&1 ||
        { tail -n 40 log && fail "not built"; }
}
# Not linked with a run path, it is loaded after PyTorch only; linked by a toolkit of the system, it may find that one's runtime.
what_is_wrong_is_found() {
    cd "$work/sample"
    call hostpin wheel check --site "$site" --notes built/*.whl
    contains -E 'order-dependent|run-path-missing' <"$out" || { show_call && fail "nothing leads to PyTorch's libraries, and check does not say so"; }
    sed -n 's/^\(error\|warning\|note\): /        before: &/p' "$out" >&3
}
the_repaired_one_is_sound() {
    cd "$work/sample"
    call hostpin wheel repair -o dist --sbom --site "$site" built/*.whl
    exits 0
    sed 's/^/        /' "$out" >&3
    call hostpin wheel check --site "$site" --expect "$capability;$other" dist/*.whl
    exits 0
    call hostpin wheel repair -o again --sbom --site "$site" dist/*.whl
    exits 0
    cmp dist/*.whl again/*.whl
}
it_runs_from_where_it_is_installed() {
    cd "$work/sample"
    python3 -m pip install --no-deps --target installed dist/*.whl >log 2>&1 || { tail log && fail "not installed"; }
    mv toolkit toolkit-is-gone
    # As if it were installed next to them: its run paths lead to PyTorch's and NVIDIA's libraries, before anything has loaded these.
    ln -s "$site/torch" installed/torch
    if [ -e "$site/nvidia" ]; then ln -s "$site/nvidia" installed/nvidia; fi
    call env -u LD_LIBRARY_PATH python3 -c 'import ctypes, glob; ctypes.CDLL(glob.glob("installed/fused*.so")[0])'
    exits 0
    call env -u LD_LIBRARY_PATH PYTHONPATH="$PWD/installed" python3 -c '
import runpy
runpy.run_path("try.py")
with open("/proc/self/maps") as maps:
    runtimes = sorted({line.split()[-1] for line in maps if "libcudart" in line})
print("runtime:", *runtimes)
assert len(runtimes) == 1, runtimes'
    exits 0
    contains '^fused: right for 6 sizes' <"$out" || { show_call && fail "the kernel did not run"; }
    sed 's/^/        /' "$out" >&3
}
# It is in an archive of its own: pip does not know variants.
runs_as_variant() { # GPU WHEEL CODE
    mkdir "$1" && python3 -m zipfile -e "$2" "$1"
    ln -s "$site/torch" "$1/torch"
    if [ -e "$site/nvidia" ]; then ln -s "$site/nvidia" "$1/nvidia"; fi
    call env -u LD_LIBRARY_PATH PYTHONPATH="$PWD/$1" python3 try.py
    exits "$3"
}
the_variant_for_this_gpu_runs() {
    cd "$work/sample"
    local driver selected
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | sed -n 1p)
    call hostpin wheel split --gpus "$capability;$other" -o variants dist/*.whl
    exits 0
    call hostpin wheel select --python "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" --gpu "$capability" --driver "$driver" variants
    exits 0
    sed 's/^/        /' "$out" >&3
    read -r selected <"$out"
    [[ $selected == *-sm_"${capability/./}".whl ]] || { show_call && fail "selected: $selected"; }
    runs_as_variant "$capability" "variants/$selected" 0
    contains '^fused: right for 6 sizes' <"$out"
    runs_as_variant "$other" variants/*-sm_"${other/./}".whl 1
    says 'no kernel image is available'
}
it "the extension is built as a wheel" it_is_built
it "check finds that nothing leads to PyTorch's libraries" what_is_wrong_is_found
it "the repaired wheel passes check, and is the same after another repair" the_repaired_one_is_sound
it "its kernel runs where it is installed, with one CUDA runtime" it_runs_from_where_it_is_installed
it "the variant that select takes runs on this GPU, and the other one has no code for it" the_variant_for_this_gpu_runs
finish
