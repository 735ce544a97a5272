#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../lib.sh
# The same derivations through Nix's own remote builders: ssh to a machine whose store is another one.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
need_hostpin
need_nix
need_command ssh ssh-keygen dropbear dropbearkey unshare python3
need_mounts
unshare -m -p -f true 2>/dev/null || skip "no process namespace of its own"
new_store "$work/nix"
# nvcc derives names from the directory in which it compiles: it must be the same here and there, and not used by another build, because
# a second one gets a number
export TMPDIR=$work/build
mkdir "$TMPDIR"
# shellcheck disable=SC2034 # read by lib.sh
if [ $# -gt 0 ]; then only=$1; fi

far=$work/far
mkdir -p "$far"
ssh-keygen -q -t ed25519 -N '' -f "$far/key"
# A case runs in a subshell, and the machine that it starts must be ended: so its process id is in a file.
switch_on() {
    local tries port
    port=$(free_ports 1)
    unshare -m -p -f --mount-proc --kill-child bash "$here/far.sh" "$far" "$port" >>"$far/log.txt" 2>&1 &
    echo $! >"$far/machine"
    export NIX_SSHOPTS="-p $port -i $far/key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    for ((tries = 0; tries < 600; ++tries)); do
        # shellcheck disable=SC2086 # options
        if ssh $NIX_SSHOPTS root@127.0.0.1 true 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "the other machine does not answer: $(cat "$far/log.txt")"
}
switch_off() {
    if [ -s "$far/machine" ]; then kill -KILL "$(cat "$far/machine")" 2>/dev/null || true; fi
    rm -f "$far/machine"
}
trap 'switch_off; remove_work' EXIT

there=(--max-jobs 0 --builders "ssh://root@127.0.0.1?remote-program=$far/nix-store $(nix eval --impure --raw --expr builtins.currentSystem) - 1 1")
hash_of() { nix-store -q --hash "$1"; }

travels() {
    made packages.nix cuda124.bound
    local bound=$made program
    made packages.nix cuda124.saxpy "${there[@]}"
    program=$made
    says "building '.*-saxpy-cuda12.4.drv' on 'ssh://root@127.0.0.1[?'].*" "copying path '$bound' to 'ssh://root@127.0.0.1"
    [ -x "$far/store/${bound##*/}/bin/nvcc" ] || fail "the bound toolchain is not in the other store"
    [ "$(hash_of "$bound")" = "$(NIX_STATE_DIR=$far/var nix-store -q --hash "$bound")" ] || fail "it is another one there"
    env -i "$program/bin/saxpy_cuda" host
    # the same bits as on this machine
    call nix-build --no-out-link "$here/packages.nix" "${arguments[@]}" -A cuda124.saxpy --check
    exits 0
}
leaks_there() {
    call nix-build --no-out-link "$here/cases.nix" "${arguments[@]}" -A fileLeak "${there[@]}"
    [ "$status" -ne 0 ] || fail "a leak passes on the other machine"
    says 'output file \(.*-file-leak-file\) did not pass'
}
dies() {
    local gate=$work/gate pid tries
    made packages.nix cuda124.bound
    : >"$gate"
    nix-build --no-out-link "$here/cases.nix" "${arguments[@]}" --argstr gate "$gate" -A slow "${there[@]}" >dying.log 2>&1 &
    pid=$!
    for ((tries = 0; tries < 3000 && $(stat -c %s "$gate") == 0; ++tries)); do sleep 0.1; done
    [ -s "$gate" ] || fail "it did not begin: $(cat dying.log)"
    switch_off
    if wait "$pid"; then fail "it was built by a machine that is gone"; fi
    rm "$gate"
    call nix-store --verify --check-contents
    exits 0
    switch_on
    made cases.nix slow --argstr gate "$gate" "${there[@]}"
    says_not "copying path '.*-hostpin-bound'" # it is there already
    made_by "$made/f.o" gcc 13
    call nix-build --no-out-link "$here/cases.nix" "${arguments[@]}" --argstr gate "$gate" -A slow --check
    exits 0
    NIX_STATE_DIR=$far/var call unshare -m bash -c "mount --bind '$far/store' '$NIX_STORE_DIR' && nix-store --verify --check-contents"
    exits 0
}

switch_on
it "the bound toolchain is copied as a store path, and a program that is built with it there has the same bits as here" travels
it "a leak fails there as here, with output and file" leaks_there
it "a builder that dies during the build loses nothing" dies
finish
