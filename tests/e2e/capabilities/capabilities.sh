#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# capabilities.sh RELEASE [WORDS]: what gpus.toml has for a toolkit, and what lists expand to, compared with its own nvcc.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
release=$1
need_cuda "$release"
only=${2:-}
toolkit=$(cuda "$release")
capabilities() { "$hostpin" capabilities --toolkit "$toolkit" "$@"; }
# Architectures that this nvcc would put into an object, such as `elf,sm=80`; empty if it refuses.
made_for() {
    echo '__global__ void kernel() {}' >k.cu
    { "$toolkit/bin/nvcc" --dryrun "$@" -c k.cu -o k.o 2>&1 || true; } | grep fatbinary |
        grep -oE 'kind=(elf|ptx),sm=[0-9]+[af]?' | sed 's/kind=//' | sort
}
# The same for a list, from hostpin's own targets.
wanted_for() {
    capabilities --format xla "$1" | tr ',' '\n' |
        sed -nE 's/^sm_(.*)/elf,sm=\1/p; s/^compute_(.*)/elf,sm=\1\nptx,sm=\1/p' | sort
}

the_table_is_nvccs_own_list() {
    capabilities | awk '$3 ~ /^supported,?$/ || $4 ~ /^supported/ || $5 ~ /^supported/ { sub("[.]", "", $1); print "sm_" $1 }' | sort >ours
    "$toolkit/bin/nvcc" --list-gpu-code | sort >nvccs
    test -s ours
    diff ours nvccs
    "$toolkit/bin/nvcc" --list-gpu-arch | sed 's/^compute_/sm_/' | sort >nvccs
    diff ours nvccs
}

variants_are_what_nvcc_takes() {
    local capability variant number ours nvccs count=0
    capabilities >table
    while read -r capability; do
        for variant in a f; do
            number=${capability/./}$variant
            ours=no nvccs=no
            if grep -qwF -- "$capability$variant" table; then ours=yes; fi
            if [ -n "$(made_for -gencode "arch=compute_$number,code=sm_$number")" ]; then nvccs=yes; fi
            [ "$ours" = "$nvccs" ] || fail "$capability$variant: $ours by the table, $nvccs by nvcc"
            count=$((count + 1))
        done
    done < <(awk '$1 ~ /^[0-9]+[.][0-9]$/ { print $1 }' table)
    [ "$count" -ge 50 ] || fail "only $count variants compared"
}

# What CMake and torch.utils.cpp_extension derive from their spellings.
cmake_makes() {
    tr ';' '\n' | sed -nE 's/^([0-9]+[af]?)-real$/elf,sm=\1/p; s/^([0-9]+[af]?)-virtual$/ptx,sm=\1/p
        s/^([0-9]+[af]?)$/elf,sm=\1\nptx,sm=\1/p' | sort
}
torch_makes() {
    tr ';' '\n' | sed -nE 's/[.]//; s/^([0-9]+a?)$/elf,sm=\1/p; s/^([0-9]+a?)[+]PTX$/elf,sm=\1\nptx,sm=\1/p' | sort
}
# expands_as_nvcc_reads_it LIST: in all spellings that can express it.
expands_as_nvcc_reads_it() {
    local words
    read -ra words <<<"$(capabilities --format nvcc "$1")"
    made_for "${words[@]}" >made
    test -s made
    read -ra words <<<"$(capabilities --format nccl "$1")"
    made_for "${words[@]}" | diff made -
    capabilities --format cmake "$1" | cmake_makes | diff made -
    if [[ $1 != *-virtual* ]]; then wanted_for "$1" | diff made -; fi
    call "$hostpin" capabilities --toolkit "$toolkit" --format torch "$1"
    if [ "$status" = 0 ]; then torch_makes <"$out" | diff made -; else says '^hostpin: error: PyTorch '; fi
    call "$hostpin" capabilities --toolkit "$toolkit" --format kokkos "$1"
    # Kokkos' flag for an architecture.
    if [ "$status" = 0 ]; then made_for "-arch=sm_$(sed 's/.*[A-Z]\([0-9]*\)=ON/\1/' "$out")" | diff made -; fi
}

