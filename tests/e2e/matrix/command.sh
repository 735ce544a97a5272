#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin matrix: what a plan decides without running, which changes run a cell again, what merging and comparing print, and make as an engine.
#   command.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
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
state() { json "$1" state; }
# reruns: projects of the cells that a new plan runs again, in a line.
reruns() {
    plan again --from-results results
    planned again
}

keys() {
    write_matrix
    plan plan
    same "$(ids plan run | wc -l)" 2
    run_all plan results
    for each in results/*.json; do same "$each $(state "$each")" "$each passed"; done
    same "again: $(reruns)" 'again: '
    # hostpin's own programs count
    grep -q "^1 program:.*/libexec/hostpin/nvcc$" results/inputs/*
    # what only one includes
    echo '// a comment' >>source/other/factor.h
    same "factor: $(reruns)" 'factor: plain'
    # until it has run, its result from before does not count
    call "$hostpin" matrix merge --plan again results -o merged.json
    exits 2
    prints '^1 passed, 1 missing$'
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
    plan plan
    run_all plan before
    call "$hostpin" matrix merge before --plan plan -o before.json
    exits 0
    prints '2 passed'
    echo '#define FACTOR 3' >source/other/factor.h
    plan second --from-results before
    same "$(cells second planned project | sed -n 's/^same //p')" kernels
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
    need_command python3
    write_matrix
    mkdir modules
    echo 'x = 1' >modules/noted.py
    cat >>matrix.toml <<'TOML'
[project.outside]
source = "source"
build = "touch $SOURCE/written"
[project.slow]
source = "source"
build = "setsid sleep 98101 & exit 0"
[project.flood]
source = "source"
build = "yes | head -c 100000000; false"
[project.wrong]
source = "source"
build = "$CXX -include missing.h -c $SOURCE/plain.cpp"
[project.configured]
source = "source"
build = """grep -x 'search = "named"' $BINDING/binding.toml"""
TOML
    printf '[project.python]\nsource = "source"\nbuild = "cd %s && python3 -c \\"import noted\\""\n' "$PWD/modules" >>matrix.toml
    sed -i 's/^project = .*/project = ["outside", "slow", "flood", "wrong", "configured", "python"]/' matrix.toml
    only_compilers "$host"
    sed 's/^stdenv.*/stdenv = ["\/nonexistent\/g++"]/' matrix.toml >refused.toml
    call "$hostpin" matrix plan refused.toml -o refused
    exits 0
    same "$(grep -cE '"planned": "cannot"|"check": true' refused/plan.json)" 6
    plan plan
    run_all plan results
    same "$(json results/outside_*.json cause kind)" outside
    same "$(json results/slow_*.json state)" passed
    same "$(json results/flood_*.json state)" failed
    [ "$(stat -c %s results/flood_*.log)" -lt 20000000 ] || fail 'the log has no limit'
    same "$(json results/wrong_*.json cause kind)" header
    same "configured: $(json results/configured_*.json state)" 'configured: passed' # bound with the configuration of the plan
    same "python: $(json results/python_*.json state)" 'python: passed' # which writes nothing next to its modules
    same "$(ls modules)" noted.py
    same "left: $(find plan/work -mindepth 1 -type d)" 'left: '
    none_runs 'sleep 98101'
}

# Link-time code is refused where the linker is another release than the compiler: as planned, and when it runs.
link_time_code() {
    mkdir source
    printf '__global__ void nothing() {}\nint half() { return 21; }\n' >source/half.cu
    printf 'int half();\nint main() { return 42 - 2 * half(); }\n' >source/main.cpp
    cat >matrix.toml <<TOML
[axes]
toolkit = ["$toolkit"]
stdenv = ["$host", "$stdenv"]
host = ["$host"]
[project.halves]
source = "source"
build = "\$CUDACXX -Xcompiler -flto \$SOURCE/half.cu \$SOURCE/main.cpp -o halves"
test = "./halves"
lto = true
TOML
    plan matrix.toml -o plan
    local whole split
    whole=$(json plan/plan.json cells 0 id) split=$(json plan/plan.json cells 1 id)
    same "$(grep -c '"reason"' plan/plan.json)" 1
    json plan/plan.json cells 1 reason | contains "^link-time code of gcc ${older}[.0-9]* cannot be linked by gcc ${newer}[.0-9]*: the linker plugin of GCC $newer.* reads no .* but its own, and GCC $older.* writes another$"
    sed -i '/"reason"/i\      "check": true,' plan/plan.json
    sed -i 's/"planned": "cannot"/"planned": "run"/' plan/plan.json
    run_all plan results
    same "$(state "results/$whole.json")" passed
    same "$(state "results/$split.json") $(json "results/$split.json" cause kind) $(json "results/$split.json" cause stage)" 'cannot lto build'
    # without `lto` the cell is planned, and fails; where the configuration drops -flto, it passes
    sed -i /^lto/d matrix.toml
    plan matrix.toml -o plan
    call "$hostpin" matrix run plan --cell "$split" -o "results/$split.json"
    same "$(state "results/$split.json") $(json "results/$split.json" cause kind)" 'failed lto'
    echo 'lto = true' >>matrix.toml
    printf '[lto]\non-mismatch = "drop"\n' >>"$HOSTPIN_CONFIG"
    plan matrix.toml -o plan
    prints ' 2 to run, 0 the same as stored, 0 cannot'
    call "$hostpin" matrix run plan --cell "$split" -o "results/$split.json"
    same "$(state "results/$split.json")" passed
}

