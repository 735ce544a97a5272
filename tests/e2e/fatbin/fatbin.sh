#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fatbin.sh RELEASE: what hostpin fatbin says of what a toolkit's nvcc made, held against NVIDIA's own cuobjdump and nvprune.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
release=$1
need_cuda "$release"
toolkit=$(cuda "$release")
case $release in
11.*) host=g++-9 flags=(-gencode 'arch=compute_70,code=sm_70' -gencode 'arch=compute_80,code=[sm_80,compute_80]') list="7.0;8.0" ;;
12.*) host=g++-12 flags=(-gencode 'arch=compute_80,code=sm_80' -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]') list="8.0;9.0a+ptx" ;;
*) host=g++-13 flags=(-gencode 'arch=compute_80,code=sm_80' -gencode 'arch=compute_90a,code=sm_90a'
    -gencode 'arch=compute_100f,code=[sm_100f,compute_100f]') list="8.0;9.0a;10.0f+ptx" ;;
esac
need_lab "bin/$host"
# 13.0 comes without one here; that of 12.4 reads what it writes, but for the letters of newer variants.
cuobjdump=$toolkit/bin/cuobjdump nvprune=$toolkit/bin/nvprune
if [ ! -x "$cuobjdump" ]; then cuobjdump=$(cuda 12.4)/bin/cuobjdump nvprune=; fi

cat >"$work/a.cu" <<'CU'
#include <cstdio>
__global__ void kernel(float *p, int n) {
    for (int i = 0; i < n; ++i) p[i] += p[n - i] * sinf(p[i]);
    if (n == 7) printf("%d\n", n);
}
int main() { kernel<<<1, 1>>>(nullptr, 0); }
CU
nvcc() { "$toolkit/bin/nvcc" -ccbin "$lab/bin/$host" "$@" "$work/a.cu"; }
fatbin() { "$hostpin" fatbin "$@"; }

# `elf 8.0`, `ptx 9.0a`, `nvvm 8.0`, each once.
ours() {
    fatbin "$1" | sed -nE 's/^  ([0-9.]+[af]?) +(machine code|PTX ISA|LTO-IR) .*/\2 \1/p' |
        sed -e 's/^machine code/elf/' -e 's/^PTX ISA/ptx/' -e 's/^LTO-IR/nvvm/' | sort -u
}
theirs() {
    "$cuobjdump" "$1" 2>/dev/null | sed -nE 's/^Fatbin ([a-z]+) code:$/\1/p; s/^arch = sm_([0-9]+)([0-9])([af]?)$/\1.\2\3/p' |
        paste -d ' ' - - | sort -u
}
# agrees_with_cuobjdump ARGUMENT...: of the object that nvcc makes by these arguments.
agrees_with_cuobjdump() {
    nvcc "$@" -o made
    theirs made >their_list
    test -s their_list
    if [ "$release" = 13.0 ]; then sed -i 's/10[.]0$/10.0f/' their_list; fi
    ours made >our_list
    diff their_list our_list
}

# The leak check opens the same entries; it counts what a tree holds, each file once.
leak_check_shows_the_same() {
    mkdir tree
    nvcc "${flags[@]}" -o tree/program
    nvcc "${flags[@]}" -c -o tree/a.o
    ar rc tree/liba.a tree/a.o
    fatbin tree --json | python3 -c 'import json, sys
for code in json.load(sys.stdin)["codes"]: print(*(code[key] for key in ("capability", "code", "entries", "bytes")))' | sort >expected
    test -s expected
    "$hostpin" leak-check tree --no-binding --json >report.json || true
    python3 -c 'import json
for code in json.load(open("report.json"))["capabilities"]: print(*(code[key] for key in ("capability", "code", "entries", "bytes")))' | sort >got
    diff expected got
    "$hostpin" leak-check tree --no-binding | contains '^device code: '
}

holds_what_was_asked_for() {
    nvcc "${flags[@]}" -c -o a.o
    call "$hostpin" fatbin a.o --expect "$list"
    exits 0
    call "$hostpin" fatbin a.o --expect "$list" --json
    exits 0
    same "$(json "$out" files 0 comparison agrees)" ON
    call "$hostpin" fatbin a.o --expect "7.5;$list"
    exits 1
    says 'missing: 7.5 machine code' '^hint: build it again with .*-gencode=arch=compute_75,code=sm_75 '
}

