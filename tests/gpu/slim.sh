#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# slim.sh: programs and libraries before and after `hostpin fatbin slim`, `merge` and `repack` on the GPU of this machine. No part of CTest: see README.md.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_hostpin
need_command c++ nvcc nvidia-smi python3
nvidia-smi -L >/dev/null || skip "no GPU here"
here=$repository/tests/gpu
export PATH=$prefix/bin:$PATH
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p)
this_gpu=${capability/./}
lists="-gencode arch=compute_80,code=sm_80 -gencode arch=compute_$this_gpu,code=sm_$this_gpu -gencode arch=compute_100,code=sm_100
       -gencode arch=compute_80,code=compute_80 -gencode arch=compute_100,code=compute_100"
read -ra lists <<<"${lists//$'\n'/ }"
exec 3>&1 # figures next to the verdicts

say() { echo "        $*" >&3; }
size() { stat -c %s "$1"; }

# built NAME [ARGUMENT...]: ./NAME of features.cu, compiled separately
built() {
    nvcc -rdc=true "${lists[@]}" "${@:2}" -o "$1" "$here/slim/features.cu" "$here/slim/other.cu" >log 2>&1 || { cat log && fail "$1 is not built"; }
}
slimmed() { # FILE LIST [ARGUMENT...]: FILE.slim
    hostpin fatbin slim "$1" --keep "$2" "${@:3}" -o "$1.slim" >"$1.log" 2>&1
}

