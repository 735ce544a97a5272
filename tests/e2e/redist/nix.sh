#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# nix.sh [TEXT]: hostpinRedist composes a toolkit in a real store, with an output for each view. 25 s of processor, most of it unpacking.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_nix
need_archives 12.4.1
export PATH=$prefix/bin:$PATH
new_store "$work/nix"
# shellcheck disable=SC2034 # read by lib.sh
if [ $# -gt 0 ]; then only=$1; fi

hostpin redist lock "$manifest" --platforms linux-x86_64,linux-sbsa --packages cuda_cccl@linux-x86_64,cuda_cudart,cuda_nvcc@linux-x86_64 \
    -o "$work/redist.lock" 2>"$err" || { cat "$err" && exit 1; }
redist=(--argstr redistLock "$work/redist.lock" --argstr redistMirror "$archives")

composed() {
    made fits.nix redist "${redist[@]}"
    call "$made/bin/nvcc" --version
    exits 0
    contains 'release 12.4' <"$out"
    call hostpin redist check "$made" --fail-on error
    exits 0
    [ ! -e "$made/targets/sbsa-linux" ] || fail "another platform's archives are in it, too"
    local whole=$made
    made fits.nix redist.lib "${redist[@]}"
    [ "$made" != "$whole" ] || fail "the same path"
    [ -e "$made/targets/x86_64-linux/lib/libcudart.so.12" ] || fail "no library: $(find "$made" | head -n 40)"
    [ -z "$(find "$made" -name '*.h' -o -name '*.a' -o -name nvcc)" ] || fail "more than libraries: $(find "$made" -name '*.h' | head -n 3)"
    same "$(nix-store -q --references "$made" | names_of)" ""
    made fits.nix redist.static "${redist[@]}"
    [ -e "$made/targets/x86_64-linux/lib/libcudart_static.a" ] || fail "no static library"
}
lacks() {
    call nix-instantiate "$here/fits.nix" "${arguments[@]}" -A unlocked "${redist[@]}"
    [ "$status" -ne 0 ] || fail "evaluated"
    says 'hostpinRedist: the lock has no libcublas for linux-x86_64'
}

it 'a toolkit is composed from the archives of a lock, and each view is an output' composed
it 'a package that the lock lacks is an error' lacks
finish
