#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# merge.sh RELEASE [all|WORDS]: builds for one GPU each, merged, are the build of nvcc for both, entry for entry; what does not belong together
# is refused. The rest of it with `all` or HOSTPIN_FULL=1.
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
need_edge
need_command python3 readelf
only=${2:-}
if [ "$only" = all ]; then full=1 only=; fi
case $release in 11.*) older=70 newer=80 ;; *) older=80 newer=90 ;; esac
older_gpu=${older::1}.${older:1} newer_gpu=${newer::1}.${newer:1}
entries() { python3 "$repository/tests/e2e/fatbin/entries.py" "$@"; }
# for_gpus GPUS SOURCE... -o FILE: `older`, `newer` or `both`, the newer one with PTX. Programs are linked of the objects of other cases.
for_gpus() {
    local gpus=$1 flags=() options=() defined=() objects=() each kind=-c
    shift
    if [ "$gpus" != newer ]; then flags+=("-gencode=arch=compute_$older,code=sm_$older"); fi
    if [ "$gpus" != older ]; then flags+=("-gencode=arch=compute_$newer,code=[sm_$newer,compute_$newer]"); fi
    if [ "$release" = 11.2 ]; then flags+=(-cudadevrt none); fi
    flags+=(-Wno-deprecated-gpu-targets)
    case " $* " in
    *' -c '* | *' -dc '* | *' -fatbin '*)
        nvcc_once "${flags[@]}" -Xcompiler -fPIC "$@"
        return
        ;;
    *' -rdc=true '*) kind=-dc ;;
    esac
    for each in "${@:1:$#-2}"; do
        case $each in
        -D*) defined+=("$each") ;;
        *.cu)
            objects+=("$(basename "$each" .cu).o")
            nvcc_once "${flags[@]}" -Xcompiler -fPIC "${defined[@]}" $kind "$each" -o "${objects[-1]}"
            ;;
        *) options+=("$each") ;;
        esac
    done
    nvcc_once "${flags[@]}" "${options[@]}" "${objects[@]}" -o "${*: -1}"
}
# built FILE OPTION...: older.FILE, newer.FILE and both.FILE.
built() {
    local file=$1 gpus
    shift
    for gpus in older newer both; do for_gpus $gpus "$@" -o "$gpus.$file"; done
}
# merges FILE: each half gets the other's code, by slices and directly, and is then what nvcc made for both.
merges() {
    local file=$1
    entries "both.$file" >expected
    [ "$(grep -c -w fatbin expected)" -gt 0 ] || fail "no fatbins in both.$file"
    call "$hostpin" fatbin slice "newer.$file" --gpu "$newer_gpu" -o newer.slice
    exits 0
    call "$hostpin" fatbin merge "older.$file" newer.slice -o "merged.$file"
    exits 0
    same "$(entries "merged.$file")" "$(cat expected)"
    call "$hostpin" fatbin merge "newer.$file" "older.$file" -o "twins.$file"
    exits 0
    same "$(entries "twins.$file")" "$(cat expected)"
}
expect_both() {
    call "$hostpin" fatbin "$1" --expect "$older_gpu;$newer_gpu"
    exits 0
}
runs() {
    call "./$1"
    exits 0
    same "$(cat "$out")" 'the host half runs'
}

cat >"$work/all.cu" <<'CU'
#include <cstdio>
#include <cuda_runtime.h>
__constant__ float weights[16] = {1, 2, 3};
__managed__ int launches;
__device__ float totals[32];
template <int N> __global__ void scale(float *p, cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
    for (int i = 0; i < N; ++i) p[i] = p[i] * weights[i % 16] + sinf(totals[i % 32]) + tex2D<float>(texture, i, i);
    surf2Dwrite(p[0], surface, 0, 0);
    ++launches;
}
void capture(cudaStream_t stream, float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    scale<3><<<1, 1, 0, stream>>>(p, 0, 0);
    scale<40><<<1, 1, 0, stream>>>(p, 0, 0);
    cudaStreamEndCapture(stream, &graph);
}
int main(int argc, char **) {
    if (argc > 1) capture(nullptr, nullptr);
    puts("the host half runs");
}
CU
cat >"$work/use.cu" <<'CU'
#include <cstdio>
extern __device__ int next(int);
__global__ void kernel(int *p) { *p = next(*p); }
int main(int argc, char **) {
    if (argc > 1) kernel<<<1, 1>>>(nullptr);
    puts("the host half runs");
}
CU
cat >"$work/pages.cu" <<'CU'
#include <cstdio>
__global__ void kernel(int *p, int n) {
#if __CUDA_ARCH__ >= NEWER
#pragma unroll
    for (int i = 0; i < 300; ++i) p[i * n] = p[i] / n + p[i + n];
#endif
}
int main(int argc, char **) {
    if (argc > 1) kernel<<<1, 1>>>(nullptr, 0);
    puts("the host half runs");
}
CU
echo '__device__ int next(int x) { return x + 1; }' >"$work/next.cu"

