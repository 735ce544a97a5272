#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What must pass: NVIDIA's own toolkits, and a program that nvcc built; with the same program built without the pin, which
# must not. That each pair's saxpy passes is in ../../matrix. HOSTPIN_FULL=1: each toolkit with each stdenv.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

bound() { # TOOLKIT STDENV
    need_cuda "$1"
    need_lab "bin/$2"
    "$hostpin" bind bound --toolkit "$(cuda "$1")" --stdenv "$lab/bin/$2" || fail "bind"
}
# Vendor files have no errors, whatever the stdenv; notes are counted.
vendor() { # TOOLKIT STDENV
    bound 13.0 "$2"
    need_cuda "$1"
    local root
    root=$(realpath "$(cuda "$1")")
    call "$hostpin" leak-check --json --binding bound --vendor "$root" "$root"
    exits 0
    same "$(json "$out" length unseen)" 0
    [ "$(json "$out" files)" -gt 1000 ] || fail "no toolkit is that small"
    tr -d '\n' <"$out" | sed 's/"rule"/\n&/g' | sed -nE 's/^"rule": *"([^"]*)", *"severity": *"([a-z]*)".*/\2 \1/p' |
        sort | uniq -c | sed "s/^ */CUDA $1, stdenv $2: /" >>"$work/remains"
    # the programs of the toolkit contain paths of their own build and dangling run paths: without notes nothing was scanned
    grep -q "CUDA $1, stdenv $2: .*foreign-static-libstdcxx" "$work/remains" || fail "nothing was told of it"
}
pinned_or_not() {
    need_lab bin/g++-13 # before the binding, which selects it
    bound 12.4 g++-16
    write_source hello.cu
    mkdir -p tree/bin plain/bin
    bound/nvcc -arch=sm_75 hello.cu -o tree/bin/hello
    "$(cuda 12.4)/bin/nvcc" -ccbin "$lab/bin/g++-13" -arch=sm_75 hello.cu -o plain/bin/hello
    call "$hostpin" leak-check --json --binding bound tree
    exits 0
    same "$(json "$out" length findings)" 0
    call "$hostpin" leak-check --json --binding bound plain
    exits 1
    graded forbidden-runpath bin/hello error
    graded wrong-libstdcxx bin/hello error
}

pairs=(11.2:12 11.8:16 12.4:12 13.0:16)
if [ "$full" = 1 ]; then pairs=({11.2,11.8,12.4,13.0}:{12,16}); fi
for pair in "${pairs[@]}"; do
    it "CUDA ${pair%:*} as NVIDIA ships it passes for a stdenv of GCC ${pair#*:}" vendor "${pair%:*}" "g++-${pair#*:}"
done
it "a program that is linked by the stdenv passes, and one that the host compiler linked does not" pinned_or_not
if [ -s "$work/remains" ]; then cat "$work/remains"; fi
finish
