#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What grep, scanelf, patchelf, readelf, lintian, libtree and leak-check report for the same leaks and their clean twins.
#
#   side_by_side.sh            leak-check must find each leak and call no twin an error, as the table in side-by-side.md has it;
#                              HOSTPIN_FULL=1: and the other tools report what that table has
#   side_by_side.sh --update   writes the table into hooks/leak-check/side-by-side.md
#   side_by_side.sh --print    prints it
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
mode=${1:-}
need_hostpin
need_cross
need_lab bin/g++-11 bin/g++-12 cuda-11.8 cuda-12.4 roots/bullseye
need_command gcc patchelf readelf ar gzip xz zstd cmake
page=$repository/hooks/leak-check/side-by-side.md

host=$lab/bin/g++-11 stdenv=$lab/bin/g++-12
far=$(dirname "$(realpath "$("$host" -print-libgcc-file-name)")")
near=$(dirname "$(realpath "$("$stdenv" -print-libgcc-file-name)")")
cuda_11=$(cuda 11.8) cuda_12=$(cuda 12.4)
old_libstdcxx=$lab/roots/bullseye/usr/lib/x86_64-linux-gnu/libstdc++.so.6
new_libstdcxx=$(realpath "$("$stdenv" -print-file-name=libstdc++.so.6)")
hash=/nix/store/$(printf '0123456789abcdfghijklmnpqrsvwxyz' | rev)-gcc-11
all=$work/fixtures.d parts=$work/parts build=$work/build driver=$work/driver
mkdir -p "$all" "$parts" "$build/lib" "$driver"
# shellcheck source=tests/e2e/leak-check/side-by-side/fixtures.sh
. "$here/fixtures.sh"

make() { # NAME
    local state path=$far
    for state in leak twin; do
        mkdir -p "$all/$1/$state"
        (cd "$all/$1/$state" && "make_$1" "$state") >"$work/make.log" 2>&1 || { cat "$work/make.log"; fail "cannot build $1 ($state)"; }
        path=$near
    done
}

# ---------------------------------------------------------------------------------------------- the tools
#
# Each writes, in said/TOOL, lines of `FILE<tab>its output about that file`.