objects_merge() {
    built all.o -c "$work/all.cu"
    merges all.o
    same "$(entries merged.all.o host)" "$(entries both.all.o host)"
    "$toolkit/bin/nvcc" -ccbin "$host" -arch="sm_$newer" merged.all.o -o program
    runs program
    expect_both merged.all.o
}
fatbins_merge() {
    built all.fatbin -fatbin "$work/all.cu"
    merges all.fatbin
    cmp merged.all.fatbin both.all.fatbin
}
programs_merge() { # OPTION...
    built program "$work/all.cu" "$@"
    merges program
    expect_both merged.program
    runs merged.program
    runs twins.program
}
slimmed_programs_merge() {
    for_gpus both "$work/all.cu" -o both.program
    is_added_again both.program
    runs merged.program
}
is_added_again() { # FILE
    call "$hostpin" fatbin slim "$1" --keep "$newer_gpu" -o slimmed
    exits 0
    call "$hostpin" fatbin slice "$1" --gpu "$older_gpu" -o older.slice
    exits 0
    call "$hostpin" fatbin merge slimmed older.slice -o merged.program
    exits 0
    expect_both merged.program
    same "$(entries merged.program)" "$(entries "$1")"
    call "$hostpin" fatbin prove "$1" merged.program --gpus "$older_gpu;$newer_gpu"
    exits 0
}
stripped_programs_merge() {
    built program "$work/all.cu"
    strip older.program newer.program
    merges program
    runs merged.program
    strip -o again merged.program
    runs again
    same "$(entries again)" "$(entries merged.program)"
}
# use_linker NAME[-VERSION]: sets `by`, options of nvcc for one of the lab, or for the machine's.
use_linker() {
    local found
    by=(-Xcompiler -fno-use-linker-plugin -Xcompiler "-fuse-ld=${1%%-*}")
    case $1 in
    bfd | gold) need_command "ld.$1" ;;
    *)
        need_lab linkers
        found=$(find "$lab/linkers" -maxdepth 1 -name "$1*" | sort -V | tail -n 1)
        [ -n "$found" ] || skip "no $1"
        by+=(-Xcompiler "-B$found")
        ;;
    esac
}
libraries_merge() { # LINKER
    use_linker "$1"
    built lib.so "$work/all.cu" -shared "${by[@]}"
    merges lib.so
    expect_both merged.lib.so
    echo 'extern "C" int puts(const char *); int loaded = puts("the host half runs"); int main() {}' >main.cpp
    "$host" main.cpp -Wl,--no-as-needed "$PWD/merged.lib.so" -o program
    runs program
}
# Code for one GPU is pages larger than that for the other, so that what follows it moves: mold, and lld from 18 on, have a section
# .relro_padding, which then has another size.
what_moves_by_pages_merges() { # LINKER OPTION...
    use_linker "$1"
    shift
    built program "-DNEWER=${newer}0" "$work/pages.cu" "${by[@]}" "$@"
    if contains relro_padding <<<"$(readelf -SW older.program)"; then
        [ "$(padding older.program)" != "$(padding newer.program)" ] || fail "the padding has the same size"
    fi
    merges program
    expect_both merged.program
    runs merged.program
    runs twins.program
    call "$hostpin" fatbin slim merged.program --keep "$older_gpu" -o slimmed
    exits 0
    runs slimmed
    call "$hostpin" fatbin prove merged.program slimmed --gpus "$older_gpu"
    exits 0
    strip merged.program
    runs merged.program
}
padding() { readelf -SW "$1" | sed -n 's/.*relro_padding *NOBITS *[0-9a-f]* [0-9a-f]* //p'; }
# 11.2 has the name of a temporary file in the names of modules, which differ in each build.
device_links_of_11_2_are_refused() {
    built program -rdc=true "$work/use.cu" "$work/next.cu"
    call "$hostpin" fatbin merge older.program newer.program -o merged
    exits 1
    says 'they differ in .*module ids'
    absent merged
}
device_links_merge() {
    built program -rdc=true "$work/use.cu" "$work/next.cu"
    merges program
    runs merged.program
    built use.o -dc "$work/use.cu"
    merges use.o
}
# lto_program GPUS SOURCE... -o FILE. With -gencode, objects name the LTO-IR in them (code=lto_80), and -dlto is for the link alone.
lto_program() {
    local gpus=$1 source sources=("${@:2:$#-3}") code=() gencode=() objects=()
    if [ "$gpus" != newer ]; then code+=("-gencode=arch=compute_$older,code=lto_$older"); fi
    if [ "$gpus" != older ]; then code+=("-gencode=arch=compute_$newer,code=lto_$newer"); fi
    gencode=("${code[@]/code=lto_/code=sm_}")
    for source in "${sources[@]}"; do
        objects+=("$(basename "$source" .cu).o")
        "$toolkit/bin/nvcc" -ccbin "$host" "${code[@]}" -dc "$source" -o "${objects[-1]}"
    done
    "$toolkit/bin/nvcc" -ccbin "$host" "${gencode[@]}" -dlto "${objects[@]}" -o "${*: -1}"
}
link_time_code_merges() {
    need_libnvvm
    local gpus
    for gpus in older newer both; do lto_program $gpus "$work/use.cu" "$work/next.cu" -o $gpus.program; done
    merges program
    runs merged.program
}
# polynomial.cu defines nothing that other files could use: nvcc names its module after a process, so that no two builds merge.
removed_link_time_code_is_added_again() {
    need_libnvvm
    lto_program both "$repository/samples/device-lto/"{polynomial,horner}.cu -o both.program
    is_added_again both.program
}
samples_merge() {
    built saxpy.o -c -I"$repository/samples/saxpy" "$repository/samples/saxpy/saxpy_cuda.cu"
    merges saxpy.o
    built histogram.so -shared -cudart shared "$repository/samples/shared-libraries/histogram.cu"
    merges histogram.so
}
# CUB and Thrust name what they define after the list of GPUs.
cub_merges_if_the_list_is_the_same() { # HEADER STATEMENT
    [ -e "$toolkit/include/cccl/$1" ] || skip "no CCCL in $toolkit"
    printf '#include <%s>\nvoid run(int *p) { %s; }\n' "$1" "$2" >cub.cu
    built cub.o -c cub.cu
    call "$hostpin" fatbin merge older.cub.o newer.cub.o -o merged.o
    exits 1
    says 'another host half' 'same list of GPUs'
    absent merged.o
    # Halves of one call with the whole list.
    for_gpus both -c cub.cu -o all.o
    call "$hostpin" fatbin slice all.o --gpu "$older_gpu" -o older.slice
    call "$hostpin" fatbin slim all.o --keep "$newer_gpu" --ptx all -o half.o
    exits 0
    call "$hostpin" fatbin merge half.o older.slice -o merged.o
    exits 0
    same "$(entries merged.o)" "$(entries all.o)"
    same "$(entries merged.o host)" "$(entries all.o host)"
}
it 'objects merge into the object for both GPUs, and the rest of them is the same' objects_merge
it 'files of fatbins merge into the same bytes' fatbins_merge
it 'programs merge and run' programs_merge
it 'what was removed from a program is added again by its slice' slimmed_programs_merge
case $release in
11.2) it 'what a device link of 11.2 made is refused' device_links_of_11_2_are_refused ;;
*) it 'what a device link made merges' device_links_merge ;;
esac
if [ "$full" = 1 ]; then
    it 'programs without PIE merge and run' programs_merge -Xcompiler -no-pie -Xlinker -no-pie
    it 'stripped programs merge, and are stripped again' stripped_programs_merge
    it 'a library by gold merges' libraries_merge gold
    it 'a library by lld merges' libraries_merge lld
    it 'a library by mold merges' libraries_merge mold
    for linker in bfd gold lld-14 lld-18 mold; do
        it "a program by $linker merges although its device code is pages larger" what_moves_by_pages_merges $linker
    done
    for linker in lld mold; do
        it "a program by $linker without PIE merges, likewise" what_moves_by_pages_merges $linker -Xcompiler -no-pie -Xlinker -no-pie
    done
    it 'link-time code merges' link_time_code_merges
    it 'link-time code that was removed from a program is added again' removed_link_time_code_is_added_again
    it 'the samples merge' samples_merge
    it 'CUB merges if the list of GPUs is the same' cub_merges_if_the_list_is_the_same cub/cub.cuh \
        'size_t n = 0; cub::DeviceReduce::Sum(nullptr, n, p, p, 1)'
    it 'Thrust merges if the list of GPUs is the same' cub_merges_if_the_list_is_the_same thrust/sort.h \
        'thrust::sort(thrust::device_ptr<int>(p), thrust::device_ptr<int>(p) + 9)'
