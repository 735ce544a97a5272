# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by the scripts of this folder: plans as lines, and which compiler is documented to compile.
matrix=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$matrix/../lib.sh"

# plan DIR [OPTION]...: of ./matrix.toml.
plan() { call "$hostpin" matrix plan matrix.toml -o "$@" && exits 0; }
# cells PLAN FIELD...: these fields of each cell, in a line: members of plan.json, or values of axes; `-` is one that the cell lacks.
cells() {
    python3 -c 'import json, sys
for cell in json.load(open(sys.argv[1] + "/plan.json"))["cells"]:
    print(*({**cell, **cell["axes"]}.get(field) or "-" for field in sys.argv[2:]))' "$@"
}
# ids PLAN STATE: the cells that are planned so.
ids() { cells "$1" planned id | sed -n "s/^$2 //p"; }
# planned PLAN: projects of the cells that run, in a line.
planned() { cells "$1" planned project | sed -n 's/^run //p' | xargs; }
# run_all PLAN RESULTS [WORD]: the cells that are to run, one after the other; the word is part of the results' names.
run_all() {
    local id
    for id in $(ids "$1" run); do call "$hostpin" matrix run "$1" --cell "$id" -o "$2/$id${3:+.$3}.json"; done
}
# Each argument is an extended regular expression that some line of stdout must match.
prints() {
    local pattern
    for pattern in "$@"; do grep -qE -e "$pattern" "$out" || { show_call; fail "stdout does not have: $pattern"; }; done
}
# quoted TEXT...: the members of an array of TOML.
quoted() { printf '"%s", ' "$@"; }

# expected TOOLKIT STDENV: what is documented to compile (limits.tsv; of other toolkits, by their headers): of the stdenv's family the
# newest release that is newer neither than the stdenv nor than the toolkit's limit; `-` if there is none.
expected() {
    local family=${2%-*} number=${2##*-} most
    most=$(awk -v toolkit="$1" -v family="$family" '$1 == toolkit { print family == "g++" ? $2 : $3 }' "$matrix/limits.tsv")
    most=${most:-$(limit "$family" "$(cuda "$1")")}
    number=$(majors "$family" $((most < number ? most : number)) | sed -n 1p)
    echo "${number:+$family-}${number:--}"
}
# decides_as_documented PLAN: in each cell.
decides_as_documented() {
    local toolkit stdenv decision
    cells "$1" toolkit stdenv decision | sort -u | while read -r toolkit stdenv decision; do
        decision=$(sed -nE 's/.*, compiled by (gcc|clang) ([0-9]+)\..*/\1-\2/; s/^gcc/g++/; s/^clang/clang++/; p' <<<"$decision")
        same "$toolkit $stdenv: $decision" "$toolkit $stdenv: $(expected "$toolkit" "$stdenv")"
    done
}
