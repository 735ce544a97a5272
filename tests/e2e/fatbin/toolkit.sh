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
# nvcc_once OPTION... -o FILE: what nvcc made of the same options and files before, in another script of this test too, is copied.
nvcc_once() {
    local options=("${@:1:$#-2}") each made
    made=${E2E_MADE:-$work}/made.$({
        echo "$release ${options[*]//"$work"/}"
        for each in "${options[@]}"; do [ ! -f "$each" ] || cat "$each"; done
    } | cksum | tr ' ' -)
    [ -e "$made" ] || "$toolkit/bin/nvcc" -ccbin "$host" "${options[@]}" -o "$made"
    cp "$made" "${*: -1}"
}
# nvcc OPTION... -o FILE: of a.cu. Programs and libraries are linked of the same object.
nvcc() {
    local options=("${@:1:$#-2}") file=${*: -1}
    case " ${options[*]} " in
    *' -c '* | *' -dc '*) nvcc_once "${options[@]}" -Xcompiler -fPIC "$work/a.cu" -o "$file" ;;
    *' -fatbin '* | *' -cubin '* | *' -ptx '*) nvcc_once "${options[@]}" "$work/a.cu" -o "$file" ;;
    *)
        nvcc "${flags[@]}" -c -o linked.o
        nvcc_once "${options[@]}" linked.o -o "$file"
        rm linked.o
        ;;
    esac
}
fatbin() { "$hostpin" fatbin "$@"; }
# once: for cases in which all toolkits are alike: true with the newest, without the lab with the machine's, and with HOSTPIN_FULL=1.
once() {
    case $stands_in:$full:$release in yes:* | no:1:* | no:0:13.0) return 0 ;; esac
    [ "$release" = 12.4 ] && [ ! -x "$(cuda 13.0)/bin/nvcc" ]
}
# need_edge: for scripts about what hostpin and linkers make of device code, which take long. 11.8 has the fatbins and tools of 11.2.
need_edge() {
    case $stands_in:$full:$release in no:0:11.8) skip "CUDA 11.2 and 12.4 stand for 11.8 (HOSTPIN_FULL=1 runs it)" ;; esac
}
