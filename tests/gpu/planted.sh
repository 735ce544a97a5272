#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# planted.sh: programs with device code for few GPUs, in many forms: whether `hostpin doctor PROGRAM` reports that
# it serves this machine's GPU is compared with a run. No part of CTest: see README.md.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_hostpin
need_command c++ nvcc nvidia-smi
nvidia-smi -L >/dev/null || skip "no GPU here"
sources=$repository/tests/gpu/planted
export PATH=$prefix/bin:$PATH
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p)
exec 3>&1 # the table next to the verdict

# real CAPABILITY..., virtual CAPABILITY...: nvcc's options for machine code or PTX of each.
real() { code_for sm "$@"; }
virtual() { code_for compute "$@"; }
code_for() { # KIND CAPABILITY...
    local c
    for c in "${@:2}"; do echo -n "-gencode arch=compute_$c,code=$1_$c "; done
}

# NAME: nvcc's options for the compile, and after a bar those for the link (else the same). A name that begins with "two" has a second source.
programs() {
    local c m
    for c in 75 80 86 89 90 90a 100 100a 100f 103 110 120 120a 120f 121; do
        echo "real-$c: $(real "$c")"
        echo "ptx-$c: $(virtual "$c")"
        echo "both-$c: $(real "$c") $(virtual "$c")"
    done
    echo "newer-and-older: $(real 80 100)"
    echo "older-ptx: $(real 100) $(virtual 80)"
    echo "newer-ptx: $(real 80) $(virtual 100)"
    echo "all-major: -arch=all-major"
    echo "all: -arch=all"
    echo "shared-runtime: $(real 90) -cudart shared"
    echo "shared-runtime-other: $(real 100) -cudart shared"
    for m in size speed balance none; do
        echo "compressed-$m: $(real 90) $(virtual 90) -Xfatbin -compress-all -compress-mode=$m"
        echo "compressed-other-$m: $(real 100) $(virtual 100) -Xfatbin -compress-all -compress-mode=$m"
    done
    for c in 80 90 90a 100; do
        echo "two-$c: $(real "$c")"
        echo "two-rdc-$c: -rdc=true $(real "$c")"
        echo "two-rdc-ptx-$c: -rdc=true $(virtual "$c")"
        echo "two-lto-$c: -dlto -arch=sm_$c"
    done
    echo "two-lto-for-two: -rdc=true -gencode arch=compute_80,code=lto_80 -gencode arch=compute_90,code=lto_90 | -dlto $(real 80 90)"
    echo "two-lto-linked-for-less: -rdc=true -gencode arch=compute_80,code=lto_80 | -dlto $(real 80)"
    echo "two-rdc-linked-for-other: -rdc=true $(real 90) $(virtual 90) | -rdc=true $(real 90)"
}

# built NAME OPTIONS: ./NAME; false if nvcc refuses the options.
built() {
    local compile=${2%%|*} link=${2##*|} parts=(first)
    [[ $1 != two* ]] || { parts+=(second) && compile+=' -DTWO_SOURCES'; }
    read -ra compile <<<"$compile"
    read -ra link <<<"$link"
    local part
    for part in "${parts[@]}"; do nvcc "${compile[@]}" -c "$sources/$part.cu" -o "$part.o" || return; done
    nvcc "${link[@]}" "${parts[@]/%/.o}" -o "$1"
}

doctor_agrees_with_the_run() {
    local name options runs served expected wrong=0 count=0
    while IFS=: read -r name options; do
        if ! built "$name" "$options" >log 2>&1; then
            echo "        $name: not built: $(grep -m1 -iE 'error|fatal' log)" >&3
            continue
        fi
        count=$((count + 1)) runs=no served=no expected=no
        ! ./"$name" >ran 2>&1 || runs=yes
        ! hostpin doctor "./$name" >verdict 2>&1 || served=yes
        ! hostpin doctor "./$name" --capabilities "$capability" >listed 2>&1 || expected=yes
        if [ "$runs$served$expected" != "$runs$runs$runs" ]; then
            wrong=$((wrong + 1))
            echo "        $name: runs $runs ($(head -n 1 ran)), doctor $served, with --capabilities $expected" >&3
            cat verdict >&3
        fi
    done < <(programs)
    echo "        $count programs on a GPU of $capability, $wrong differ" >&3
    [ "$count" -ge 50 ] && [ "$wrong" = 0 ]
}

it "doctor says of each program whether it runs on this GPU" doctor_agrees_with_the_run
finish