features_are_the_same() { # NAME [NVCC ARGUMENT...]
    built "$@"
    ./"$1" >before || { cat before && fail "$1 fails before"; }
    contains "who ${this_gpu}0" <before || fail "another GPU's code ran"
    slimmed "$1" "$capability" || { cat "$1.log" && fail "not slimmed"; }
    hostpin fatbin prove "$1" "$1.slim" --gpus "$capability" >log || { cat log && fail "not proven"; }
    local mode
    for mode in LAZY EAGER; do
        CUDA_MODULE_LOADING=$mode ./"$1.slim" >after || { cat after && fail "$mode: $1 fails after"; }
        same "$(<after)" "$(<before)"
    done
    [ "$(size "$1.slim")" -lt "$(size "$1")" ] || fail "not smaller"
    say "$1: $(size "$1") -> $(size "$1.slim") bytes, $(wc -l <after) outcomes the same, lazy and eager"
}
# Code of other GPUs alone: an error where launches are checked, that of nvcc's own build for those GPUs; zeros without any where they
# are not.
other_gpus_get_an_error() {
    nvcc -rdc=true -gencode arch=compute_100,code=sm_100 -o only "$here/slim/features.cu" "$here/slim/other.cu"
    ! ./only >before || fail "code for another GPU runs"
    built features
    slimmed features 10.0 --ptx none || { cat features.log && fail "not slimmed"; }
    ! ./features.slim >after || fail "it runs"
    same "$(<after)" "$(<before)"
    grep -q ': error ' after || { cat after && fail "no error"; }
    ./features.slim unchecked >zeros
    say "checked: $(head -n 1 after); not checked: $(<zeros)"
    ! hostpin fatbin prove features features.slim --gpus "$capability" >log 2>&1 || fail "proven"
    hostpin fatbin prove features features.slim --gpus 10.0 >log 2>&1 || { cat log && fail "not proven for its own"; }
}
# PTX of an older capability is what the driver compiles if there is no machine code.
ptx_is_compiled() {
    nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_100,code=sm_100 \
        -o plain "$here/slim/plain.cu"
    ./plain >before
    slimmed plain "$capability" || { cat plain.log && fail "not slimmed"; }
    ./plain.slim >after
    same "$(<after)" "$(<before)"
    say "$(<after)"
}
# A build for another GPU gets the code of this one, from a slice and from the other build itself.
merged_code_runs() {
    local other=80
    [ "$this_gpu" != 80 ] || other=90
    nvcc "-arch=sm_$other" -o other "$here/slim/plain.cu"
    nvcc "-arch=sm_$this_gpu" -o this "$here/slim/plain.cu"
    ./this >before
    hostpin fatbin slice this --gpu "$capability" -o slice
    hostpin fatbin merge other slice -o from_slice
    hostpin fatbin merge other this -o from_build
    local file
    for file in from_slice from_build; do
        ./"$file" >after || fail "$file fails"
        same "$(<after)" "$(<before)"
    done
    say "$(<after)"
}
repacked_code_runs() {
    built features
    ./features >before
    local mode
    for mode in size balance speed none; do
        hostpin fatbin repack features --compress "$mode" -o "$mode" >log 2>&1 || { cat log && fail "$mode"; }
        ./"$mode" >after || { cat after && fail "$mode fails"; }
        same "$(<after)" "$(<before)"
        say "$mode: $(size "$mode") bytes, $(head -n 1 log)"
    done
}
sanitizer_reads_slimmed_files() {
    command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
    built features
    slimmed features "$capability"
    compute-sanitizer ./features.slim >log 2>&1 || { cat log && fail "compute-sanitizer fails"; }
    contains 'ERROR SUMMARY: 0 errors' <log || { cat log && fail "errors"; }
    say "$(grep 'ERROR SUMMARY' log)"
}
debugger_stops_in_a_kernel() {
    command -v cuda-gdb >/dev/null || skip "no cuda-gdb"
    built features -g -G
    slimmed features "$capability"
    local file
    for file in features features.slim; do
        timeout 120 cuda-gdb -batch -ex 'set breakpoint pending on' -ex 'break who' -ex run -ex backtrace "$file" >"$file.gdb" 2>&1 || true
        grep -qE '^#0 .*who' "$file.gdb" || { tail -n 20 "$file.gdb" && fail "$file: does not stop in the kernel"; }
    done
    say "$(grep -m 1 -E '^#0 ' features.slim.gdb)"
}
extension_computes() {
    python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || skip "no PyTorch with CUDA"
    TORCH_CUDA_ARCH_LIST="8.0;$capability;10.0+PTX" python3 "$here/extension/try.py" "$PWD/torch" >log 2>&1 ||
        { tail -n 40 log && fail "not built, or wrong"; }
    slimmed torch/fused.so "$capability"
    say "fused.so: $(size torch/fused.so) -> $(size torch/fused.so.slim) bytes"
    mv torch/fused.so.slim torch/fused.so
    python3 "$here/extension/try.py" "$PWD/torch" >log 2>&1 || { tail -n 40 log && fail "wrong after"; }
    say "$(tail -n 1 log)"
}
# Those of the copy of PyTorch in ./site, against ops.before.
operators_are_the_same() {
    PYTHONPATH=$PWD/site python3 "$here/slim/opinfo.py" >ops.after 2>time.after || { tail time.after && fail "PyTorch does not run"; }
    diff ops.before ops.after >differences || true
    say "$(wc -l <ops.after) operators, $(grep -c refuses: ops.after) refuse; $(grep -c '^>' differences) differ"
    say "before: $(paste -sd, time.before); after: $(paste -sd, time.after)"
    if [ -s differences ]; then # what differs between two runs of PyTorch's own library does not count
        python3 "$here/slim/opinfo.py" >ops.again 2>/dev/null
        comm -23 <(diff ops.before ops.after | sed -n 's/^> \([^ ]*\).*/\1/p' | sort) <(diff ops.before ops.again | sed -n 's/^> \([^ ]*\).*/\1/p' | sort) >left
        [ ! -s left ] || { cat left && fail "other results"; }
        say "those differ between two runs of the library before, too: $(diff ops.before ops.again | grep -c '^>')"
    fi
}
# All of PyTorch's operators, with its own library, with the slimmed one, and with that after patchelf and strip.
libtorch_computes() {
    local torch before after
    torch=$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))' 2>/dev/null) || skip "no PyTorch"
    python3 "$here/slim/opinfo.py" >ops.before 2>time.before || { tail time.before && fail "PyTorch's own library does not run"; }
    before=$(date +%s%N)
    cp "$torch/lib/libtorch_cuda.so" whole.so
    after=$(date +%s%N)
    say "cp: $(((after - before) / 1000000)) ms"
    mkdir site # a copy of PyTorch, next to links to what its run paths name
    ln -s "$(dirname "$torch")"/* site/
    rm site/torch
    cp -r "$torch" site/torch
    rm site/torch/lib/libtorch_cuda.so
    before=$(date +%s%N)
    hostpin fatbin slim whole.so --keep "$capability" -o site/torch/lib/libtorch_cuda.so >log 2>&1 || { cat log && fail "not slimmed"; }
    after=$(date +%s%N)
    say "slim: $(((after - before) / 1000000)) ms, $(size whole.so) -> $(size site/torch/lib/libtorch_cuda.so) bytes"
    before=$(date +%s%N)
    hostpin fatbin prove whole.so site/torch/lib/libtorch_cuda.so --gpus "$capability" >log 2>&1 || { cat log && fail "not proven"; }
    after=$(date +%s%N)
    say "prove: $(((after - before) / 1000000)) ms"
    PYTHONPATH=$PWD/site python3 -c 'import torch; print(torch.__file__)' | contains "$PWD/site" || fail "another PyTorch is loaded"
    operators_are_the_same
    command -v patchelf >/dev/null || { say 'no patchelf here' && return; }
    patchelf --add-rpath "/run/opengl-driver/lib:$(printf '/%0200d' 0)" site/torch/lib/libtorch_cuda.so
    strip --strip-unneeded site/torch/lib/libtorch_cuda.so
    say "$(patchelf --version) --add-rpath, strip: $(size site/torch/lib/libtorch_cuda.so) bytes"
    operators_are_the_same
}

it "a program computes the same after slim" features_are_the_same features
it "a program without PIE computes the same after slim" features_are_the_same no_pie -Xcompiler -fno-pie -Xlinker -no-pie
it "a stripped program computes the same after slim" features_are_the_same stripped -Xlinker -s
it "compressed code computes the same after slim" features_are_the_same compressed -Xfatbin -compress-all
it "a GPU whose code is gone gets an error" other_gpus_get_an_error
it "PTX that a kept GPU needs is kept" ptx_is_compiled
it "code that was merged into a build for another GPU runs" merged_code_runs
it "recompressed code computes the same" repacked_code_runs
it "compute-sanitizer reads slimmed programs" sanitizer_reads_slimmed_files
it "cuda-gdb stops in a kernel of a slimmed program" debugger_stops_in_a_kernel
it "a PyTorch extension computes after slim" extension_computes
it "PyTorch's operators compute the same after slim, and after patchelf and strip" libtorch_computes
finish
