#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../../lib.sh
# Leaky derivations in a real store: what Nix reports for each, and what the hook reports.
#
#   leaks.sh            each leak must be found by the hook, by file, and the table in hooks/nix/leaks.md be this one
#   leaks.sh --update   writes the table
#   leaks.sh --print    prints it
mode=${1:-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
need_hostpin
need_nix
new_store "$work/nix"
page=$repository/hooks/nix/leaks.md

# Name, the file that contains it, and what it is.
leaks() {
    cat <<'ROWS'
runpath-last|bin/program|the last entry of a RUNPATH
runpath-only|bin/program|the only entry of a RUNPATH
rodata|lib/libwhere.so|a string in .rodata
archive|lib/libwhere.a|a string in an archive's member
fatbin|lib/device.o|an option string in .nv_fatbin
pkg-config|lib/pkgconfig/where.pc|`Libs:` of a .pc
cmake|lib/cmake/where/where-targets.cmake|an include directory of a CMake export
script|bin/compile|a command in a script
symlink|lib/libstdc++.so.6|a symlink's target
gzip|share/notes.gz|text in a gzip file
ROWS
}

# All forty at once; the logs of those that fail are read.
call nix-build -k --no-out-link "$here/leaks" "${arguments[@]}"
cp "$err" "$work/said"
[ "$status" -ne 0 ] || fail "every leaky derivation is built"
nix-instantiate "$here/leaks" "${arguments[@]}" 2>"$work/instantiate.log" | sed "s/!.*//" >"$work/derivations"

derivation() { grep -E -e "-$1-$2\.drv\$" "$work/derivations"; }
result() { nix-store -q --outputs "$(derivation "$1" "$2")"; }
built() { nix-store --check-validity "$(result "$1" "$2")" 2>"$work/validity.log"; }

# What each way reports for a leak.
by_nix() {
    built alone "$1" || fail "$1 is not even built"
    if nix-store -q --references "$(result alone "$1")" | contains -e '-gcc-13'; then echo "builds; GCC 13 is in the closure"; else echo "builds; not seen"; fi
}
by_forbidden() {
    if built forbidden "$1"; then echo "builds"; else
        contains -e "-forbidden-$1' is not allowed to refer" <"$work/said" || fail "forbidden-$1 failed otherwise"
        echo "fails, names no file"
    fi
}
by_hook() { # WAY LEAK FILE
    local log
    if built "$1" "$2"; then
        ! nix-store -q --references "$(result "$1" "$2")" | contains -e '-gcc-13' || fail "$1-$2 passes with its leak"
        log=$(nix-store -l "$(derivation "$1" "$2")")
        contains -F -e "fixed: $3" <<<"$log" || fail "$1-$2 passes, and nothing was repaired"
        echo "repaired, builds"
    else
        log=$(nix-store -l "$(derivation "$1" "$2")")
        contains -E -e "^ *$(literally "$3")[ ,(]" <<<"$log" || fail "$1-$2 does not name $3: $log"
        contains -F -e 'dontHostpinLeakCheck' <<<"$log" || fail "$1-$2 does not say how to turn it off"
        echo "fails, \`$3\`"
    fi
}
table() {
    local name file what
    # shellcheck disable=SC2016 # Markdown
    echo '| a path of the host compiler in | Nix alone | `disallowedReferences` | the hook | the hook, `dontNvccRunpathFixup` |'
    echo '|---|---|---|---|---|'
    while IFS='|' read -r name file what; do
        echo "| $what | $(by_nix "$name") | $(by_forbidden "$name") | $(by_hook repairing "$name" "$file") | $(by_hook checking "$name" "$file") |"
    done < <(leaks)
}
all_found() {
    ! cut -d '|' -f 6 <"$work/table" | contains 'builds' || fail "a leak passes: $(cat "$work/table")"
    same "$(cut -d '|' -f 6 <"$work/table" | grep -c 'fails, ')" 10
}
as_written() { same "$(sed -n '/^<!-- leaks/,/^<!-- end/p' "$page" | grep '^|')" "$(cat "$work/table")"; }

table >"$work/table"
case $mode in
--print) cat "$work/table" ;;
--update)
    written=$(sed '/^<!-- leaks/q' "$page" && cat "$work/table" && sed -n '/^<!-- end/,$p' "$page")
    echo "$written" >"$page"
    ;;
*)
    it "each of the ten leaks fails with the file that holds it" all_found
    it "the table in hooks/nix/leaks.md is what was seen" as_written
    finish
    ;;
esac
