#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each toolkit writes LTO-IR; hostpin's reader must agree with cuobjdump.
#   cuda.sh LTO_STREAMS LTO_CUTS
# shellcheck source=tests/e2e/lto-check/bitstream/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# reference_cuda FILE [CUOBJDUMP]: architecture and container of each LTO-IR according to the newest cuobjdump, with the newest PTX
# in the same file, and whether there is a cubin for the architecture.
reference_cuda() {
    "$lab/cuda-12.4/bin/cuobjdump" "$1" 2>/dev/null | awk -v OFS='\t' -v file="$1" '
        /^Fatbin .* code:/ { kind = $2 }
        /^arch = / { arch = substr($3, 4) }
        /^code version = / {
            split(substr($4, 2), numbers, /[],]/)
            version = numbers[1] "." numbers[2]
            if (kind == "elf") cubin[arch] = 1
            else if (kind == "nvvm") { ir[++count] = arch; container[count] = version }
            else if (kind == "ptx") ptx = version
        }
        END {
            for (i = 1; i <= count; ++i)
                print file, "cuda-ltoir", container[i], (ir[i] in cubin ? "fat" : "slim"), ir[i], (ptx ? "PTX ISA " ptx : "")
        }'
}
agree_on_cuda() { # TOOLKIT
    local name file flags nvcc ccbin code
    need_cuda "$1"
    need_lab cuda-12.4 bin/g++-9 bin/g++-12
    nvcc=$(cuda "$1")/bin/nvcc
    case $1 in 11.2) ccbin=$lab/bin/g++-9 ;; 11.8) ccbin=$lab/bin/g++-11 ;; *) ccbin=$lab/bin/g++-12 ;; esac
    cat >kernel.cu <<'CU'
__device__ int other(int);
__global__ void kernel(int* p) { *p = other(*p); }
CU
    sed 's/__device__ int other(int);/__device__ int other(int x) { return x; }/' kernel.cu >whole.cu
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -Wno-deprecated-gpu-targets -ccbin "$ccbin" $flags "$file" -o "$name"
        reference_cuda "$name" | sort >expected
        [ -s expected ] || fail "cuobjdump sees no LTO-IR in $name"
        told "$name" | sort >got
        diff expected got
        same "$("$streams" --present "$name")" "$name"
    done <<'ROWS'
ir.o kernel.cu -dc -gencode arch=compute_80,code=lto_80
both.fatbin kernel.cu -rdc=true -fatbin -gencode arch=compute_80,code=lto_80 -gencode arch=compute_80,code=sm_80
ptx.fatbin kernel.cu -rdc=true -fatbin -gencode arch=compute_80,code=lto_80 -gencode arch=compute_80,code=compute_80
many.fatbin kernel.cu -rdc=true -fatbin -gencode arch=compute_75,code=lto_75 -gencode arch=compute_80,code=lto_80 -gencode arch=compute_86,code=sm_86
dlto.fatbin kernel.cu -fatbin -rdc=true -dlto -arch=sm_80
ROWS
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -Wno-deprecated-gpu-targets -ccbin "$ccbin" $flags "$file" -o "$name"
        same "$(told "$name")" "$(line "$name" none)"
        same "$("$streams" --present "$name")" ""
    done <<'ROWS'
plain.o kernel.cu -dc -arch=sm_80
whole.fatbin whole.cu -fatbin -arch=sm_80
whole.cubin whole.cu -cubin -arch=sm_80
ROWS
    "$cuts" ir.o both.fatbin many.fatbin
    if "$nvcc" -ccbin "$ccbin" -dlto -ltoir -arch=sm_80 kernel.cu -o raw.ltoir 2>err; then
        # no tool of NVIDIA prints a raw one; the object of the same compiler contains the same container
        same "$(told raw.ltoir | cut -f 2-4)" "$(told ir.o | cut -f 2-4)"
    fi
    [ "$1" = 12.4 ] || [ "$full" = 1 ] || return 0
    # Device code is assembler text to the host compiler: in a slim object nvlink does not find it.
    code=(-Wno-deprecated-gpu-targets -ccbin "$ccbin" -dc -gencode "arch=compute_80,code=lto_80" kernel.cu)
    "$nvcc" "${code[@]}" -Xcompiler -flto,-ffat-lto-objects -o fat.o
    same "$(told fat.o | cut -f 2 | tr '\n' ' ')" 'cuda-ltoir gcc-lto '
    "$nvcc" "${code[@]}" -Xcompiler -flto -o slim.o
    same "$(told slim.o | cut -f 2 | tr '\n' ' ')" 'gcc-lto '
}

for toolkit in 11.2 12.4 13.0 $([ "$full" = 0 ] || echo 11.8); do it "CUDA $toolkit's code is what cuobjdump says" agree_on_cuda "$toolkit"; done
finish
