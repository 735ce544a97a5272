#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mutations.sh RELEASE [WORDS]: hostpin fatbin slim, merge and repack on damaged libraries of each linker: they are refused with a message,
# or the output loads where the input does, and is proved. 50 mutations; 10,000, also with packed relocations and by mold, with HOSTPIN_FULL=1.
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
only=${2:-}
need_command python3 readelf
case $release in 11.*) gpus=(70 80 86) ;; *) gpus=(80 86 90) ;; esac
gpu() { echo "${1::-1}.${1: -1}"; }
linkers=("$HOME/.cache/hostpin/lab/linkers" "${HOSTPIN_LAB:-}/linkers")

cat >"$work/part.cu" <<'CU'
template <int I> __global__ void scale(float *p, int n) {
    for (int i = 0; i < n; ++i) p[i] = sinf(p[i]) * p[n - i * I];
}
__device__ int table[64];
extern "C" void START() {
    scale<N><<<1, 1>>>(nullptr, 0);
    scale<N + 1><<<1, 1>>>(nullptr, 0);
}
CU
cat >"$work/load.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **arguments) {
    alarm(20);
    if (count > 1 && dlopen(arguments[1], RTLD_NOW)) _exit(0);
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
}
C
cxx=$(PATH=$plain_path command -v c++) || skip "no c++" # the linkers load plug-ins only of this one
export LD_LIBRARY_PATH=$toolkit/lib64

# objects NAME GPU...: NAME.first.o and NAME.second.o.
objects() {
    local name=$1 flags=() each
    shift
    for each in "$@"; do flags+=(-gencode "arch=compute_$each,code=sm_$each"); done
    for each in first second; do
        "$toolkit/bin/nvcc" -ccbin "$host" -Wno-deprecated-gpu-targets "${flags[@]}" -DSTART="$each" -DN=${#each} -Xcompiler -fPIC \
            -c "$work/part.cu" -o "$work/$name.$each.o"
    done
}
make_objects() {
    "$host" -x c "$work/load.c" -o "$work/load" -ldl
    objects file "${gpus[0]}" "${gpus[1]}"
    objects more "${gpus[2]}"
}
prepare=make_objects

link() { # OBJECTS FILE OPTION...
    local name=$1 file=$2
    shift 2
    "$cxx" -Bld/ -shared "$work/$name.first.o" "$work/$name.second.o" -o "$file" -L"$toolkit/lib64" -lcudart "$@"
}
damaged_libraries_are_refused_or_right() { # LINKER FIRST [OPTION...]
    local found name=$1 first=$2 directory count=25
    shift 2
    found=$(PATH=$plain_path command -v "ld.$name" || PATH=$plain_path command -v "$name" || true)
    for directory in "${linkers[@]}"; do
        [ -n "$found" ] || found=$(compgen -G "$directory/$name-*" || true)
    done
    found=${found%%$'\n'*}
    [ ! -d "$found" ] || found=$(find "$found" -not -type d '(' -name "$name" -o -name "ld.$name" ')' | sed -n 1p)
    [ -n "$found" ] || skip "no $name"
    mkdir ld
    ln -s "$found" ld/ld
    link file library.so "$@" 2>err || fail "$name: $(cat err)"
    if grep -e pack-relative-relocs err; then skip "$name packs no relocations"; fi
    link more more.so "$@"
    if [ "$name" = mold ]; then readelf -p .comment library.so | contains mold || fail 'mold did not link it'; fi
    "$work/load" ./library.so || fail 'the library does not load'
    call "$hostpin" fatbin slice more.so --gpu "$(gpu "${gpus[2]}")" -o more.slice
    exits 0
    if [ "$full" = 1 ]; then count=2500; fi
    limit_memory 8000000
    cd "$work" # where HOSTPIN_KEEP=1 keeps what breaks a rule
    python3 "$repository/tests/e2e/fatbin/mutations.py" "$hostpin" "$work/load" case/library.so case/more.slice "$(gpu "${gpus[1]}")" \
        "$(gpu "${gpus[0]}")" "$first" $count 2 | tee "counts.$first"
}
it 'bfd: damaged libraries are refused, or the output loads and is proved' damaged_libraries_are_refused_or_right bfd 0
it 'lld: the same' damaged_libraries_are_refused_or_right lld 10000
seldom 'bfd: the same, with packed relative relocations' damaged_libraries_are_refused_or_right bfd 20000 -Wl,-z,pack-relative-relocs
seldom 'mold: the same' damaged_libraries_are_refused_or_right mold 30000
finish
