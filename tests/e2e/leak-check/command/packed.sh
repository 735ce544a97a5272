#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is packed is opened by hostpin leak-check as the real tools packed it, in no more memory than is allowed.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command xz zstd gzip zip tar /usr/bin/time
if [ $# -gt 0 ]; then only=$1; fi

forbidden() { echo "$PWD/gcc-11/lib" && seq 1000; }
decoders_memory() {
    mkdir tree
    echo "$PWD/gcc-11/lib" | xz -9 >tree/nine.xz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'nine\.xz: unpacking it takes 64M of memory; --memory 64M allows that'
    check --forbid "$PWD/gcc-11" --fail-on warning --memory 64M tree
    exits 1
    echo "$PWD/gcc-11/lib" | xz -8 >tree/nine.xz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 1
    echo "$PWD/gcc-11/lib" | zstd -q --long=27 >tree/nine.xz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'unpacking it takes 128M'
    check --forbid "$PWD/gcc-11" --fail-on warning --memory=128M tree
    exits 1
    check --memory 0 tree
    exits 2
    says 'takes a size'
}
later_streams() {
    mkdir tree
    seq 1000 | xz -0 >tree/x.xz
    forbidden | xz -9 >>tree/x.xz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'x\.xz\(x\): unpacking it takes 64M of memory; --memory 64M allows that'
    check --forbid "$PWD/gcc-11" --fail-on warning --memory 64M tree
    exits 1
    rm tree/x.xz
    seq 1000 | zstd -q >tree/x.zst
    forbidden | zstd -q --long=27 >>tree/x.zst
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'x\.zst\(x\): unpacking it takes 128M of memory; --memory 128M allows that'
    check --forbid "$PWD/gcc-11" --fail-on warning --memory 128M tree
    exits 1
}
nested_memory() {
    mkdir tree
    forbidden | xz -9 | gzip >tree/x.xz.gz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'x\.xz\.gz\(x\.xz\): unpacking it takes 64M of memory; --memory 64M allows that'
    check --json --forbid "$PWD/gcc-11" --fail-on warning --memory 64M tree
    exits 1
    same "$(json "$out" findings 0 member 1)" x
    rm tree/x.xz.gz
    forbidden | xz -8 >x.xz
    tar cf - x.xz | xz -8 >tree/x.tar.xz
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 2
    prints 'unpacking it takes 32M of memory beside 32M for what it lies in; --memory 64M allows that'
    check --forbid "$PWD/gcc-11" --fail-on warning --memory 64M tree
    exits 1
    rm tree/x.tar.xz
    zip -q -0 tree/x.zip x.xz
    check --forbid "$PWD/gcc-11" --fail-on warning --memory 31M tree
    exits 2
    prints 'x\.zip\(x\.xz\): unpacking it takes 32M of memory; --memory 32M allows that'
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 1
}
legacy_lzma() {
    mkdir tree
    (echo "$PWD/gcc-11/lib" && seq 1000) | xz --format=lzma >tree/x
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference x warning
    head -c 200 tree/x >tree/cut
    check --forbid "$PWD/gcc-11" tree
    exits 2
    prints 'cut\(unpacked\): it is cut short'
}
odd_lzma() {
    mkdir tree
    forbidden | xz --format=lzma --lzma1=lc=1,lp=2,pb=0,dict=5000 >tree/x
    printf '\210\023\0\0' | dd of=tree/x bs=1 seek=1 conv=notrunc status=none # 5000, as no encoder writes it
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference x warning
    # one that says how long it is looks like many things, and is known by its name
    forbidden >plain
    # shellcheck disable=SC2059 # bytes
    printf "$(printf '\\x%x' $(($(wc -c <plain) % 256)) $(($(wc -c <plain) / 256)))\0\0\0\0\0\0" |
        dd of=tree/x bs=1 seek=5 conv=notrunc status=none
    check --json --forbid "$PWD/gcc-11" tree
    exits 0
    mv tree/x tree/x.lzma
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference x.lzma warning
}
# 100,000 members of one long name, and those are what a scan must not keep.
members_memory() {
    mkdir tree
    awk 'function field(text, width) { printf "%-" width "s", text }
        function header(name, size) { field(name, 48); field(size, 10); print "`" }
        BEGIN {
            print "!<arch>"
            for (i = 0; i < 4094; ++i) name = name "n"
            header("//", 4096); print name "/"
            for (i = 0; i < 100000; ++i) { header("/0", 0) }
            header("/0", 12); print "/opt/gcc-11"
        }' >tree/libx.a
    call_within 65536 "$hostpin" leak-check --no-binding --json --forbid /opt/gcc-11 tree
    graded forbidden-reference libx.a warning
    same "$(json "$out" findings 0 member 0 | tr -d n)" ''
}

it "a decoder takes no more memory than is allowed, and says what to allow" decoders_memory
it "each stream and frame of a file is held against what is allowed" later_streams
it "what is nested shares what is allowed" nested_memory
it "the older format of xz is opened" legacy_lzma
it "the older format of xz is opened whatever its properties" odd_lzma
it "of members of an archive only their places are kept" members_memory
finish
