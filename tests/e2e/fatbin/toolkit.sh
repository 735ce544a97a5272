# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by those who source it
# Sourced by the scripts that run a toolkit's own tools: the toolkit of $1, its nvcc, and what a.cu is compiled for.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
release=$1
need_cuda "$release"
case $release in
11.*) host=g++-9 flags=(-gencode 'arch=compute_70,code=sm_70' -gencode 'arch=compute_80,code=[sm_80,compute_80]') list="7.0;8.0+ptx" ;;
12.*) host=g++-12 flags=(-gencode 'arch=compute_80,code=sm_80' -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]') list="8.0;9.0a+ptx" ;;
*) host=g++-13 flags=(-gencode 'arch=compute_80,code=sm_80' -gencode 'arch=compute_90a,code=sm_90a'
    -gencode 'arch=compute_100f,code=[sm_100f,compute_100f]') list="8.0;9.0a;10.0f+ptx" ;;
esac
need_toolkit "$release" "${host#g++-}"

cat >"$work/a.cu" <<'CU'
#include <cstdio>
__global__ void kernel(float *p, int n) {
    for (int i = 0; i < n; ++i) p[i] += p[n - i] * sinf(p[i]);
    if (n == 7) printf("%d\n", n);
}
int main() { kernel<<<1, 1>>>(nullptr, 0); }
CU
# nvcc OPTION... -o FILE: of a.cu. What an earlier case made by the same options is copied.
nvcc() {
    local options=("${@:1:$#-2}") file=${*: -1} made
    made=$work/made.$(cksum <<<"${options[*]}" | cut -d ' ' -f 1)
    [ -e "$made" ] || "$toolkit/bin/nvcc" -ccbin "$host" "${options[@]}" -o "$made" "$work/a.cu"
    cp "$made" "$file"
}
fatbin() { "$hostpin" fatbin "$@"; }
# need_edge: for scripts about what hostpin and linkers make of device code, which take long. 11.8 has the fatbins and tools of 11.2.
need_edge() {
    case $stands_in:$full:$release in no:0:11.8) skip "CUDA 11.2 and 12.4 stand for 11.8 (HOSTPIN_FULL=1 runs it)" ;; esac
}
