#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each compiler of the lab with each CUDA compiler of NVIDIA's wheels. compilers.csv has what was measured: hostpin's verdict, and
# whether nvcc compiles. In CI all verdicts are compared with it, and pairs that differ from their neighbours are compiled again.
#   compilers.sh [WORDS]    only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: every pair is compiled
#   compilers.sh --write    compiles all, and writes compilers.csv
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}
releases=(13.0 13.1 13.2 13.3 13.4 13.5)
measured=$repository/tests/e2e/pip/compilers.csv

all_wheels() {
    local release
    need_lab bin/g++-13
    need_command python3
    for release in "${releases[@]}"; do need_wheels "$release"; done
    mapfile -t compilers < <(cd "$lab/bin" && printf '%s\n' g++-* clang++-* | sort -V)
}

# verdicts RELEASE COMPILER...: a line `CUDA,COMPILER,VERDICT` for each compiler.
verdicts() {
    only_compilers "${@:2}"
    call "$hostpin" doctor --toolkit "$(wheels_of "$1")" --stdenv "$lab/bin/g++-13" --json
    exits 0
    python3 - "$out" "$@" <<'PY'
import json, os, sys
found = {os.path.basename(each["driver"]): each["verdict"] for each in json.load(open(sys.argv[1]))["candidates"]}
for name in sys.argv[3:]:
    print(sys.argv[2], os.path.basename(name), found[os.path.basename(name)], sep=",")
PY
}
# compile RELEASE COMPILER: `yes`, or what the first error is about.
compile() {
    local output
    output=$(mktemp "$work/compiled.XXXXXX")
    if "$(wheels_of "$1")/bin/nvcc" -ccbin "$lab/bin/$2" -arch=sm_80 -c "$work/program.cu" -o "$output" >"$output.log" 2>&1; then
        echo yes
    else
        grep -m 1 -E 'error|fatal' "$output.log" | sed -E 's/^.*(error|fatal)[^:]*: *//; s/^(#error )?-- //; s/!.*//; s/[",]//g' | cut -c 1-70
    fi
}
# row LINE: of `verdicts`, with what nvcc does.
row() {
    local cuda name
    IFS=, read -r cuda name _ <<<"$1"
    echo "$1,$(compile "$cuda" "$name")"
}
write_program() {
    cat >"$work/program.cu" <<'CU'
#include <cmath>
#include <string>
__global__ void scale(int n, float a, float *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = std::sqrt(a * x[i]);
}
int main(int argc, char **argv) {
    scale<<<1, 256>>>(0, 2.0f, nullptr);
    return std::string(argv[0]).empty();
}
CU
}
# all_verdicts: a line for each pair.
all_verdicts() {
    local release
    for release in "${releases[@]}"; do verdicts "$release" "${compilers[@]}"; done >lines
}
# compiled LINES: a row for each line of that file, sorted.
compiled() {
    write_program
    export work lab
    export -f compile row wheels_of
    # shellcheck disable=SC2016 # the shell of xargs
    xargs -a "$1" -d '\n' -P "$(nproc)" -I{} bash -c 'row "$1"' row {} | sort -t, -k1,1 -k2,2V
}
rows_of() { grep -vE '^(#|cuda,)' "$1" | sort -t, -k1,1 -k2,2V; }
# edges: rows of compilers.csv with another verdict than that of the next or the previous release, and than a neighbour of the
# same family. All others are between pairs that behave alike.
edges() {
    python3 - "$measured" <<'PY'
import csv, re, sys
rows = list(csv.reader(line for line in open(sys.argv[1]) if not line.startswith("#")))[1:]
releases, names = sorted({row[0] for row in rows}), [row[1] for row in rows if row[0] == rows[0][0]]
verdict = {(row[0], row[1]): row[2] for row in rows}
kind = lambda name: re.sub(r"[0-9]+", "", name)
def differs(row, release, name):
    return (release, name) in verdict and verdict[release, name] != row[2]
for row in rows:
    at = releases.index(row[0])
    alike = [name for name in names if kind(name) == kind(row[1])]
    i = alike.index(row[1])
    if any(differs(row, release, row[1]) for release in releases[max(at - 1, 0):at + 2]) and \
       any(differs(row, row[0], name) for name in alike[max(i - 1, 0):i + 2]):
        print(",".join(row))
PY
}
# agreement ROWS: how many verdicts are what nvcc does.
agreement() { awk -F, '{ agree += ($3 == "fits") == ($4 == "yes") } END { print agree " of " NR }' "$1"; }
verdicts_are_those_measured() {
    all_wheels
    all_verdicts
    rows_of "$measured" >expected
    diff <(cut -d, -f 1-3 expected) <(sort -t, -k1,1 -k2,2V lines)
    same "$(agreement expected)" "$(wc -l <lines) of $(wc -l <lines)"
}
compiles_as_measured() {
    all_wheels
    if [ "$full" = 1 ]; then rows_of "$measured"; else edges; fi >expected
    [ -s expected ] || fail 'no pair is at an edge'
    cut -d, -f 1-3 expected >lines
    compiled lines >rows
    diff <(sort -t, -k1,1 -k2,2V expected) rows
    echo "$(agreement rows) verdicts are what nvcc does" >"$work/figures"
}
write() {
    all_wheels
    cd "$work"
    all_verdicts
    compiled lines >rows
    {
        echo "# Written by compilers.sh --write: compilers of the lab with NVIDIA's wheels of nvcc on x86_64; hostpin's verdict, and"
        echo '# what nvcc does with a small program of C++ and CUDA: yes, or the text of its first error.'
        echo 'cuda,compiler,verdict,compiles'
        cat rows
    } >"$measured"
    echo "$(agreement rows) verdicts are what nvcc does"
}
if [ "$only" = --write ]; then
    write
    exit
