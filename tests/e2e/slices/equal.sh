#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2016 # the name of a header
# A call that is run as tasks makes and prints what nvcc's own call does.
# shellcheck source=tests/e2e/slices/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
only=${1:-}

# What takes long, for a build that was shown to be the same already. nvcc's commands have three forms, and 11.8 and 13.0 two of them; in the
# third, that of 11.2, objects can be compared by their instructions only, as `compile` does. 12.4 has that of 13.0.
with_lab() {
    [ "$stands_in" = no ] || skip "it takes some ten seconds (./bootstrap test --lab runs it)"
    sampled "$1"
}
sampled() {
    case $stands_in:$full:$1 in no:0:11.2 | no:0:12.4) skip "CUDA 11.8 and 13.0 stand for $1 (HOSTPIN_FULL=1 runs it)" ;; esac
}
compile() {
    use "$1"
    write_kernels a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    same "$(ran) $(reused)" '4 0'
    alike a.o "${two[@]}" -c a.cu -o a.o
    same "$(ran) $(reused)" '0 4'
    alike a.o "${two[@]}" -c a.cu -o a.o -lineinfo -Xptxas -v -O1
    alike a.ptx "-gencode=arch=compute_$older,code=compute_$older" -ptx a.cu -lineinfo
}
# Debug information has paths of nvcc's temporary files, and is compressed with the code since CUDA 12.8: the instructions.
debugging() {
    with_lab "$1"
    use "$1"
    write_kernels a.cu
    for each in plain sliced sliced; do
        $each/nvcc "-arch=sm_$newer" -g -G -cubin a.cu -o a.cubin
        readelf -W -x .text._Z5storePi a.cubin 2>/dev/null | grep '^ *0x' >"$each.code"
        $each/nvcc "${two[@]}" -g -G -c a.cu -o a.o
    done
    same "$(<sliced.code)" "$(<plain.code)"
    same "$(ran) $(reused)" '0 6' # two for the cubin
}
separate() {
    with_lab "$1"
    use "$1"
    write_kernels a.cu
    alike a.o "${two[@]}" -dc a.cu -o a.o
    alike a.o "${two[@]}" -dc a.cu -o a.o
    alike link.o "${two[@]}" -dlink a.o -o link.o
    alike link.o "${two[@]}" -dlink a.o -o link.o
    alike program "${two[@]}" -rdc=true a.cu -o program
}
link_time() {
    use "$1"
    [ -e "$(cuda "$1")/nvvm/lib64" ] || skip "no libnvvm in $(cuda "$1")"
    write_kernels a.cu
    local lto=("-gencode=arch=compute_$older,code=lto_$older" "-gencode=arch=compute_$newer,code=lto_$newer")
    alike a.o "${lto[@]}" -dc a.cu -o a.o
    alike link.o "${two[@]}" -dlto -dlink a.o -o link.o
    alike link.o "${two[@]}" -dlto -dlink a.o -o link.o
    alike program "-arch=sm_$newer" -dlto a.cu -o program
}
dependencies() {
    with_lab "$1"
    use "$1"
    mkdir q system
    echo '// host' >'q/with space.h'
    echo '// GPU' >q/gpu.h
    echo '// third' >"system/a\$b#c.h"
    {
        echo '#include "q/with space.h"'
        echo '#include <a$b#c.h>'
        echo '#ifdef __CUDA_ARCH__'
        echo '#include "q/gpu.h"'
        echo '#endif'
        cat <(write_kernels /dev/stdout)
    } >a.cu
    for form in '-MD' '-MMD' '-MD -MP' '-MMD -MP -MT x'; do
        # shellcheck disable=SC2086 # several options
        alike a.d "${two[@]}" -isystem system $form -MF a.d -c a.cu -o a.o
        # shellcheck disable=SC2086
        alike a.d "${two[@]}" -isystem system $form -c a.cu
    done
}
forms() {
    with_lab "$1"
    use "$1"
    write_kernels a.cu
    write_kernels 'b c.cu'
    sed -e 's/int main()/void other()/' -e 's/void store/static void store/' a.cu >d.cu
    alike a.ptx -ptx "-arch=compute_$older" a.cu
    alike a.cubin -cubin "-arch=sm_$older" a.cu
    alike a.fatbin -fatbin "${two[@]}" a.cu
    alike program "${two[@]}" a.cu d.cu -o program
    alike a.o "${two[@]}" --threads 2 -c a.cu -o a.o
    alike a.o "${two[@]}" -c a.cu -o a.o '-DTEXT="a b"' '-DQUOTED=\"$HOME\"' -Xcompiler=-Wall,-Wextra
    alike 'b c.o' "${two[@]}" -c 'b c.cu' -o 'b c.o'
    alike a.i a.cu -E -o a.i
}
reports_keep() {
    use 13.0
    write_kernels a.cu
    call sliced/nvcc "${two[@]}" --keep -c a.cu -o a.o
    exits 0
    says '^hostpin: note: with --keep, nvcc itself runs the commands, and no slices are used$'
    [ -e a.fatbin.c ] || fail 'nothing was kept'
}
mistakes() {
    sampled "$1"
    use "$1"
    echo '#error planted' >a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    echo '__global__ void f() { undeclared(); }' >a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    printf '#if __CUDA_ARCH__ == %s0\n__device__ void f() { asm("nonsense;"); }\n#endif\n__global__ void g() {}' "$newer" >a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o
    alike a.o "${two[@]}" -c missing.cu -o a.o
    alike a.o "${two[@]}" --no-such-option -c a.cu
    printf 'void f() { int unused; }\n__global__ void g() { int unused; }' >a.cu
    alike a.o "${two[@]}" -c a.cu -o a.o -Xcompiler -Wall
    alike a.o "${two[@]}" -c a.cu -o missing/a.o
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
it 'an option that changes the steps of nvcc is left to nvcc, with a note' reports_keep
finish
