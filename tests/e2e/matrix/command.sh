#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin matrix: what a plan decides without running, what a cell is known by, what merging and comparing say, and make as an engine.
#   command.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_split
only=${1:-}

# Two projects: `kernels` compiles two sources by nvcc, `plain` one by the stdenv. matrix.toml is in the current directory.
write_matrix() {
    mkdir -p source/include source/other
    echo '#define VALUE 1' >source/include/value.h
    echo '#define FACTOR 2' >source/other/factor.h
    cat >source/kernel.cu <<'CU'
#include "value.h"
__global__ void kernel(int* out) { *out = VALUE; }
int main() { return VALUE - 1; }
CU
    printf '#include "value.h"\n#include "factor.h"\nint main() { return FACTOR - 2; }\n' >source/plain.cpp
    cat >matrix.toml <<TOML
name = "test"
[axes]
project = ["kernels", "plain"]
toolkit = ["$toolkit"]
stdenv = ["$host"]
[project.kernels]
source = "source"
build = "\$CUDACXX -I\$SOURCE/include \$SOURCE/kernel.cu -o kernel"
test = "./kernel"
[project.plain]
source = "source"
build = "\$CXX -I\$SOURCE/include -I\$SOURCE/other \$SOURCE/plain.cpp -o plain"
test = "./plain"
TOML
}
ids() { python3 -c 'import json, sys; [print(c["id"]) for c in json.load(open(sys.argv[1]))["cells"] if c["planned"] == sys.argv[2]]' "$1/plan.json" "$2"; }
plan() { call "$hostpin" matrix plan "$@" && exits 0; }
# run_all PLAN RESULTS: the cells that are to run, one after the other.
run_all() {
    local id
    for id in $(ids "$1" run); do call "$hostpin" matrix run "$1" --cell "$id" -o "$2/$id.json"; done
}
state() { json "$1" state; }
# Each argument is an extended regular expression that some line of stdout must match.
prints() {
    local pattern
    for pattern in "$@"; do grep -qE -e "$pattern" "$out" || { show_call; fail "stdout does not have: $pattern"; }; done
}
# reruns: projects of the cells that a new plan runs again, in a line.
reruns() {
    plan matrix.toml --from-results results -o again
    ids again run | sed 's/_.*//' | xargs
}

keys() {
    write_matrix
    plan matrix.toml -o plan
    same "$(ids plan run | wc -l)" 2
    run_all plan results
    for each in results/*.json; do same "$each $(state "$each")" "$each passed"; done
    same "again: $(reruns)" 'again: '
    # what only one includes
    echo '// a comment' >>source/other/factor.h
    same "factor: $(reruns)" 'factor: plain'
    echo '#define FACTOR 2' >source/other/factor.h
    same "back: $(reruns)" 'back: '
    # what nobody reads, and another time
    echo text >source/README
    touch source/plain.cpp
    same "unread: $(reruns)" 'unread: '
    # a header in front of the one that was found
    echo '#define FACTOR 2' >source/include/factor.h
    same "shadow: $(reruns)" 'shadow: plain'
    rm source/include/factor.h
    # a header of both
    echo '// a comment' >>source/include/value.h
    same "both: $(reruns)" 'both: kernels plain'
    echo '#define VALUE 1' >source/include/value.h
    # a command
    sed -i 's/kernel\.cu -o/-lineinfo &/' matrix.toml
    same "flag: $(reruns)" 'flag: kernels'
}

comparing() {
    write_matrix
    plan matrix.toml -o plan
    run_all plan before
    call "$hostpin" matrix merge before --plan plan -o before.json
    exits 0
    prints '2 passed'
    echo '#define FACTOR 3' >source/other/factor.h
    plan matrix.toml --from-results before -o second
    same "$(ids second same | sed 's/_.*//')" kernels
    run_all second now
    call "$hostpin" matrix merge now --plan second -o now.json --junit now.xml --sarif now.sarif --html now.html
    exits 1
    prints '1 failed \(test 1\)' '1 passed'
    grep -q 'tests="2" failures="1" errors="0" skipped="0"' now.xml || fail "$(cat now.xml)"
    json now.sarif runs 0 results 0 ruleId | grep -x test
    grep -q 'data-hostpin-report' now.html
    call "$hostpin" matrix diff before.json now.json
    exits 1
    prints '^broken \(test\): 1 cell' '^same: 1 cell'
    call "$hostpin" matrix diff now.json before.json
    exits 0
    prints '^fixed'
    # the same key, another outcome
    sed 's/"state": "failed"/"state": "passed"/; /"cause"/,/}/d' now/plain_*.json >now/again.json
    call "$hostpin" matrix merge now --plan second -o noise.json
    exits 2
    prints '1 noise'
    # a half-written result is none
    head -c 100 now/plain_*.json >half.tmp
    rm now/again.json
    mv half.tmp "$(echo now/plain_*.json)"
    call "$hostpin" matrix merge now --plan second -o half.json
    exits 2
    prints '1 missing'
    says 'cannot be read' 'counts as missing'
}

