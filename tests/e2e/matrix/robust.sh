#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin matrix when its parts are killed, disks are full, files are damaged and projects misbehave: the same final report.
#   robust.sh [WORDS]   only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1      20 kills of each command instead of 3
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_toolkit
need_command python3
only=${1:-}
kills=3
if [ "$full" = 1 ]; then kills=20; fi

# A project of two small steps, and what its one cell is called.
write_matrix() { # [BUILD [TEST]]
    mkdir -p source
    echo 'int main() { return 0; }' >source/main.cpp
    cat >matrix.toml <<TOML
name = "robust"
[axes]
toolkit = ["$toolkit"]
stdenv = ["$host"]
[project.one]
source = "source"
time = ${limit:-1}
${more-}
build = '''${1:-\$CXX \$SOURCE/main.cpp -o main}'''
test = '''${2:-./main}'''
TOML
    plan plan
    cell=$(cells plan id)
}
run() { call "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json" "$@"; }
merge() { call "$hostpin" matrix merge results --plan plan -o "$1"; }
cause() { json "results/$cell.json" cause kind; }
milliseconds() { local now=${EPOCHREALTIME/[.,]/}; echo $((now / 1000)); }
# killed COMMAND...: runs it as often as $kills says, each time killed after another part of the time that it takes as a whole.
killed() {
    local began took number process
    began=$(milliseconds)
    "$@" >/dev/null 2>&1 || true
    took=$(($(milliseconds) - began))
    for ((number = 1; number <= kills; number++)); do
        "$@" >/dev/null 2>&1 &
        process=$!
        sleep "$(awk -v ms=$((took * number / (kills + 1))) 'BEGIN { printf "%.3f", ms / 1000 }')"
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
        after_kill
    done
}

