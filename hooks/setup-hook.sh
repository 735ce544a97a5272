# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by Nix-style builders: looks at every output after fixup. Options of the caller's shell are left as they are.
#
#   dontHostpinLeakCheck=1    not at all
#   hostpinLeakCheckFlags     more words for hostpin leak-check, such as --vendor PATH (a string or an array)
#   hostpinBinding            bound directory to judge by

hostpinLeakCheck() {
    if [ -n "${dontHostpinLeakCheck:-}" ]; then return 0; fi
    local output path names=${outputs:-out} failed=0
    local -a words=() flags=() trees=()
    if [ -n "${hostpinBinding:-}" ]; then words+=(--binding "$hostpinBinding"); fi
    if [ -n "${NIX_BUILD_TOP:-}" ]; then words+=(--build-dir "$NIX_BUILD_TOP"); fi
    if [[ "$(declare -p hostpinLeakCheckFlags 2>/dev/null || true)" == "declare -a"* ]]; then
        flags=("${hostpinLeakCheckFlags[@]}")
    elif [ -n "${hostpinLeakCheckFlags:-}" ]; then
        read -r -d '' -a flags <<<"$hostpinLeakCheckFlags" || true # several lines, too; it ends at no NUL
    fi
    # with __structuredAttrs it is an associative array
    if [[ "$(declare -p outputs 2>/dev/null || true)" == "declare -A"* ]]; then names=${!outputs[*]}; fi
    for output in $names; do
        path=${!output:-}
        if [ -n "$path" ] && [ -e "$path" ]; then trees+=("$path"); fi
    done
    if [ ${#trees[@]} -eq 0 ]; then return 0; fi
    echo "hostpin leak-check: ${trees[*]}"
    "${hostpinCommand:-hostpin}" leak-check ${words[@]+"${words[@]}"} ${flags[@]+"${flags[@]}"} -- "${trees[@]}" || failed=$?
    if [ "$failed" -ne 0 ]; then
        echo "hostpin leak-check: exit code $failed; dontHostpinLeakCheck=1 leaves it out" >&2
    fi
    return "$failed"
}

postFixupHooks+=(hostpinLeakCheck)
