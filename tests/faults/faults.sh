#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# faults.sh [--work DIR] [--quick | --places] [WORDS]: plants each fault of faults.txt whose first line has WORDS in a clone of this checkout,
# builds what it concerns, and runs the tests of the components that it reaches, those of its own component first, until one fails. Prints which
# one, or MISSED; its exit code is 1 if a fault was missed. The clone and its build stay in DIR (default: build-faults), so that the next call
# builds little. --quick: only unit tests and replays. --places: plants nothing, and only checks that each fault's old text occurs once in its
# file of this checkout, as lint.faults does. The first build takes as long as any, each fault one to ten minutes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=$repository/build-faults quick=no places=no words=
while [ $# -gt 0 ]; do
    case $1 in
    --work) work=$(realpath -m "$2") && shift ;;
    --quick) quick=yes ;;
    --places) places=yes ;;
    *) words=$1 ;;
    esac
    shift
done
clone=$work/hostpin build=$work/build
export CCACHE_BASEDIR=$clone CCACHE_NOHASHDIR=1
if [ "$places" = yes ]; then
    clone=$repository
else
    mkdir -p "$work"
    [ -d "$clone" ] || git clone -q "$repository" "$clone"
    git -C "$clone" fetch -q "$repository" HEAD
    git -C "$clone" checkout -q --force --detach FETCH_HEAD
    settings=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON)
    if command -v ccache >/dev/null; then settings+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    cmake -S "$clone" -B "$build" -G Ninja "${settings[@]}" >/dev/null
    good=$(git -C "$clone" rev-parse HEAD)
fi

# plant FILE OLD NEW: the old text is there exactly once. With --places the file stays as it is.
plant() {
    local text rest times
    text=$(cat "$clone/$1" && echo .) || return
    rest=${text//"$2"/}
    times=$(((${#text} - ${#rest}) / ${#2}))
    if [ "$times" != 1 ]; then echo "$clone/$1 has this text $times times, not once: $2" && return 1; fi
    if [ "$places" = yes ]; then return; fi
    text=${text/"$2"/"$3"}
    printf %s "${text%.}" >"$clone/$1"
}
# tested COMPONENTS KINDS: runs these tests until one fails, whose name it prints.
tested() {
    ctest --test-dir "$build" --output-on-failure --timeout 3600 -j "$(nproc)" --stop-on-failure -L "component-($1)\$" -L "^($2)\$" \
        >"$work/log" 2>&1 || sed -n 's/^[[:space:]]*[0-9]* - \([^ ]*\) (.*/\1/p' "$work/log" | head -n 1
}
# finds COMPONENT: prints what finds the fault that is planted, or nothing.
finds() {
    local reached others found each
    reached=$("$clone/tests/reached" "$good" 2>/dev/null)
    case " $reached " in *" $1 "*) ;; *) echo "NOT REACHED: $reached" && return ;; esac
    others=$(tr ' ' '\n' <<<"$reached" | grep -vx "$1" | paste -sd'|' || true)
    for each in "$1" ${others:+"$others"}; do
        # shellcheck disable=SC2046 # targets
        ninja -C "$build" $(tr '|' '\n' <<<"$each" | sed 's/^/hostpin_checks-/') >"$work/log" 2>&1 || { echo "the compiler" && return; }
        found=$(tested "$each" 'unit|fuzz')
        [ -z "$found" ] || { echo "$found" && return; }
    done
    [ "$quick" = no ] || return 0
    ninja -C "$build" >"$work/log" 2>&1 || { echo "the compiler" && return; }
    for each in "$1" ${others:+"$others"}; do
        found=$(tested "$each" 'e2e')
        [ -z "$found" ] || { echo "$found" && return; }
    done
}

missed=0 number=0
try() { # COMPONENT LAYER FILE OLD NEW
    local found began=$SECONDS
    number=$((number + 1))
    [[ "$1 $2 $3" == *"$words"* ]] || return 0
    if [ "$places" = no ]; then git -C "$clone" checkout -q --force .; fi
    plant "$3" "$4" "$5" || { echo "CANNOT   $1 $2: $3" && missed=$((missed + 1)) && return; }
    if [ "$places" = yes ]; then return; fi
    found=$(finds "$1")
    case $found in
    '' | NOT*) missed=$((missed + 1)) && printf 'MISSED   %-10s %-8s %s %s\n' "$1" "$2" "$3" "$found" ;;
    *) printf 'found    %-10s %-8s %s: %s (%s s)\n' "$1" "$2" "$3" "$found" "$((SECONDS - began))" ;;
    esac
}
component='' layer='' file='' old='' new=''
while IFS= read -r line; do
    case $line in
    \#*) ;;
    -*) old+=${old:+$'\n'}${line#-} ;;
    +*) new+=${new:+$'\n'}${line#+} ;;
    *)
        [ -z "$component" ] || try "$component" "$layer" "$file" "$old" "$new"
        read -r component layer file <<<"$line"
        old='' new=''
        ;;
    esac
done < <(cat "$here/faults.txt" && echo end)
if [ "$places" = no ]; then git -C "$clone" checkout -q --force .; fi
echo "$number faults, $missed missed"
[ "$missed" = 0 ]
