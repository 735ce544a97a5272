#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The GPUs of a bound toolchain reach what is built with it, unless something else names others.
#   bind.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_toolkit 12.4 13
need_release 12.0 sm_90a
need_command cmake ninja
cuda=$toolkit

"$hostpin" bind "$work/bound" --toolkit "$cuda" --stdenv "$host" --capabilities "8.0;9.0a" >"$work/said"
mkdir "$work/source"
cat >"$work/source/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(gpus LANGUAGES CUDA)
add_library(gpus STATIC gpus.cu)
CMAKE
echo '__global__ void kernel(float *p) { *p += 1; }' >"$work/source/gpus.cu"
# configures BUILD [ARGUMENT...]
tried=("${identified_only[@]}")
configures() { cmake -S "$work/source" -B "$1" -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$work/bound/toolchain.cmake" "${tried[@]}" "${@:2}" >configured; }
holds() {
    cmake --build "$1" >built
    call "$hostpin" fatbin "$1/libgpus.a" --expect "$2"
    exits 0
}

a_build_holds_what_was_bound() {
    tried=()
    configures build
    holds build "8.0;9.0a"
    configures build # once more, with what is in the cache by now
    holds build "8.0;9.0a"
}
the_command_line_wins() {
    configures build -DCMAKE_CUDA_ARCHITECTURES=75-real
    cmake --build build >built
    call "$hostpin" fatbin build/libgpus.a --no-forward-compatibility --expect 7.5
    exits 0
}
the_variable_wins() {
    CUDAARCHS=75 configures build
    holds build 7.5
    configures build # what was in force first stays
    holds build 7.5
    configures other
    CUDAARCHS=75 configures other # as hostpin env sets it, perhaps after the first time
    holds other "8.0;9.0a"
    CUDAARCHS='' configures empty
    holds empty "8.0;9.0a"
}
the_project_wins() {
    sed 's/^project.*/set(CMAKE_CUDA_ARCHITECTURES 86)\n&/' "$work/source/CMakeLists.txt" >CMakeLists.txt
    cp "$work/source/gpus.cu" .
    cmake -S . -B build -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$work/bound/toolchain.cmake" "${tried[@]}" >configured
    holds build 8.6
}
# exported SHELL: what `hostpin env` prints in that shell's syntax
the_shell_is_told() {
    "$hostpin" env --bound "$work/bound" --shell sh >exports
    (
        # shellcheck source=/dev/null
        . ./exports
        same "$CUDAARCHS" "80;90a-real"
        same "$TORCH_CUDA_ARCH_LIST" "8.0+PTX;9.0a"
        same "$HERMETIC_CUDA_COMPUTE_CAPABILITIES" "compute_80,sm_90a"
        echo '__global__ void kernel(float *p) { *p += 1; }' >x.cu
        read -ra words <<<"$NVCC_GENCODE"
        "$work/bound/nvcc" "${words[@]}" -c x.cu -o x.o
    )
    call "$hostpin" fatbin x.o --expect "8.0;9.0a"
    exits 0
}
a_variable_that_is_set_stays() {
    CUDAARCHS=75 TORCH_CUDA_ARCH_LIST="8.0+PTX;9.0a" call "$hostpin" env --bound "$work/bound" --shell sh
    exits 0
    says '^hostpin: note: CUDAARCHS is already set to 75; unset it to use .*80;90a-real'
    says_not 'TORCH_CUDA_ARCH_LIST'
    ! grep -qE 'CUDAARCHS|TORCH_CUDA_ARCH_LIST' "$out" || fail "exported all the same"
    grep -q NVCC_GENCODE "$out"
    CUDAARCHS='' call "$hostpin" env --bound "$work/bound" --shell sh
    exits 0
    grep -q '^export CUDAARCHS=' "$out"
}
where_the_list_reaches_is_told() {
    grep -q 'for GPUs .*80;90a-real .*toolchain.cmake.*hostpin env --bound; a plain nvcc call gets no flags' "$work/said"
    cp -r "$work/bound" again
    CUDAARCHS=75 call "$hostpin" bind --refresh again
    exits 0
    says '^hostpin: note: CUDAARCHS is set to 75, which takes precedence over the binding: unset CUDAARCHS to use'
}
refreshing_keeps_the_list() {
    cp -r "$work/bound" again
    "$hostpin" bind --refresh again >said
    diff "$work/bound/toolchain.cmake" again/toolchain.cmake
    "$hostpin" bind --refresh again --capabilities 8.6 --no-forward-compatibility >said
    grep -qF '[[86-real]]' again/toolchain.cmake
    "$hostpin" bind --refresh again >said
    grep -qF '[[86-real]]' again/toolchain.cmake
}
refreshing_takes_other_names() {
    need_cuda 11.8
    need_lab bin/g++-11
    cp -r "$work/bound" again
    call "$hostpin" bind --refresh again --toolkit "$(cuda 11.8)"
    exits 1
    says '9.0a: CUDA 11.8 does not know 9.0a'
    diff -r --no-dereference "$work/bound" again
    call "$hostpin" bind --refresh again --toolkit "$(cuda 11.8)" --capabilities 8.0
    exits 0
    "$hostpin" bind --refresh again >said
    grep -qF "root = \"$(cuda 11.8)\"" again/binding.toml
    grep -qF 'set(CMAKE_CUDA_ARCHITECTURES [[80]])' again/toolchain.cmake
    call "$hostpin" bind --refresh again --host "$host" # which CUDA 11.8 does not take
    exits 1
}
binding_anew_without_a_list_says_so() {
    cp -r "$work/bound" again
    call "$hostpin" bind again --toolkit "$cuda" --stdenv "$host"
    exits 0
    says '^hostpin: note: again was bound for the GPUs 8.0;9.0a, and the new binding has none'
}
# refuses ARGUMENT...: an option that would have no effect is refused, with what to do instead
refuses() {
    call "$hostpin" "$@"
    exits 2
    prints_nothing
    says '^hostpin: error: ' '^hint: '
}
nothing_is_ignored() {
    refuses env --bound "$work/bound" --toolkit "$cuda"
    refuses env --bound ""
    refuses env --allow-unsupported
    refuses env --toolkit ""
    refuses env --host ""
    refuses explain --bound "$work/bound" --host g++ -- -c x.cu
    refuses explain --bound "" -- -c x.cu
    refuses capabilities --no-forward-compatibility
    refuses capabilities --toolkit "" 8.0
    says "'' \\(--toolkit\\) is an empty name"
    cd "$cuda/bin"
    call "$hostpin" env --toolkit .. --shell sh
    cd - >/dev/null
    exits 0
    grep -q "^export HOSTPIN_TOOLKIT=/.*/bin/..$" "$out"
}
without_a_list_nothing_is_said() {
    "$hostpin" bind plain --toolkit "$cuda" --stdenv "$host" >said
    ! grep -qE 'ARCH|GENCODE|capabilities' plain/toolchain.cmake plain/binding.toml || fail "something is said of GPUs"
    "$hostpin" env --bound plain --shell sh >exports
    ! grep -qE 'ARCH|GENCODE' exports || fail "something is exported"
}
a_list_that_cannot_be_used_is_refused() {
    local list
    for list in "" 20.0 8.7\;8.0 sm_90 3.0; do
        call "$hostpin" bind refused --toolkit "$cuda" --stdenv "$host" --capabilities "$list"
        exits 1
        says '^hostpin: error: ' '^hint: '
        absent refused
    done
}

# Until CUDA 12.9 a Jetson runs programs of a platform of its own.
jetsons_stand_alone() {
    need_cross
    [ -d "$cross_toolkit/targets/aarch64-linux" ] || skip 'no cross compiler for aarch64'
    case $release in 13.*) skip 'from CUDA 13.0 on, Jetsons run the programs of other machines' ;; esac
    call "$hostpin" bind jetson --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --target linux-aarch64 --capabilities '7.2;8.7'
    exits 0
    same "$(sed -n 's/^CUDAARCHS = //p' jetson/binding.toml)" '"72-real;87"'
    call "$hostpin" bind other --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --target linux-aarch64 --capabilities '8.6;8.7'
    exits 1
    says '8\.6: no Jetson has it, and linux-aarch64 is for Jetsons alone'
    call "$hostpin" bind other --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --target linux-sbsa --capabilities '8.0;8.7'
    exits 1
    says '8\.7: a Jetson, and linux-sbsa of this release is for other machines'
    call "$hostpin" bind other --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --target linux-sbsa --capabilities native
    exits 1
    says 'native means the GPUs of this machine'
    PATH=$PWD/jetson:$PATH call "$hostpin" doctor
    prints_target
}
prints_target() { grep -qE '^ +target +aarch64-linux-gnu ' "$out" || fail "doctor prints no target: $(cat "$out")"; }

it "a build contains what was bound" of devicecode a_build_holds_what_was_bound
it "the command line wins" of devicecode the_command_line_wins
it "the variable CUDAARCHS wins" of devicecode the_variable_wins
it "the project wins" of devicecode the_project_wins
it "the shell gets the list" of devicecode the_shell_is_told
it "a variable that is set stays" a_variable_that_is_set_stays
it "what the list affects is printed" where_the_list_reaches_is_told
it "refreshing keeps the list" refreshing_keeps_the_list
it "refreshing takes other names" refreshing_takes_other_names
it "binding again without a list prints a note" binding_anew_without_a_list_says_so
it "nothing is ignored" nothing_is_ignored
it "without a list nothing is printed" without_a_list_nothing_is_said
it "a list that cannot be used is refused" a_list_that_cannot_be_used_is_refused
it 'a target for Jetsons takes no other GPUs, and other targets take no Jetsons' jetsons_stand_alone
finish
