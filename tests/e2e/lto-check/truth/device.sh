#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Device code of each toolkit by each toolkit's nvlink and nvcc.
#   device.sh [-j N] [-v]
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The newest GCC of the lab that each toolkit takes.
declare -A host_of=([11.2]=10 [11.8]=11 [12.4]=13 [13.0]=14)
device_objects() {
    local version
    cat >kernel.cu <<'CU'
__device__ int device_f(int);
__global__ void kernel(int *x) { *x = device_f(*x); }
int main() { return 0; }
CU
    cat >device.cu <<'CU'
__device__ int device_f(int x) { return x + 1; }
CU
    cat >other.cu <<'CU'
__device__ int device_unused(int x) { return x + 2; }
CU
    for version; do
        nvcc="$(cuda "$version")/bin/nvcc -ccbin $(host_compiler "$version")"
        for source in kernel device other; do
            echo "$nvcc -dc -gencode arch=compute_80,code=lto_80 $source.cu -o $source.$version.lto.o"
        done
        echo "$nvcc -dc -gencode arch=compute_80,code=sm_80 kernel.cu -o kernel.$version.sm.o"
        echo "$nvcc -dc -gencode arch=compute_80,code=[lto_80,sm_80] device.cu -o device.$version.both.o"
        echo "$nvcc -dc -gencode arch=compute_80,code=[lto_80,compute_80] device.cu -o device.$version.ptx.o"
    done | in_parallel
}
host_compiler() {
    if [ "$stands_in" = no ]; then echo "$lab/bin/g++-${host_of[$1]}"; else (need_toolkit "$1" && echo "$host"); fi
}
# nvlink looks for libnvvm in one directory; some installations of the toolkit have it in another.
nvvm_of() { # TOOLKIT
    local root
    root=$(cuda "$1")
    if [ -e "$root/nvvm/lib64/libnvvm.so" ]; then
        echo "$root/nvvm"
    else
        mkdir -p "$work/nvvm-$1/lib64"
        ln -sfn "$root/nvvm/libdevice" "$work/nvvm-$1/libdevice"
        ln -sfn "$root/lib64/libnvvm.so" "$work/nvvm-$1/lib64/libnvvm.so"
        echo "$work/nvvm-$1"
    fi
}
truth_device() {
    local a b linker name root nvlink nvcc lto
    [ ${#toolkits[@]} -gt 0 ] || skip "there is no CUDA toolkit"
    device_objects "${toolkits[@]}"
    for linker in "${toolkits[@]}"; do
        root=$(cuda "$linker")
        lto=-dlto
        [ "$linker" != 11.2 ] || lto=-lto
        nvlink=("$root/bin/nvlink" -arch=sm_80 -m64 -cpu-arch=X86_64 "-L$root/lib64" -lcudadevrt -o out.cubin)
        for a in "${toolkits[@]}"; do
            for b in "${toolkits[@]}"; do
                row kernel:kernel "CUDA $a and $b by nvlink $linker" "${nvlink[@]}" "$lto" "-nvvmpath=$(nvvm_of "$linker")" "$work/kernel.$a.lto.o" "$work/device.$b.lto.o"
            done
            row kernel:kernel "CUDA $a by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
            row kernel:kernel "CUDA $a with machine code by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$linker.sm.o" "$work/device.$a.both.o"
            row kernel:kernel "CUDA $a with PTX by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$linker.sm.o" "$work/device.$a.ptx.o"
            name=$work/lib.$a.$linker
            archive "$name.a" ar "$work/device.$linker.lto.o" "$work/other.$a.lto.o"
            row kernel:kernel "CUDA $a not needed in an archive by nvlink $linker" "${nvlink[@]}" "$lto" "-nvvmpath=$(nvvm_of "$linker")" "$work/kernel.$linker.lto.o" "$name.a"
            [ -e "$root/nvvm/lib64/libnvvm.so" ] || continue
            nvcc=("$root/bin/nvcc" -ccbin "$(host_compiler "$linker")" -dlto -arch=sm_80 -keep -o out)
            row kernel:kernel "CUDA $a by nvcc $linker -dlink" "${nvcc[@]}" -dlink "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
            row kernel:kernel "CUDA $a by nvcc $linker -dlto" "${nvcc[@]}" "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
        done
    done
}

truth_device
run_rows
