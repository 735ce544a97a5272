#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../lib.sh
# hostpinFor in a cross package set, in a real store: compilers run here, programs and their closure are the target's. 25 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/../redist/lib.sh"
# shellcheck source=tests/e2e/target/lib.sh
. "$(dirname "$0")/../target/lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
only=${1:-}
need_hostpin
need_component checks # the setup hook
need_nix
need_target 12.4.1 aarch64-linux-gnu 13 14
new_store "$work/nix"

builds() {
    made cross.nix saxpy --argstr toolkit "$toolkit"
    local program=$made
    for file in "$program"/bin/* "$program"/lib*/libreport.so; do
        readelf -h "$file" | contains "Machine:.*$machine" || fail "$file is for another machine"
    done
    nix-store -q --requisites "$program" >requisites
    same "$(names_of <requisites)" "aarch64-linux-gnu-gcc-14-lib $(names_of <<<"$program")"
    # its loader is named by its path in the store
    env -i "$(command -v "qemu-$processor-static")" "$program/bin/saxpy_cuda" host | contains 'host half: 1048576 elements, all as expected'
}
binds() {
    made cross.nix bound --argstr toolkit "$toolkit"
    contains "^directory = .*/targets/$directory\"" <"$made/bound/binding.toml"
    sed -n '/^\[host\]/,/^\[stdenv\]/p' "$made/bound/binding.toml" | contains 'version = "13\.'
}

it 'a cross package set is bound to the target, with the host compiler that fits' binds
it 'the sample is built for the target, and its closure is the target library alone' builds
finish