fi

# libc++ on x86_64, by headers that only say which one they are.
libcxx() { # RELEASE LIBRARY VERDICT
    need_lab bin/clang++-19 bin/g++-13
    need_wheels "$1"
    mkdir libcxx
    printf '#define _LIBCPP_VERSION %s\n#include <stddef.h>\n' "$2" >libcxx/cstddef
    printf '#define _LIBCPP_VERSION %s\n#include_next <ctype.h>\n' "$2" >libcxx/ctype.h
    compiler clang++-libcxx "$lab/bin/clang++-19" -nostdinc++ -isystem "$PWD/libcxx"
    same "$(verdicts "$1" "$bin/clang++-libcxx")" "$1,clang++-libcxx,$3"
    echo '#include <crt/host_defines.h>' >x.cu
    call "$bin/clang++-libcxx" -E -x c++ -D__CUDACC__ "-I$(wheels_of "$1")/include" x.cu
    if [ "$3" = fits ]; then exits 0; else says 'libc\+\+ is not supported on x86'; fi
}
# container RELEASE: the version of the LTO-IR that it writes.
container() {
    awk -v wanted="\"$1\"" '/^\[\[/ { kind = $1 } $1 == "release" { release = $3 }
        kind == "[[cuda]]" && $1 == "container" && release == wanted { print $3 }' "$repository/toolchains/data/lto.toml"
}
# Each nvlink reads link-time code of its own release and of older ones. hostpin refuses what it does not read, except for code
# whose container has the same version.
readers() {
    local release each reader writer reads passes expected
    all_wheels
    device_sources
    for release in "${releases[@]}"; do
        "$hostpin" bind "$release" --toolkit "$(wheels_of "$release")" --host "$lab/bin/g++-13" --stdenv "$lab/bin/g++-13"
        for each in f k; do "$release/nvcc" -dc -gencode arch=compute_80,code=lto_80 "$each.cu" -o "$each.$release.o"; done
    done
    for reader in "${releases[@]}"; do
        for writer in "${releases[@]}"; do
            local link=("$reader/nvcc" -dlink -dlto -arch=sm_80 "k.$reader.o" "f.$writer.o" -o linked.o)
            reads=no passes=no
            if HOSTPIN_LTO=off "${link[@]}"; then reads=yes; fi
            if "$hostpin" lto-check -- "${link[@]}"; then passes=yes; fi
            expected=yes
            if [[ $writer > $reader ]]; then expected=no; fi
            same "$reader reads $writer: $reads" "$reader reads $writer: $expected"
            if [ "$(container "$reader")" = "$(container "$writer")" ]; then expected=yes; fi
            same "$reader may link $writer: $passes" "$reader may link $writer: $expected"
            echo "$reads $passes" >>pairs
        done
    done
    echo "nvlink reads $(grep -c '^yes' pairs) of $(wc -l <pairs) pairs; hostpin refuses $(grep -c 'no no' pairs) of the others" >"$work/figures"
}
device_sources() {
    echo '__device__ int f(int x) { return x * 3; }' >f.cu
    printf '%s\n' 'extern __device__ int f(int);' '__global__ void k(int *p) { *p = f(*p); }' >k.cu
}
# Every compression of nvcc is read, and what is in it is the same.
compressed() {
    local release=$1 mode modes=(none default size speed balance) gpu=(-gencode "arch=compute_80,code=[sm_80,compute_80]")
    need_wheels "$release"
    need_lab bin/g++-13
    printf '__device__ float table[4096] = {1, 2, 3};\n__global__ void k(float *p) { *p = table[threadIdx.x]; }\n' >k.cu
    for mode in "${modes[@]}"; do
        "$(wheels_of "$release")/bin/nvcc" -ccbin "$lab/bin/g++-13" "${gpu[@]}" -fatbin --compress-mode="$mode" k.cu -o "$mode"
        call "$hostpin" fatbin "$mode" --expect '8.0+ptx'
        exits 0
        call "$hostpin" fatbin prove none "$mode" --gpus 8.0
        exits 0
    done
}

# print_figures: of the last case that left some.
print_figures() {
    if [ -e "$work/figures" ]; then cat "$work/figures"; fi
    rm -f "$work/figures"
}

it 'the verdicts on all pairs are those that were measured' verdicts_are_those_measured
it 'what differs from the next pair compiles as measured' compiles_as_measured
print_figures
for release in "${releases[@]}"; do
    case $release in 13.[345]) usually=it ;; *) usually=seldom ;; esac # where it changed
    case $release in 13.[45]) newer=fits ;; *) newer=broken ;; esac
    "$usually" "CUDA $release takes libc++ 22 as its header does: $newer" libcxx "$release" 220108 "$newer"
    "$usually" "CUDA $release refuses libc++ 21" libcxx "$release" 210108 broken
done
seldom 'each nvlink reads device code of its own release and of older ones' readers
print_figures
for release in "${releases[@]}"; do
    case $release in 13.5) usually=it ;; *) usually=seldom ;; esac
    "$usually" "CUDA $release: fatbins of each compression are read" of devicecode compressed "$release"
done
finish
