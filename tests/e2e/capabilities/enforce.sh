#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# With `bind --enforce`, whatever names GPUs, what is compiled has those of the binding. The spellings are compared by nvcc's own commands
# (--dryrun) with those of a call that names the list; HOSTPIN_FULL=1 compiles each as well.
#   enforce.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_toolkit 13.0 12
cuda=$toolkit
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CUDAARCHS
export TMPDIR=$work/tmp XDG_RUNTIME_DIR=
mkdir "$TMPDIR"

bind() { "$hostpin" bind "$work/$1" --toolkit "$cuda" --stdenv "$host" "${@:2}" >"$work/$1.said"; }
bind bound --capabilities "8.0;9.0" --enforce
bind other --capabilities 8.6 --enforce
bind checked --capabilities "8.0;9.0"
# shellcheck disable=SC2054 # commas of nvcc
list=(-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90)
cat >"$work/x.cu" <<'CUDA'
#include <cstdio>
__device__ int twice(int i) { return 2 * i; }
__global__ void kernel(int *p) { *p = twice(*p); }
constexpr int gpus[] = {__CUDA_ARCH_LIST__};
#ifdef ONLY
static_assert(sizeof gpus == ONLY * sizeof(int) && gpus[0] == 800);
#endif
CUDA
cat >"$work/main.cu" <<'CUDA'
extern __device__ int twice(int);
__global__ void call(int *p) { *p = twice(*p); }
int main() { return 0; }
CUDA

