#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Commands of every driver: which inputs reach the linker by any means, and how long a driver's answer is cached.
#   commands.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lto-check/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

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
    # After an unknown program GCC still reports its name, unless a script runs it.
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
    touch -d '1 hour ago' bin2/cc bin2
    [ "$stands_in" = no ] || touch -d '1 hour ago' "$lab/bin"
    settle
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
    settle
    linked_by /ld "gcc-$newer" -specs=specs -shared f.newer.o -o out
    sed -i '/^\*link:/{n;s/$/ -fuse-ld=bfd/}' specs
    linked_by /ld.bfd "gcc-$newer" -specs=specs -shared f.newer.o -o out

    linked_by /ld.lld clang -Btools -fuse-ld=lld -shared f.bc.o -o out
    ln -s "$(command -v ld.lld)" tools/ld.lld
    linked_by tools/ld.lld clang -Btools -fuse-ld=lld -shared f.bc.o -o out
}

it 'inputs that are only passed to the linker count too' through_the_linkers_own_words
it 'directories that linkers and their scripts search count too' where_linkers_look_by_themselves
it 'a driver is found after programs that only start it' behind_other_programs
it 'a plugin that the linker cannot load fails every link, and is reported' a_plugin_of_elsewhere
it 'commands that link nothing are fine' nothing_to_link
it 'a driver is run once, until it changes' remembers_until_the_compiler_changes
it 'a cached answer depends on what options name: directories of linkers and files of options' forgets_what_options_name
finish
