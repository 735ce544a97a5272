# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# A compiler as Nixpkgs has it, for the scripts that source this: scripts around GCC and ld, written here as its cc-wrapper and
# bintools-wrapper are documented (Nixpkgs manual, "Standard environment", and their setup hooks): flags from files and from variables, other
# ones for a call without an input, an `ld` that is found by -B, and run paths for each library of the store that a link takes.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# wrapped NAME COMPILER: store/NAME/bin/g++ and store/NAME-bintools/bin/ld.
wrapped() {
    local cc=$PWD/store/$1 bintools=$PWD/store/$1-bintools loader
    loader=$(plain_loader "$2")
    mkdir -p "$cc/bin" "$cc/nix-support" "$bintools/bin"
    echo "-B$bintools/bin/ -DFROM_CC_CFLAGS" >"$cc/nix-support/cc-cflags"
    cat >"$cc/bin/g++" <<'SCRIPT'
#!/bin/bash
set -eu -o pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
links=1 inputs=0 plain=1
for each; do
    case $each in
    -c | -S | -E | -M | -MM) links=0 ;;
    -fno-plt) plain=0 ;;
    -) inputs=1 ;;
    -*) ;;
    *) inputs=1 ;;
    esac
done
[ $inputs = 1 ] || links=0
before=() after=()
read -ra after <<<"$(cat "$here/nix-support/cc-cflags") ${NIX_CFLAGS_COMPILE-}"
case " ${NIX_HARDENING_ENABLE-fortify} " in *' fortify '*) [ $plain = 0 ] || before+=(-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) ;; esac
if [ $links = 1 ]; then
    for each in ${NIX_LDFLAGS_BEFORE-}; do before+=("-Wl,$each"); done
    read -ra more <<<"${NIX_CFLAGS_LINK-}"
    after+=("${more[@]}")
fi
exec COMPILER "${before[@]}" "$@" "${after[@]}"
SCRIPT
    sed -i "s|COMPILER|$2|" "$cc/bin/g++"
    cat >"$bintools/bin/ld" <<'SCRIPT'
#!/bin/bash
set -eu -o pipefail
words=() directories=() libraries=() paths=() loader=1
for each; do
    case $each in
    @*) mapfile -t more < <(xargs -n 1 <"${each#@}") && words+=("${more[@]}") ;;
    *) words+=("$each") ;;
    esac
done
more=()
read -ra more <<<"${NIX_LDFLAGS-}"
words+=("${more[@]}")
for each in "${words[@]}"; do
    case $each in
    -L"$NIX_STORE"/*) directories+=("${each#-L}") ;;
    -l*) libraries+=("${each#-l}") ;;
    -shared | -r | --relocatable) loader=0 ;;
    esac
done
for directory in "${directories[@]}"; do
    for library in "${libraries[@]}"; do
        if [ -e "$directory/lib$library.so" ]; then paths+=(-rpath "$directory") && break; fi
    done
done
[ $loader = 0 ] || paths+=(-dynamic-linker LOADER)
exec LINKER "${words[@]}" "${paths[@]}"
SCRIPT
    sed -i -e "s|LOADER|$loader|" -e "s|LINKER|$(command -v "$("$2" -print-prog-name=ld)")|" "$bintools/bin/ld"
    chmod +x "$cc/bin/g++" "$bintools/bin/ld"
}
plain_loader() {
    echo 'int main() {}' >empty.cpp
    "$1" empty.cpp -o empty
    readelf -lW empty | sed -n 's/.*interpreter: \(.*\)\]/\1/p'
}
