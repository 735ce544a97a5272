# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# The builder of the tests' stdenv: only what a setup hook needs of Nixpkgs' stdenv. Inputs at their offsets,
# setup hooks, environment hooks, phases with hooks around them; attributes from the environment or, structured, from .attrs.sh.
set -euo pipefail

attributes=${NIX_ATTRS_SH_FILE:-${NIX_BUILD_TOP:-}/.attrs.sh}
# shellcheck source=/dev/null
if [ -f "$attributes" ]; then . "$attributes"; fi
if [ "${lenient:-}" = 1 ]; then set +eu; fi # some builders run so

# ---------------------------------------------------------------------------------------------- hooks

# The derivation's own hook, a function or text, runs before those of setup hooks.
runHook() { # NAME
    local array="${1%Hook}Hooks[@]" hook
    if declare -F "$1" >/dev/null; then "$1"; elif [ -n "${!1:-}" ]; then eval "${!1}"; fi || return
    for hook in ${!array+"${!array}"}; do eval "$hook" || return; done
}

# words NAME: of a string or an array, in $reply.
words() {
    local array="$1[@]"
    reply=()
    case "$(declare -p "$1" 2>/dev/null || true)" in
    'declare -a'*) reply=(${!array+"${!array}"}) ;;
    *) read -r -d '' -a reply <<<"${!1:-}" || true ;;
    esac
}

# --------------------------------------------------------------------------------------------- inputs

# Environment hooks by the offset of the package that they are called for: without strictDeps, for all.
declare -a envHooksBuild=() envHooksHost=()
addEnvHooks() { # OFFSET FUNCTION...
    local offset=$1
    shift
    if [ "${strictDeps:-}" != 1 ] || [ "$offset" = -1 ]; then envHooksBuild+=("$@"); fi
    if [ "${strictDeps:-}" != 1 ] || [ "$offset" = 0 ]; then envHooksHost+=("$@"); fi
}

declare -A seen=()
declare -a packages=() # alternating offset and path
add_package() {        # OFFSET PATH
    local propagated
    if [ -n "${seen["$1 $2"]:-}" ]; then return; fi
    seen["$1 $2"]=1
    packages+=("$1" "$2")
    if [ -f "$2/nix-support/propagated-build-inputs" ]; then
        for propagated in $(<"$2/nix-support/propagated-build-inputs"); do add_package 0 "$propagated"; done
    fi
}
words nativeBuildInputs
for input in ${reply[@]+"${reply[@]}"}; do add_package -1 "$input"; done
words buildInputs
for input in ${reply[@]+"${reply[@]}"}; do add_package 0 "$input"; done
words propagatedBuildInputs
for input in ${reply[@]+"${reply[@]}"}; do add_package 0 "$input"; done

each_package() { # FUNCTION
    local -a rest=(${packages[@]+"${packages[@]}"})
    while [ ${#rest[@]} -gt 0 ]; do
        "$1" "${rest[0]}" "${rest[1]}"
        rest=("${rest[@]:2}")
    done
}
take_in() {
    # packages that only run on another machine are not tools
    if [ -d "$2/bin" ] && { [ "${strictDeps:-}" != 1 ] || [ "$1" = -1 ]; }; then PATH=$2/bin:$PATH; fi
    # shellcheck disable=SC2034 # read by setup hooks
    hostOffset=$1 targetOffset=$(($1 + 1))
    # shellcheck source=/dev/null
    if [ -f "$2/nix-support/setup-hook" ]; then . "$2/nix-support/setup-hook"; fi
}
call_env_hooks() {
    local hook
    local -a hooks=(${envHooksHost[@]+"${envHooksHost[@]}"})
    if [ "$1" = -1 ]; then hooks=(${envHooksBuild[@]+"${envHooksBuild[@]}"}); fi
    for hook in ${hooks[@]+"${hooks[@]}"}; do "$hook" "$2"; done
}
export PATH
each_package take_in
each_package call_env_hooks

# --------------------------------------------------------------------------------------------- phases

phase() { # NAME: its text or function between its two hooks, unless it is disabled
    local without=dont${1^} name
    name=${1^}
    if [ -n "${!without:-}" ]; then return; fi
    runHook "pre$name" || return
    if [ -n "${!2:-}" ]; then eval "${!2}"; elif declare -F "$2" >/dev/null; then "$2"; fi || return
    runHook "post$name"
}
# as in Nixpkgs: names of temporary files are debugging symbols too
fixupPhase=${fixupPhase:-strip_outputs}
strip_outputs() {
    local file name place=${out:-}
    # structured attributes name it only in an array
    # shellcheck disable=SC2154 # Nix's own
    if [[ $(declare -p outputs 2>/dev/null) == 'declare -A'* ]]; then place=${outputs[out]:-}; fi
    # an output without a name would be this machine's own /bin
    if [ -n "${dontStrip:-}" ] || [ -z "$place" ]; then return; fi
    for name in bin lib; do
        for file in "$place/$name"/*; do
            if [ -f "$file" ] && [ ! -L "$file" ]; then strip -S "$file" 2>/dev/null || true; fi
        done
    done
}
export NIX_BUILD_TOP=${NIX_BUILD_TOP:-$PWD}
# without a sandbox a tool such as ccache would really create the home that must not exist
export HOME=$NIX_BUILD_TOP
cd "$NIX_BUILD_TOP"
if [ -n "${src:-}" ]; then cp -R --no-preserve=mode "$src" source && cd source; fi
for one in configure build install fixup; do phase "$one" "${one}Phase" || exit; done
if [ "${doInstallCheck:-}" = 1 ]; then phase installCheck installCheckPhase || exit; fi
