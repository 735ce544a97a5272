# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Shared by the scripts in this directory: the command under test, and objects of two versions of GCC.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}
if [ -d "$lab/bin" ]; then export PATH=$lab/bin:$plain_path; fi

check() { call "$hostpin" lto-check "$@"; }
# two_gccs: the newest two of this machine, the older one in $older.
two_gccs() {
    local version found=()
    for version in 16 15 14 13 12 11 10 9; do
        if command -v "gcc-$version" >/dev/null; then found+=("$version"); fi
    done
    [ ${#found[@]} -ge 2 ] || skip "needs two versions of GCC"
    newer=${found[0]} older=${found[1]}
    if [ ! -d "$work/objects" ]; then
        mkdir "$work/draft"
        (cd "$work/draft" && make_objects)
        mv "$work/draft" "$work/objects"
    fi
    cp "$work/objects"/* .
}
make_objects() {
    local source
    echo 'int f(int x) { return x + 1; }' >f.c
    echo 'int f(int); int main(void) { return f(41) != 42; }' >main.c
    echo 'int unused(void) { return 7; }' >unused.c
    for source in f main unused; do
        "gcc-$newer" -flto -c $source.c -o $source.newer.o
        "gcc-$older" -flto -c $source.c -o $source.older.o
        "gcc-$older" -flto -ffat-lto-objects -c $source.c -o $source.fat.o
        "gcc-$older" -c $source.c -o $source.plain.o
    done
}
verdicts() { # of $out, one for each input
    local i count
    count=$(grep -c '"verdict"' "$out")
    for ((i = 0; i < count; i++)); do json "$out" inputs "$i" verdict; done | xargs
}