# steps NVCC ARGUMENT...: its commands, without names of temporary files and of this call's host compiler
steps() {
    "$@" --dryrun 2>&1 |
        sed -E '/^hostpin: note/d; /^#\$ (_|TOP|NVVMIR|LD_LIB|PATH|INCL|LIBR|CUDAFE|PTXAS|CICC|NVVM|CUDART)/d; s@tmpxft_[0-9a-f_-]+@tmp@g; s@_[0-9]+_@_N_@g; s@--orig_src_path_name "[^"]*"@@; s@[0-9a-f]{5,}_stdout@stdout@g'
}
holds() { # FILE LIST [ARGUMENT...]
    call "$hostpin" fatbin "$1" --expect "$2" "${@:3}"
    exits 0
}
# spelt ARGUMENT...: names other GPUs, and nvcc runs what it runs for the list
spelt() {
    steps "$work/bound/nvcc" "$@" "${kind[@]}" >found
    steps "$work/checked/nvcc" "${list[@]}" "${kind[@]}" | sed "s@$work/checked@$work/bound@g" >expected
    grep -q 'sm_80' expected || fail "nvcc compiles nothing: $(cat expected)"
    diff expected found || fail "$* is not compiled as the list is"
    [ "$full" = 1 ] || return 0
    "$work/bound/nvcc" "$@" "${kind[@]}" -o spelt.o
    of devicecode holds spelt.o "8.0;9.0"
}
spellings() {
    kind=(-c x.cu)
    spelt
    spelt -arch=sm_75
    spelt -arch sm_35
    spelt --gpu-architecture=compute_75 --gpu-code=sm_75,compute_75
    spelt -arch=compute_75 -code sm_75 -code sm_86
    spelt -gencode arch=compute_75,code=sm_75 --generate-code='arch=compute_86,code=[sm_86,compute_86]'
    spelt '-gencode=code="sm_75,compute_75",arch=compute_75'
    spelt -arch=all
    spelt -arch=all-major
    spelt -arch=native
    spelt -gencode arch=compute_100a,code=sm_100a -arch=sm_75
    kind=(-dc x.cu)
    spelt -arch=sm_75
    kind=(-fatbin x.cu)
    spelt -arch=sm_75
}
files_and_variables() {
    kind=(-c x.cu)
    echo '-arch=sm_75 -DA' >options
    spelt_with() { # FILES... -- with the same options and no GPUs for what is expected
        steps "$work/bound/nvcc" "$@" -c x.cu | sed '/^#\$ NVCC_/d' >found
        steps env -u NVCC_PREPEND_FLAGS -u NVCC_APPEND_FLAGS "$work/checked/nvcc" "${list[@]}" -DA -c x.cu | sed "s@$work/checked@$work/bound@g" >expected
        diff expected found
    }
    spelt_with -optf options
    echo '-optf options' >outer
    spelt_with --options-file=outer
    NVCC_PREPEND_FLAGS='-DA -arch=sm_75' spelt_with
    NVCC_PREPEND_FLAGS=-arch=sm_75 NVCC_APPEND_FLAGS=-DA spelt_with
    NVCC_APPEND_FLAGS='-gencode=arch=compute_75,code=sm_75' "$work/bound/nvcc" -c x.cu -o appended.o
    holds appended.o "8.0;9.0"
}
what_is_compiled() {
    "$work/bound/nvcc" -DONLY=2 -arch=all -c x.cu -o x.o # __CUDA_ARCH_LIST__ too
    holds x.o "8.0;9.0"
    "$work/other/nvcc" -gencode arch=compute_75,code=sm_75 -c x.cu -o y.o
    holds y.o 8.6
    "$hostpin" bind sliced --toolkit "$cuda" --stdenv "$host" --capabilities 8.6 --enforce --slices "$PWD/slices" >said
    sliced/nvcc -arch=sm_75 -c x.cu -o z.o
    holds z.o 8.6
    [ -n "$(find slices -type f)" ] || fail "no slice was stored"
}
relocatable_code() {
    "$work/bound/nvcc" -arch=sm_75 -dc x.cu -o x.o
    "$work/bound/nvcc" -gencode arch=compute_86,code=sm_86 -rdc=true -c main.cu -o main.o
    "$work/bound/nvcc" -arch=sm_75 -dlink x.o main.o -o device.o
    "$work/bound/nvcc" -arch=sm_75 x.o main.o -o program
    holds program "8.0;9.0"
}
link_time_code() {
    if [ ! -e "$toolkit/nvvm/lib64" ] && [ -d "$(cuda 12.4)" ]; then # whose nvlink finds a libnvvm
        need_toolkit 12.4 13
        cuda=$toolkit
    fi
    need_libnvvm
    bind linked --capabilities "8.0;9.0" --enforce
    "$work/linked/nvcc" -dlto -arch=sm_75 -c x.cu -o x.o
    "$work/linked/nvcc" -dc -gencode arch=compute_75,code=lto_75 main.cu -o main.o
    "$work/linked/nvcc" -dlto -arch=sm_75 x.o main.o -o program
    holds program "8.0;9.0"
}
lto_ir() {
    "$work/bound/nvcc" -ltoir -dlto -arch=sm_75 x.cu -o x.ltoir
    "$work/checked/nvcc" -ltoir -dlto -arch=sm_80 x.cu -o expected.ltoir
    cmp x.ltoir expected.ltoir
    steps "$work/bound/nvcc" -dlto -rdc=false -arch=sm_75 -c x.cu -o x.o >found
    steps "$work/bound/nvcc" -dlto -arch=sm_75 -c x.cu -o x.o | diff - found
    contains -- '-lto' <found
    call "$work/bound/nvcc" -arch=lto_75 -c x.cu -o x.o
    exits 0
    says 'keep them, although .*: without -rdc=true, nvcc compiles LTO IR only for a GPU that -arch names'
    "$work/bound/nvcc" -arch=lto_75 -dc x.cu -o x.o
    call "$work/bound/nvcc" -dlto -arch=sm_75 x.cu -o program --dryrun
    says 'keep them, although .*: nvcc compiles and links with -dlto for one GPU only'
}
one_gpu() {
    "$work/bound/nvcc" -ptx -arch=sm_75 x.cu -o x.ptx
    grep -q '^.target sm_80' x.ptx
    "$work/bound/nvcc" -ptx -arch=sm_90 x.cu -o x.ptx
    grep -q '^.target sm_90' x.ptx
    "$work/bound/nvcc" -cubin -arch=sm_86 x.cu -o x.cubin
    holds x.cubin 9.0 --no-forward-compatibility
    "$work/bound/nvcc" -cubin -arch=sm_120 x.cu -o x.cubin
    holds x.cubin 9.0 --no-forward-compatibility
}
variants() {
    need_release 12.8 sm_100a
    "$work/bound/nvcc" -gencode arch=compute_90a,code=sm_90a -c x.cu -o x.o
    holds x.o 9.0a --no-forward-compatibility
    call "$work/bound/nvcc" -gencode arch=compute_100a,code=sm_100a -c x.cu -o x.o
    exits 0
    says '^hostpin: note: calls that name the GPUs sm_100a keep them, although .* is bound for sm_80 sm_90 compute_90: it needs features'
    holds x.o 10.0a --no-forward-compatibility
}
errors_stay() {
    local wrong
    for wrong in -arch=foo -arch=sm_999 -arch= '-gencode=arch=compute_75' '-gencode=arch=compute_90,code=sm_80' \
        '-code=sm_80' -ltoir '-ltoir -arch=lto_75' '-ewp -dlto' '-dlto -rdc=FALSE' '-ptx -arch=all' '-arch=sm_80 -code=sm_80' '-ltoir -arch=sm_75' '-dlto -gencode=arch=compute_75,code=sm_75'; do
        # shellcheck disable=SC2086 # several arguments
        call "$work/checked/nvcc" $wrong -c x.cu -o x.o
        same "$status" 1
        cp "$err" expected
        # shellcheck disable=SC2086
        call "$work/bound/nvcc" $wrong -c x.cu -o x.o
        same "$status" 1
        diff expected "$err"
    done
}
notes_once() {
    export TMPDIR=$PWD/notes
    mkdir notes
    call setsid --wait bash -c "'$work/bound/nvcc' -arch=sm_75 -c x.cu --dryrun; '$work/bound/nvcc' -arch=sm_75 -c main.cu --dryrun"
    same "$(grep -c '^hostpin: note: ' "$err")" 1
    says "^hostpin: note: calls that name the GPUs sm_75 compute_75 are compiled for those of $work/bound: sm_80 sm_90 compute_90\$"
    call setsid --wait "$work/bound/nvcc" -arch=sm_75 -c x.cu --dryrun
    says '^hostpin: note: '
    call "$work/bound/nvcc" "${list[@]}" -c x.cu --dryrun
    says_not 'hostpin: note'
    # Nothing can be stored where a file takes the directory's name: each call prints it
    export TMPDIR=$PWD/x.cu
    call setsid --wait bash -c "'$work/bound/nvcc' -arch=sm_75 -c x.cu --dryrun; '$work/bound/nvcc' -arch=sm_75 -c main.cu --dryrun"
    same "$(grep -c '^hostpin: note: ' "$err")" 2
}
cmake_projects() {
    need_command cmake ninja
    mkdir project
    cp x.cu project
    cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
set(CMAKE_CUDA_ARCHITECTURES 75-real)
set(CMAKE_CUDA_FLAGS "-gencode arch=compute_86,code=sm_86")
project(gpus LANGUAGES CUDA)
include(CheckCUDASourceCompiles OPTIONAL)
try_compile(SEES ${CMAKE_BINARY_DIR}/try ${CMAKE_SOURCE_DIR}/x.cu COMPILE_DEFINITIONS -DONLY=2 OUTPUT_VARIABLE WHY)
if(NOT SEES MATCHES TRUE AND NOT WHY MATCHES "undefined reference to .main")
  message(FATAL_ERROR "try_compile sees another list: ${WHY}")
endif()
add_library(gpus STATIC x.cu)
target_compile_definitions(gpus PRIVATE ONLY=2)
target_compile_options(gpus PRIVATE --generate-code=arch=compute_89,code=[compute_89,sm_89])
set_target_properties(gpus PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
CMAKE
    cmake -S project -B build -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$work/bound/toolchain.cmake" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >configured
    cmake --build build >built
    holds build/libgpus.a "8.0;9.0"
}
explained() {
    call "$hostpin" explain --bound "$work/bound" -- -arch=sm_75 -c x.cu
    exits 0
    grep -qE 'for GPUs +sm_80 sm_90 compute_90 +instead of sm_75 compute_75' "$out" || fail "$(cat "$out")"
    ! grep -E '^ *runs' "$out" | grep -q 'arch=sm_75' || fail "the call names sm_75"
}
caches() {
    need_command ccache
    export CCACHE_DIR=$PWD/cache
    local bound
    for bound in bound other bound; do
        ccache "$work/$bound/nvcc" -arch=sm_75 -c x.cu -o "$bound.o"
    done
    holds bound.o "8.0;9.0"
    holds other.o 8.6
    # The same directory with another list, at once
    cp -r "$work/bound" again
    ccache again/nvcc -arch=sm_75 -c x.cu -o again.o
    "$hostpin" bind --refresh again --capabilities 8.6 >said
    ccache again/nvcc -arch=sm_75 -c x.cu -o again.o
    holds again.o 8.6
}
policies() {
    call "$hostpin" bind none --toolkit "$cuda" --stdenv "$host" --enforce
    exits 2
    says '^hostpin: error: --enforce has no list of GPUs to enforce' '^hint: '
    absent none
    grep -q 'in every call of nvcc, whatever it names' "$work/bound.said"
    TORCH_CUDA_ARCH_LIST=9.0a call "$hostpin" bind torch --toolkit "$cuda" --stdenv "$host" --capabilities "8.0;9.0" --enforce
    says "note: TORCH_CUDA_ARCH_LIST is set to 9\.0a: what builds name because of it, nvcc compiles for the binding's list\$"
    says_not 'takes precedence'
    cp -r "$work/bound" again
    "$hostpin" bind --refresh again >said
    cmp again/plan "$work/bound/plan" # is kept
    "$hostpin" bind --refresh again --no-enforce >said
    "$hostpin" bind --refresh again >said # is kept, too
    steps again/nvcc -arch=sm_75 -c x.cu | contains 'compute_75'
    sed -i 's/^gpu-policy = .*/gpu-policy = "enforec"/' again/binding.toml
    call "$hostpin" bind --refresh again
    exits 2
    says 'again/binding.toml:[0-9:]*: .gpu-policy. must be "default", "enforce" or "check", not .enforec'
    { cat "$HOSTPIN_CONFIG" && printf '[gpus]\npolicy = "enforce"\n'; } >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind configured --toolkit "$cuda" --stdenv "$host" --capabilities 8.6 >said
    steps configured/nvcc -arch=sm_75 -c x.cu | contains 'sm_86'
    HOSTPIN_CONFIG=$PWD/config.toml call "$hostpin" bind free --toolkit "$cuda" --stdenv "$host"
    says '\[gpus\] policy = "enforce" has no effect without --capabilities'
    printf '[gpus]\npolicy = "always"\n' >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml call "$hostpin" bind wrong --toolkit "$cuda" --stdenv "$host" --capabilities 8.6
    exits 2
    says 'must be "default", "enforce" or "check", not .always'
    call "$hostpin" bind wrong --toolkit "$cuda" --stdenv "$host" --capabilities 3.0 --enforce
    exits 1 # at once, not when a file is compiled
    absent wrong
}
checks() {
    { cat "$HOSTPIN_CONFIG" && printf '[gpus]\npolicy = "check"\n'; } >config.toml
    export HOSTPIN_CONFIG=$PWD/config.toml
    "$hostpin" bind watched --toolkit "$cuda" --stdenv "$host" --capabilities "8.0;9.0" >said
    mkdir build
    echo '-arch=sm_75' >build/gpus.rsp
    cat >build/compile_commands.json <<JSON
[{"directory": "$PWD/build", "file": "a.cu", "command": "ccache $PWD/watched/nvcc -arch=sm_75 -c a.cu"},
 {"directory": "$PWD/build", "file": "b.cu", "arguments": ["$PWD/watched/nvcc", "-optf", "gpus.rsp", "-c", "b.cu"]},
 {"directory": "$PWD/build", "file": "c.cu", "command": "$PWD/watched/nvcc ${list[*]} -c c.cu"},
 {"directory": "$PWD/build", "file": "d.cu", "command": "$PWD/watched/nvcc -gencode arch=compute_100a,code=sm_100a -c d.cu"},
 {"directory": "$PWD/build", "file": "f.cu", "arguments": ["nvcc", "-arch=sm_75", "-c", "f.cu"]},
 {"directory": "$PWD/build", "file": "g.cu", "command": "$PWD/watched/nvcc -arch=foo -c g.cu"},
 {"directory": "$PWD/build", "file": "e.cpp", "command": "$PWD/watched/c++ -c e.cpp"}]
JSON
    PATH=$PWD/watched:$PATH call "$hostpin" doctor --json build
    exits 1
    python3 - "$out" <<'PY'
import json, sys
calls, = json.load(open(sys.argv[1]))["gpu_calls"]
assert calls["policy"] == "check" and calls["list"] == "sm_80 sm_90 compute_90" and calls["compared"] == 6, calls
assert [(c["file"], c["names"], c["origins"]) for c in calls["differ"]] == [
    ("a.cu", "sm_75 compute_75", ["-arch=sm_75"]), ("b.cu", "sm_75 compute_75", ["-arch=sm_75 (gpus.rsp)"]),
    ("d.cu", "sm_100a", ["-gencode arch=compute_100a,code=sm_100a"]), ("f.cu", "sm_75 compute_75", ["-arch=sm_75"]),
    ("g.cu", "?", ["-arch=foo"])], calls
assert calls["differ"][2]["enforced"] is None and "features" in calls["differ"][2]["kept_because"]
assert calls["differ"][4]["kept_because"] == "its GPU options are not understood", calls
PY
    PATH=$PWD/watched:$PATH call "$hostpin" doctor build
    exits 1
    grep -qE 'calls +5 of 6 name other GPUs' "$out" || fail "$(cat "$out")"
    grep -qE 'a\.cu +sm_75 compute_75 +-arch=sm_75' "$out"
    compared_never() { # TEXT [VARIABLE]: doctor prints why
        call env "${@:2}" "$hostpin" doctor build
        exits 2
        says "the calls of build/compile_commands.json are not compared with a list of GPUs: .*$1" '^hint: '
    }
    cp build/compile_commands.json commands.json
    cp watched/binding.toml binding.toml
    sed -i '/^arguments = \|^variants = /d' watched/binding.toml # as releases without policies wrote it
    compared_never 'compares no GPUs'
    sed -i '/^\[gpus\]/,$ s/^policy = .*/policy = "chekc"/' watched/binding.toml
    compared_never 'watched/binding.toml:[0-9:]*: .policy. must be "default", "enforce" or "check", not .chekc'
    echo '[' >watched/binding.toml
    compared_never 'watched/binding.toml:'
    cp binding.toml watched/
    local entry
    for entry in '"file": "a.cu"' '"arguments": ["nvcc", 1]' '"arguments": "nvcc -c a.cu"'; do
        echo "[{\"directory\": \"$PWD\", $entry}]" >build/compile_commands.json
        compared_never 'an entry'
    done
    sed 's@ccache [^ ]*/nvcc@nvcc@' commands.json >build/compile_commands.json
    compared_never 'nvcc, which calls name without a directory, is not found on PATH' PATH=/nowhere
    echo '[{' >build/compile_commands.json
    call "$hostpin" doctor build
    exits 2
    says 'compile_commands.json are not compared with a list of GPUs: it is not a JSON array' '^hint: '
}

with_sources() {
    cp "$work"/*.cu .
    "$@"
}
it "each spelling is compiled as the list is" with_sources spellings
it "options files and variables are read" with_sources of devicecode files_and_variables
it "objects and __CUDA_ARCH_LIST__ have the list" with_sources of devicecode what_is_compiled
it "relocatable code is compiled and linked for the list" with_sources of devicecode relocatable_code
it "link-time code is compiled and linked for the list" with_sources of devicecode link_time_code
it "LTO IR is for the list, and a call that nvcc could not make for it stays" with_sources lto_ir
it "output for one GPU is for the nearest one of the list" with_sources of devicecode one_gpu
it "a variant stays if its GPU is on the list, else the call stays" with_sources of devicecode variants
it "what nvcc refuses is refused with nvcc's own error" with_sources errors_stay
it "each pair of lists is reported once for each terminal or job" with_sources notes_once
it "CMake's projects, tests of compilers and try_compile see the list" with_sources of devicecode cmake_projects
it "explain prints what a call is compiled for" with_sources explained
it "caches return no object of another list" with_sources of devicecode caches
it "policies are set, preserved and refused" with_sources policies
it "the policy check lists the calls that name other GPUs" with_sources of devicecode checks
finish