causes() {
    write_matrix
    cat >>matrix.toml <<'TOML'
[project.outside]
source = "source"
build = "touch $SOURCE/written"
[project.slow]
source = "source"
build = "setsid sleep 1000 & exit 0"
[project.flood]
source = "source"
build = "yes | head -c 100000000; false"
[project.wrong]
source = "source"
build = "$CXX -include missing.h -c $SOURCE/plain.cpp"
TOML
    sed -i 's/^project = .*/project = ["outside", "slow", "flood", "wrong"]/; s/^stdenv.*/stdenv = ["'"${host//\//\\/}"'", "\/nonexistent\/g++"]/' matrix.toml
    plan matrix.toml -o plan
    same "$(ids plan cannot | wc -l)" 4
    run_all plan results
    same "$(json results/outside_*.json cause kind)" outside
    same "$(json results/slow_*.json state)" passed
    same "$(json results/flood_*.json state)" failed
    [ "$(stat -c %s results/flood_*.log)" -lt 20000000 ] || fail 'the log has no limit'
    same "$(json results/wrong_*.json cause kind)" header
    same "left: $(find plan/work -mindepth 1 -type d)" 'left: '
    ! pgrep -f 'sleep 1000' || fail 'a process is left'
}

by_make() {
    need_command make python3 nix-instantiate
    write_matrix
    plan matrix.toml -o plan
    "$hostpin" matrix emit plan --for make >Makefile
    make -j 2
    cp matrix.json whole.json
    rm -r results
    "$hostpin" matrix emit plan --for make >Makefile
    make "$(sed -n 's/^\(results.*json\):$/\1/p' Makefile | sed -n 1p)" # the rest died
    call "$hostpin" matrix merge results --plan plan -o part.json
    exits 2
    prints '1 missing'
    make -j 2
    cmp matrix.json whole.json
    "$hostpin" matrix emit plan --for slurm | sh -n
    "$hostpin" matrix emit plan --for nix | nix-instantiate --parse - >/dev/null
    "$hostpin" matrix emit plan --for github | python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)'
    "$hostpin" matrix emit plan --for gitlab | python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)'
    "$hostpin" matrix emit plan --for buildbot | python3 -c 'import ast, sys; ast.parse(sys.stdin.read())'
}

bad_input() {
    write_matrix
    refused() { # EDIT PATTERN
        sed "$1" matrix.toml >bad.toml
        call "$hostpin" matrix plan bad.toml -o bad
        exits 2
        says "$2"
        absent bad
    }
    # shellcheck disable=SC2016 # the messages have backquotes
    refused 's/^toolkit/toolkits/' 'bad.toml:4:1: there is no axis `toolkits`'
    # shellcheck disable=SC2016
    refused 's/"plain"\]/"missing"]/' 'there is no project `missing`'
    refused 's/^source = .*/source = "nowhere"/' 'nowhere is not a directory'
    refused 's/^test = .*/tests = "x"/' 'tests'
    refused 's/^stdenv = .*/stdenv = []/' 'has no values'
    plan matrix.toml -o plan
    call "$hostpin" matrix run plan --cell nothing -o x.json
    exits 2
    says 'has no cell nothing'
    call "$hostpin" matrix run nowhere --cell nothing -o x.json
    exits 2
    says 'make a plan first'
    call "$hostpin" matrix emit plan --for hudson
    exits 2
    says 'there is no engine hudson'
    sed -i 's/"form": 1/"form": 2/' plan/plan.json
    call "$hostpin" matrix run plan --cell nothing -o x.json
    exits 2
    says 'of another release'
    absent x.json
}

it 'only cells that read what changed run again' keys
it 'merging and comparing name what is broken' comparing
it 'each failure has its cause, and nothing is left of a cell' causes
it 'make runs a plan, whole or continued, and the other engines can read theirs' by_make
it 'bad input is refused with its place' bad_input
finish
