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
fatbin() { call timeout 120 "$hostpin" fatbin "$@"; }

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
    says 'something other than fatbins'
    printf '!<arch>\n' >libbig.a
    truncate -s 10G libbig.a
    fatbin libbig.a
    exits 2
}
what_cannot_be_read_is_told() {
    mkfifo fifo
    fatbin ""
    exits 2
    says "^hostpin: error: '': an empty name names no file$"
    for file in fifo absent /dev/null; do
        fatbin "$file"
        exits 2
        says "^hostpin: error: $file: " '^hint: name a file that was built, or the directory that it is in$'
    done
    call "$hostpin" fatbin
    exits 2
}
what_is_damaged_is_not_judged() {
    need_command python3 ar
    write_fatbin good.fatbin
    head -c 40 good.fatbin >cut.fatbin
    fatbin good.fatbin cut.fatbin --no-forward-compatibility --expect 8.0
    exits 2
    says '^hostpin: error: cut.fatbin: it is damaged: '
    says_not 'does not contain what is required'
    ar rcs libx.a good.fatbin cut.fatbin
    fatbin libx.a --no-forward-compatibility --expect 8.0 --json
    exits 2
    same "$(json "$out" files 0 whole)" OFF
    same "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["files"][0]["comparison"])' <"$out")" None
    # A file that disagrees beside it does not change that.
    fatbin good.fatbin cut.fatbin --no-forward-compatibility --expect 9.0
    exits 2
    says '^hostpin: error: good.fatbin does not contain what is required:' 'cut.fatbin: it is damaged'
}
a_fatbin_with_nothing_in_it_lacks_everything() {
    bytes 50 ed 55 ba 01 00 10 00 00 00 00 00 00 00 00 00 >x.fatbin
    fatbin .
    exits 0
    contains '^./x.fatbin: fatbin with empty fatbins$' <"$out"
    fatbin . --no-forward-compatibility --expect 8.0
    exits 1
    says 'missing: 8[.]0 machine code'
}
a_name_without_device_code_does_not_pass() {
    need_command gcc
    gcc -x c -c - -o m.o <<<'int x;'
    fatbin m.o
    exits 0
    same "$(cat "$out")" "m.o: object without device code"
    fatbin m.o --expect 8.0
    exits 1
    says '^hostpin: error: m[.]o: it has no device code$'
    says_not gencode 'missing:'
    mkdir tree
    cp m.o tree
    write_fatbin tree/x.fatbin
    fatbin tree --no-forward-compatibility --expect 8.0
    exits 0
}
nothing_is_said_of_what_was_not_read() {
    need_command gcc
    fatbin absent.o
    exits 2
    prints_nothing
    gcc -x c -c - -o m.o <<<'int x;'
    head -c 100 m.o >cut.o
    fatbin cut.o
    exits 2
    same "$(cat "$out")" "cut.o: file that could not be read completely"
    { cat <(write_fatbin /dev/stdout) && bytes 50 ed 55 ba; } >cut.fatbin
    fatbin cut.fatbin
    exits 2
    contains '^cut.fatbin: .* as far as it could be read$' <"$out"
}
a_tree_of_links_is_read() {
    mkdir store tree
    write_fatbin store/x.fatbin
    ln -s "$PWD/store/x.fatbin" tree/x.fatbin
    ln -s x.fatbin tree/y.fatbin
    ln -s ../store tree/store
    fatbin tree --json
    exits 0
    same "$(json "$out" files 0 path)" tree/x.fatbin
    same "$(json "$out" codes 0 entries)" 1
    fatbin tree --no-forward-compatibility --expect 9.0
    exits 1
    fatbin tree store
    contains '^store/x.fatbin: ' <"$out"
}
many_files_share_a_hint() {
    local number
    for number in 1 2 3; do write_fatbin $number.fatbin; done
    fatbin . --no-forward-compatibility --expect 9.0
    exits 1
    same "$(grep -c '^hostpin: error: .* does not contain what is required:$' "$err")" 3
    same "$(grep -c '^hint: ' "$err")" 1
    same "$(tail -n 1 "$err")" 'hostpin: error: 3 of 3 files do not contain what is required'
    fatbin . --no-forward-compatibility --expect 8.0 --json
    exits 0
    same "$(json "$out" agrees)" ON
    fatbin 1.fatbin --no-forward-compatibility --expect 9.0
    says_not 'files do not contain'
}
names_cannot_drive_a_terminal() {
    local name=$'\e[2Jx\xff\n.fatbin'
    write_fatbin "$name"
    cp "$name" y.fatbin
    for words in "" --json "--expect 9.0"; do
        # shellcheck disable=SC2086 # words
        fatbin . "$name" absent$'\e' $words
        if grep -qF $'\e' "$out" "$err"; then fail "an escape character came out with $words"; fi
        if LC_ALL=C.UTF-8 grep -nvx '.*' "$out" "$err"; then fail "what is no UTF-8 came out with $words"; fi
    done
    contains -F '\x1b[2Jx\xff' <"$err"
    fatbin "$name" absent$'\xfe' --json
    same "$(json "$out" files 0 path_bytes)" '%1B%5B2Jx%FF%0A.fatbin'
    same "$(json "$out" unreadable 0 name_bytes)" 'absent%FE'
    fatbin y.fatbin --json
    if contains _bytes <"$out"; then fail "a name of letters is told twice"; fi
    ar rcs libx.a "$name"
    fatbin libx.a --members
    exits 0
    if grep -qF $'\e' "$out"; then fail "an escape character came out of a member's name"; fi
    # Its advice is there all the same.
    fatbin "$name" --no-forward-compatibility --expect 9.0 --json
    contains '^build it again with ' <<<"$(json "$out" files 0 comparison advice)"
}
each_file_counts_once() {
    write_fatbin x.fatbin
    ln x.fatbin hard.fatbin
    ln -s x.fatbin soft.fatbin
    fatbin x.fatbin x.fatbin hard.fatbin soft.fatbin . --json
    exits 0
    same "$(json "$out" codes 0 entries)" 1
    fatbin x.fatbin hard.fatbin
    exits 0
    if contains '^all ' <"$out"; then fail "one file has a sum"; fi
    need_command ar
    mkdir tree
    cp x.fatbin tree/m.fatbin
    (cd tree && ar rcsT a.a m.fatbin && ar rcsT z.a m.fatbin)
    fatbin tree --json
    exits 0
    same "$(json "$out" files 2 path)" tree/z.a
    same "$(json "$out" codes 0 entries)" 1
}
made_up_capabilities_are_bounded() {
    need_command python3
    python3 -c 'import struct, sys
for capability in range(200000):
    entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, 8, 0, 0, 7, 1, capability + 10, 0, 0, 0, 0, 0) + b"\1" * 8
    sys.stdout.buffer.write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(entry)) + entry)' >many.fatbin
    status=0
    (limit_memory 200000 && exec timeout 120 "$hostpin" fatbin many.fatbin --json >"$out" 2>"$err") || status=$?
    exits 2
    says 'more kinds of device code'
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
    fatbin empty --expect 8.0 --json
    exits 1
    says 'no file has device code'
    same "$(json "$out" agrees)" OFF
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
it "what is damaged is not judged" what_is_damaged_is_not_judged
it "a fatbin with nothing in it lacks everything" a_fatbin_with_nothing_in_it_lacks_everything
it "a name without device code does not pass" a_name_without_device_code_does_not_pass
it "nothing is said of what was not read" nothing_is_said_of_what_was_not_read
it "a tree of links is read, each file once" a_tree_of_links_is_read
it "many files share a hint, and a last line counts them" many_files_share_a_hint
it "names cannot drive a terminal" names_cannot_drive_a_terminal
it "each file counts once" each_file_counts_once
it "made-up capabilities are bounded" made_up_capabilities_are_bounded
it "trees with loops, FIFOs and nothing in them come to an end" trees_end
it "lists that are wrong are told" lists_that_are_wrong_are_told
finish
