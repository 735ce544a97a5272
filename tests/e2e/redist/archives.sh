#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# archives.sh [WORDS]: what `check --archives` finds in archives: made ones with one defect each, and real ones. 5 s of processor without a
# lab; with one 12 s more, and 70 s once for its archives (archives/README.md).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
only=${1:-}
need_hostpin
need_command gcc tar xz

# tree DIRECTORY: an archive's content without defects.
tree() {
    mkdir -p "$1/lib" "$1/include"
    echo 'int made(void) { return 1; }' | gcc -shared -fPIC -nostdlib -xc - -o "$1/lib/libmade.so.1.2.3" -Wl,-soname,libmade.so.1
    ln -s libmade.so.1.2.3 "$1/lib/libmade.so.1"
    echo '#include <stdio.h>' >"$1/include/made.h"
    echo 'a license' >"$1/LICENSE"
}
top=libmade-linux-x86_64-1.2.3-archive
# archive [PLATFORM]: of the directory $top, with its manifest, in ./a.
archive() {
    local path=libmade/linux-x86_64/$top.tar.xz
    mkdir -p a/libmade/linux-x86_64
    [ -e "a/$path" ] || tar -cJf "a/$path" "$top"
    cat >a/redistrib_1.2.3.json <<JSON
{"release_date": "2024-04-03", "release_label": "1.2.3", "release_product": "cuda",
 "libmade": {"name": "Made", "license": "CUDA Toolkit", "license_path": "libmade/LICENSE.txt", "version": "1.2.3",
  "${1:-linux-x86_64}": {"relative_path": "$path", "sha256": "$(sha256sum "a/$path" | cut -d' ' -f1)",
   "md5": "$(md5sum "a/$path" | cut -d' ' -f1)", "size": "$(stat -c %s "a/$path")"}}}
JSON
}
check() { call "$hostpin" redist check a/redistrib_1.2.3.json --archives a "$@"; }
# finds RULE...: those rules of archives and no others.
finds() {
    same "$(sed -nE 's/^.*\.tar\.xz: .* \[([a-z-]+)\]$/\1/p' "$out" | sort -u | tr '\n' ' ')" "$(printf '%s\n' "$@" | sort -u | tr '\n' ' ')"
}

finds_nothing() {
    tree "$top"
    archive
    check --fail-on note
    exits 0
}
finds_another_file() {
    tree "$top"
    archive
    damage "a/libmade/linux-x86_64/$top.tar.xz" 60
    check
    exits 1
    finds mistaken-hash
}
finds_another_machine() {
    tree "$top"
    archive linux-sbsa
    check
    exits 1
    finds wrong-machine
    contains 'libmade.so.1.2.3 is for x86_64; linux-sbsa is aarch64' <"$out"
}
finds_an_escape() {
    tree "$top"
    echo x >outside
    mkdir -p a/libmade/linux-x86_64
    tar -cJPf "a/libmade/linux-x86_64/$top.tar.xz" --transform 's,^outside,../outside,' "$top" outside 2>/dev/null
    archive
    check
    exits 1
    finds unsafe-member
}
finds_another_top() {
    tree other
    mkdir -p a/libmade/linux-x86_64
    tar -cJf "a/libmade/linux-x86_64/$top.tar.xz" other
    archive
    check
    exits 1
    finds top-directory
}
finds_links_and_paths() {
    tree "$top"
    rm "$top/lib/libmade.so.1"
    mkdir "$top/pkg-config"
    echo 'prefix=/usr/local/made' >"$top/pkg-config/made.pc"
    mv "$top/lib/libmade.so.1.2.3" "$top/lib/libmade.so.1.2.4"
    rm "$top/LICENSE"
    archive
    check
    exits 1
    finds soname-link host-path wrong-version unknown-license
}
finds_only_stubs() {
    tree "$top"
    mkdir "$top/lib/stubs"
    mv "$top/lib/libmade.so.1.2.3" "$top/lib/stubs/libmade.so"
    rm "$top/lib/libmade.so.1"
    archive
    check
    exits 1
    finds stub-as-library
}
says_that_none_is_there() {
    tree "$top"
    archive
    mkdir empty
    call "$hostpin" redist check a/redistrib_1.2.3.json --archives empty
    exits 2
    says "none of the manifests' archives is in empty"
}
finds_what_is_known_of_real_ones() {
    need_archives 12.4.1
    call "$hostpin" redist check "$manifest" --archives "$archives" --gpus 8.7
    exits 0
    finds soname-link host-path stub-as-library missing-gpu-code
    contains 'linux-sbsa: lib/libnvjpeg.so.12.3.1.117 has no machine code for 8.7' <"$out"
    ! grep 'missing-gpu-code' "$out" | grep -q cudart || fail "cudart has no device code"
}

it 'an archive without defects has no findings' finds_nothing
it 'an archive with another byte is found' finds_another_file
it 'libraries for another machine are found' finds_another_machine
it 'a member outside of the directory is found' finds_an_escape
it 'another top directory is found' finds_another_top
it 'a missing link, a path of another machine, another version and no license are found' finds_links_and_paths
it 'an archive with only stubs is found' finds_only_stubs
it 'a directory without any of the archives is an error' says_that_none_is_there
it 'real archives have what is known of them, and nothing else' finds_what_is_known_of_real_ones
finish
