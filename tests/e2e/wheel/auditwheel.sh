#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# auditwheel.sh [AUDITWHEEL...]: by hand, next to any auditwheel (default: the one on PATH): what both find in wheels in the shapes of real ones,
# and whether what they repair is imported. Nothing is judged: the table is for reading. Debian has it as python3-auditwheel, from forky on.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command gcc patchelf python3
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
[ $# -gt 0 ] || set -- auditwheel
command -v "$1" >/dev/null || skip "no $1 (its command can be given as arguments)"
for root in "${machine_toolkits[@]}" /usr/local/cuda /usr/local/cuda-13*; do
    runtime=$(realpath -qe "$root/lib64/libcudart.so.13") && break
done
[ -e "${runtime:-}" ] || skip "no CUDA 13 runtime"
"$@" --version
python3 "$repository/tests/e2e/wheel/auditwheel.py" "$prefix/libexec/hostpin/wheel" "$work/wheels" "$runtime" "$@"
