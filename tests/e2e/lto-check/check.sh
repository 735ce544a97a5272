#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin lto-check as users call it: messages, exit codes, JSON, and whether verdicts are right.
#   check.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lto-check/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

all_at_once() {
    two_gccs
    "gcc-ar-$older" rcs lib.a f.older.o unused.older.o 2>/dev/null || ar rcs lib.a f.older.o unused.older.o
    check --linker "gcc-$newer -flto" f.older.o main.newer.o main.fat.o lib.a
    exits 1
    prints_nothing
    says '^hostpin: error: 4 LTO inputs do not fit .*GNU ld' '^  f\.older\.o +GCC [0-9.]+ \(LTO [0-9.]+\)$' '^  lib\.a\(f\.older\.o\) ' \
        '^  lib\.a\(unused\.older\.o\) ' '^  main\.fat\.o ' 'hint: compile it again with GCC '"$newer" 'link with -fno-lto' "strip -R '.gnu.lto_\*'"
    says_not 'main\.newer\.o'
    same "$(grep -c '^hostpin: error' "$err")" 1
}
strip_recipe() {
    two_gccs
    check --linker "gcc-$newer" f.fat.o
    exits 1
    eval "$(sed -n 's/.*remove the LTO code with \(strip .*\)$/\1/p' "$err") f.fat.o"
    check --linker "gcc-$newer" f.fat.o
    exits 0
    "gcc-$newer" main.newer.o f.fat.o -o out && ./out
}
fitting() {
    two_gccs
    check --linker "gcc-$newer" f.newer.o main.newer.o f.plain.o
    exits 0
    same "$(cut -d ' ' -f 1-4 "$out")" "2 LTO inputs fit"
    check -- "gcc-$newer" -flto f.newer.o main.newer.o -o out
    exits 0
    prints_nothing
    [ ! -s "$err" ] || fail "said something of a link that fits"
    absent out
}
in_json() {
    two_gccs
    check --json --linker "gcc-$newer -fno-lto" f.older.o f.fat.o f.plain.o /nonexistent.o
    exits 1
    same "$(verdicts)" "silent-loss ok none unreadable"
    same "$(json "$out" linker family)" bfd
    same "$(json "$out" inputs 0 format)" gcc-lto
    same "$(json "$out" inputs 0 slim)" ON
    same "$(json "$out" inputs 0 path)" f.older.o
    same "$(json "$out" inputs 2 format)" none
    same "$(json "$out" missing 0)" /nonexistent.o
    local key
    for key in schema linker device_linker missing inputs; do grep -q "^  \"$key\":" "$out" || fail "no $key"; done
    for key in path member format version producer slim verdict refused expected reason cure linker; do
        same "$(grep -c "^      \"$key\":" "$out")" 4
    done
}
# JSON lists them for programs.
names_what_is_missing() {
    two_gccs
    local driver drivers=("gcc-$newer")
    if command -v clang >/dev/null; then drivers+=(clang); fi
    for driver in "${drivers[@]}"; do
        check --json -- "$driver" main.c f.plain.o missing.o -lnone -Wl,-rpath,/nowhere -o out
        exits 2
        same "$(json "$out" length missing) $(json "$out" missing 0)" "1 missing.o"
    done
    check --json -- "gcc-$newer" main.c @missing.list -o out
    same "$(json "$out" length missing) $(json "$out" missing 0)" "1 @missing.list"
    check --json -- ld missing.o missing.o
    exits 2
    same "$(json "$out" length missing)" 1
}
archive_precision() {
    two_gccs
    ar rcs unused.a f.newer.o unused.older.o
    "gcc-$newer" -flto main.newer.o unused.a -o out
    ./out
    check -- "gcc-$newer" -flto main.newer.o unused.a -o out
    exits 0
    says 'warning: 1 LTO input may not fit' 'unused\.a\(unused\.older\.o\)' 'nothing in this link seems to need'
    mkdir same
    cp unused.older.o same/f.newer.o
    ar qc same.a f.newer.o same/f.newer.o
    "gcc-ranlib-$older" same.a 2>/dev/null || ranlib same.a
    "gcc-$newer" -flto main.newer.o same.a -o out
    check -- "gcc-$newer" -flto main.newer.o same.a -o out
    exits 0
    check -- "gcc-$newer" -flto -Wl,-u,unused main.newer.o same.a -o out
    exits 1
    check -- "gcc-$newer" -flto main.newer.o -Wl,--whole-archive unused.a -Wl,--no-whole-archive -o out
    exits 1
    check -- "gcc-$newer" -flto -Wl,-u,unused main.newer.o unused.a -o out
    exits 1
    echo 'int unused(void); int g(void) { return unused(); }' >g.c
    "gcc-$newer" -c g.c
    ar rcs deep.a g.o
    check -- "gcc-$newer" -flto -Wl,-u,g main.newer.o -Wl,--start-group unused.a deep.a -Wl,--end-group -o out
    exits 1
}
members_without_number() {
    two_gccs
    local number
    for number in $(seq 40); do cp unused.older.o "unused$number.o"; done
    ar rcs many.a f.newer.o unused[0-9]*.o
    check -- "gcc-$newer" -flto main.newer.o many.a -o out
    exits 0
    says 'warning: [0-9]+ LTO inputs may not fit' 'many\.a\(unused[0-9a-z]*\.o\) and [0-9]+ other members '
    [ "$(wc -l <"$err")" -le 5 ] || { show_call && fail 'a wall of text'; }
}
slim_library_without_plugin() {
    two_gccs
    local linker
    for linker in bfd gold lld; do
        command -v "ld.$linker" >/dev/null || continue
        rm -f out
        "gcc-$older" -flto -fPIC -c f.c -o f.o
        "gcc-$older" -fuse-ld=$linker -fno-lto -shared f.o -o out 2>/dev/null || fail "the link by $linker failed, which it did not use to"
        ! nm -D --defined-only out 2>/dev/null | contains -w f || fail "$linker lost nothing"
        check --json -- "gcc-$older" -fuse-ld=$linker -fno-lto -shared f.o -o out
        exits 1
        grep -q '"verdict": "silent-loss"' "$out" || fail "not called a silent loss"
    done
}
what_nobody_hears() {
    two_gccs
    local format
    for format in '' --json; do
        # shellcheck disable=SC2086 # no word
        "$hostpin" lto-check $format --linker "gcc-$newer" f.newer.o >/dev/full 2>err && fail 'exit 0'
        grep -q '^hostpin: error: the answer cannot be written' err
    done
    cp f.older.o $'a\nb\e[31m.o'
    check --linker "gcc-$newer" $'a\nb\e[31m.o'
    exits 1
    says '^  a\\x0ab\\x1b\[31m\.o '
}
bad_commands() {
    local arguments
    for arguments in '' '--' '--nonsense' '--linker' '--nvlink' 'x.o -- g++ x.o' '-- /nonexistent/g++ x.o' '-- false x.o'; do
        # shellcheck disable=SC2086 # words
        check $arguments
        exits 2
        says '^hostpin: error: ' '^hint: '
    done
    check --help
    exits 0
    grep -q '^usage: hostpin lto-check' "$out"
}
device_links() {
    need_cuda 12.4
    need_cuda 11.8
    printf '__global__ void kernel(int *x) { *x = 1; }\nint main() { return 0; }\n' >k.cu
    local old new
    old="$(cuda 11.8)/bin/nvcc -ccbin $lab/bin/g++-11" new="$(cuda 12.4)/bin/nvcc -ccbin $lab/bin/g++-13"
    $new -dc -gencode arch=compute_80,code=lto_80 k.cu -o k.o
    # shellcheck disable=SC2086 # words
    {
        check -- $new -dlto -arch=sm_80 k.o -o out
        exits 0
        $old -dlto -arch=sm_80 -dlink -keep k.o -o lost.o 2>/dev/null || fail "nvlink failed, which it did not use to"
        ! readelf -sW ./*.cubin | grep -v UND | contains 'FUNC.*kernel' || fail "nvlink lost nothing"
        check -- $old -dlto -arch=sm_80 -dlink k.o -o lost.o
        exits 1
        says 'k\.o +CUDA 12\.4' 'can omit newer device code and exit 0' 'hint: compile it again with CUDA 11\.8'
        check --json -- $old -dlto -arch=sm_80 k.o -o out
        exits 1
        same "$(json "$out" device_linker family) $(json "$out" linker family)" "nvlink bfd"
        same "$(json "$out" inputs 0 path) $(json "$out" inputs 0 verdict)" "k.o silent-loss"
    }
    check --nvlink "$(cuda 11.8)/bin/nvlink" k.o
    exits 1
}
# Cross compilers have their own plugin and lto1.
for_another_machine() {
    local triple older=11 newer=12 reader
    need_command "aarch64-linux-gnu-g++-$older" "aarch64-linux-gnu-g++-$newer"
    for triple in aarch64-linux-gnu powerpc64le-linux-gnu; do
        if ! command -v "$triple-g++-$older" >/dev/null || ! command -v "$triple-g++-$newer" >/dev/null; then continue; fi
        make_objects_for "$triple"
        for reader in $older $newer; do
            check -- "$triple-g++-$reader" f.$older.o main.$older.plain.o -o out
            local judged=$status
            check --linker "$triple-g++-$reader" f.$older.o f.$newer.o
            exits 1
            says "GNU ld.*calls GCC $reader\\." "^  f\\.$((older + newer - reader))\\.o "
            if "$triple-g++-$reader" f.$older.o main.$older.plain.o -o out 2>/dev/null; then same "$judged" 0; else same "$judged" 1; fi
        done
    done
}
make_objects_for() { # TRIPLE
    local version
    echo 'int f(int x) { return x + 1; }' >f.cpp
    echo 'int f(int); int main() { return f(41) != 42; }' >main.cpp
    for version in 11 12; do
        "$1-g++-$version" -flto -c f.cpp -o f.$version.o
        "$1-g++-$version" -c main.cpp -o main.$version.plain.o
    done
}

it 'all bad inputs are in one message, with producer, expectation and fix' all_at_once
it 'the strip recipe repairs a fat object' strip_recipe
it 'inputs that fit are reported, and nothing is printed for a command that fits' fitting
it 'the JSON has every key of its schema' in_json
it 'the JSON names inputs that do not exist' names_what_is_missing
it 'a member that is not needed does not stop the link, one that is needed does' archive_precision
it 'a shared library that would lose its slim objects is stopped' slim_library_without_plugin
it 'many members that are not needed are one line' members_without_number
it 'an output that cannot be written is an error, and names cannot control the terminal' what_nobody_hears
it 'a misuse has a hint' bad_commands
it 'a cross link is judged by the GCC that the cross linker calls, as the real link is' for_another_machine
it 'a device link that would lose a kernel is stopped' device_links
finish
