#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a plan decides without running it, compared with nvcc. A release of the toolkit is replayed: CUDA 13.0 is added to a matrix of CUDA 12.4
# that has results, with two lists of GPUs, one of them of GPUs that 13.0 has dropped. At least 60 % of the cells are decided and not run, not
# even as a check, and nvcc itself, called without hostpin, does what each decision says.
# C libraries that a toolkit does not take are decided too.
#   replay.sh [WORDS]   only the cases whose sentence contains WORDS; with HOSTPIN_FULL=1 all host compilers of the lab, those with a newer C library as well (some minutes)
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_command python3
only=${1:-}
need_cuda 12.4
need_cuda 13.0
older=$(cuda 12.4) newer=$(cuda 13.0)
hosts=(g++-13 g++-16 clang++-22 g++-15-newglibc)
if [ "$full" = 1 ]; then
    hosts=(g++-{9,10,11,12,13,14,15,16} clang++-{13,14,15,16,17,18,19,21,22} g++-{13,14,15,16}-newglibc)
fi
need_lab "${hosts[@]/#/bin/}"

write_matrix() { # TOOLKIT...
    cat >matrix.toml <<TOML
[axes]
toolkit = [$(quoted "$@")]
host = [$(quoted "${hosts[@]}")]
gpus = ["7.0", "9.0"]
[project.kernel]
source = "source"
build = "\$CUDACXX -arch=sm_\${GPUS%.*}\${GPUS#*.} -c \$SOURCE/kernel.cu -o kernel.o"
TOML
}
# does TOOLKIT HOST [OPTION...]: what nvcc does.
does() { if "$1/bin/nvcc" -ccbin "$2" "${@:3}" -c source/kernel.cu -o truth.o >truth.log 2>&1; then echo compiles; else echo refuses; fi; }

replayed() {
    local check planned result root host gpu id says decided=0 checks=0 all=0
    mkdir source
    echo '__global__ void kernel(int* out) { *out = 1; }' >source/kernel.cu
    write_matrix "$older"
    plan plan
    run_all plan results
    write_matrix "$older" "$newer"
    plan plan --from-results results
    while read -r check planned result root host gpu id; do
        all=$((all + 1))
        case $check/$planned in
        True/*) says=refuses checks=$((checks + 1)) ;;
        -/run) # of the new release only what it takes
            same "$id: $root" "$id: $newer"
            continue
            ;;
        -/cannot) says=refuses decided=$((decided + 1)) ;;
        -/same)
            same "$id: $(json "results/$result" state)" "$id: passed"
            says=compiles decided=$((decided + 1))
            ;;
        esac
        same "$id: $(does "$root" "$host" "-arch=sm_${gpu/./}")" "$id: $says"
    done < <(cells plan check planned result toolkit host gpus id)
    echo "$all cells: $decided decided without a run, $checks run as checks of a decision, all as nvcc does"
    [ $((decided * 100)) -ge $((all * 60)) ] || fail 'fewer than 60 % are decided'
}

c_libraries() {
    need_lab bin/clang++-17 roots/trixie
    local root=$lab/roots/trixie id
    mkdir source
    echo '__global__ void kernel(int* out) { *out = 1; }' >source/kernel.cu
    cat >source/main.cpp <<'CPP'
#include <gnu/libc-version.h>
#include <cstdio>
int main() { return std::puts(gnu_get_libc_version()) < 0; }
CPP
    cat >matrix.toml <<TOML
[axes]
toolkit = ["$older", "$newer"]
stdenv = ["clang++-17"]
c_library = ["/", "$root"]
[project.kernel]
source = "source"
build = """
\$CUDACXX -c \$SOURCE/kernel.cu -o kernel.o
\$CXX \$SOURCE/main.cpp -o main"""
test = "\$C_LIBRARY/lib64/ld-linux-x86-64.so.2 --library-path \$C_LIBRARY/lib/x86_64-linux-gnu ./main"
TOML
    plan plan
    contains 'glibc 2.41 and the toolkit declare cospi' <plan/plan.json
    same "cannot be bound: $(cells plan id reason | sed -n 's/ [^-].*//p')" "cannot be bound: $(cell_of "$older" "$root")"
    same "of the older: $(does "$older" clang++-17 -Xcompiler "--sysroot=$root")" 'of the older: refuses'
    id=$(cell_of "$newer" "$root")
    call "$hostpin" matrix run plan --cell "$id" -o "results/$id.json"
    exits 0
    contains '^2\.41$' <"results/$id.log"
    id=$(cell_of "$older" "$root")
    call "$hostpin" matrix run plan --cell "$id" -o "results/$id.json"
    exits 1
    same "$(json "results/$id.json" state)" cannot
    same "$(json "results/$id.json" cause kind)" c-library
    call "$hostpin" matrix merge results -o now.json
    exits 0
    contains '1 passed, 1 cannot (c-library 1)' <"$out"
}
# cell_of TOOLKIT ROOT: its name.
cell_of() { cells plan toolkit c_library id | sed -n "s,^$1 $2 ,,p"; }

it 'a new release of the toolkit runs only what it may change' replayed
it 'a C library that a toolkit does not take is decided without a run, and a cell of another one has it' c_libraries
finish
