#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2016 # the name of a header
# A call that is run as tasks makes and prints what nvcc's own call does.
# shellcheck source=tests/e2e/slices/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
only=${1:-}

# What takes long, for a build that was shown to be the same already. nvcc's commands have three forms, and 11.8 and 13.0 two of them; in the
# third, that of 11.2, objects can be compared by their instructions only, as `compile` does. 12.4 has that of 13.0, and link-time code, which
# 13.0 may lack. In CI each form compiles, and each other case runs with one of them. HOSTPIN_FULL=1 runs every case with each of them, and all
# forms of dependency files.
with_lab() { # RELEASE THOSE OF CI
    [ "$stands_in" = no ] || skip "it takes some ten seconds (./bootstrap test --lab runs it)"
    sampled "$@"
}
sampled() { # RELEASE THOSE OF CI
    [ "$stands_in" = yes ] || [ "$full" = 1 ] || contains -wF -e "$1" <<<"$2" || skip "CUDA $2 run it (HOSTPIN_FULL=1: CUDA $1 too)"
}
compile() {
    sampled "$1" '11.2 11.8 13.0'
    use "$1"
    write_kernels a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    same "$(ran) $(reused)" '4 0'
    again a.o "${two[@]}" -c a.cu -o a.o
    same "$(ran) $(reused)" '0 4'
    if [ "$1" != 13.0 ] && [ "$stands_in" = no ] && [ "$full" = 0 ]; then return; fi
    alike a.fatbin "${two[@]}" -fatbin a.cu -o a.fatbin -lineinfo -Xptxas -v -O1
    alike a.ptx "-gencode=arch=compute_$older,code=compute_$older" -ptx a.cu -lineinfo
}
# Debug information has paths of nvcc's temporary files, and is compressed with the code since CUDA 12.8: the instructions.
debugging() {
    with_lab "$1" 13.0
    use "$1"
    write_kernels a.cu
    for each in plain sliced sliced; do
        $each/nvcc "-arch=sm_$newer" -g -G -cubin a.cu -o a.cubin
        readelf -W -x .text._Z5storePi a.cubin 2>/dev/null | grep '^ *0x' >"$each.code"
        [ $each = plain ] || sliced/nvcc "${two[@]}" -g -G -fatbin a.cu -o a.fatbin
    done
    same "$(<sliced.code)" "$(<plain.code)"
    same "$(ran) $(reused)" '0 6' # two for the cubin
}
separate() {
    with_lab "$1" 11.8
    use "$1"
    write_kernels a.cu
    alike a.o "${two[@]}" -dc a.cu -o a.o
    again a.o "${two[@]}" -dc a.cu -o a.o
    alike link.o "${two[@]}" -dlink a.o -o link.o
    again link.o "${two[@]}" -dlink a.o -o link.o
    alike program "-arch=sm_$newer" -rdc=true a.cu -o program
}
link_time() {
    sampled "$1" 12.4
    need_cuda "$1"
    [ -e "$(cuda "$1")/nvvm/lib64" ] || skip "no libnvvm in $(cuda "$1")"
    use "$1"
    write_kernels a.cu
    local lto=("-gencode=arch=compute_$older,code=lto_$older" "-gencode=arch=compute_$newer,code=lto_$newer")
    alike a.o "${lto[@]}" -dc a.cu -o a.o
    alike link.o "${two[@]}" -dlto -dlink a.o -o link.o
    again link.o "${two[@]}" -dlto -dlink a.o -o link.o
    alike program "-arch=sm_$newer" -dlto a.cu -o program
}
dependencies() {
    with_lab "$1" 11.8
    use "$1"
    mkdir q system
    echo '// host' >'q/with space.h'
    echo '// GPU' >q/gpu.h
    echo '// third' >"system/a\$b#c.h"
    cat >a.cu <<'CU'
#include "q/with space.h"
#include <a$b#c.h>
#ifdef __CUDA_ARCH__
#include "q/gpu.h"
#endif
__global__ void nothing() {}
CU
    local forms=('-MD' '-MMD -MP -MT x -MF a.d -o a.o')
    if [ "$full" = 1 ]; then forms=({'-MD','-MMD','-MD -MP','-MMD -MP -MT x'}{,' -MF a.d -o a.o'}); fi
    for form in "${forms[@]}"; do
        # shellcheck disable=SC2086 # several options
        alike a.d "-arch=sm_$newer" -isystem system $form -c a.cu
    done
}
forms() {
    with_lab "$1" 13.0
    use "$1"
    write_kernels a.cu
    cp a.cu 'b c.cu'
    printf 'static __global__ void store(int *p) { *p = 3; }\nvoid other() { store<<<1, 1>>>(nullptr); }\n' >d.cu
    alike a.cubin -cubin "-arch=sm_$older" a.cu
    alike program "-arch=sm_$newer" a.cu d.cu -o program
    alike 'b c.o' "${two[@]}" --threads 2 -c 'b c.cu' -o 'b c.o' '-DTEXT="a b"' '-DQUOTED=\"$HOME\"' -Xcompiler=-Wall,-Wextra
    alike a.i a.cu -E -o a.i
}
# Tile code has a compiler, a cubin and a fatbin of its own.
tiles() {
    use 13.5
    [ -x "$(cuda 13.5)/bin/tileiras" ] || skip 'no tileiras in the wheels of CUDA 13.5 (pip install nvidia-cuda-tileiras)'
    printf '__tile_global__ void copy(int *to, int *from) { *to = *from; }\n__global__ void store(int *to) { *to = 1; }\n' >a.cu
    echo 'void launch() { copy<<<1, 1>>>(nullptr, nullptr); store<<<1, 1>>>(nullptr); }' >>a.cu
    alike a.o "${two[@]}" --enable-tile -c a.cu -o a.o
    same "$(ran) $(reused)" '6 0' # cicc, tileiras and ptxas of each GPU
    again a.o "${two[@]}" --enable-tile -c a.cu -o a.o
    same "$(ran) $(reused)" '0 6'
    "$hostpin" slices store --json >slices.json
    same "$(json slices.json slices 0 reused)" ON
    forget_calls
    alike a.tile.fatbin "${two[@]}" --enable-tile --tilefatbin a.cu
    [ "$full" = 0 ] || alike a.fatbin "${two[@]}" --enable-tile --simt-only -fatbin a.cu -o a.fatbin
}
reports_keep() {
    use 13.0
    write_small_source a.cu
    call sliced/nvcc "-arch=sm_$newer" --keep -fatbin a.cu -o a.fatbin
    exits 0
    says '^hostpin: note: with --keep, nvcc itself runs the commands, and no slices are used$'
    [ -e a.ptx ] || fail 'nothing was kept'
}
mistakes() {
    sampled "$1" 13.0
    use "$1"
    echo '#error planted' >a.cu
    alike a.fatbin "${two[@]}" -fatbin a.cu
    echo '__global__ void f() { undeclared(); }' >a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    printf '#if __CUDA_ARCH__ == %s0\n__device__ void f() { asm("nonsense;"); }\n#endif\n__global__ void g() {}' "$newer" >a.cu
    alike a.fatbin "${two[@]}" -fatbin a.cu
    alike a.o "${two[@]}" -c missing.cu -o a.o
    alike a.o "${two[@]}" --no-such-option -c a.cu
    printf 'void f() { int unused; }\n__global__ void g() { int unused; }' >a.cu
    alike a.o "-arch=sm_$newer" -c a.cu -o a.o -Xcompiler -Wall
    alike a.o "-arch=sm_$newer" -c a.cu -o missing/a.o
}

for release in 11.2 11.8 12.4 13.0; do
    it "CUDA $release: a compile for several GPUs makes nvcc's object, and again out of the store" compile "$release"
    it "CUDA $release: a compile for debuggers has the same code, and is stored too" debugging "$release"
    it "CUDA $release: -dc, the device link and -rdc=true make nvcc's objects and program" separate "$release"
    it "CUDA $release: link-time code for several GPUs is that of nvcc" link_time "$release"
    it "CUDA $release: dependency files are nvcc's, byte for byte" dependencies "$release"
    it "CUDA $release: PTX, cubins, fatbins, programs, and awkward names and arguments are as nvcc's" forms "$release"
    it "CUDA $release: errors and warnings are nvcc's, and so are the exit codes" mistakes "$release"
done
it 'CUDA 13.5: tile code is compiled as by nvcc, and again out of the store' tiles
it 'an option that changes the steps of nvcc is left to nvcc, with a note' reports_keep
finish
