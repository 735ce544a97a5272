#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each GCC of the lab writes its intermediate code; hostpin's reader must agree with lto-dump, gzip and readelf.
#   gcc.sh LTO_STREAMS LTO_CUTS
# shellcheck source=tests/e2e/lto-check/bitstream/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

gccs() { for driver in "$lab"/bin/gcc-*; do case $driver in *newglibc) ;; *) echo "${driver##*-}" ;; esac done | sort -n; }

# dumped_version FILE: as printed by another GCC's lto-dump.
dumped_version() {
    local dump said
    for dump in lto-dump-12 lto-dump-11; do
        said=$("$dump" -list "$1" 2>&1 >/dev/null || true)
        case $said in
        *'generated with LTO version '*)
            sed -n 's/.*generated with LTO version \([0-9.]*\) instead.*/\1/p' <<<"$said" && return ;;
        esac
    done
    fail "no lto-dump tells the version of $1: $said"
}
# inflated_version FILE: of GCC 9, from its section of declarations by gzip, which reads deflate but not zlib.
inflated_version() {
    local section bytes
    section=$(readelf -SW "$1" | sed -n 's/.* \(\.gnu\.lto_\.decls\.[0-9a-f]*\) .*/\1/p')
    objcopy -O binary --only-section="$section" --set-section-flags "$section=alloc" "$1" declarations
    bytes=$({ printf '\x1f\x8b\x08\0\0\0\0\0\0\0' && tail -c +3 declarations; } | gzip -dc 2>/dev/null | head -c 4 |
        od -An -tu2 || true)
    # shellcheck disable=SC2086 # two numbers
    printf '%d.%d\n' $bytes
}
reference_gcc() {
    local version slim=fat
    if [ "$2" -ge 10 ]; then version=$(dumped_version "$1"); else version=$(inflated_version "$1"); fi
    readelf -sW "$1" >symbols # nm would use a plugin for the symbols of the code
    if grep -q __gnu_lto_slim symbols; then slim=slim; fi
    line "$1" gcc-lto "$version" "$slim" 0 "$(producers "$1")"
}
agree_on_gcc() { # MAJOR
    local file flags name count=0
    need_lab "bin/gcc-$1"
    need_command lto-dump-12 lto-dump-11 readelf objcopy gzip
    write_code
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$lab/bin/g++-$1" $flags -flto -c "$file" -o "$name.o" 2>err || { cat err; fail "g++-$1 $flags"; }
        same "$(told "$name.o")" "$(reference_gcc "$name.o" "$1")"
        same "$("$streams" --present "$name.o")" "$name.o"
        count=$((count + 1))
    done <<'ROWS'
slim large.cpp -O2
fat large.cpp -O2 -ffat-lto-objects
debug large.cpp -O0 -g -ffat-lto-objects
sections large.cpp -O2 -ffunction-sections -fdata-sections
best large.cpp -O2 -flto-compression-level=9
least large.cpp -O2 -flto-compression-level=0
narrow small.c -x c -m32
narrow-fat small.c -x c -m32 -ffat-lto-objects
x32 small.c -x c -mx32
nothing empty.c -x c
seed small.c -x c -frandom-seed=17
ROWS
    "$lab/bin/g++-$1" -O2 -g -c large.cpp -o plain.o
    same "$(told plain.o)" "$(line plain.o none)"
    same "$("$streams" --present plain.o)" ""
    strip -R '.gnu.lto_*' -R '.gnu.debuglto_*' -N __gnu_lto_v1 -N __gnu_lto_slim fat.o -o stripped.o
    same "$(told stripped.o)" "$(line stripped.o none)"
    "$cuts" slim.o fat.o debug.o narrow.o x32.o
    echo "$count objects"
}
# `ld -r` without a plugin preserves the code of every GCC.
joined_keeps_all() {
    local major made=()
    need_lab bin
    need_command ld
    write_code
    for major in $(gccs); do
        sed "s/next/next_$major/; s/int counter;/static int counter;/" small.c >"part-$major.c"
        "$lab/bin/gcc-$major" -flto -c "part-$major.c"
        made+=("part-$major.o")
    done
    [ "${#made[@]}" -ge 2 ] || fail "only ${#made[@]} GCCs"
    ld -r "${made[@]}" -o joined.o
    same "$(told joined.o | cut -f 2-4 | sort)" "$(told "${made[@]}" | cut -f 2-4 | sort)"
    "$cuts" joined.o
}

for major in 9 10 11 12 13 14 15 16; do it "GCC $major's code is what lto-dump says" agree_on_gcc "$major"; done
it 'an object that ld -r made of several GCCs has all their versions' joined_keeps_all
finish
