#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The budget that does not depend on the machine: a bound nvcc or c++ executes at most 250,000 instructions, opens one
# file, looks at none twice and needs at most 4 MB before it becomes the real tool. One that answers nvcc's question itself opens
# three: the plan, the record and the question.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../e2e/lib.sh"
# shellcheck source=tests/bench/lib.sh
. "$here/lib.sh"
if [ -d "$lab/bin" ]; then export PATH=$lab/bin:$PATH; fi

few_instructions() {
    local count
    need_command valgrind
    count=$(instructions "$@")
    [ "$count" -gt 1000 ] || fail "callgrind counted $count: $(cat "$work/valgrind")"
    [ "$count" -le 250000 ] || fail "$1 executes $count instructions before its exec"
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
    it "a bound $1 $kind executes at most 250,000 instructions" few_instructions "${call[@]}"
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
kind="that answers nvcc's question"
write_question
call=("$work/bound/c++" -E "$question")
answers() {
    "${call[@]}" >answer
    "$(executed "$work/bound/c++")" -E "$question" | cmp - answer
}
three_files() {
    same "$(opened "${call[@]}" | sed 's/.*"\(.*\)".*/\1/' | tr '\n' ' ')" "$work/bound/plan $work/bound/identity $question "
}
it "a bound c++ $kind answers as the compiler does" answers
it "a bound c++ $kind executes at most 250,000 instructions" few_instructions "${call[@]}"
it "a bound c++ $kind opens its plan, the record and the question" three_files
it "a bound c++ $kind looks at no file twice" each_once "${call[@]}"
it "a bound c++ $kind takes at most 4 MB" small "${call[@]}"
finish