by_make() {
    need_command make python3 nix-instantiate
    write_matrix
    plan plan
    "$hostpin" matrix emit plan --for make >Makefile
    make -j 2
    cp matrix.json whole.json
    rm -r results
    "$hostpin" matrix emit plan --for make >Makefile
    make "$(sed -n 's/^\(results.*json\):.*/\1/p' Makefile | sed -n 1p)" # the rest died
    call "$hostpin" matrix merge results --plan plan -o part.json
    exits 2
    prints '1 missing'
    make -j 2
    cmp matrix.json whole.json
    # after a change, results that do not hold are made again
    echo '// a comment' >>source/other/factor.h
    plan plan --from-results results
    make | contains '^2 passed$'
    "$hostpin" matrix emit plan --for slurm | sh -n
    "$hostpin" matrix emit plan --for nix | nix-instantiate --parse - >/dev/null
    "$hostpin" matrix emit plan --for github | python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)'
    "$hostpin" matrix emit plan --for gitlab | python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)'
    "$hostpin" matrix emit plan --for buildbot | python3 -c 'import ast, sys; ast.parse(sys.stdin.read())'
}

# Planted files of a test command: what fails, what passes without a case, and what fails only later.
test_cases() {
    write_matrix
    cat >>matrix.toml <<'TOML'
[project.named]
source = "source"
test = "mkdir a b; cp $SOURCE/one.xml a/; cp $SOURCE/two.xml b/; exit 1"
junit = "*/*.xml"
[project.silent]
source = "source"
test = "cp $SOURCE/one.xml ."
junit = "one.xml"
[project.none]
source = "source"
test = "ln -s $SOURCE/one.xml linked.xml"
junit = "*.xml"
TOML
    sed -i 's/^project = .*/project = ["named", "silent", "none"]/' matrix.toml
    echo '<testsuite><testcase classname="sum" name="float"><failure message="1 is not 2"/></testcase></testsuite>' >source/one.xml
    echo '<testsuite><testcase name="max"/></testsuite>' >source/two.xml
    plan plan
    run_all plan before
    same "$(json before/named_*.json cause kind) $(json before/named_*.json cause text)" 'test sum.float: 1 is not 2'
    same "$(json before/silent_*.json state) $(json before/silent_*.json failed_tests 0)" 'failed sum.float'
    same "$(json before/none_*.json cause text)" 'no test case is in a file *.xml'
    "$hostpin" matrix merge before --plan plan -o before.json || true
    echo '<testsuite><testcase name="max"><error/></testcase></testsuite>' >source/two.xml
    plan again --from-results before
    same "$(planned again)" named
    run_all again now
    "$hostpin" matrix merge now --plan again -o now.json || true
    call "$hostpin" matrix diff before.json now.json
    exits 1
    prints '^changed \(test\): 1 cell$' '^  \| 2 tests failed: max, sum.float$' '^  \| fails only now: max$' '^same: 2 cells$'
    sed 's,^junit = .*,junit = "../x.xml",' matrix.toml >bad.toml
    call "$hostpin" matrix plan bad.toml -o bad
    exits 2
    says 'is not below .BUILD' 'hint: write a pattern'
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
    plan plan
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
it 'a plan knows where link-time code cannot be linked' link_time_code
it 'test cases that failed are named, and those that fail only now' test_cases
it 'make runs a plan, whole or continued, and the other engines can read theirs' by_make
it 'bad input is refused with its place' bad_input
finish
