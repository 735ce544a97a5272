#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Counts that do not depend on the machine: a bound nvcc or c++ opens one file, stats none twice, needs at most 4 MB and executes at
# most 90,000 instructions before it becomes the real tool: 41,000 are those of any static program, and 45,000 to 65,000 were
# measured last. A c++ that answers nvcc's query itself opens three files, the plan, the record and the query, and executes 90,000 to 110,000.
# The budget is 250,000; the tested limit is lower, so that a regression shows early.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../e2e/lib.sh"
# shellcheck source=tests/bench/lib.sh
. "$here/lib.sh"
if [ -d "$lab/bin" ]; then export PATH=$lab/bin:$PATH; fi

few_instructions() { # MOST COMMAND...
    local count
    need_command valgrind
    count=$(instructions_alone "${@:2}")
    echo "$count instructions"
    [ "$count" -gt 1000 ] || fail "callgrind counted $count: $(cat "$work/valgrind")"
    [ "$count" -le "$1" ] || fail "$2 executes $count instructions before its exec, where $1 are enough"
}
one_file() {
    same "$(opened "$@" | sed 's/.*"\(.*\)".*/\1/')" "$work/bound/plan"
}
each_once() {
    same "$(looked_at "$@" | sort | uniq -d)" ''
}
small() {
    local peak
    need_command /usr/bin/time
    peak=$(peak_memory "$@")
    if [ "$peak" -le 0 ] || [ "$peak" -gt 4096 ]; then fail "$1 takes $peak KB"; fi
}

need_command strace
bind_here
budget() { # NAME ARGUMENT...
    local call=("$work/bound/$1" "${@:2}")
    it "a bound $1 $kind executes at most 90,000 instructions" few_instructions 90000 "${call[@]}"
    it "a bound $1 $kind opens its plan and no other file" one_file "${call[@]}"
    it "a bound $1 $kind looks at no file twice" each_once "${call[@]}"
    it "a bound $1 $kind takes at most 4 MB" small "${call[@]}"
}
kind='that is asked for its version'
budget nvcc --version
budget c++ --version
kind='that compiles'
budget nvcc "${typical_nvcc[@]}"
budget c++ "${typical_cxx[@]}"
# What it costs to compile for other GPUs than a call names, after the note: 7,700 were measured, 2,900 of them to read five more fields of
# the plan.
enforced_gpus() {
    local plain enforced
    need_command valgrind
    "$hostpin" bind "$work/enforced" --capabilities "8.0;9.0" --enforce >/dev/null
    instructions_alone "$work/enforced/nvcc" "${typical_nvcc[@]}" >/dev/null # prints the note
    plain=$(instructions_alone "$work/bound/nvcc" "${typical_nvcc[@]}")
    enforced=$(instructions_alone "$work/enforced/nvcc" "${typical_nvcc[@]}")
    echo "$plain and $enforced instructions"
    if [ "$plain" -le 1000 ] || [ "$enforced" -le 1000 ]; then fail "callgrind counted $plain and $enforced: $(cat "$work/valgrind")"; fi
    [ $((enforced - plain)) -le 8500 ] || fail "$((enforced - plain)) instructions more"
}
it "GPUs that are enforced cost at most 8,500 instructions" enforced_gpus
kind="that answers nvcc's question"
write_question
call=("$work/bound/c++" -E "$question")
answers() {
    "${call[@]}" >answer
    "$(executed "$work/bound/c++")" -E "$question" | cmp - answer
}
three_files() {
    # Below the bound nvcc its parents in /proc are not read; here the parent is strace.
    same "$(opened "${call[@]}" | sed 's/.*"\(.*\)".*/\1/' | grep -v '^/proc/' | tr '\n' ' ')" "$work/bound/plan $work/bound/identity $question "
}
it "a bound c++ $kind answers as the compiler does" answers
it "a bound c++ $kind executes at most 140,000 instructions" few_instructions 140000 "${call[@]}"
it "a bound c++ $kind opens its plan, the record and the question" three_files
it "a bound c++ $kind looks at no file twice" each_once "${call[@]}"
it "a bound c++ $kind takes at most 4 MB" small "${call[@]}"
finish
