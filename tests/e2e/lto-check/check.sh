#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin lto-check as its users call it: messages, exit codes, JSON, commands of every driver, and bad input.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi
if [ -d "$lab/bin" ]; then export PATH=$lab/bin:$plain_path; fi

check() { call "$hostpin" lto-check "$@"; }
# two_gccs: the newest two of this machine, the older one in $older.
two_gccs() {
    local version found=()
    for version in 16 15 14 13 12 11 10 9; do
        if command -v "gcc-$version" >/dev/null; then found+=("$version"); fi
    done
    [ ${#found[@]} -ge 2 ] || skip "needs two versions of GCC"
    newer=${found[0]} older=${found[1]}
    echo 'int f(int x) { return x + 1; }' >f.c
    echo 'int f(int); int main(void) { return f(41) != 42; }' >main.c
    echo 'int unused(void) { return 7; }' >unused.c
    for source in f main unused; do
        "gcc-$newer" -flto -c $source.c -o $source.newer.o
        "gcc-$older" -flto -c $source.c -o $source.older.o
        "gcc-$older" -flto -ffat-lto-objects -c $source.c -o $source.fat.o
        "gcc-$older" -c $source.c -o $source.plain.o
    done
}
verdicts() { # of $out, one for each input
    local i count
    count=$(grep -c '"verdict"' "$out")
    for ((i = 0; i < count; i++)); do json "$out" inputs "$i" verdict; done | xargs
}

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
    eval "$(sed -n 's/.*take the LTO code out with \(strip .*\)$/\1/p' "$err") f.fat.o"
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
# A link says itself what is not there; for programs it is listed.
names_what_is_missing() {
    two_gccs
    local driver drivers=("gcc-$newer")
    if command -v clang >/dev/null; then drivers+=(clang); fi
    for driver in "${drivers[@]}"; do
        check --json -- "$driver" main.c f.plain.o missing.o -lnone -Wl,-rpath,/nowhere -o out
        exits 0
        same "$(json "$out" length missing) $(json "$out" missing 0)" "1 missing.o"
    done
    check --json -- "gcc-$newer" main.c @missing.list -o out
    same "$(json "$out" length missing) $(json "$out" missing 0)" "1 @missing.list"
    check --json -- ld missing.o missing.o
    exits 0
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
behind_other_programs() {
    two_gccs
    mkdir bin2
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/sh\nshift\nexec "$@"\n' >bin2/launch
    chmod +x bin2/launch
    export PATH=$PWD/bin2:$PATH
    local words
    for words in 'nice -n 5' 'timeout -k 3 60' 'env -u NOTHING A=b' 'nohup nice' ccache; do
        command -v "${words%% *}" >/dev/null || continue
        # shellcheck disable=SC2086 # words
        check -- $words "gcc-$newer" main.newer.o f.older.o -o out
        exits 1
        says '^  f\.older\.o ' "which calls GCC $newer"
        # shellcheck disable=SC2086
        check -- $words "gcc-$newer" main.newer.o f.newer.o -o out
        exits 0
    done
    # Behind a program that nobody knows GCC still says its name, unless it stands behind a script itself.
    local plain other=older
    plain=$(PATH=$plain_path command -v gcc || true)
    if [ -n "$plain" ] && "$plain" '-###' main.o 2>&1 | contains -x "COLLECT_GCC=$plain"; then
        [ "$("$plain" -dumpversion)" != "$older" ] || other=newer
        check -- launch it "$plain" main.plain.o f.$other.o -o out
        exits 1
        says "^  f\\.$other\\.o "
    fi
    check -- nice -n 5 ld f.older.o -o out
    exits 1
    says 'f\.older\.o'
    check -- nice -n 5 /nonexistent/gcc f.older.o
    exits 2
}
words_in_a_pipe() {
    two_gccs
    mkfifo pipe
    local word
    for word in @pipe -Wl,@pipe; do
        call timeout 10 "$hostpin" lto-check -- "gcc-$newer" "$word" -o out
        exits 2
        says '^hostpin: error: the response file pipe is no regular file' '^hint: write the words into a file'
    done
    call timeout 10 "$hostpin" lto-check @pipe
    exits 2
    says 'the response file pipe is no regular file'
}
a_plugin_of_elsewhere() {
    local version refused=0
    command -v ld.gold >/dev/null || skip 'needs gold'
    echo 'int main(void) { return 0; }' >main.c
    for version in 9 10 11 12 13 14 15 16; do
        command -v "gcc-$version" >/dev/null || continue
        "gcc-$version" -flto -ffat-lto-objects -c main.c
        ar rcs "lib$version.a" main.o
        status=0
        "gcc-$version" -fuse-ld=gold main.o -o out 2>real.err || status=$?
        if [ "$status" -eq 0 ]; then
            check -- "gcc-$version" -fuse-ld=gold main.o -o out
            exits 0
        elif grep -q 'could not load plugin library' real.err; then
            check -- "gcc-$version" -fuse-ld=gold main.o -o out
            exits 1
            says 'this linker cannot load the plugin for it, and fails: ' '^ +hint: .*without -fuse-ld='
            refused=$((refused + 1))
            "gcc-$version" -fuse-ld=gold -fno-lto main.o -o out
            check -- "gcc-$version" -fuse-ld=gold -fno-lto main.o -o out
            exits 0
        fi
    done
    [ "$refused" -gt 0 ] || skip 'gold loads the plugin of each GCC here'
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
through_the_linkers_own_words() {
    two_gccs
    echo f.older.o >words
    local words
    for words in -Wl,@words "-Xlinker @words" -Wl,f.older.o -Wl,--just-symbols=f.older.o -Wl,-R,f.older.o -Wl,-Rf.older.o; do
        # shellcheck disable=SC2086 # words
        check -- "gcc-$newer" main.newer.o $words -o out
        exits 1
        says '^  f\.older\.o '
    done
    check -- "gcc-$newer" f.newer.o main.newer.o -Wl,-R,/tmp -o out
    exits 0
    check -- "gcc-$newer" '-###' main.newer.o f.older.o
    exits 0
}
# refused COMMAND...: by lto-check, and by the linker itself
refused() {
    check -- "$@"
    exits 1
    ! "$@" 2>/dev/null || fail "this link works: $*"
}
where_linkers_look_by_themselves() {
    two_gccs
    mkdir -p root/usr/local/lib searched
    ar rcs root/usr/local/lib/libown.a f.older.o
    cp root/usr/local/lib/libown.a searched/libfar.a
    echo "SEARCH_DIR($PWD/searched)" >far
    echo 'EXTERN(f)' >extern
    echo 'int main(void) { return 0; }' >alone.c
    "gcc-$newer" -c alone.c
    refused "gcc-$newer" main.newer.o "-Wl,--sysroot=$PWD/root" -lown -o out
    refused "gcc-$newer" main.newer.o far -lfar -o out
    refused "gcc-$newer" alone.o extern searched/libfar.a -o out
    ld --verbose | sed '1,/^====/d;/^====/,$d' >whole
    echo 'INPUT(f.older.o)' >>whole
    refused "gcc-$newer" main.newer.o -Wl,--default-script=whole -o out
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
    local input
    for input in fifo directory empty.o truncated.o sparse.a sparse.o zeros.o missing.o table.o rows.o a.a; do
        call timeout 10 "$hostpin" lto-check "$input"
        exits 2
        says "could not be read" "^  $input"
        call timeout 10 "$hostpin" lto-check --json "$input"
        exits 2
        same "$(verdicts)" unreadable
    done
    for input in fifo directory truncated.o sparse.a sparse.o table.o rows.o a.a; do
        call timeout 10 "$hostpin" lto-check -- "gcc-$newer" -flto main.newer.o "$input" -o out
        exits 2
        says "could not be read" "^  $input"
    done
}
# A thin archive that names one object 131,072 times; 64 MB are enough for all of lto-check, even where each is told.
members_by_the_hundred_thousand() {
    two_gccs
    local count=131072 format
    thin_archive_head f.older.o >many.a
    thin_archive_member "$(stat -c %s f.older.o)" >members
    for ((; count > 1; count /= 2)); do cat members members >twice && mv twice members; done
    cat members >>many.a
    for linker in "gcc-$older" "gcc-$newer"; do
        check --linker "$linker" f.older.o # asks the driver, which may need more
        for format in '' --json; do
            # shellcheck disable=SC2086 # no word
            (ulimit -v 65536 && exec "$hostpin" lto-check $format --linker "$linker" many.a) >"$out" 2>"$err" && status=0 || status=$?
            if [ "$linker" = "gcc-$older" ]; then exits 0; else exits 1; fi
            case $linker$format in
            *--json) same "$(grep -c '"verdict"' "$out")" 131072 ;;
            "gcc-$older") same "$(cut -d ' ' -f 1-4 "$out")" "131072 LTO inputs fit" ;;
            *) same "$(grep -c '^  many\.a(f\.older\.o) ' "$err")" 131072 ;;
            esac
        done
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
# Whatever is seen of it, the answer is one, and it comes.
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
        call timeout 10 "$hostpin" lto-check --linker "gcc-$newer" changing.a
        [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || { kill $writer && show_call && fail "exit code $status"; }
        call timeout 10 "$hostpin" lto-check -- "gcc-$newer" -flto main.newer.o changing.a -o out
        [ "$status" -le 2 ] || { kill $writer && show_call && fail "exit code $status"; }
    done
    kill $writer
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
nothing_to_link() {
    two_gccs
    check -- "gcc-$newer" -c f.c
    exits 0
    check -- "gcc-$newer" -E f.c
    exits 0
}
remembers_until_the_compiler_changes() {
    two_gccs
    mkdir bin2
    printf '#!/bin/sh\necho called >>%q\nexec %q "$@"\n' "$PWD/log" "$(command -v "gcc-$newer")" >bin2/cc
    chmod +x bin2/cc
    touch -d '1 hour ago' bin2/cc
    local first
    check -- bin2/cc -flto main.newer.o f.newer.o -o out
    exits 0
    first=$(wc -l <log)
    check -- bin2/cc -flto main.newer.o f.newer.o unused.newer.o -o other
    exits 0
    same "$(wc -l <log)" "$first"
    printf '#!/bin/sh\necho called >>%q\nexec %q "$@"\n' "$PWD/log" "$(command -v "gcc-$older")" >bin2/cc
    check -- bin2/cc -flto main.newer.o f.newer.o -o out
    exits 1
}
# linked_by NAME COMMAND...: the linker is one of that name
linked_by() {
    check --json -- "${@:2}"
    exits 0
    local path
    path=$(json "$out" linker path)
    same "${path: -${#1}}" "$1"
}
forgets_what_options_name() {
    need_command clang ld.lld
    two_gccs
    clang -flto -c f.c -o f.bc.o
    mkdir tools
    "gcc-$newer" -dumpspecs >specs
    touch -d '1 hour ago' tools specs
    linked_by /ld "gcc-$newer" -specs=specs -shared f.newer.o -o out
    sed -i '/^\*link:/{n;s/$/ -fuse-ld=bfd/}' specs
    linked_by /ld.bfd "gcc-$newer" -specs=specs -shared f.newer.o -o out

    linked_by /ld.lld clang -Btools -fuse-ld=lld -shared f.bc.o -o out
    ln -s "$(command -v ld.lld)" tools/ld.lld
    linked_by tools/ld.lld clang -Btools -fuse-ld=lld -shared f.bc.o -o out
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
        says 'k\.o +CUDA 12\.4' 'leave newer device code out and exit 0' 'hint: compile it again with CUDA 11\.8'
        check --json -- $old -dlto -arch=sm_80 k.o -o out
        exits 1
        same "$(json "$out" device_linker family) $(json "$out" linker family)" "nvlink bfd"
        same "$(json "$out" inputs 0 path) $(json "$out" inputs 0 verdict)" "k.o silent-loss"
    }
    check --nvlink "$(cuda 11.8)/bin/nvlink" k.o
    exits 1
}

it 'all bad inputs come in one message, with producer, expectation and cure' all_at_once
it 'the strip recipe repairs a fat object' strip_recipe
it 'what fits is said for inputs, and nothing is said of a command' fitting
it 'the JSON has every key of its schema' in_json
it 'the JSON names inputs that are not there' names_what_is_missing
it 'a member that is not needed stops nothing, one that is needed does' archive_precision
it 'a shared library that would lose its slim objects is stopped' slim_library_without_plugin
it 'what cannot be read is a diagnostic, and never a crash or a hang' bad_inputs
it 'a file that changes while it is read is no crash and no hang' a_file_that_changes
it 'inputs that only the linker is told of count too' through_the_linkers_own_words
it 'what linkers and their scripts search by themselves counts too' where_linkers_look_by_themselves
it 'a driver is found behind programs that only start it' behind_other_programs
it 'words in a pipe are refused, for the link could not read them again' words_in_a_pipe
it 'a plugin that the linker cannot load fails every link, and is told' a_plugin_of_elsewhere
it 'many members that are not needed are one line' members_without_number
it 'members by the hundred thousand take no more memory than allowed' members_by_the_hundred_thousand
it 'an answer that cannot be written is an error, and names are harmless' what_nobody_hears
it 'a misuse says what to do' bad_commands
it 'commands that link nothing are fine' nothing_to_link
it 'a driver is asked once, until it changes' remembers_until_the_compiler_changes
it 'what options name may change: directories of linkers and files of options' forgets_what_options_name
it 'a device link that would lose a kernel is stopped' device_links
finish
