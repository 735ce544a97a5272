#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The budget that does not depend on the machine: a bound nvcc or c++ executes at most 250,000 instructions, opens one
# file and needs at most 4 MB before it becomes the real tool.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../e2e/lib.sh"
# shellcheck source=tests/bench/lib.sh
. "$here/lib.sh"
if [ -d "$lab/bin" ]; then export PATH=$lab/bin:$PATH; fi

few_instructions() {
    local count
    need_command valgrind
    count=$(instructions "$1")
    echo "$count"
    [ "$count" -gt 1000 ] || fail "callgrind counted $count: $(cat "$work/valgrind")"
    [ "$count" -le 250000 ] || fail "$1 executes $count instructions before its exec"
}
one_file() {
    local files
    files=$(opened "$1")
    same "$(wc -l <<<"$files"): $files" "1: $(grep /plan <<<"$files")"
}
small() {
    need_command /usr/bin/time
    local peak
    peak=$(peak_memory "$1")
    if [ "$peak" -le 0 ] || [ "$peak" -gt 4096 ]; then fail "$1 takes $peak KB"; fi
}

need_command strace
bind_here
for name in nvcc c++; do
    it "a bound $name executes at most 250,000 instructions" few_instructions "$work/bound/$name"
    it "a bound $name opens its plan and no other file" one_file "$work/bound/$name"
    it "a bound $name takes at most 4 MB" small "$work/bound/$name"
done
finish