# is_found_in_what_it_compiled LIST: the real nvcc accepts the flags, and its fatbin contains exactly the list.
is_found_in_what_it_compiled() {
    local words gcc host
    case $release in 11.*) gcc=9 ;; 12.*) gcc=12 ;; *) gcc=13 ;; esac
    need_toolkit "$release" "$gcc"
    read -ra words <<<"$(capabilities --format nvcc "$1")"
    echo '__global__ void kernel(float *p) { *p += 1; }' >k.cu
    "$toolkit/bin/nvcc" -ccbin "$host" "${words[@]}" -fatbin k.cu -o k.fatbin
    call "$hostpin" fatbin k.fatbin --toolkit "$toolkit" --expect "$1"
    exits 0
    call "$hostpin" fatbin k.fatbin --toolkit "$toolkit" --expect "7.0+ptx"
    case $release in 13.*) exits 2 ;; *) exits 1 ;; esac
}

# nvcc's own keywords include Jetsons, whose code no other board can run.
# word_is_nvccs_without_jetsons WORD
word_is_nvccs_without_jetsons() {
    made_for -arch="$1" | sed -nE 's/^elf,sm=(.*)/\1/p' | grep -vxE '53|62|72|87|88|101|110' | sort -n >nvccs
    test -s nvccs
    capabilities --format cmake "$1" | tr ';' '\n' | sed 's/-real//' | sort -n >ours
    diff ours nvccs
}

default_is_part_of_all() {
    capabilities --format cmake all --no-forward-compatibility | tr ';' '\n' | sort >everything
    capabilities --format cmake default --no-forward-compatibility | tr ';' '\n' | sort >usual
    test -s usual
    [ -z "$(comm -13 everything usual)" ]
}

a_list_that_cannot_be_used_says_why() {
    local list
    for list in "" ";" "8.0;8.0" 9 8.0.0 sm_80 80 80-real "all 8.0" $'\u0668.\u0660' $'\ufeff8.0' 8.1 1.0; do
        call "$hostpin" capabilities --toolkit "$toolkit" -- "$list"
        exits 1
        prints_nothing
        says '^hostpin: error: ' '^hint: '
    done
    call "$hostpin" capabilities --toolkit "$toolkit" --format autotools 8.0
    exits 2
}

# Each pair of this nvcc's variants of some capabilities, in one call: what it refuses is refused, and nothing else.
pairs_are_refused_as_nvcc_does() {
    local numbers=() number a b i refused words accepted=0
    for number in 8.0 9.0 9.0a 10.0 10.0a 10.0f 10.3 10.3a 10.3f; do
        if capabilities --format nvcc "$number" >/dev/null 2>&1; then numbers+=("$number"); fi
    done
    for i in "${!numbers[@]}"; do
        a=${numbers[$i]}
        for b in "${numbers[@]:i+1}"; do
            words="$(code_for "$a") $(code_for "$b")"
            refused=no
            # shellcheck disable=SC2086
            if [ -z "$(made_for $words)" ]; then refused=yes; fi
            call "$hostpin" capabilities --toolkit "$toolkit" --format nvcc --no-forward-compatibility "$a;$b"
            if [ "$refused" = yes ]; then
                exits 1
                says 'nvcc does not compile for it and for'
            else
                exits 0
                same "$(cat "$out")" "$words"
                accepted=$((accepted + 1))
            fi
        done
    done
    [ "$release" = 11.2 ] || [ "$accepted" -ge 1 ] || fail "no pair was compared"
}
code_for() { echo "-gencode=arch=compute_${1/./},code=sm_${1/./}"; }

lists_are_taken_as_others_write_them() {
    local list
    capabilities --format cmake "8.0;8.6" >wanted 2>/dev/null
    for list in "8.0,8.6" "8.0 8.6" $'8.0\n8.6\n' " 8.0 , 8.6"; do
        capabilities --format cmake "$list" >got
        diff wanted got
    done
    capabilities --format cmake all >wanted
    for list in ALL " all " $'all\n'; do
        capabilities --format cmake "$list" >got
        diff wanted got
    done
}

ptx_says_where_it_runs() {
    call "$hostpin" capabilities --toolkit "$toolkit" "9.0a+ptx"
    exits 0
    grep -q 'PTX for this GPU alone' "$out"
    grep -qE '^note: +no PTX for later GPUs' "$out"
    capabilities --json "9.0a+ptx" | contains '"forward_compatible": false'
    capabilities --json "8.0;9.0a+ptx" | tr -d ' \n' >json
    grep -qF '"capability":"8.0","cubin":true,"ptx":true,"ptx_runs_on":"later"' json
    grep -qF '"capability":"9.0a","cubin":true,"ptx":true,"ptx_runs_on":"same"' json
    [[ $release != 13.* ]] || capabilities "10.0f+ptx" >family
    [[ $release != 13.* ]] || grep -q 'PTX for GPUs of its family alone' family
}