surplus_is_told_with_the_command_that_removes_it() {
    nvcc "${flags[@]}" -c -o a.o
    ar rcs libx.a a.o
    for file in a.o libx.a; do
        call "$hostpin" fatbin $file --no-forward-compatibility --expect 8.0
        exits 1
        says 'not asked for: .* machine code' "^hint: nvprune -gencode=arch=compute_80,code=sm_80 $file -o $file.pruned$"
        if [ -z "$nvprune" ]; then continue; fi
        command=$(sed -n 's/^hint: nvprune //p' "$err")
        # shellcheck disable=SC2086 # it is a command for a shell
        "$nvprune" $command
        call "$hostpin" fatbin $file.pruned --no-forward-compatibility --expect 8.0
        exits 0
    done
}
# Pruned to what only some fatbins hold, a file would lose the kernels of the others.
nothing_is_pruned_to_what_only_some_hold() {
    nvcc -gencode=arch=compute_80,code=sm_80 -c -o one.o
    nvcc "${flags[@]}" -gencode=arch=compute_75,code=sm_75 -c -o more.o
    ar rcs libx.a one.o more.o
    call "$hostpin" fatbin libx.a --no-forward-compatibility --expect 7.5
    exits 1
    says '^hint: build it again with '
    says_not nvprune
}

programs_and_libraries_are_read() {
    if [ ! -e "$toolkit/lib64/libcudart_static.a" ]; then skip "no libcudart_static.a in $toolkit"; fi
    nvcc "${flags[@]}" -o program
    call "$hostpin" fatbin program --expect "$list"
    exits 0
    contains '^program: program of ' <"$out"
    strip program
    call "$hostpin" fatbin program --expect "$list"
    exits 0
    nvcc "${flags[@]}" -shared -Xcompiler -fPIC -o libx.so
    call "$hostpin" fatbin libx.so --expect "$list"
    exits 0
    contains '^libx.so: shared library of ' <"$out"
    call "$hostpin" fatbin libx.so --expect 8.0
    exits 1
    says '^hint: build it again with '
}

raw_files_are_read() {
    nvcc "${flags[@]}" -fatbin -o a.fatbin
    call "$hostpin" fatbin a.fatbin --expect "$list"
    exits 0
    nvcc -arch=sm_80 -cubin -o a.cubin
    nvcc -arch=sm_80 -ptx -o a.ptx
    same "$(ours a.cubin)" "elf 8.0"
    same "$(ours a.ptx)" "ptx 8.0"
    if [[ $release == 1[23].* ]]; then
        nvcc -arch=sm_90a -cubin -o v.cubin
        nvcc -arch=sm_90a -ptx -o v.ptx
        same "$(ours v.cubin)" "elf 9.0a"
        same "$(ours v.ptx)" "ptx 9.0a"
    fi
    if [[ $release == 13.* ]]; then
        nvcc -arch=sm_100f -cubin -o f.cubin
        same "$(ours f.cubin)" "elf 10.0f"
    fi
}

# PTX loses its comments on the way into a fatbin, so that only machine code can be compared to the byte.
sizes_are_those_of_nvccs_own_files() {
    mkdir kept
    nvcc -gencode 'arch=compute_80,code=[sm_80,compute_80]' -Xfatbin -compress-all -keep -keep-dir kept -c -o a.o
    call "$hostpin" fatbin a.o --json
    exits 0
    same "$(json "$out" files 0 codes 1 code)" cubin
    same "$(json "$out" files 0 codes 1 unpacked)" "$(stat -c %s kept/a*.cubin)"
    told=$(json "$out" files 0 codes 0 unpacked)
    written=$(stat -c %s kept/a*.ptx)
    if [ "$told" -gt "$written" ] || [ "$told" -lt $((written / 2)) ]; then fail "PTX: $told told, $written written"; fi
}

for how in "" "-g -G" "-Xfatbin -compress-all" "--no-compress"; do
    read -ra words <<<"$how"
    it "an object agrees with cuobjdump ${how:+(}$how${how:+)}" agrees_with_cuobjdump "${flags[@]}" "${words[@]}" -c
done
it "a relocatable object with LTO-IR agrees with cuobjdump" \
    agrees_with_cuobjdump -gencode 'arch=compute_75,code=sm_75' -gencode 'arch=compute_80,code=lto_80' -dc
it "an object holds what was asked for, and says what is missing" holds_what_was_asked_for
it "the leak check shows the same" leak_check_shows_the_same
it "surplus is told with the command that removes it" surplus_is_told_with_the_command_that_removes_it
it "nothing is pruned to what only some fatbins hold" nothing_is_pruned_to_what_only_some_hold
it "programs and libraries are read" programs_and_libraries_are_read
it "raw files are read" raw_files_are_read
it "sizes are those of nvcc's own files" sizes_are_those_of_nvccs_own_files
finish
