# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by the scripts in this directory, each of which writes rows and ends in run_rows: each verdict is compared with the real link.
# No link that fails is accepted, none that works is refused except for `risky` rows, and code that a linker silently omits is reported
# as such. With the compilers of the lab, else those of the machine.
#
#   -j N  N links at once; -v  every row; HOSTPIN_FULL=1: every release of the lab
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"

jobs=2 verbose=no
while getopts j:v option; do
    case $option in j) jobs=$OPTARG ;; v) verbose=yes ;; *) exit 2 ;; esac
done
[ "$OPTIND" -gt $# ] || fail "usage: ${0##*/} [-j N] [-v]"
lto_check=$prefix/libexec/hostpin/lto-check
[ -x "$lto_check" ] || fail "no lto-check in $prefix"
cd "$work"

# ---------------------------------------------------------------------------------------------- tools

if [ -d "$lab/bin" ]; then
    export PATH=$lab/bin:$PATH
elif [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then
    without_lab "no lab in $lab"
else
    echo "no lab in $lab: only this machine's tools"
fi
present() { # NAME VERSION...: those of NAME-VERSION that are on PATH
    local name=$1 version
    shift
    for version; do ! command -v "$name-$version" >/dev/null || echo "$version"; done
}
# The number of rows grows with the square of that of releases. In CI: one of the machine's, the oldest GCC, the newest, and Clang 18, the
# first with fat objects; without the lab what the machine has of more.
gcc_releases=(9 12 16) llvm_releases=(14 18 22)
if [ "$stands_in" = yes ]; then gcc_releases=(9 11 12 16) llvm_releases=(13 14 18 22); fi
if [ "$full" = 1 ]; then gcc_releases=({9..16}) llvm_releases=({13..22}); fi
# shellcheck disable=SC2034 # the scripts' own loops
{
    mapfile -t gccs < <(present gcc "${gcc_releases[@]}")
    mapfile -t clangs < <(present clang "${llvm_releases[@]}")
    mapfile -t llds < <(for release in "${llvm_releases[@]}"; do [ ! -d "$lab/linkers/lld-$release" ] || echo "$release"; done)
    mapfile -t toolkits < <(for version in 11.2 $([ "$full" = 0 ] || echo 11.8) 12.4 13.0; do [ ! -x "$(cuda "$version")/bin/nvlink" ] || echo "$version"; done)
}
# lld VERSION: the program. Without the lab the machine's own counts.
if [ ${#llds[@]} -eq 0 ] && command -v ld.lld >/dev/null; then
    mapfile -t llds < <(ld.lld --version | sed -nE 's/.*LLD ([0-9]+)\..*/\1/p')
    lld() { command -v ld.lld; }
else
    lld() { echo "$lab/linkers/lld-$1/ld.lld"; }
fi
mold_directory=$lab/linkers/mold-1.10

# ---------------------------------------------------------------------------------------------- rows

: >rows
# row WHOLE NAME COMMAND...: left out where there is no such linker
row() {
    local linker
    for linker in lld gold; do
        case " $* " in *" -fuse-ld=$linker "*) command -v "ld.$linker" >/dev/null || return 0 ;; esac
    done
    printf '%q ' "$lto_check" "$2" "$1" "${@:3}" >>rows
    echo >>rows
}
run_rows() {
    [ -s rows ] || skip "there are no compilers and linkers to compare"
    # Each line was quoted for a shell.
    # shellcheck disable=SC2016
    tr '\n' '\0' <rows | xargs -0 -P "$jobs" -n 1 bash -c 'eval "set -- $1"; . "$0"' "$here/row.sh" >results
    [ "$verbose" = no ] || sort -t $'\t' -k 4 results
    echo "$(wc -l <rows) links:"
    cut -f 1-3 results | sort | uniq -c
    same "$(wc -l <results)" "$(wc -l <rows)"
    if grep -v '^agree' results; then fail "lto-check and the linkers do not agree"; fi
}

cat >f.c <<'C'
int f(int x) { return x + 1; }
C
cat >main.c <<'C'
int f(int);
int main(void) { return f(41) != 42; }
C
cat >unused.c <<'C'
int unused(void) { return 7; }
C
in_parallel() { xargs -P "$jobs" -d '\n' -I {} sh -c '{}'; }

gcc_objects() { # MAJOR...: f and main, slim and fat
    local version
    for version; do
        for source in f main unused; do
            echo "gcc-$version -O1 -flto -fno-fat-lto-objects -fPIC -c $source.c -o $source.gcc$version.slim.o"
            echo "gcc-$version -O1 -flto -ffat-lto-objects -fPIC -c $source.c -o $source.gcc$version.fat.o"
        done
    done | in_parallel
}
clang_objects() {
    local version
    for version; do
        for source in f main unused; do
            echo "clang-$version -O1 -flto -fPIC -c $source.c -o $source.clang$version.full.o"
            echo "clang-$version -O1 -flto=thin -fPIC -c $source.c -o $source.clang$version.thin.o"
            [ "$version" -lt 18 ] || echo "clang-$version -O1 -flto -ffat-lto-objects -fPIC -c $source.c -o $source.clang$version.fatlto.o"
        done
    done | in_parallel
}

# GCC knows mold from 12 on. Plugins of another suite need a newer C library than this mold has loaded.
mold_rows() { # DRIVER NAME MAIN F
    [ -d "$mold_directory" ] || return 0
    row runs "$2 by mold" "$1" -fuse-ld=mold -B"$mold_directory" -flto "$3" "$4" -o out
    row exports:f "$2 -shared by mold" "$1" -fuse-ld=mold -B"$mold_directory" -shared "$4" -o out
    row exports:f "$2 -shared -fno-lto by mold" "$1" -fuse-ld=mold -B"$mold_directory" -shared -fno-lto "$4" -o out
}
# neighbours N ALL...: N, the one before and the one after.
neighbours() {
    local wanted=$1
    shift
    printf '%s\n' "$@" | grep -x -B 1 -A 1 -e "$wanted"
}

# archive NAME AR OBJECT...
archive() { { [ ! -e "$1" ] || rm "$1"; } && "$2" "${ar_mode:-rcs}" "$1" "${@:3}"; }
