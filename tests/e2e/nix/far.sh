#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# far.sh DIRECTORY PORT, in separate mount and process namespaces: another machine as seen by Nix. Its store is another one under the
# same path, and all its processes end with it.
set -euo pipefail
mkdir -p "$1/store" "$1/home/.ssh"
cp "$1/key.pub" "$1/home/.ssh/authorized_keys"
chmod -R go-rwx "$1/home"
sed "s,^\(root:[^:]*:0:0:[^:]*\):[^:]*:,\1:$1/home:," /etc/passwd >"$1/passwd"
printf '%s\n' '#!/bin/sh' "export NIX_STORE_DIR=$NIX_STORE_DIR NIX_STATE_DIR=$1/var NIX_LOG_DIR=$1/log NIX_CONF_DIR=$NIX_CONF_DIR TMPDIR=$TMPDIR" \
    'exec nix-store "$@"' >"$1/nix-store"
chmod +x "$1/nix-store"
mount --bind "$1/store" "$NIX_STORE_DIR"
mount --bind "$1/passwd" /etc/passwd
[ -e "$1/host_key" ] || dropbearkey -t ed25519 -f "$1/host_key"
exec dropbear -F -E -s -r "$1/host_key" -P "$1/pid" -p "127.0.0.1:$2"