no_thread_can_be_made() {
    write_matrix
    call without_threads "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json"
    exits 2
    says 'cannot make a thread that writes ' '^hint: raise the limit of processes'
    absent "results/$cell.json"
    run
    exits 0
}
run_is_killed() {
    write_matrix
    run
    exits 0
    merge whole.json
    after_kill() {
        merge part.json
        # it is not known, or as it is without a kill
        if [ "$status" = 0 ]; then cmp part.json whole.json; else exits 2 && prints '1 missing'; fi
    }
    killed "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json"
    run
    merge again.json
    cmp again.json whole.json
    same "left: $(find plan/work -mindepth 1 -type d)" 'left: '
}
plan_is_killed() {
    write_matrix
    cp plan/plan.json whole.json
    after_kill() {
        if [ -e other/plan.json ]; then cmp other/plan.json whole.json && rm other/plan.json; fi
    }
    killed "$hostpin" matrix plan matrix.toml -o other
    "$hostpin" matrix plan matrix.toml -o other
    cmp other/plan.json whole.json
}
merge_is_killed() {
    write_matrix
    run
    merge whole.json
    after_kill() {
        if [ -e part.json ]; then cmp part.json whole.json && rm part.json; fi
    }
    killed "$hostpin" matrix merge results --plan plan -o part.json --html part.html --junit part.xml
    merge part.json
    cmp part.json whole.json
}
two_at_once() {
    write_matrix
    "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json" &
    "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json" &
    wait
    run
    merge whole.json
    for each in 1 2 3 4; do "$hostpin" matrix merge results --plan plan -o now.json >/dev/null & done
    wait
    cmp now.json whole.json
    prints '1 passed'
}
one_at_a_time() {
    need_command flock
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix "if flock --nonblock '$PWD'/plan/work/*.lock true; then exit 1; fi"' && $CXX $SOURCE/main.cpp -o main'
    run
    exits 0
}
worker_is_lost() {
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'test -e $SOURCE/calm || kill -KILL $$; echo built >file' 'cat file'
    need_command make
    run
    exits 2
    absent "results/$cell.json"
    same "$(json "results/$cell.lost.json" cause kind)" killed
    merge now.json
    exits 2
    prints '1 lost'
    # shellcheck disable=SC2016
    write_matrix 'test -e $SOURCE/calm || { touch $SOURCE/calm; kill -KILL $$; }; echo built >file' 'cat file'
    "$hostpin" matrix emit plan --for make >Makefile
    make -j 2 >made 2>&1
    grep -q '1 passed' made || fail "$(cat made)"
    same "lost: $(grep -c ': lost (killed' made)" 'lost: 1'
    # a GPU that is not there is not there a moment later
    rm results/*.json
    sed -i 's/^source = .*/&\nneeds = ["gpu"]/' matrix.toml
    "$hostpin" matrix plan matrix.toml -o plan
    make >made 2>&1 || true
    [ "$(grep -c ': lost (no-gpu' made)" -le 1 ] || fail "$(cat made)"
}
disk_is_full() {
    need_mounts
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'n=0; while [ $((n += 1)) -lt 200 ]; do head -c 1000000 /dev/zero >file$n; sleep .08; done'
    mv plan flood
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'head -c 3000000 /dev/zero >file' 'test -s file'
    # shellcheck disable=SC2016 # the other shell's
    unshare -m bash -euc '
        mkdir small && mount -t tmpfs -o size=2m none small
        status=0
        "$1" matrix run plan --cell "$2" -o "results/$2.json" --work "$PWD/small/work" || status=$?
        echo "no space for the build: $status"
        mkdir half && mount -t tmpfs -o size=40m none half
        status=0
        "$1" matrix run flood --cell "$2" -o "half/$2.json" --work "$PWD/half/work" || status=$?
        echo "half of the space: $status"
        mkdir -p full && mount -t tmpfs -o size=64k none full && head -c 100000 /dev/zero >full/it 2>/dev/null || true
        status=0
        "$1" matrix run plan --cell "$2" -o "full/$2.json" || status=$?
        echo "no space for the result: $status, $(find full -name "*.json*" | wc -l)"
        status=0
        "$1" matrix merge results --plan plan -o full/now.json || status=$?
        echo "no space for the report: $status, $(find full -name "now*" | wc -l)"
        status=0
        "$1" matrix plan matrix.toml -o full/plan || status=$?
        echo "no space for the plan: $status, $(find full -name "plan.json*" | wc -l)"' \
        bash "$hostpin" "$cell" >said 2>&1
    cat said
    contains 'no space for the build: 2' <said
    contains 'lost (disk, build): its files took half of the space that was free' <said
    contains 'half of the space: 2' <said
    contains 'no space for the result: 2, 0' <said
    contains 'no space for the report: 2, 0' <said
    contains 'no space for the plan: 2, 0' <said
    merge now.json
    exits 2
    prints '1 lost \(disk 1\)'
    run
    merge now.json
    exits 0
}
# What the kernel ends because memory ran out is lost, also where the shell reports a failed test.
memory_runs_out() {
    local group=/sys/fs/cgroup/memory/hostpin-$$
    mkdir "$group" 2>/dev/null || { group=/sys/fs/cgroup/hostpin-$$ && mkdir "$group" 2>/dev/null; } || skip 'no cgroup can be made'
    if ! { echo 80000000 >"$group/memory.max" || echo 80000000 >"$group/memory.limit_in_bytes"; } 2>/dev/null; then
        rmdir "$group"
        skip 'memory cannot be limited'
    fi
    # what does not fit must not go to swap
    { echo 0 >"$group/memory.swap.max" || echo 80000000 >"$group/memory.memsw.limit_in_bytes"; } 2>/dev/null || true
    write_matrix true 'python3 -c "bytearray(200 << 20)"; exit'
    # shellcheck disable=SC2016 # the other shell's
    call sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json"
    rmdir "$group"
    exits 2
    same "$(json "results/$cell.lost.json" cause kind)" memory
}
damaged_results() {
    write_matrix
    run
    cp "results/$cell.json" whole
    merge whole.json
    damaged() { # WORDS: of the file that is in the result's place
        merge now.json
        exits 2
        prints '1 missing'
        says "$1" 'it counts as missing'
    }
    head -c 200 whole >"results/$cell.json"
    damaged 'cannot be read'
    : >"results/$cell.json"
    damaged 'cannot be read'
    sed 's/"form": 1/"form": 1000/' whole >"results/$cell.json"
    damaged 'of another release'
    sed 's/"state": "passed"/"state": "splendid"/' whole >"results/$cell.json"
    damaged 'unknown state'
    sed 's/"state": "passed"/"state": 7/' whole >"results/$cell.json"
    damaged 'cannot be read'
    head -c 1000000 /dev/zero | tr '\0' '[' >"results/$cell.json"
    damaged 'cannot be read'
    head -c 100000 /dev/urandom >"results/$cell.json"
    damaged 'cannot be read'
    rm "results/$cell.json" && mkdir "results/$cell.json"
    damaged 'not a regular file'
    rmdir "results/$cell.json"
    cp whole "results/$cell.json"
    merge now.json
    cmp now.json whole.json
}
# What was tested is not what is there, if an input is changed while its cell runs.
edited_meanwhile() {
    local process build=
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'cp $SOURCE/value .; touch begun; until test -e edited || test -e $SOURCE/calm; do sleep .02; done' 'grep one value'
    build=plan/work/$cell/build
    echo one >source/value
    "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json" >ran &
    process=$!
    until [ -e "$build/begun" ]; do sleep .02; done
    echo two >source/value
    touch "$build/edited"
    status=0
    wait "$process" || status=$?
    same "$(cat ran): $status" "$cell: lost (edited, test): \$SOURCE/value changed while the cell ran: 2"
    absent "results/$cell.json"
    touch source/calm
    run
    exits 1
    plan again --from-results results
    prints ' 0 to run, 1 the same'
}
# Lists of inputs that lost bytes count for nothing, and are whole again after a run.
damaged_lists() {
    local list
    write_matrix
    run
    plan again --from-results results
    prints ' 0 to run, 1 the same'
    for list in results/inputs/*; do : >"$list"; done
    plan again --from-results results
    prints ' 1 to run, 0 the same' 'is damaged or missing$'
    run
    for list in results/inputs/*; do same "$(sha256sum <"$list")" "${list##*/}  -"; done
    plan again --from-results results
    prints ' 0 to run, 1 the same'
}
# Each of these edits changes what the commands print.
seen_otherwise() {
    local edit undo
    mkdir -p source/v1/sub source/v2/sub source/kinds
    ln -s v1 source/current
    echo 1 >source/v1/sub/value
    echo 2 >source/v2/sub/value
    touch source/kinds/{one,two} source/key
    chmod 600 source/key
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'ln -s $SOURCE/main.cpp here.cpp; cat here.cpp; stat -c %a $SOURCE/key; find $SOURCE/kinds -type f' 'cd $SOURCE/current/sub; cat value'
    run
    exits 0
    while IFS='|' read -r edit undo; do
        eval "$edit"
        plan again --from-results results
        grep -q ' 1 to run, 0 the same' "$out" || fail "the same after: $edit"
        eval "$undo"
        plan again --from-results results
        grep -q ' 0 to run, 1 the same' "$out" || fail "not the same after: $edit; $undo"
    done <<'EDITS'
ln -sfn v2 source/current|ln -sfn v1 source/current
sed -i 's/^source = .*/&\nneeds = ["gpu"]/' matrix.toml|sed -i /^needs/d matrix.toml
rm source/kinds/one; mkdir source/kinds/one|rmdir source/kinds/one; touch source/kinds/one
ln -sf two source/kinds/one|rm source/kinds/one; touch source/kinds/one
chmod 644 source/key|chmod 600 source/key
sed -i s/0/1/ source/main.cpp|sed -i s/1/0/ source/main.cpp
EDITS
}
# libraries_listed CACHE COMMAND...: where the loader's cache is that file.
libraries_listed() {
    # shellcheck disable=SC2016
    unshare -m sh -ec 'mount --bind "$1" /etc/ld.so.cache; shift; exec "$@"' sh "$@"
}
# Of the loader's cache counts what it lists for the libraries that a cell looked up.
libraries_installed() {
    local name
    need_mounts
    need_command ldconfig
    mkdir -p one/lib two/lib source
    echo 'int used(void) { return 0; }' >used.c
    "$host" -x c used.c -shared -fPIC -Wl,-soname,libused.so.1 -o one/lib/libused.so.1
    cp one/lib/libused.so.1 two/lib
    "$host" -x c used.c -shared -fPIC -Wl,-soname,libother.so.1 -o one/lib/libother.so.1
    ldconfig_of() { printf '%s\n' "${@:2}" >conf && ldconfig -X -C "$1" -f conf; }
    mkdir first && mv one/lib/libother.so.1 first && ldconfig_of before "$PWD/one/lib"
    mv first/libother.so.1 one/lib && ldconfig_of other "$PWD/one/lib"
    ldconfig_of moved "$PWD/two/lib"
    echo damaged >damaged
    echo 'int used(void); int main(void) { return used(); }' >main.c
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix '$CXX -x c $SOURCE/main.c -x none -L$SOURCE -l:libused.so.1 -o main'
    cp main.c one/lib/libused.so.1 source
    call libraries_listed before "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json"
    exits 0
    for name in before other; do
        call libraries_listed "$name" "$hostpin" matrix plan matrix.toml -o again --from-results results
        prints ' 0 to run, 1 the same'
    done
    for name in moved damaged; do
        call libraries_listed "$name" "$hostpin" matrix plan matrix.toml -o again --from-results results
        prints ' 1 to run, 0 the same'
    done
    # shellcheck disable=SC2016 # one that reads all of it
    write_matrix 'ldconfig -p >/dev/null; cp $SOURCE/main.cpp main' true
    call libraries_listed before "$hostpin" matrix run plan --cell "$cell" -o "results/$cell.json"
    exits 0
    call libraries_listed other "$hostpin" matrix plan matrix.toml -o again --from-results results
    prints ' 1 to run, 0 the same'
}
# git writes its index again when a version is read from it: that is no output, and the next plan knows the state after it.
version_by_git() {
    need_command git
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix 'git -C $SOURCE describe --dirty --always >version' 'grep -v dirty version'
    git -C source init -q
    git -C source add -A
    git -C source -c user.name=a -c user.email=a@b commit -qm first
    touch -d yesterday source/main.cpp # which the index does not know
    run
    exits 0
    plan again --from-results results
    prints ' 0 to run, 1 the same'
    echo '// changed' >>source/main.cpp
    plan again --from-results results
    prints ' 1 to run, 0 the same'
}
projects_misbehave() {
    # shellcheck disable=SC2016 # the cell's shell
    {
        write_matrix 'echo more >>$SOURCE/main.cpp'
        run
        exits 1
        same "$(cause)" outside
        write_matrix 'bomb() { bomb & bomb; }; bomb'
        run
        exits 1
        same "$(cause)" processes
        write_matrix 'setsid sh -c "trap \"\" TERM HUP; exec sleep 98102" & exit 0' 'exit 0'
        run
        exits 0
        write_matrix 'yes | head -c 50000000; printf "\377\376\n"; exit 1'
        run
        exits 1
        [ "$(stat -c %s "results/$cell.log")" -lt 20000000 ] || fail 'the log has no limit'
        limit='"1s"' write_matrix 'sleep 98102'
        run
        exits 1
        same "$(cause)" time
        # shellcheck disable=SC2016
        more='disk = "20M"' write_matrix 'n=0; while :; do head -c 1000000 /dev/zero >file$((n += 1)); sleep .02; done'
        run
        exits 1
        same "$(cause)" disk-limit
        more='disk = "20M"' write_matrix 'exec 3>file; rm file; while :; do head -c 1000000 /dev/zero >&3; sleep .02; done'
        run
        exits 1
        same "$(cause)" disk-limit
        more='memory = "100M"' write_matrix 'python3 -c "import time; text = bytearray(200 << 20); time.sleep(987)"'
        run
        exits 1
        same "$(cause)" memory-limit
    }
    none_runs 'sleep 98102'
    same "left: $(find plan/work -mindepth 1 -type d)" 'left: '
}

