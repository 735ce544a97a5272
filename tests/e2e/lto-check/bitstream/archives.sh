#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Intermediate code in archives of every kind, on this machine, and through links: compared with ar and readelf.
#   archives.sh LTO_STREAMS LTO_CUTS
# shellcheck source=tests/e2e/lto-check/bitstream/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# members ARCHIVE: by LLVM's ar, because GNU's takes BSD's tables of symbols for members.
members() { llvm-ar-19 t "$1" | sed "s,.*,$1(&),"; }
archives_of_every_kind() {
    local major format archive made=()
    need_lab bin/gcc-9 bin/gcc-12 bin/gcc-16 bin/clang-16
    need_command ar llvm-ar-19
    write_code
    mkdir sub
    for major in 9 12 16; do
        made+=("sub/an_object_with_a_rather_long_name_by_gcc_$major.o" "g$major.o")
        "$lab/bin/gcc-$major" -flto -c small.c -o "g$major.o"
        cp "g$major.o" "${made[-2]}"
    done
    "$lab/bin/clang-16" -flto -c small.c -o clang.o
    made+=(clang.o small.c)
    told "${made[@]}" | cut -f 2- >expected
    ar rcs gnu.a "${made[@]}"
    ar rcST thin.a "${made[@]}"
    for format in gnu bsd darwin; do llvm-ar-19 rcs --format=$format "llvm-$format.a" "${made[@]}"; done
    llvm-ar-19 rcsT llvm-thin.a "${made[@]}"
    SYM64_THRESHOLD=0 llvm-ar-19 rcs --format=gnu sym64.a "${made[@]}"
    grep -aq /SYM64/ sym64.a || fail 'sym64.a has no 64-bit table'
    for archive in *.a; do
        told "$archive" | cut -f 1 >names
        members "$archive" | diff - names
        told "$archive" | cut -f 2- | diff expected -
        same "$("$streams" --present "$archive")" "$archive"
    done
    ar rcs nested.a gnu.a llvm-darwin.a
    told nested.a | cut -f 2- | diff <(cat expected expected) -
    cp g9.o alone.o
    ar rcST proxies.a gnu.a alone.o # members of an archive in a thin one are referred to
    told proxies.a | cut -f 2- | diff <(cat expected && told alone.o | cut -f 2-) -
    mkdir elsewhere && (cd elsewhere && "$streams" ../thin.a | cut -f 2- | diff ../expected -)
}
# This machine's objects and archives in which readelf finds sections of intermediate code.
machine_agrees() {
    local count
    need_command readelf
    find /usr/lib/gcc /usr/lib/x86_64-linux-gnu -maxdepth 4 -type f \( -name '*.o' -o -name '*.a' \) -size -4M | sort >all
    count=$(wc -l <all)
    [ "$count" -gt 20 ] || skip "only $count objects and archives on this machine"
    while read -r file; do
        if readelf -SW "$file" 2>/dev/null | contains -E '\] (\.gnu\.lto_|\.llvm\.lto)'; then echo "$file"; fi
    done <all >expected
    xargs -d '\n' "$streams" --present <all >present
    diff expected present
    echo "$count files"
}
one_file_twice_is_equal() {
    need_lab bin/gcc-12
    write_code
    "$lab/bin/gcc-12" -flto -c small.c
    # also by a link and a file descriptor
    ln -s small.o link.o
    same "$(told link.o | cut -f 2-)" "$(told small.o | cut -f 2-)"
    mkfifo fifo
    same "$(told fifo)" "$(line fifo unreadable 'it cannot be read: it is not a regular file')"
}

it 'archives of every kind have the members that ar lists, each with its code' archives_of_every_kind
it "this machine's objects and archives agree with readelf" machine_agrees
it 'a file is read through a link, a FIFO not at all' one_file_twice_is_equal
finish
