#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2016 # arguments that no shell may expand
# Slices in real builds: CMake, make's jobserver, caches in front, and tasks that another engine runs.
# shellcheck source=tests/e2e/slices/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
only=${1:-}

write_project() { # two sources with device code in a program; CMake identifies one language sooner than two
    local each
    mkdir project
    for each in one two; do printf '__global__ void kernel_%s(int *p) { *p = 1; }\nvoid %s() { kernel_%s<<<1, 1>>>(nullptr); }\n' "$each" "$each" "$each" >"project/$each.cu"; done
    printf 'void two();\nint main() { one(); two(); }\n' >>project/one.cu
    cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CUDA)
add_executable(p one.cu two.cu)
set_target_properties(p PROPERTIES CUDA_SEPARABLE_COMPILATION ${RDC})
CMAKE
}
configure() { # DIRECTORY GPUS [OPTION...]
    cmake -S project -B "$1" -G "${generator:-Ninja}" -DCMAKE_CUDA_COMPILER="$PWD/sliced/nvcc" "-DCMAKE_CUDA_ARCHITECTURES=$2" -DRDC=OFF "${@:3}"
}
cmake_project() {
    need_command cmake ninja
    use 12.4
    write_project
    configure build "$older-real;$newer"
    forget_calls
    cmake --build build
    same "$(ran) $(reused)" '8 0'
    configure build "$older-real;$newer;$third-real"
    forget_calls
    cmake --build build
    same "$(ran) $(reused)" '4 8'
    cmake --build build | contains -i 'no work to do' || fail 'something is built again'
    touch project/one.cu && forget_calls && cmake --build build
    same "$(ran) $(reused)" '0 6'
    "$hostpin" fatbin build/p | contains -E "^ *${third:0:1}\\.${third:1} +machine code .* 2 of 2 fatbins" || fail 'the third GPU is missing'
    configure build "$older-real" -DRDC=ON
    rm build/p
    cmake --build build
    [ -x build/p ] || fail 'no program'
}
counted() {
    need_command make
    use 12.4
    write_small_source a.cu
    cp a.cu b.cu
    printf 'all: a.fatbin b.fatbin\n%%.fatbin: %%.cu\n\t+%s/sliced/nvcc %s -fatbin $< -o $@\n' "$PWD" "${three[*]/code=[/code=\\[}" >Makefile
    sed -i 's/\[\(sm_[0-9]*\),compute_[0-9]*\]/\1/; s/\\//g' Makefile
    make -j2
    same "$(ran)" 12
    if [ ! -s a.fatbin ] || [ ! -s b.fatbin ]; then fail 'no fatbins'; fi
    # the jobserver has its tokens back: a second make at the same time would hang otherwise
    rm -rf store/slices/* a.fatbin && timeout 600 make -j1
}
behind() { # CACHE
    need_command "$1"
    use 12.4
    write_small_source a.cu
    local one=("-arch=sm_$newer")
    export CCACHE_DIR=$PWD/ccache SCCACHE_DIR=$PWD/sccache SCCACHE_IDLE_TIMEOUT=600
    if [ "$1" = sccache ]; then trap 'sccache --stop-server >/dev/null 2>&1 || true' EXIT && start_sccache sccache; fi
    "$1" sliced/nvcc "${one[@]}" -c a.cu -o a.o
    mv a.o first.o
    "$1" sliced/nvcc "${one[@]}" -c a.cu -o a.o
    cmp a.o first.o
    if [ "$1" = ccache ]; then
        plain/nvcc "${one[@]}" -c a.cu -o plain.o
        ccache --print-stats | grep -E '^(direct|preprocessed)_cache_hit' | contains -E '[1-9]' || fail 'no hit'
        same "$(masked a.o)" "$(masked plain.o)"
    fi
}
listed() {
    use 12.4
    write_small_source a.cu
    sliced/nvcc "${two[@]}" -c a.cu -o a.o
    call "$hostpin" slices store --time
    exits 0
    grep -qE "^$PWD/a.cu +sm_$older +[0-9.]+ +[0-9.]+ +- +[0-9.]+ +made$" "$out" || { show_call; fail 'no such line'; }
    "$hostpin" slices store --json >slices.json
    same "$(json slices.json slices 0 gpu)" "sm_$older"
    same "$(json slices.json slices 1 reused)" OFF
    call "$hostpin" slices .
    exits 2
    says 'contains no slices' 'hostpin bind --slices'
}
# recorded: a store that knows two calls and has no slices.
recorded() {
    use 12.4
    if [ -d "$work/recorded" ]; then
        cp -a "$work/recorded/." .
        return
    fi
    mkdir 'with space'
    write_kernels 'with space/a.cu'
    write_small_source 'with space/b.cu'
    (cd 'with space' && for each in a b; do ../sliced/nvcc "${two[@]}" '-DTEXT="a $b '"'"' c"' -c $each.cu -o $each.o && mv $each.o $each.before; done)
    rm store/slices/*
    mkdir "$work/recorded"
    cp -a store 'with space' "$work/recorded/"
}
by_make() {
    need_command make
    recorded
    "$hostpin" slices store --emit make >tasks.mk
    make -f tasks.mk -j2 slices
    absent 'with space/a.o'
    same "$(find store/slices -type f | wc -l)" 8
    make -f tasks.mk -j2
    same "$(ran) $(reused)" '0 8'
    for each in a b; do cmp "with space/$each.o" "with space/$each.before"; done
}
by_slurm() {
    recorded
    "$hostpin" slices store --emit slurm >tasks.sh
    same "$(sed -n 's/^#SBATCH --array=//p' tasks.sh)" 0-3
    for task in 3 1 0 2; do SLURM_ARRAY_TASK_ID=$task sh tasks.sh; done
    (cd 'with space' && for each in a b; do ../sliced/nvcc "${two[@]}" '-DTEXT="a $b '"'"' c"' -c $each.cu -o $each.o; done)
    same "$(ran) $(reused)" '0 8'
}
by_nix() {
    # shellcheck source=tests/e2e/nix/lib.sh
    . "$repository/tests/e2e/nix/lib.sh"
    need_nix
    recorded
    new_store "$PWD/nix"
    "$hostpin" slices store --emit nix >tasks.nix
    call nix-build --no-out-link tasks.nix -A calls
    exits 0
    mapfile -t made <"$out"
    same "${#made[@]}" 2
    # names depend on the path of the source
    for each in a b; do
        (cd nix/store/*-source && "$work/case/plain/nvcc" "${two[@]}" '-DTEXT="a $b '"'"' c"' -c $each.cu -o "$work/case/$each.o")
        same "$(masked "$(ls nix/store/*-call/$each.o)")" "$(masked $each.o)"
    done
    local records=(nix/store/*-call/.slices)
    contains '"reused":true' <"${records[0]}" || fail 'the join made slices'
    ! contains '"reused":false' <"${records[0]}" || fail 'the join made slices again'
}

it 'a project of CMake: another GPU makes its own slices, and what is up to date stays so' cmake_project
it 'tasks of calls under make share its jobserver and return its tokens' counted
it 'behind ccache the object is the same, and the second call a hit' behind ccache
it 'behind sccache the second object is the same' behind sccache
it 'hostpin slices lists what each source and GPU cost' listed
it 'make runs the recorded tasks, and joins them' by_make
it 'a Slurm array has a task for each source and GPU, in any order' by_slurm
it 'Nix builds each source and GPU once, and joins them' by_nix
finish
