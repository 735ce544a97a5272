#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# linked.sh RELEASE [all|WORDS]: what a device link made is held against a list that it can hold, and what is advised for it builds it.
# The rest of it with `all` or HOSTPIN_FULL=1.
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
only=${2:-}
if [ "$only" = all ]; then full=1 only=; fi

cat >"$work/use.cu" <<'CU'
extern __device__ int next(int);
__global__ void kernel(int *p) { *p = next(*p); }
int main() { kernel<<<1, 1>>>(nullptr); }
CU
echo '__device__ int next(int x) { return x + 1; }' >"$work/next.cu"
cat >"$work/starts.cu" <<'CU'
__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }
int main() { parent<<<1, 1>>>(); }
CU
echo '__global__ void other(int *p) { *p = 3; }' >"$work/other.cu"
call_nvcc() { nvcc_once "$@"; }
machine=('-gencode=arch=compute_80,code=sm_80' '-gencode=arch=compute_86,code=sm_86')
ptx=-gencode=arch=compute_86,code=compute_86
make_objects() {
    for source in use next; do
        call_nvcc "${machine[@]}" $ptx -dc "$work/$source.cu" -o "$work/$source.o"
    done
}
expect() { call "$hostpin" fatbin "$@" --toolkit "$toolkit"; }
hint() { sed -n 's/^hint: //p' "$err"; }
note=' no 8[.]6 PTX: a device link writes no PTX; a program of it has the PTX of the objects, if they have any$'