tools=(grep scanelf patchelf readelf lintian libtree) columns=2-
if [ "$full$mode" = 0 ]; then tools=() columns=2-3; fi
of_file() { # FILE: stdin, without the file's own name
    sed -e "s|$1||g" -e "s|^|$1\t|"
}
each_elf() { while IFS= read -r file; do { "$@" "$file" 2>&1 || true; } | of_file "$file"; done <"$work/elfs"; }
run_grep() { # its words differ from leak to leak
    local name word
    while IFS='|' read -r name _ _ word _; do
        [ -z "$word" ] || grep -rlF -e "$word" "$all/$name" | sed "s|\$|\t$word|" || true
    done <"$work/fixtures"
}
run_scanelf() { each_elf scanelf -qF '%r %i %n %S'; }
run_patchelf() { each_elf patchelf --print-rpath; }
run_readelf() { each_elf readelf -dW; }
run_libtree() { each_elf libtree -pvvv; }
# One package for each tree, installed below /usr, where lintian expects things.
run_lintian() {
    local name state package
    mkdir -p "$work/packages"
    while IFS='|' read -r name _; do
        for state in leak twin; do
            package=$work/packages/${name//_/-}-$state
            mkdir -p "$package/DEBIAN"
            cp -a "$all/$name/$state" "$package/usr"
            printf '%s\n' "Package: ${package##*/}" 'Version: 1' 'Architecture: amd64' 'Description: a fixture' \
                'Maintainer: nobody <nobody@example.org>' >"$package/DEBIAN/control"
            dpkg-deb --root-owner-group -Znone -b "$package" "$package.deb" >/dev/null
        done
    done <"$work/fixtures"
    # leak or twin; a tag and what it is about
    lintian --allow-root --no-cfg --tag-display-limit 0 "$work"/packages/*.deb 2>"$work/lintian.log" |
        sed -nE "s|^[EWI]: ([a-z0-9-]+)-(leak\|twin): (.*)|\1 \2 \3|p" |
        while read -r name state tag; do printf '%s\t%s\n' "$all/${name//-/_}/$state/" "$tag"; done || true
}

# The tags about these leaks; its other tags are about packaging.
lintian_tags='custom-library-search-path|non-empty-dependency_libs-in-la-file|unusual-interpreter|pkg-config-(bad|multi-arch)|absolute-symlink'

# cell TOOL NAME EVIDENCE: yes; both, if it reports the same for the twin; a dash.
cell() {
    local leak twin
    said "$1" "$2/leak" >"$work/of-leak"
    said "$1" "$2/twin" >"$work/of-twin"
    case $1 in
    grep) leak=$(count . leak) twin=$(count . twin) ;;
    lintian) leak=$(count "$lintian_tags" leak) twin=$(count "$lintian_tags" twin) ;;
    *) leak=$(count "$3" leak) twin=$(count "$3" twin) ;;
    esac
    case $((leak > 0))$((twin > 0)) in 10) echo yes ;; 11) echo both ;; 01) echo 'twin only' ;; *) echo – ;; esac
}
count() { grep -cE -e "$1" "$work/of-$2" || true; }
said() { awk -F'\t' -v place="$all/$2/" 'index($1, place) == 1 { $1 = ""; print }' "$work/said/$1"; }

# ---------------------------------------------------------------------------------------------- leak-check

grave() { case $1 in error) echo 3 ;; warning) echo 2 ;; note) echo 1 ;; *) echo 0 ;; esac; }
# verdicts TREE: lines of `severity rule`.
verdicts() {
    local binding=$work/bound
    case $1 in */foreign_machine/*) binding=$work/cross ;; esac
    call "$hostpin" leak-check --json --binding "$binding" --build-dir "$build" --driver-dir "$driver" --forbid "$hash" \
        --store "$all/store_host" "$1"
    [ "$status" -le 1 ] || { show_call; fail "leak-check could not scan $1"; }
    tr -d '\n' <"$out" | sed 's/"rule"/\n&/g' | sed -nE 's/^"rule": *"([^"]*)", *"severity": *"([a-z]*)".*/\2 \1/p' | sort -u
}
gravest() { # RULE: of those on stdin
    local severity rule most=
    while read -r severity rule; do
        if [ "$rule" = "$1" ] && [ "$(grave "$severity")" -gt "$(grave "$most")" ]; then most=$severity; fi
    done
    echo "$most"
}
ours() { # NAME RULE LEAST
    local leak twin
    verdicts "$all/$1/leak" >"$work/leak"
    verdicts "$all/$1/twin" >"$work/twin"
    leak=$(gravest "$2" <"$work/leak") twin=$(gravest "$2" <"$work/twin")
    if [ "$(grave "$leak")" -lt "$(grave "$3")" ]; then
        echo "FAIL: $1: leak-check finds ${leak:-no} $2, and not $3; it finds: $(tr '\n' ',' <"$work/leak")" >>"$work/failures"
    fi
    if grep -q '^error' "$work/twin"; then echo "FAIL: $1: the clean twin has $(grep '^error' "$work/twin")" >>"$work/failures"; fi
    echo "${leak:-–}${twin:+ (twin: $twin)}"
}

# ---------------------------------------------------------------------------------------------- all of it

version_of() { # TOOL
    case $1 in
    patchelf | readelf | libtree | lintian | grep) "$1" --version 2>/dev/null | sed -nE '1s/(.* )?v?([0-9][0-9.]*).*/\2/p' ;;
    scanelf) scanelf --version 2>/dev/null | sed -nE '1s/^pax-utils-([0-9.]*).*/\1/p' ;;
    esac
}
absent=()
run_tools() {
    local tool
    mkdir -p "$work/said"
    find "$all" -type f | sort | while IFS= read -r file; do
        if readelf -h "$file" >/dev/null 2>&1; then echo "$file"; fi
    done >"$work/elfs"
    for tool in "${tools[@]}"; do
        if command -v "$tool" >/dev/null; then "run_$tool" >"$work/said/$tool"; else absent+=("$tool"); fi
    done
}
table() {
    local name rule least evidence kind tool row
    echo '| leak | leak-check finds | grep -r | scanelf | patchelf | readelf -d | lintian | libtree |'
    echo '|---|---|---|---|---|---|---|---|'
    while IFS='|' read -r name rule least _ evidence kind; do
        row="| $kind | \`$rule\`, $(ours "$name" "$rule" "$least") |"
        for tool in "${tools[@]}"; do
            if [ -e "$work/said/$tool" ]; then row+=" $(cell "$tool" "$name" "$evidence") |"; else row+=' absent |'; fi
        done
        echo "$row"
    done <"$work/fixtures"
    echo
    printf 'With'
    for tool in "${tools[@]}"; do printf ' %s %s,' "$tool" "$(version_of "$tool" || true)"; done | sed 's/,$/.\n/'
}
begin='<!-- side by side: written by tests/e2e/leak-check/side-by-side/side_by_side.sh --update -->' end='<!-- end of side by side -->'
in_page() { sed -n "/^$(literally "$begin" | sed 's|/|\\/|g')\$/,/^$end\$/p" "$page" | sed '1d;$d'; }
update() {
    awk -v begin="$begin" -v end="$end" -v table="$work/table" '
        $0 == begin { print; while ((getline line < table) > 0) print line; skip = 1 }
        $0 == end { skip = 0 }
        !skip { print }' "$page" >"$work/page"
    cp "$work/page" "$page"
}

"$hostpin" bind "$work/bound" --toolkit "$cuda_11" --host "$host" --stdenv "$stdenv" >/dev/null
"$hostpin" bind "$work/cross" --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" >/dev/null
shared_parts
fixtures >"$work/fixtures"
"$hostpin" leak-check --rules | sed -nE 's/^([a-z-]+) \((error|warning|note)\)$/\1/p' | sort >"$work/rules"
[ -s "$work/rules" ] || fail "leak-check --rules names none"
diff "$work/rules" <(cut -d'|' -f2 "$work/fixtures" | sort -u) || fail "fixtures.sh has a leak for each rule, and for no other"
while IFS='|' read -r name _ <&3; do make "$name"; done 3<"$work/fixtures"
run_tools
: >"$work/failures"
table >"$work/table"
cat "$work/failures"
echo "$(wc -l <"$work/fixtures") leaks and as many twins"
if [ -s "$work/failures" ]; then exit 1; fi
case $mode in
--print) cat "$work/table" ;;
--update) update ;;
*)
    if [ ${#absent[@]} -gt 0 ]; then without_lab "no ${absent[*]} to compare with"; fi
    in_page | grep '^|' | cut -d'|' -f"$columns" >"$work/old" || true
    grep '^|' "$work/table" | cut -d'|' -f"$columns" | diff -u "$work/old" - || fail "the table in hooks/leak-check/side-by-side.md is another one; side_by_side.sh --update writes it"
    echo "the table in hooks/leak-check/side-by-side.md is this one"
    ;;
esac
