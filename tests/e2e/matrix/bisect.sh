#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin matrix and revisions: which cells a change of the sources concerns, and which commits broke which cells.
#   bisect.sh [WORDS]   only the cases whose sentence contains WORDS; 4 cells in 8 commits, with HOSTPIN_FULL=1 50 cells, which 5 of 64
#   commits break
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_toolkit
need_command git python3
only=${1:-}
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null

commit() { git -C source add -A && git -C source commit -qm "$1"; }

# Two projects in one repository: `one` reads common/ next to it.
revisions() {
    mkdir -p source/one source/two source/common
    git -C source init -q
    echo '#define VALUE 0' >source/common/value.h
    printf '#include "../common/value.h"\nint main() { return VALUE; }\n' >source/one/main.cpp
    echo 'int main() { return 0; }' >source/two/main.cpp
    commit first
    cat >matrix.toml <<TOML
[axes]
toolkit = ["$toolkit"]
stdenv = ["$host"]
[project.one]
source = "source/one"
build = "\$CXX -I\$SOURCE/../common \$SOURCE/main.cpp -o main"
test = "./main"
[project.two]
source = "source/two"
build = "\$CXX \$SOURCE/main.cpp -o main"
test = "./main"
TOML
    plan plan
    run_all plan results working
    plan plan --from-results results --to HEAD
    same "the same revision: $(planned plan)" 'the same revision: '
    echo '// a comment' >>source/common/value.h
    commit comment
    plan plan --from-results results --from HEAD^ --to HEAD
    same "comment: $(planned plan)" 'comment: one'
    prints 'run: common/value.h changed'
    # the files as they are do not matter
    echo '#error' >source/two/main.cpp
    plan plan --from-results results --from HEAD^ --to HEAD
    same "not committed: $(planned plan)" 'not committed: one'
    plan plan --from-results results
    same "files: $(planned plan)" 'files: one two'
    git -C source checkout -q two
    run_all plan results comment
    # a header in front of one that was found
    echo '#define VALUE 1' >source/one/value.h
    commit shadow
    plan plan --from-results results --from HEAD^ --to HEAD
    same "unread: $(planned plan)" 'unread: '
    git -C source mv two/main.cpp two/new.cpp
    commit renamed
    plan plan --from-results results --from HEAD^ --to HEAD
    same "renamed: $(planned plan)" 'renamed: two'
    plan plan --from-results results --from HEAD~3 --to HEAD~2
    same "back: $(planned plan)" 'back: '
    call "$hostpin" matrix plan matrix.toml --from-results results --from nothing -o plan
    exits 2
    says 'has no revision nothing'
    call "$hostpin" matrix plan matrix.toml --from HEAD -o plan
    exits 2
    says '--from-results'
}

# What broke.py made is found, with few more builds than who knows the answer needs.
bisecting() {
    local cells=4 commits=8 breaking=2
    if [ "$full" = 1 ]; then cells=50 commits=64 breaking=5; fi
    "$repository/tests/e2e/matrix/broken.py" make "$cells" "$commits" "$breaking" "$toolkit" "$host"
    plan plan
    call "$hostpin" matrix bisect plan --good HEAD~"$commits" --bad HEAD -o found -j 4 --json
    exits 1
    cp "$out" found.json
    "$repository/tests/e2e/matrix/broken.py" judge found.json
    # nothing runs again
    call "$hostpin" matrix bisect plan --good HEAD~"$commits" --bad HEAD -o found -j 4
    exits 1
    prints " 0 builds at"
    prints '^broken by [0-9a-f]{12} break '
    call "$hostpin" matrix bisect plan --good HEAD --bad HEAD~1 -o found
    exits 2
    says 'is not among the first parents'
}

# Killed while it builds, the same command goes on: what had a result is not built again, and the answer is the same.
continued() {
    local cells=2 commits=8 results=0
    "$repository/tests/e2e/matrix/broken.py" make "$cells" "$commits" 1 "$toolkit" "$host"
    plan plan
    set -- "$hostpin" matrix bisect plan --good HEAD~"$commits" --bad HEAD -o found --json
    setsid "$@" >/dev/null 2>&1 &
    until [ "$(results_in found)" -ge 3 ]; do sleep 0.02; done
    kill -KILL -- -$! || true # it may have ended
    wait $! || true
    while pgrep -f "$PWD/found/" >/dev/null; do sleep 0.02; done # a cell that was running may end
    results=$(results_in found)
    call "$@"
    exits 1
    cp "$out" found.json
    "$repository/tests/e2e/matrix/broken.py" judge found.json
    same "results: $(results_in found)" "results: $((results + $(json found.json builds)))"
}
results_in() { find "$1" -name '*.json' -path '*/results/*' ! -name '*.lost.json' 2>/dev/null | wc -l; }

# A cell that is lost twice at a commit: its neighbours answer, and what is left is an interval.
lost_between() {
    local command
    mkdir source
    git -C source init -q
    # shellcheck disable=SC2016 # the cell's shell
    for command in true 'kill -KILL $$' false; do
        echo "$command" >source/test.sh
        commit "$command"
    done
    cat >matrix.toml <<TOML
[axes]
toolkit = ["$toolkit"]
stdenv = ["$host"]
[project.one]
source = "source"
test = ". \$SOURCE/test.sh"
TOML
    plan plan
    call "$hostpin" matrix bisect plan --good HEAD~2 --bad HEAD -o found
    exits 2
    prints '^broken by [0-9a-f]{12} false ' '^  or after [0-9a-f]{12}: results of commits between them are lost' ' 4 builds at 3 revisions'
}

it 'a change of the sources runs the cells that read it' revisions
it 'all broken cells are bisected at once, with few builds' bisecting
it 'a bisection that was killed goes on' continued
it 'a bisection goes around lost results' lost_between
finish
