# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# A compiler as Nixpkgs has it, for the scripts that source this: scripts around GCC and ld, written here after the documented behaviour of its
# cc-wrapper and bintools-wrapper (Nixpkgs manual, "Standard environment", and their setup hooks):
# - flags come from files in nix-support and from variables, and other ones for a call without an input, or for a shared library;
# - -B leads to an `ld` that adds a run path for each library of the store that a link takes, by -l or by its path;
# - response files are read; with NIX_CC_USE_RESPONSE_FILE=1 and NIX_LD_USE_RESPONSE_FILE=1 their own commands are in one.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# wrapped NAME COMPILER: store/NAME/bin/g++ and store/NAME-bintools/bin/ld.
wrapped() {
    local cc=$PWD/store/$1 bintools=$PWD/store/$1-bintools
    mkdir -p "$cc/bin" "$cc/nix-support" "$bintools/bin" "$bintools/nix-support"
    echo "$2" >"$cc/nix-support/orig-cc"
    echo "$bintools" >"$cc/nix-support/orig-bintools"
    echo '-DFROM_CC_CFLAGS' >"$cc/nix-support/cc-cflags"
    echo '-DFROM_LIBC_CFLAGS' >"$cc/nix-support/libc-cflags"
    echo '-z noseparate-code' >"$cc/nix-support/cc-ldflags"
    plain_loader "$2" >"$bintools/nix-support/dynamic-linker"
    command -v "$("$2" -print-prog-name=ld)" >"$bintools/nix-support/orig-bintools"
    { shared_part && cc_part; } >"$cc/bin/g++"
    { shared_part && ld_part; } >"$bintools/bin/ld"
    chmod +x "$cc/bin/g++" "$bintools/bin/ld"
}
plain_loader() {
    echo 'int main() {}' >empty.cpp
    "$1" empty.cpp -o empty
    readelf -lW empty | sed -n 's/.*interpreter: \(.*\)\]/\1/p'
}
shared_part() {
    cat <<'SCRIPT'
#!/bin/bash
set -eu -o pipefail
out=$(cd "$(dirname "$0")/.." && pwd)
params=() more=()
for each; do
    case $each in
    @*) mapfile -t more < <(xargs -n 1 printf '%s\n' <"${each#@}") && params+=("${more[@]}") ;;
    *) params+=("$each") ;;
    esac
done
shared=0 static=0
for each in ${params+"${params[@]}"}; do
    case $each in -shared) shared=1 ;; -static | -static-pie) static=1 ;; esac
done
# run USE_RESPONSE_FILE COMMAND WORD...
run() {
    local file code=0
    [ "$1" = 1 ] || exec "${@:2}"
    file=$(mktemp "${TMPDIR:-/tmp}/params.XXXXXX")
    printf '%q\n' "${@:3}" >"$file"
    "$2" "@$file" || code=$?
    rm -f "$file"
    exit $code
}
words() { read -ra more <<<"$*" || true; }
SCRIPT
}
cc_part() {
    cat <<'SCRIPT'
bintools=$(<"$out/nix-support/orig-bintools")
links=1 inputs=0
for each in ${params+"${params[@]}"}; do
    case $each in
    -[cSEM] | -MM) links=0 ;;
    -?*) ;;
    *) inputs=1 ;;
    esac
done
[ $inputs = 1 ] || links=0
before=() after=()
for flag in ${NIX_HARDENING_ENABLE-fortify pie relro}; do
    case $flag in
    fortify) before+=(-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) ;;
    pie) # before each option of the user
        before=(-fPIE ${before+"${before[@]}"})
        [ $links = 0 ] || [ $shared = 1 ] || [ $static = 1 ] || before=(-pie "${before[@]}") ;;
    esac
done
words "${NIX_CFLAGS_COMPILE_BEFORE-}" && before+=(${more+"${more[@]}"})
words "$(<"$out/nix-support/cc-cflags") $(<"$out/nix-support/libc-cflags") -B$bintools/bin/ ${NIX_CFLAGS_COMPILE-}" && after+=("${more[@]}")
if [ $links = 1 ]; then
    words "${NIX_CFLAGS_LINK-}" && after+=(${more+"${more[@]}"})
    for each in ${NIX_LDFLAGS_BEFORE-}; do before+=("-Wl,$each"); done
    [ $static = 1 ] || before+=("-Wl,-dynamic-linker=$(<"$bintools/nix-support/dynamic-linker")")
    for each in ${NIX_LDFLAGS-} $(<"$out/nix-support/cc-ldflags"); do
        case $each in -L/*) after+=("$each") ;; *) after+=("-Wl,$each") ;; esac
    done
    export NIX_LINK_TYPE=dynamic # the linker's script adds NIX_LDFLAGS no second time
fi
[ "$*" != -v ] || before=() after=()
run "${NIX_CC_USE_RESPONSE_FILE-0}" "$(<"$out/nix-support/orig-cc")" ${before+"${before[@]}"} ${params+"${params[@]}"} ${after+"${after[@]}"}
SCRIPT
}
ld_part() {
    cat <<'SCRIPT'
before=() after=() directories=() libraries=' ' previous=
case " ${NIX_HARDENING_ENABLE-fortify pie relro} " in *' relro '*) before+=(-z relro) ;; esac
if [ -z "${NIX_LINK_TYPE-}" ]; then
    words "${NIX_LDFLAGS-}" && after+=(${more+"${more[@]}"})
    words "${NIX_LDFLAGS_BEFORE-}" && before+=(${more+"${more[@]}"})
    [ $static = 1 ] || before+=(-dynamic-linker "$(<"$out/nix-support/dynamic-linker")")
fi
words "${NIX_LDFLAGS_AFTER-}" && after+=(${more+"${more[@]}"})
if [ "${NIX_DONT_SET_RPATH-}" != 1 ]; then
    for each in "${before[@]}" ${params+"${params[@]}"} ${after+"${after[@]}"}; do
        case $previous$each in
        -plugin?* | -dynamic-linker?*) ;;
        -L/*) directories+=("${each#-L}") ;;
        -l?*) libraries+="lib${each#-l}.so " ;;
        "${NIX_STORE-/nowhere}"/*.so | "${NIX_STORE-/nowhere}"/*.so.*) directories+=("${each%/*}") libraries+="${each##*/} " ;;
        esac
        case $each in -L | -l | -plugin | -dynamic-linker) previous=$each ;; *) previous= ;; esac
    done
    for directory in ${directories+"${directories[@]}"}; do
        case $directory in "${NIX_STORE-/nowhere}"/*) ;; *) continue ;; esac
        for file in "$directory"/*; do
            case $libraries in *" ${file##*/} "*) after+=(-rpath "$directory") && break ;; esac
        done
    done
fi
run "${NIX_LD_USE_RESPONSE_FILE-0}" "$(<"$out/nix-support/orig-bintools")" "${before[@]}" ${params+"${params[@]}"} ${after+"${after[@]}"}
SCRIPT
}
