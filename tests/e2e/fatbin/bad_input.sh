#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is no good input is told, with exit code 2, and never crashes or hangs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin

# bytes HEXADECIMAL...
# shellcheck disable=SC2059 # the format is what is to be written
bytes() { printf "$(printf '\\x%s' "$@")"; }
# One fatbin with a cubin for 8.0 and nothing in it.
write_fatbin() {
    {
        bytes 50 ed 55 ba 01 00 10 00 48 00 00 00 00 00 00 00
        bytes 02 00 01 01 40 00 00 00 08 00 00 00 00 00 00 00
        bytes 00 00 00 00 00 00 00 00 07 00 01 00 50 00 00 00
        head -c 40 /dev/zero
    } >"$1"
}
fatbin() { call timeout 20 "$hostpin" fatbin "$@"; }

every_cut_is_told() {
    write_fatbin whole
    fatbin whole --no-forward-compatibility --expect 8.0
    exits 0
    local size
    for size in $(seq 0 $(($(stat -c %s whole) - 1))); do
        head -c "$size" whole >part
        fatbin part
        if [ "$size" = 1 ]; then exits 0; else exits 2; fi # one byte is no fatbin yet
    done
}
a_cut_object_is_told() {
    need_command gcc objcopy
    write_fatbin device
    echo 'int x;' >x.c
    gcc -c x.c -o plain.o
    objcopy --add-section .nv_fatbin=device plain.o x.o
    fatbin x.o --no-forward-compatibility --expect 8.0
    exits 0
    local size whole
    whole=$(stat -c %s x.o)
    for ((size = 2; size < whole; size += 37)); do
        head -c "$size" x.o >cut.o
        fatbin cut.o
        exits 2
    done
}
sparse_files_cost_nothing() {
    truncate -s 10G zeros
    fatbin zeros
    exits 0
    write_fatbin big.fatbin
    truncate -s 10G big.fatbin
    fatbin big.fatbin
    exits 2
    says 'something else than fatbins'
    printf '!<arch>\n' >libbig.a
    truncate -s 10G libbig.a
    fatbin libbig.a
    exits 2
}
what_cannot_be_read_is_told() {
    mkfifo fifo
    for file in fifo absent /dev/null; do
        fatbin "$file"
        exits 2
        says "^hostpin: error: $file: "
    done
    call "$hostpin" fatbin
    exits 2
}
trees_end() {
    mkdir -p tree/deep
    ln -s .. tree/deep/loop
    ln -s loop tree/loop
    mkfifo tree/fifo
    write_fatbin tree/deep/x.fatbin
    fatbin tree
    exits 0
    contains '^tree/deep/x.fatbin: fatbin of ' <"$out"
    fatbin tree/deep/loop tree
    exits 0
    mkdir empty
    fatbin empty
    exits 0
    fatbin empty --expect 8.0
    exits 1
    says 'no device code here at all'
}
lists_that_are_wrong_are_told() {
    write_fatbin x.fatbin
    local list
    for list in "" ";" "8.0;8.0" 9 9.0.0 sm_90 90a $'\u0668.\u0660' 8.1 "8.0;all" "8.7;8.0"; do
        fatbin x.fatbin --expect "$list"
        exits 2
        says '^hostpin: error: '
        prints_nothing
    done
}

it "a fatbin that is cut at any byte is told" every_cut_is_told
it "an object that is cut is told" a_cut_object_is_told
it "sparse files of 10 GB cost nothing" sparse_files_cost_nothing
it "what cannot be read is told" what_cannot_be_read_is_told
it "trees with loops, FIFOs and nothing in them come to an end" trees_end
it "lists that are wrong are told" lists_that_are_wrong_are_told
finish
