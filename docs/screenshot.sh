#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: docs/screenshot.sh    makes docs/report.png: the first screen of a report on some of the lab's compilers and toolkits.
# Needs Chromium, out/ (./bootstrap build), the lab (./bootstrap lab), and unshare, for a /usr/local in which they are for a while.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --inside ]; then exec unshare --map-root-user --mount "docs/${0##*/}" --inside; fi

prefix=${HOSTPIN_PREFIX:-$PWD/out}
lab=${HOSTPIN_LAB:-$HOME/.cache/hostpin/lab}
width=1100 height=1120 # of the browser's window
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mount -t tmpfs tmpfs /usr/local
for release in 11.8 12.4; do
    mkdir "/usr/local/cuda-$release"
    mount --bind "$lab/cuda-$release" "/usr/local/cuda-$release"
done
mkdir /usr/local/bin
for major in 13 14 15; do
    script=$lab/bin/g++-$major root=$lab/$(grep -oE -m 1 'roots/[a-z]+' "$lab/bin/g++-$major" | head -n 1)
    mkdir "/usr/local/gcc-$major"
    mount --bind "$root" "/usr/local/gcc-$major"
    sed -E "s#$root([/ ])#/usr/local/gcc-$major\1#g" "$script" >"/usr/local/bin/g++-$major"
    chmod +x "/usr/local/bin/g++-$major"
done
cat >"$work/config.toml" <<'TOML'
toolkit = "/usr/local/cuda-12.4"
toolkits = ["/usr/local/cuda-11.8"]
stdenv = "g++-15"
search = "named"
compilers = ["g++-11", "g++-12", "g++-13", "g++-14", "clang++-14"]
TOML
env -i HOME="$work" PATH=/usr/local/bin:/usr/bin:/bin HOSTPIN_CONFIG="$work/config.toml" \
    "$prefix/bin/hostpin" report -o "$work/report.html" >/dev/null
HOME=$work chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=$width,$height \
    --screenshot="$work/report.png" "file://$work/report.html" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
mv "$work/report.png" docs/report.png
ls -l docs/report.png