without_a_driver_native_says_so() {
    if command -v nvidia-smi >/dev/null || ldconfig -p | contains -F libcuda.so.1; then skip "there is a driver here"; fi
    call "$hostpin" capabilities --toolkit "$toolkit" native
    exits 1
    says 'no NVIDIA driver can be queried' 'libcuda.so.1'
    says_not 'hostpin: error:.*hostpin: error:'
}
# With a driver library that is built here; a real one needs a GPU.
without_nvidia_smi_the_drivers_library_is_asked() {
    need_command gcc
    if command -v nvidia-smi >/dev/null; then skip "there is an nvidia-smi here"; fi
    cat >driver.c <<'C'
int cuInit(unsigned flags) { return flags == 0 ? INIT : 1; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGetAttribute(int *value, int which, int gpu) {
    *value = which == 75 ? 8 : which == 76 ? (gpu == 0 ? 6 : 0) : -1;
    return 0;
}
C
    gcc -shared -fPIC -DINIT=0 driver.c -o libcuda.so.1
    same "$(LD_LIBRARY_PATH=$PWD capabilities --format cmake native)" '80-real;86'
    gcc -shared -fPIC -DINIT=100 driver.c -o libcuda.so.1
    LD_LIBRARY_PATH=$PWD call "$hostpin" capabilities --toolkit "$toolkit" native
    exits 1
    says 'libcuda.so.1 reports no GPU on this machine'
    gcc -shared -fPIC -DINIT=999 driver.c -o libcuda.so.1
    LD_LIBRARY_PATH=$PWD call "$hostpin" capabilities --toolkit "$toolkit" native
    exits 1
    says 'cuInit fails with 999'
}
hints_repeat_the_toolkit() {
    call "$hostpin" capabilities --toolkit "$toolkit" 1.0
    says "^hint: hostpin capabilities --toolkit $(literally "$toolkit") without a list "
    CUDA_HOME=$toolkit call "$hostpin" capabilities 1.0
    says '^hint: hostpin capabilities without a list '
}

# What differs between 13.0 and later releases are the lists alone, and 11.8 takes lists as 12.4 does.
usually=it
case $release in 11.8 | 13.[1-9]) usually=seldom ;; esac
it "the table is nvcc's own list" the_table_is_nvccs_own_list
it "variants are what nvcc accepts" variants_are_what_nvcc_takes
for list in all all-major default 8.0 "8.0;8.6" "7.5+ptx;8.0" "7.5;8.0-virtual"; do
    "$usually" "$list expands to what nvcc makes of it" expands_as_nvcc_reads_it "$list"
done
for list in all "7.5;8.0-virtual"; do
    "$usually" "$list is found in what it compiled" of devicecode is_found_in_what_it_compiled "$list"
done
case $release in
12.*) "$usually" "8.0;9.0a+ptx is found in what it compiled" of devicecode is_found_in_what_it_compiled "8.0;9.0a+ptx" ;;
13.*) "$usually" "variants are found in what they compiled" of devicecode is_found_in_what_it_compiled "8.0;9.0a;10.0f+ptx;12.1a" ;;
esac
case $release in
12.*) "$usually" "a variant with PTX is made with PTX" expands_as_nvcc_reads_it "8.0;9.0a+ptx" ;;
13.*) "$usually" "variants are made together with others" expands_as_nvcc_reads_it "8.0;9.0a;10.0f+ptx;12.1a" ;;
esac
if [ "$release" != 11.2 ]; then # which has no -arch=all
    for word in all all-major; do
        it "$word is nvcc's without Jetsons" word_is_nvccs_without_jetsons "$word"
    done
fi
"$usually" "default is a part of all" default_is_part_of_all
"$usually" "a list that cannot be used has the reason" a_list_that_cannot_be_used_says_why
"$usually" "pairs are refused as nvcc does" pairs_are_refused_as_nvcc_does
"$usually" "lists are accepted as other tools write them" lists_are_taken_as_others_write_them
case $release in 12.* | 13.*) "$usually" "PTX says where it runs" ptx_says_where_it_runs ;; esac
"$usually" "native reports that there is no driver" without_a_driver_native_says_so
if [ "$release" = 12.4 ]; then it "without nvidia-smi the driver's library is used" without_nvidia_smi_the_drivers_library_is_asked; fi
"$usually" "hints repeat the toolkit that was named" hints_repeat_the_toolkit
finish