fi

refused() { # PATTERN...
    exits 1
    says "$@"
    absent merged
}
another_source_is_refused() {
    for_gpus older -c "$work/all.cu" -o older.o
    sed 's/totals\[32\]/totals[64]/' "$work/all.cu" >larger.cu
    sed 's/cudaTextureObject_t texture, /cudaTextureObject_t texture, int more, /; s/(p, 0, 0)/(p, 0, 1, 0)/' "$work/all.cu" >more.cu
    sed 's/scale/other/' "$work/all.cu" >named.cu
    for source in larger more named; do
        for_gpus newer -c $source.cu -o newer.o
        call "$hostpin" fatbin merge older.o newer.o -o merged
        refused 'belongs to another host half than older[.]o: they differ in '
        call "$hostpin" fatbin slice newer.o --gpu "$newer_gpu" -o newer.slice
        call "$hostpin" fatbin merge older.o newer.slice -o merged
        refused 'newer[.]slice belongs to another host half'
    done
}
# A library's host half is compared without its code, so that variables have to agree in the device code as well.
another_size_of_a_variable_is_refused() {
    printf '__device__ int values[SIZE]; __global__ void kernel(int *p) { *p = values[*p]; }\n' >size.cu
    for_gpus older -DSIZE=16 -fatbin size.cu -o older.fatbin
    for_gpus newer -DSIZE=17 -fatbin size.cu -o newer.fatbin
    call "$hostpin" fatbin merge older.fatbin newer.fatbin -o merged
    refused 'kernel or variable values has another size in the '
}
another_code_for_the_same_gpu_is_refused() {
    for_gpus both -c "$work/all.cu" -o both.o
    sed 's/\* weights/+ weights/' "$work/all.cu" >body.cu
    cp body.cu all.cu
    (cd "$work" && for_gpus newer -c all.cu -o case/one.o)
    for_gpus newer -c all.cu -o newer.o
    call "$hostpin" fatbin merge both.o one.o -o same.o
    exits 0
    same "$(entries same.o)" "$(entries both.o)"
    call "$hostpin" fatbin merge both.o newer.o -o merged
    refused 'newer[.]o and both[.]o have different '
}
# As in CUTLASS. Code of the same link is recognized by its build id, which slim keeps.
sizes_may_depend_on_the_gpu() {
    cat >varying.cu <<'CU'
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= LATER
struct Parameters { int values[4]; };
#else
struct Parameters { int values[2]; };
#endif
__global__ void kernel(Parameters parameters, int *p) { *p = parameters.values[1]; }
int main() {}
CU
    local id
    for id in sha1 none; do
        for_gpus both -Xlinker "--build-id=$id" "-DLATER=${newer}0" varying.cu -o both
        call "$hostpin" fatbin slice both --gpu "$older_gpu" -o older.slice
        exits 0
        call "$hostpin" fatbin slim both --keep "$newer_gpu" -o slimmed
        exits 0
        call "$hostpin" fatbin merge slimmed older.slice -o merged
        if [ "$id" = none ]; then
            exits 1
            says 'another size in the .* machine code of older.slice'
        else
            exits 0
            call "$hostpin" fatbin prove both merged --gpus "$older_gpu;$newer_gpu"
            exits 0
        fi
    done
}
what_is_no_slice_is_an_error() {
    for_gpus both -c "$work/all.cu" -o both.o
    call "$hostpin" fatbin slice both.o --gpu 12.0 -o x.slice
    exits 2
    says 'has no device code for 12[.]0' 'hint: .*hostpin fatbin both[.]o'
    absent x.slice
    call "$hostpin" fatbin slice both.o --gpu "$newer_gpu" -o x.slice
    damage x.slice 500
    call "$hostpin" fatbin merge both.o x.slice -o merged
    exits 2
    says 'x[.]slice: it is a slice whose bytes were changed'
    call "$hostpin" fatbin merge both.o "$work/all.cu" -o merged
    exits 2
    says 'no device code that can be changed'
    call "$hostpin" fatbin merge both.o both.o -o both.o
    exits 2
    says 'both[.]o: it is one of the files that are read'
    ar rc libboth.a both.o
    call "$hostpin" fatbin merge libboth.a both.o -o merged
    exits 2
    says 'libboth[.]a: it is an archive' 'ar x'
    absent merged
}
# The reader of slices is the same for all toolkits, and so is what linkers do.
if [ "$release" = 12.4 ] || [ "$full" = 1 ]; then
    it 'a library by ld.bfd merges' libraries_merge bfd
    it 'a program by lld merges although its device code is pages larger' what_moves_by_pages_merges lld
    it 'another source is refused' another_source_is_refused
    it 'another size of a variable is refused' another_size_of_a_variable_is_refused
    it 'sizes that depend on the GPU are accepted from the same link' sizes_may_depend_on_the_gpu
    it 'other code for the same GPU is refused, and the same is not' another_code_for_the_same_gpu_is_refused
    it 'what is no slice is an error, and nothing is written' what_is_no_slice_is_an_error
fi
finish
