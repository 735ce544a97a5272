#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# records.sh [TEXT]: the machine's CUDA 13.0, if it was unpacked from NVIDIA's wheels, taken apart into packages and composed again: every file has
# the owner, SHA-256 and size that the wheels' RECORD gives. 5 s of processor; HOSTPIN_FULL=1: the large libraries too, 15 s and 2.7 GB.
only=${1:-}
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command python3
toolkit=$(realpath -q "$(command -v nvcc || true)") || skip 'no nvcc on PATH'
toolkit=${toolkit%/bin/nvcc}
[ -d "$toolkit/dist-info" ] || skip "$toolkit was not unpacked from wheels: it has no dist-info"
packages=()
if [ "$full" != 1 ]; then packages=(cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_cupti cuda_nvcc cuda_nvtx cuda_profiler_api libnvvm); fi
lock=$work/redist.lock store=$work/store
python3 "$(dirname "$0")/records.py" store "$toolkit" "$store" "$lock" "${packages[@]}"

is_that_of_the_records() {
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64
    exits 0
    python3 "$repository/tests/e2e/redist/records.py" compare "$toolkit" root
    call "$hostpin" redist check root --fail-on error
    exits 0
}
# What cuDNN needs by name is 0.1 MB, and with what it opens 1.1 GB.
has_real_closures() {
    [ "$full" = 1 ] || skip 'HOSTPIN_FULL=1 copies the large libraries'
    call "$hostpin" redist compose "$lock" root --store "$store" --host linux-x86_64
    exits 0
    call "$hostpin" redist closure root --json libcudnn.so.9
    exits 0
    python3 - "$out" <<'PY'
import json, sys
closure = json.load(open(sys.argv[1]))["closures"][0]
assert closure["needed_bytes"] < 1_000_000 < 1_000_000_000 < closure["opened_bytes"], closure
whys = {part["package"]: part["why"][-1]["reason"] for part in closure["parts"]}
assert whys["cuda_nvrtc"] == whys["libcublas"] == "opened", whys
PY
}
it 'every file has the owner, hash and size of the record' is_that_of_the_records
it 'closures by what is opened are larger than those by what is needed' has_real_closures
finish
