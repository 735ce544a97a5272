#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Inputs that cannot be read, change while they are read, or are very many: a diagnostic in bounded time and memory.
#   bad_input.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lto-check/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

words_in_a_pipe() {
    two_gccs
    mkfifo pipe
    local word
    for word in @pipe -Wl,@pipe; do
        call timeout 120 "$hostpin" lto-check -- "gcc-$newer" "$word" -o out
        exits 2
        says '^hostpin: error: the response file pipe is not a regular file' '^hint: write the arguments into a file'
    done
    call timeout 120 "$hostpin" lto-check @pipe
    exits 2
    says 'the response file pipe is not a regular file'
}
bad_inputs() {
    two_gccs
    mkfifo fifo
    mkdir directory
    : >empty.o
    head -c 300 f.older.o >truncated.o
    truncate -s 10G sparse.a
    printf '!<arch>\n' | dd of=sparse.a conv=notrunc status=none
    truncate -s 10G zeros.o
    truncate -s 10G sparse.o
    head -c 64 f.older.o | dd of=sparse.o conv=notrunc status=none
    # A section table past the end, one with more rows than there are bytes, and archives inside each other.
    cp f.older.o table.o
    printf '\377\377\377\177' | dd of=table.o bs=1 seek=40 conv=notrunc status=none
    cp f.older.o rows.o
    printf '\360\377' | dd of=rows.o bs=1 seek=60 conv=notrunc status=none
    thin_archive a.a b.a
    thin_archive b.a a.a
    echo foo >text.o
    head -c 100 /dev/zero | tr '\0' '\201' >bytes.o
    { cat f.c && seq -f '// a long source, line %g' 5000; } >long.c
    local input
    for input in fifo directory empty.o truncated.o sparse.a sparse.o zeros.o missing.o table.o rows.o a.a f.c text.o bytes.o long.c; do
        call timeout 120 "$hostpin" lto-check "$input"
        exits 2
        says "could not be read" "^  $input"
        call timeout 120 "$hostpin" lto-check --json "$input"
        exits 2
        same "$(verdicts)" unreadable
    done
    for input in fifo directory truncated.o sparse.a sparse.o table.o rows.o a.a; do
        call timeout 120 "$hostpin" lto-check -- "gcc-$newer" -flto main.newer.o "$input" -o out
        exits 2
        says "could not be read" "^  $input"
    done
    echo '/* GNU ld */ INPUT(f.older.o)' >script
    echo 'g = f;' >assignment
    printf '//\n// by hand\n//\n\n.version 8.0\n.target sm_75\n' >device.ptx
    for input in script assignment device.ptx; do
        check --linker "gcc-$older" "$input"
        exits 0
    done
}
# The link of a command that is checked by hand does not follow, so what it would report has to be reported here.
nothing_was_checked() {
    two_gccs
    local words
    for words in "gcc-$newer missing.o" "gcc-$newer -flto main.newer.o missing.o -o out" "ld missing.o"; do
        # shellcheck disable=SC2086 # words
        check -- $words
        exits 2
        says 'could not be read' '^  missing\.o' '^ +there is no such file'
    done
    for words in "gcc-$newer" "gcc-$newer -flto -o out" "env A=b gcc-$newer -shared" ld; do
        # shellcheck disable=SC2086 # words
        check -- $words
        exits 2
        says "^hostpin: error: $words names no input, so there is nothing to check" '^hint: give the whole link command after --'
    done
}
# The seventh byte of the version section (of GCC on a little-endian machine) names the compression of the others.
falsely_compressed() {
    two_gccs
    local section at number
    section=$(readelf -SW f.newer.o | grep -oE '\.gnu\.lto_\.lto\.[0-9a-f]+')
    at=$((16#$(readelf -SW f.newer.o | awk -v name="$section" '{ for (i = 1; i < NF; ++i) if ($i == name) print $(i + 3) }') + 6))
    number=$(od -An -tu1 -j "$at" -N 1 f.newer.o)
    printf %b "\\x0$((1 - number))" | dd of=f.newer.o bs=1 seek="$at" conv=notrunc status=none
    call "gcc-$newer" -flto main.newer.o f.newer.o -o out
    [ "$status" -ne 0 ] || fail "GCC $newer links it"
    for input in "--linker gcc-$newer f.newer.o" "-- gcc-$newer -flto main.newer.o f.newer.o -o out"; do
        # shellcheck disable=SC2086 # words
        check $input
        exits 2
        says '^  f\.newer\.o' 'names (zlib|zstd) as the compression .* is (zlib|zstd)'
    done
}
# A thin archive that names one object 131,072 times; 512 MB are enough for all of lto-check, even if each is reported. Less is an error.
members_by_the_hundred_thousand() {
    two_gccs
    local count=131072 format
    thin_archive_head f.older.o >many.a
    thin_archive_member "$(stat -c %s f.older.o)" >members
    for ((; count > 1; count /= 2)); do cat members members >twice && mv twice members; done
    cat members >>many.a
    for linker in "gcc-$older" "gcc-$newer"; do
        check --linker "$linker" f.older.o # runs the driver, which may need more
        for format in '' --json; do
            # shellcheck disable=SC2086 # no word
            (limit_memory 524288 && exec "$hostpin" lto-check $format --linker "$linker" many.a) >"$out" 2>"$err" && status=0 || status=$?
            if [ "$linker" = "gcc-$older" ]; then exits 0; else exits 1; fi
            case $linker$format in
            *--json) same "$(grep -c '"verdict"' "$out")" 131072 ;;
            "gcc-$older") same "$(cut -d ' ' -f 1-4 "$out")" "131072 LTO inputs fit" ;;
            *) same "$(grep -c '^  many\.a(f\.older\.o) ' "$err")" 131072 ;;
            esac
        done
    done
    [ -n "${ASAN_OPTIONS-}" ] || {
        (ulimit -d 32768 && exec "$hostpin" lto-check --linker "gcc-$newer" many.a) >"$out" 2>"$err" && status=0 || status=$?
        exits 2
        says 'more members or symbols than fit into'
    }
}
# 13,000 symbols whose names begin one after the other in one text of 91,000 bytes: together some 590 MB of different names.
symbols_beyond_memory() {
    two_gccs
    local at size
    seq -f 'symbol%05.0f' 13000 | sed 's/.*/.globl & ; &:/' | as -o many.o
    read -r at size < <(readelf -SW many.o | sed -nE 's/.* \.strtab +STRTAB +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/0x\1 0x\2/p')
    tail -c +$((at + 2)) many.o | head -c $((size - 2)) | tr '\0' a | dd of=many.o oflag=seek_bytes seek=$((at + 1)) conv=notrunc status=none
    ar rcs f.a f.older.o
    for format in '' --json; do
        # shellcheck disable=SC2086 # no word
        call_within 800000 "$hostpin" lto-check $format -- "gcc-$newer" -flto main.newer.o many.o f.a -o out
        exits 2
        says '^hostpin: error: the symbols of many\.o exceed the limit of 512 MB' '^hint: .*HOSTPIN_LTO=warn'
        prints_nothing
    done
}
thin_archive() { # NAME MEMBER: with one member, a file as long as itself
    { thin_archive_head "$2" && thin_archive_member 134; } >"$1"
}
thin_archive_head() { # MEMBER
    printf '!<thin>\n%-48s%-10s`\n%s/\n' // "$((${#1} + 2))" "$1"
    [ $((${#1} % 2)) -eq 0 ] || echo
}
thin_archive_member() { # SIZE
    printf '%-16s%-12s%-6s%-6s%-8s%-10s`\n' /0 0 0 0 644 "$1"
}
# Whichever state of it is read, there is an answer.
a_file_that_changes() {
    two_gccs
    local copies=() number
    for number in $(seq 400); do copies+=("c$number.o"); done
    for number in "${copies[@]}"; do cp f.older.o "$number"; done
    ar rcs many.a "${copies[@]}"
    cp many.a changing.a
    while :; do
        truncate -s 5000 changing.a
        cp many.a changing.a
    done &
    local writer=$!
    for number in $(seq 40); do
        call timeout 120 "$hostpin" lto-check --linker "gcc-$newer" changing.a
        [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || { kill $writer && show_call && fail "exit code $status"; }
        call timeout 120 "$hostpin" lto-check -- "gcc-$newer" -flto main.newer.o changing.a -o out
        [ "$status" -le 2 ] || { kill $writer && show_call && fail "exit code $status"; }
    done
    kill $writer
}

it 'an unreadable input is a diagnostic, never a crash or a hang' bad_inputs
it 'a command that names no input, or one that is missing, was not checked' nothing_was_checked
it 'code with another compression than its object declares is a diagnostic, because its GCC fails on it' falsely_compressed
it 'a file that changes while it is read causes no crash and no hang' a_file_that_changes
it 'a response file that is a pipe is refused, because the link could not read it again' words_in_a_pipe
it 'symbols that do not fit into memory are an error that names their file' symbols_beyond_memory
it 'a hundred thousand members take no more memory than allowed' members_by_the_hundred_thousand
finish