# Each toolkit's wrappers tell it, and in the same way.
a_device_link_is_told_from_objects_without_ptx() {
    call_nvcc "${machine[@]}" -dc "$work/other.cu" -o other.o
    call_nvcc "${machine[@]}" -dlink other.o -o link.o
    expect link.o --expect "8.0;8.6"
    exits 0
    says "^hostpin: note: link.o:$note"
    expect other.o --expect "8.0;8.6"
    exits 1
    says 'missing: 8[.]6 PTX$'
}
a_program_lacks_no_ptx_that_was_only_added() {
    call_nvcc "${machine[@]}" "$work/use.o" "$work/next.o" -o app
    call_nvcc "${machine[@]}" $ptx -c "$work/other.cu" -o other.o
    call_nvcc "${machine[@]}" "$work/use.o" "$work/next.o" other.o -o both
    call_nvcc "${machine[@]}" -dlink "$work/use.o" "$work/next.o" -o link.o
    for file in app both; do # which the driver links for later GPUs: tests/gpu/launches
        for list in "8.0;8.6" "8.0;8.6+ptx"; do
            expect $file --expect "$list" --each
            exits 0
            same "$(cat "$err")" ""
        done
    done
    expect link.o --expect "8.0;8.6" --each
    exits 0
    says "^hostpin: note: link.o:$note"
    says_not 'fatbins have no'
    expect link.o --expect "8.0;8.6" --json
    same "$(json "$out" files 0 comparison lost_in_link 0 capability)" 8.6
    mkdir tree
    ar rcs tree/libx.a "$work/use.o" "$work/next.o" link.o
    mv app other.o tree
    expect tree --expect "8.0;8.6" --each
    exits 0
    # It excuses no other fatbin, and no machine code.
    call_nvcc "${machine[@]}" -c "$work/other.cu" -o bare.o
    call_nvcc "${machine[@]}" "$work/use.o" "$work/next.o" bare.o -o mixed
    for file in bare.o mixed; do
        expect $file --expect "8.0;8.6"
        exits 1
        says 'missing: 8[.]6 PTX$'
    done
    call "$hostpin" fatbin link.o --expect "8.0;8.6;9.0"
    exits 1
    says 'missing: 9[.]0 PTX, 9[.]0 machine code$'
}
ptx_that_the_list_asks_for_is_missing() {
    call_nvcc "${machine[@]}" -dlink "$work/use.o" "$work/next.o" -o link.o
    expect link.o --expect "8.0;8.6+ptx"
    exits 1
    says 'missing: 8[.]6 PTX$' '^hint: a device link writes no PTX: .*--no-forward-compatibility'
    says_not 'build it again'
    expect link.o --expect "8.6+ptx"
    exits 1
    says '^hint: build it again with -gencode=arch=compute_86,code=sm_86 .*; a device link writes no PTX'
    says_not 'code=compute_86'
}
link_time_code_is_asked_for_by_its_name() {
    local runtime=()
    if [ "$release" = 11.2 ]; then runtime=(-cudadevrt none); fi # which it keeps otherwise
    [ -e "$toolkit/nvvm/lib64" ] || skip "no libnvvm for nvlink in $toolkit"
    call_nvcc -gencode=arch=compute_80,code=lto_80 -dc "$work/next.cu" -o next.o
    expect next.o --no-forward-compatibility --expect "8.0;8.6"
    exits 1
    says '^hint: build it again with .*code=lto_80 .*code=lto_86 without -dlto'
    says_not 'code=sm_'
    hint | sed 's/^build it again with //; s/ without .*//' >flags
    # shellcheck disable=SC2046 # words
    for source in use next; do call_nvcc $(cat flags) -dc "$work/$source.cu" -o $source.o; done
    expect next.o --no-forward-compatibility --expect "8.0;8.6"
    exits 0
    call_nvcc -dlto "${runtime[@]}" -gencode=arch=compute_80,code=sm_80 use.o next.o -o app
    expect app --expect "8.0;8.6"
    exits 1
    says 'hint: build it again with .*code=lto_86 .*, linked with -dlto and .*code=sm_86 '
    hint | sed 's/.* linked with //; s/ and / /; s/ (CMake.*//' >flags
    # shellcheck disable=SC2046 # words
    call_nvcc "${runtime[@]}" $(cat flags) use.o next.o -o app
    expect app --expect "8.0;8.6"
    exits 0
    says "^hostpin: note: app:$note"
}
# A link reads LTO-IR, the driver never does: launches.txt.
link_time_code_in_a_program_serves_no_gpu() {
    [ -e "$toolkit/nvvm/lib64" ] || skip "no libnvvm for nvlink in $toolkit"
    local source
    for source in use next; do call_nvcc -gencode=arch=compute_80,code=lto_80 -dc "$work/$source.cu" -o $source.o; done
    call_nvcc -dlto -gencode=arch=compute_80,code=sm_80 use.o next.o -o app
    call "$hostpin" fatbin slim use.o --keep 9.0 -o slim
    exits 0
    call "$hostpin" fatbin slim app --keep 9.0 -o slim
    exits 1
    says 'nothing for 9[.]0 in 1 of its fatbins'
    call "$hostpin" doctor --toolkit "$toolkit" --host "$host" --stdenv "$host" app --capabilities 9.0
    exits 1
    call "$hostpin" fatbin slim app --keep 8.0 -o slim
    exits 0
    call "$hostpin" fatbin prove app slim --gpus "8.0;9.0"
    exits 0
    if "$hostpin" fatbin ./slim | contains LTO-IR; then fail 'LTO-IR stays'; fi
}
# 11.2 links its device runtime where link-time code is linked, asked for or not.
what_a_link_keeps_is_cut_away() {
    [ -e "$toolkit/lib64/libcudadevrt.a" ] || skip "no libcudadevrt.a in $toolkit"
    call_nvcc -gencode=arch=compute_80,code=sm_80 -dc "$work/starts.cu" -o starts.o
    call_nvcc -gencode=arch=compute_80,code=sm_80 starts.o -o app
    expect app --expect 8.0 --no-forward-compatibility
    exits 1
    says 'not required: .*relocatable machine code' "^hint: $(literally "$hostpin") fatbin slim app --keep 8[.]0 "
    says_not 'hint: build it again'
    hint >pasted
    sh pasted >slimmed
    expect app.slim --expect 8.0 --no-forward-compatibility
    exits 0
}

it "a device link is told from objects without PTX" a_device_link_is_told_from_objects_without_ptx
if [ "$full" != 1 ]; then
    finish
    exit
fi
make_objects
it "what a link keeps is cut away, not built away" what_a_link_keeps_is_cut_away
it "a program lacks no PTX that was only added" a_program_lacks_no_ptx_that_was_only_added
it "PTX that the list asks for is missing, and no flags bring it" ptx_that_the_list_asks_for_is_missing
it "link-time code is asked for by its name" link_time_code_is_asked_for_by_its_name
it "link-time code in a program serves no GPU" link_time_code_in_a_program_serves_no_gpu
finish
