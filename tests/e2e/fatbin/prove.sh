#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# prove.sh RELEASE [WORDS]: what `fatbin prove` proves of files of the toolkit's own tools, and what it finds in altered ones.
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
need_edge
only=${2:-}

# 0x5eadbeef is in the machine code, 0x51deca4e in the part for the host.
cat >"$work/marked.cu" <<'CU'
#include <cstdio>
extern "C" const unsigned host_mark[] = {0x51deca4eu, 1, 2};
__global__ void kernel(unsigned *p) { *p = 0x5eadbeefu; }
int main() { printf("%u\n", host_mark[0]); kernel<<<1, 1>>>(nullptr); }
CU
case $release in
11.*) old=7.0 new=8.0 ;;
*) old=8.0 new=9.0 ;;
esac
two=("-gencode=arch=compute_${old/./},code=sm_${old/./}" "-gencode=arch=compute_${new/./},code=[sm_${new/./},compute_${new/./}]")
one=("${two[1]}")
compile() { nvcc_once "${@:1:$#-1}" "$work/marked.cu" -o "${*: -1}"; }
prove() { call "$hostpin" fatbin prove "$@"; }
# marks FILE BYTES: the offsets of these bytes.
marks() { LC_ALL=C grep -aobP "$2" "$1" | cut -d : -f 1; }

an_object_after_nvprune_is_the_same_for_the_gpu_that_it_was_made_for() {
    [ -x "$toolkit/bin/nvprune" ] || skip "no nvprune in $toolkit"
    compile -c "${two[@]}" whole.o
    "$toolkit/bin/nvprune" -arch "sm_${new/./}" whole.o -o pruned.o
    prove whole.o pruned.o --gpus $new
    exits 0
    prove whole.o pruned.o --gpus "$old;$new"
    exits 1
    says "^  $old  fatbin 1: nothing instead of $old machine code$"
    says_not "^  $new "
    ar rcs whole.a whole.o
    "$toolkit/bin/nvprune" -arch "sm_${new/./}" whole.a -o pruned.a
    prove whole.a pruned.a --gpus $new
    exits 0
    prove whole.a pruned.a --gpus $old
    exits 1
    says "^  $old  whole.o: fatbin 1: nothing instead of $old machine code$"
}
compression_does_not_matter() {
    compile -fatbin "${two[@]}" --no-compress plain.fatbin
    compile -fatbin "${two[@]}" -Xfatbin=-compress-all packed.fatbin
    [ "$(stat -c %s plain.fatbin)" -gt "$(stat -c %s packed.fatbin)" ] || fail "nothing was compressed"
    for gpus in $old $new 12.0; do
        prove plain.fatbin packed.fatbin --gpus "$gpus"
        exits 0
        prove packed.fatbin plain.fatbin --gpus "$gpus"
        exits 0
    done
    damage plain.fatbin "$(marks plain.fatbin '\xef\xbe\xad\x5e' | sed -n 1p)"
    prove plain.fatbin packed.fatbin --gpus $old
    exits 1
    says "^  $old  fatbin 1: other $old machine code: its code, from byte 0x"
    prove plain.fatbin packed.fatbin --gpus $new
    exits 0
}
one_altered_byte_of_a_program_is_found() {
    compile "${two[@]}" --no-compress program
    prove program program --gpus "$old;$new;12.0"
    exits 0
    cp program altered
    damage altered "$(marks program '\xef\xbe\xad\x5e' | sed -n 1p)"
    prove program altered --gpus $new
    exits 0
    prove program altered --gpus $old --json
    exits 1
    same "$(json "$out" proven)" OFF
    same "$(json "$out" differences 0 gpu)" $old
    cp program altered
    damage altered "$(marks program '\x4e\xca\xde\x51' | sed -n 1p)"
    prove program altered --gpus $new
    exits 1
    says '^  [.][a-z._]* at 0x[0-9a-f]*: other bytes$'
}
code_for_fewer_gpus_is_not_the_same() {
    compile -fatbin "${two[@]}" two.fatbin
    compile -fatbin "${one[@]}" one.fatbin
    prove two.fatbin one.fatbin --gpus "$new;12.0"
    exits 0
    same "$(cat "$out")" "proven: one.fatbin gives GPUs $new;12.0 the same code in 1 fatbin"
    prove one.fatbin two.fatbin --gpus $old
    exits 1
    says "^  $old  fatbin 1: $old machine code instead of nothing$"
}
slimmed_program_is_the_same_for_the_gpus_that_it_is_kept_for() {
    compile "${two[@]}" --no-compress program
    "$hostpin" fatbin slim program --keep $new -o slimmed 2>log || { grep -qE 'linked|not built' log && skip "no slim of linked files"; }
    prove program slimmed --gpus $new
    exits 0
    prove program slimmed --gpus $old
    exits 1
    says "nothing instead of $old machine code$"
}
what_cannot_be_read_is_no_proof() {
    compile -fatbin "${one[@]}" whole.fatbin
    head -c -20 whole.fatbin >cut.fatbin
    prove whole.fatbin cut.fatbin --gpus $new
    exits 2
    says '^hostpin: error: the new file cannot be compared: a fatbin in it reaches past its end$'
    prove whole.fatbin absent --gpus $new
    exits 2
    says 'absent: No such file'
    for list in sm_90 9.0a 9.0+ptx 1.7 ''; do
        prove whole.fatbin whole.fatbin --gpus "$list"
        exits 2
        says '^hostpin: error: --gpus: '
    done
    prove whole.fatbin whole.fatbin --gpus $new --driver newest
    exits 2
    says '"newest" is not the version of an NVIDIA driver$'
}

it "an object after nvprune is the same for the GPU that it was made for" an_object_after_nvprune_is_the_same_for_the_gpu_that_it_was_made_for
it "the same code is proven however it is compressed" compression_does_not_matter
# The reader of files is the same for all toolkits.
if once; then
    it "one altered byte of a program is found, in code of a GPU and in that of the host" one_altered_byte_of_a_program_is_found
    it "code for fewer GPUs is not the same" code_for_fewer_gpus_is_not_the_same
    it "a slimmed program is the same for the GPUs that it is kept for" slimmed_program_is_the_same_for_the_gpus_that_it_is_kept_for
    it "what cannot be read is no proof" what_cannot_be_read_is_no_proof
fi
finish
