# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by the scripts of this folder: what nvcc's own call makes, and what the same call makes out of slices.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin

# gpus RELEASE: two GPUs that this toolkit compiles for, and a third.
# shellcheck disable=SC2034 # the scripts' own
gpus() {
    case $1 in
    11.2) older=70 newer=75 third=80 ;;
    11.*) older=75 newer=80 third=86 ;;
    *) older=80 newer=86 third=90 ;;
    esac
    two=("-gencode=arch=compute_$older,code=sm_$older" "-gencode=arch=compute_$newer,code=[sm_$newer,compute_$newer]")
    three=("${two[@]}" "-gencode=arch=compute_$third,code=sm_$third")
}
# use RELEASE: binds its toolkit twice, with slices (./sliced, ./store) and without (./plain): the first time; each case has the same path.
use() {
    release=$1
    need_cuda "$release"
    gpus "$release"
    if [ -d "$work/bound-$release" ]; then
        cp -a "$work/bound-$release/." .
        return
    fi
    local gcc host
    gcc=$(majors g++ "$(limit g++ "$(cuda "$release")")" | sed -n 1p)
    host=$lab/bin/g++-$gcc
    "$hostpin" bind --toolkit "$(cuda "$release")" --host "$host" --stdenv "$host" plain >/dev/null
    "$hostpin" bind --toolkit "$(cuda "$release")" --host "$host" --stdenv "$host" --slices store sliced >/dev/null
    mkdir "$work/bound-$release"
    cp -a plain sliced store "$work/bound-$release/"
}
# Kernels with what ends up in names: static variables, unnamed namespaces, templates, __FILE__.
write_kernels() {
    cat >"$1" <<'CU'
#include <cstdio>
static __device__ int counter;
namespace { __constant__ int factor; struct Unnamed { int a; }; }
template <class T> static __global__ void scale(T x, int *y) { *y = x.a * factor + counter; }
__global__ void store(int *p) {
#ifdef __CUDA_ARCH__
    *p = __CUDA_ARCH__ + counter;
    printf("%s\n", __FILE__);
#endif
}
int main() {
    store<<<1, 1>>>(nullptr);
    scale<<<1, 1>>>(Unnamed{1}, nullptr);
}
CU
}
# masked FILE: what has to be the same. Of an object or a text: its bytes without the number of the process that nvcc puts into
# temporary names, and their order; of a program, whose symbol table has names of several lengths: its bytes without that table.
# CUDA 11.2 makes symbols of device code out of such names: the instructions.
instructions() {
    "$(cuda 12.4)/bin/cuobjdump" -sass "$1" | sed -nE 's,^\s+(/\*.*),\1,p; s/^arch = //p' >instructions
    [ -s instructions ] || fail "no instructions in $1"
    cat instructions
}
unnamed() { perl -pe 's/tmpxft_[0-9a-f]{8}_[0-9a-f]{8}([-_])[0-9a-f]+_/tmpxft_PID$1N_/g'; }
masked() {
    local kind
    kind=$(readelf -h "$1" 2>/dev/null | sed -nE 's/^ +(Type|Machine): *//p' | tr '\n' ' ')
    if [ "$release" = 11.2 ] && [ "$(head -c 16 "$1" | tr -cd '\n\t -~' | wc -c)" -lt 16 ]; then
        instructions "$1" | sha256sum
    elif [[ $kind == *EXEC*X86* || $kind == *DYN*X86* ]]; then
        strip -R .note.gnu.build-id -o stripped "$1" && sha256sum <stripped
    else
        unnamed <"$1" | sha256sum
    fi
}
unnumbered() { sed -E -e 's/tmpxft_[0-9a-f]*_[0-9a-f]*[-_][0-9a-f]*_/tmpxft_PID_/g' -e 's/(Compile time =) .*/\1/'; }
# alike OUTPUT ARGUMENT...: both calls make the same output, print the same, and exit with the same code.
alike() {
    local output=$1
    shift
    call plain/nvcc "$@"
    code=$status
    mv "$err" plain.err
    mv "$out" plain.out
    [ ! -e "$output" ] || mv "$output" plain.output
    again "$output" "$@"
}
# again OUTPUT ARGUMENT...: the call with slices is still like the call without them that `alike` ran last.
again() {
    local output=$1
    shift
    rm -f "$output"
    call sliced/nvcc "$@"
    exits "$code"
    diff <(unnumbered <plain.err) <(unnumbered <"$err")
    diff plain.out "$out"
    if [ "$code" -ne 0 ]; then return; fi
    [ -e "$output" ] || fail "no $output"
    same "$(masked "$output")" "$(masked plain.output)"
}
# ran: how many tasks of GPUs the last calls ran; reused: how many came from the store.
ran() { cat store/calls/* | grep -o '"reused":false' | wc -l; }
reused() { cat store/calls/* | grep -o '"reused":true' | wc -l; }
forget_calls() { rm -f store/calls/*; }