# What one job builds another one tests, where only the results' directory, the plan and the path of the work directory are the same.
two_jobs() {
    # shellcheck disable=SC2016 # the cell's shell
    write_matrix '$CXX $SOURCE/main.cpp -o main; ln -s /nonexistent/file out; ln -s main in; mkdir -p d/e; echo "two
lines" >"d/e/a file"' './in; test -L out; grep -q lines "d/e/a file"; test -d d'
    run --stage build
    exits 0
    prints built
    absent "results/$cell.json"
    local archive
    archive=$(echo results/built/*.tar.zst)
    run --stage build
    same "the archive again: $(echo results/built/*.tar.zst)" "the archive again: $archive"
    mv source away && mv results there
    call "$hostpin" matrix run plan --cell "$cell" --stage test -o "results/$cell.json"
    exits 2
    says 'run the cell with --stage build first'
    rm -r results && cp -r there results
    printf x >>"$archive"
    run --stage test
    exits 2
    says 'another SHA-256'
    rm -r results && cp -r there results
    run --stage test --work "$PWD/elsewhere"
    exits 2
    says 'whose path may be in what was built'
    sed -i 's/"terms": "./"terms": "x/' results/*.built
    run --stage test
    exits 2
    says 'built for another cell or plan'
    rm -r results && cp -r there results
    run --stage test
    exits 0
    same "left: $(find results -name '*.built' -o -path '*/built/*')" 'left: '
    mv away source
    merge now.json
    exits 0
    # the same files are its inputs, wherever it was tested
    plan again --from-results results
    prints ' 0 to run, 1 the same'
    echo '// a comment' >>source/main.cpp
    plan again --from-results results
    prints ' 1 to run, 0 the same'
    # a build that fails leaves nothing to test
    echo wrong >source/main.cpp
    run --stage build
    exits 1
    run --stage test
    exits 2
}

it 'a run that is killed at any time leaves no result or the same' run_is_killed
it 'a plan that is killed at any time is absent or whole' plan_is_killed
it 'a merge that is killed at any time leaves no report or the same' merge_is_killed
it 'two runs of a cell and several merges do not disturb each other' two_at_once
it 'a cell runs in one process at a time' one_at_a_time
it 'a cell whose worker is lost runs again' worker_is_lost
it 'where no thread can be made a cell is not run, and its limit is named' no_thread_can_be_made
it 'a full disk loses a cell, and no half file is left' disk_is_full
it 'a cell that the kernel ends because memory ran out is lost' memory_runs_out
it 'a damaged result is missing, and a whole one counts again' damaged_results
it 'projects that write elsewhere, fork, flood or leave processes are bounded' projects_misbehave
it 'what one job built another one tests' two_jobs
it 'a cell whose input is edited while it runs is lost' edited_meanwhile
it 'a list of inputs that lost bytes runs its cell again, which repairs it' damaged_lists
it 'links, types, modes and what a test needs run a cell again' seen_otherwise
it 'an installed library runs the cells again that looked for it' libraries_installed
it 'a version that git describes is no output, and its cell is the same afterwards' version_by_git
finish
