# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # from ../lib.sh
# Sourced after ../lib.sh by tests that run Nix: a separate store in the test's directory, no daemon, no sandbox, no network.
need_nix() {
    need_command nix-build nix-store patchelf ninja cmake
    if [ "$(id -u)" != 0 ]; then skip "a store without a daemon is tried as root"; fi
    need_lab bin/g++-13 roots/trixie cuda-12.4
}
# new_store DIRECTORY: later commands use that store.
new_store() {
    mkdir -p "$1/store" "$1/etc"
    printf '%s\n' 'sandbox = false' 'build-users-group =' 'substituters =' 'experimental-features = nix-command flakes' >"$1/etc/nix.conf"
    export NIX_STORE_DIR=$1/store NIX_STATE_DIR=$1/var NIX_LOG_DIR=$1/log NIX_CONF_DIR=$1/etc
    unset NIX_REMOTE NIX_PATH
}
arguments=(--argstr lab "$lab" --argstr prefix "$prefix")
here=$repository/tests/e2e/nix
nix() { command nix --extra-experimental-features 'nix-command flakes' "$@"; }
# made FILE ATTRIBUTE [OPTION...]: builds it; its path is in $made.
made() {
    local file=$1 attribute=$2
    shift 2
    call nix-build --no-out-link "$here/$file" "${arguments[@]}" -A "$attribute" "$@"
    exits 0
    # shellcheck disable=SC2034 # read by those who source this
    made=$(tail -n 1 "$out")
}
# refuses FILE ATTRIBUTE: building it fails; its messages are in the file $err.
refuses() {
    call nix-build --no-out-link "$here/$1" "${arguments[@]}" -A "$2"
    [ "$status" -ne 0 ] || fail "$2 is built"
}
names_of() { sed 's,.*/[a-z0-9]\{32\}-,,' | sort | tr '\n' ' '; }
