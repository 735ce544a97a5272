#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check opens archives and compressed files of the real tools, in bounded memory.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command xz zstd gzip zip tar /usr/bin/time
if [ $# -gt 0 ]; then only=$1; fi

forbidden() { echo "$PWD/gcc-11/lib" && seq 1000; }
# outcome: rule, severity, file, section and reference of each finding of the last call, which had --json.
outcome() {
    tr -d '\n' <"$out" | sed -E 's/"rule"/\n&/g' | sed -nE \
        -e 's/^"rule": *"([^"]*)", *"severity": *"([^"]*)", *"path": *"([^"]*)", *"member": *\[ *\], *"section": *([^,]*),.*"reference": *("[^"]*"|null).*/\1 \2 \3 \4 \5/p' \
        -e 's/^"rule": *"([^"]*)", *"severity": *"([^"]*)", *"path": *"[^"]*", *"member": *\[ *"([^"]*)" *\], *"section": *([^,]*),.*"reference": *("[^"]*"|null).*/\1 \2 \3 \4 \5/p' | sort
}
a_wheel_and_its_tree() {
    mkdir -p tree/x/lib tree/x.libs tree/x-1.dist-info gcc-11/lib
    : >gcc-11/lib/libz.so
    ln -s gcc-11 alias
    echo 'int f() { return 0; }' >f.cpp
    echo 'int f(), g(), h(); int e() { return f() + g() + h(); }' >e.cpp
    sed 's/f()/g()/' f.cpp >g.cpp
    sed 's/f()/h()/' f.cpp >h.cpp
    echo 'V_2 { global: *; };' >two.map
    echo 'V_1 { global: *; };' >one.map
    g++ -shared -fPIC f.cpp -o tree/x.libs/libf.so -Wl,-soname,libf.so,--version-script=two.map
    g++ -shared -fPIC g.cpp -o tree/x/lib/libg.so -Wl,-soname,libg.so
    g++ -shared -fPIC h.cpp -o libh.so -Wl,-soname,libh.so
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    g++ -shared -fPIC e.cpp -o tree/x/_E.so tree/x.libs/libf.so tree/x/lib/libg.so libh.so "-Wl,-rpath,\$ORIGIN/../x.libs:\$ORIGIN/gone:$PWD/gcc-11/lib:lib"
    g++ -shared -fPIC f.cpp -o tree/x.libs/libf.so -Wl,-soname,libf.so,--version-script=one.map
    cp libh.so tree/x/libnvidia-ml.so.1
    echo "set(x \"$PWD/alias/lib/libz.so\")" >tree/x/x.cmake
    printf '#!/bin/sh\nexec %s\n' "$PWD/alias/lib/libz.so" >tree/x/run
    echo "$PWD/gcc-11/lib" >tree/x-1.dist-info/RECORD
    (cd tree && zip -qr ../x-1-py3-none-any.whl .)
    mkdir dist && mv x-1-py3-none-any.whl dist
    check --json --notes --forbid "$PWD/gcc-11" tree
    exits 1
    outcome >of-tree
    check --json --notes --forbid "$PWD/gcc-11" dist
    exits 1
    outcome >of-wheel
    diff of-tree of-wheel || fail "a wheel has other findings than its tree"
    local rule
    for rule in unmet-version-need missing-library dangling-runpath forbidden-runpath forbidden-reference vendored-driver; do
        grep -q "^$rule " of-wheel || fail "no $rule, so that nothing was compared: $(cat of-wheel)"
    done
    grep -q '^forbidden-reference error x/x.cmake ' of-wheel || fail "$(cat of-wheel)"
    # where other archives will be extracted is not known, and that is reported
    tar -C tree -czf dist/x.tar.gz . && rm dist/*.whl
    check --notes --forbid "$PWD/gcc-11" dist
    prints '^note: missing-library: x\.tar\.gz$' \
        'What the loader would find for x\.tar\.gz\(.*\) and [0-9]+ more in it was not judged: where the archive will be extracted is not known'
    prints_no '^(error|warning): missing-library'
}
large_dictionaries() {
    mkdir tree
    forbidden | xz -9 >tree/nine.xz
    forbidden | zstd -q --long=27 >tree/long.zst
    seq 1000 | xz -0 >tree/streams.xz
    forbidden | xz -9 >>tree/streams.xz
    seq 1000 | zstd -q >tree/frames.zst
    forbidden | zstd -q --long=27 >>tree/frames.zst
    forbidden | xz -9 | gzip >tree/nested.xz.gz
    forbidden | xz -9 >x.xz
    tar cf - x.xz | xz -9 >tree/tar.tar.xz
    zip -q -0 tree/stored.zip x.xz
    check --json --forbid "$PWD/gcc-11" tree
    exits 0
    local file
    for file in nine.xz long.zst streams.xz frames.zst nested.xz.gz tar.tar.xz stored.zip; do
        graded forbidden-reference $file warning
    done
}
# A header that declares too much is refused before any memory is taken.
declared_dictionaries() {
    mkdir tree
    forbidden | xz --format=lzma >tree/x.lzma
    printf '\377\377\377\177' | dd of=tree/x.lzma bs=1 seek=1 conv=notrunc status=none
    call_within 131072 "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" tree
    exits 2
    prints 'x\.lzma: its dictionary and those it is nested in take more than 1024 MB'
    rm tree/x.lzma
    seq 1000 | zstd -q --ultra --long=31 >tree/x.zst
    call_within 131072 "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" tree
    exits 2
    prints 'x\.zst(\(x\))?: it cannot be opened: '
}
# 400 MB of zeros go through each dictionary; together they would be more.
filled_dictionaries() {
    mkdir tree
    local i
    head -c 100000000 /dev/zero | xz -9 >x.xz # its dictionary has 64 MB
    for i in 1 2 3 4; do cp x.xz tree/$i.xz; done
    head -c 400000000 /dev/zero | zstd -q --long=27 >tree/5.zst
    call_within 524288 "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" tree
    exits 2 # a bomb, by its ratio
}
legacy_lzma() {
    mkdir tree
    (echo "$PWD/gcc-11/lib" && seq 1000) | xz --format=lzma >tree/x
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference x warning
    head -c 200 tree/x >tree/cut
    check --forbid "$PWD/gcc-11" tree
    exits 2
    prints 'cut(\(unpacked\))?: it cannot be opened: '
}
odd_lzma() {
    mkdir tree
    forbidden | xz --format=lzma --lzma1=lc=1,lp=2,pb=0,dict=5000 >tree/x
    printf '\210\023\0\0' | dd of=tree/x bs=1 seek=1 conv=notrunc status=none # 5000: no encoder writes that
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference x warning
    # with a declared size the bytes are ambiguous, and the name decides
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
# 100,000 members with one long name, which a scan must not keep in memory.
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
    call_within 524288 "$hostpin" leak-check --no-binding --json --forbid /opt/gcc-11 tree
    graded forbidden-reference libx.a warning
    same "$(json "$out" findings 0 member 0 | tr -d n)" ''
}

it "a wheel has the findings of the tree that it was packed from, and for other archives a note names what was not judged" a_wheel_and_its_tree
it "large dictionaries are allowed, in each stream and frame and nested" large_dictionaries
it "a dictionary that is declared too large is refused by its header" declared_dictionaries
it "filled dictionaries take less than 512 MB, for any number of files" filled_dictionaries
it "the older format of xz is opened" legacy_lzma
it "the older format of xz is opened whatever its properties" odd_lzma
it "only the offsets of an archive's members are kept in memory" members_memory
finish
