#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A plan run by Nix (a private store), by Buildbot (a master and three workers) and, with HOSTPIN_FULL=1, by Slurm (a controller and two
# nodes, of which one is lost; 40 s, mostly waiting): each ends with the report that hostpin itself writes. The commands of the files for
# GitHub, GitLab and Forgejo run one after the other, and the published schemas check these files.
#   engines.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_toolkit
need_command python3
compiler=$host # cluster.sh has another $host

# Four cells, of which one fails and one is lost when it first runs, in the current directory; whole.json is the report on them.
write_plan() {
    mkdir -p source
    echo 'int main() { return 0; }' >source/main.cpp
    cat >matrix.toml <<TOML
name = "engines"
[axes]
toolkit = ["$toolkit"]
stdenv = ["$compiler"]
[project.one]
source = "source"
build = "\$CXX \$SOURCE/main.cpp -o main"
test = "./main"
[project.two]
source = "source"
build = "cp \$SOURCE/main.cpp ."
[project.three]
source = "source"
test = "false"
[project.four]
source = "source"
test = "test -e \$SOURCE/calm || { touch \$SOURCE/calm; kill -KILL \$\$; }"
TOML
    plan plan
    touch source/calm
    run_all "$PWD/plan" direct
    rm source/calm
    same "$("$hostpin" matrix merge direct --plan plan -o whole.json)" '3 passed, 1 failed (test 1)'
}

without_keys() { python3 -c 'import json, sys; print([c | {"key": 0, "inputs": 0} for c in json.load(open(sys.argv[1]))["cells"]])' "$1"; }
by_nix() {
    need_command nix-build
    if [ "$(id -u)" != 0 ]; then skip 'a store without a daemon is tried as root'; fi
    # shellcheck source=tests/e2e/nix/lib.sh
    . "$repository/tests/e2e/nix/lib.sh"
    new_store "$PWD/nix"
    write_plan
    local odd="\$HOME \${x} \"grün\" it's" # for the shell and for Nix
    mkdir "$odd"
    ln -s "$hostpin" "$odd/hostpin"
    cp -r plan "$odd/"
    "$hostpin" matrix emit "$PWD/$odd/plan" --for nix --hostpin "$PWD/$odd/hostpin" >plan.nix
    call nix-build --no-out-link plan.nix --argstr path "$PATH"
    exits 0
    # its work directories are elsewhere, and a key has what is looked for above them
    same "$(without_keys "$(tail -n 1 "$out")/matrix.json")" "$(without_keys whole.json)"
}
by_buildbot() {
    need_command buildbot
    write_plan
    "$hostpin" matrix emit "$PWD/plan" --for buildbot --results "$PWD/results" >matrix.py
    cat >master.cfg <<'PY'
from buildbot.plugins import changes, schedulers, worker
from matrix import configure
names = ["w1", "w2", "w3"]
c = BuildmasterConfig = {
    "workers": [worker.LocalWorker(name) for name in names], "protocols": {"pb": {"port": 9989}}, "builders": [], "schedulers": [],
    "title": "t", "titleURL": "http://localhost/", "buildbotURL": "http://localhost/", "buildbotNetUsageData": None,
    "db": {"db_url": "sqlite:///state.sqlite"}, "change_source": [changes.PBChangeSource(port=9989)],
}
configure(c, names)
c["schedulers"].append(schedulers.AnyBranchScheduler(name="push", builderNames=["matrix"], treeStableTimer=None))
PY
    call buildbot checkconfig master.cfg
    exits 0
    grep -q 'Config file is good' "$out" || fail "$(cat "$out")"
    if ! command -v buildbot-worker >/dev/null || ! unshare --net --pid --fork --mount-proc ip link set lo up 2>/dev/null; then return; fi
    buildbot create-master -q . && buildbot upgrade-master -q .
    # shellcheck disable=SC2016 # the other shell's
    unshare --net --pid --fork --kill-child --mount-proc bash -euc '
        ip link set lo up
        buildbot start --start_timeout 120 .
        buildbot sendchange -m 127.0.0.1:9989 -a change:changepw --who x --branch main file
        for ((left = 1200; left > 0; left--)); do
            ! grep -q "Build matrix number.*finished" twistd.log || break
            sleep 0.1
        done' >said 2>&1 || fail "$(cat said)"
    merge_all
    # the lost cell was built again by another worker
    same "$(python3 -c 'import sqlite3; print(*sqlite3.connect("state.sqlite").execute("select count(*), count(distinct workerid) from builds join builders on builders.id = builderid where name like ?", ["cell-four%"]))')" '(2, 2)'
}
merge_all() {
    "$hostpin" matrix merge results --plan plan -o matrix.json || [ $? = 1 ]
    cmp matrix.json whole.json
}
# A pipeline that plans by itself: all cells, then those that a change concerns, with the report on all each time.
by_service() { # ENGINE
    python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (./bootstrap test installs it)"
    mkdir source
    touch source/one source/two
    cat >matrix.toml <<TOML
[axes]
toolkit = ["$toolkit"]
stdenv = ["$compiler"]
[project.one]
source = "source"
test = "test ! -s \$SOURCE/one"
[project.two]
source = "source"
test = "cat \$SOURCE/two"
[project.three]
source = "source"
test = "test -e \$SOURCE/calm || kill -KILL \$\$"
TOML
    "$hostpin" matrix emit matrix.toml --for "$1" --hostpin "$hostpin" --setup ': >setup' >pipeline.yml
    pipeline() { PYTHONDONTWRITEBYTECODE=1 call python3 "$repository/tests/e2e/matrix/pipeline.py" pipeline.yml; }
    pipeline
    exits 2
    contains '^ran: 3$' <"$out"
    # the last time in another job, or where the service puts it; Forgejo's has one job
    same "lost: $(grep -c '^three.*: lost' "$out")" "lost: $(if [ "$1" = forgejo ]; then echo 2; else echo 3; fi)"
    touch source/calm
    rm -r plan results
    pipeline
    exits 0
    contains '^ran: 1$' <"$out"
    [ -e setup ] || fail 'the jobs do not run what --setup names'
    # a pull request's next run finds what this one found
    echo 1 >source/one
    rm -r plan results
    cp -R caches saved
    GITHUB_EVENT_NAME=pull_request CI_MERGE_REQUEST_IID=5 pipeline
    exits 1
    contains '^broken (test): 1 cell$' <"$out"
    absent caches/pull_request
    for each in saved/*; do diff -r "$each" "caches/${each#saved/}"; done
    if [ "$1" != github ] && [ "$full" != 1 ]; then return; fi # the commands of what follows are GitHub's
    rm -r plan results difference.json
    # the earlier run's commit is not one of the sources' repository
    git init -q . && git -c user.name=n -c user.email=n@localhost commit -q --allow-empty -m none
    git rev-parse HEAD >caches/push/commit
    git init -q source
    pipeline
    exits 1
    [ -s difference.json ] || fail 'without the source lines there is no report'
    contains '^ran: 1$' <"$out"
    contains '^broken (test): 1 cell$' <"$out"
    contains 'broken' <matrix.html
    same "$("$hostpin" matrix merge before/results --plan plan -o again.json)" '2 passed, 1 failed (test 1)'
    if [ "$1" = github ]; then
        (cd "$repository" && "$hostpin" matrix emit samples/nightly/matrix.toml --for github) | cmp - "$repository/samples/nightly/github.yml"
        (cd "$repository" && "$hostpin" matrix emit samples/nightly/matrix.toml --for gitlab) | cmp - "$repository/samples/nightly/gitlab-ci.yml"
        call "$hostpin" matrix emit matrix.toml --for make
        exits 2
        says 'make does not plan by itself' 'hint: make a plan'
    fi
}
# The published schemas, as these programs have them. Files that are changed are refused, so they do look.
by_schema_of_github() {
    need_command action-validator
    write_plan
    "$hostpin" matrix emit plan --for github >plan.yml
    "$hostpin" matrix emit matrix.toml --for github --setup 'echo "a": b' >pipeline.yml
    action-validator plan.yml
    "$hostpin" matrix emit matrix.toml --for github-comment >comment.yml
    action-validator pipeline.yml
    action-validator comment.yml
    sed 's/^    steps:/    step:/' plan.yml >bad.yml
    ! action-validator bad.yml >/dev/null || fail 'a job without steps is accepted'
}
by_schema_of_gitlab() {
    need_command gitlab-ci-local git
    write_plan
    git init -q . && git -c user.name=n -c user.email=n@localhost commit -q --allow-empty -m none
    accepts() { mv "$1" .gitlab-ci.yml && gitlab-ci-local --list >list 2>&1; }
    "$hostpin" matrix emit plan --for gitlab >plan.yml
    "$hostpin" matrix emit plan --for gitlab-child --setup 'echo "a": b' >child.yml
    "$hostpin" matrix emit matrix.toml --for gitlab >pipeline.yml
    sed 's/^  script:/  scripts:/' plan.yml >bad.yml
    for each in plan child pipeline; do accepts $each.yml || fail "$each: $(cat list)"; done
    ! accepts bad.yml || fail 'a job without a script is accepted'
}
by_slurm() {
    need_command sbatch
    write_plan
    "$hostpin" matrix emit "$PWD/plan" --for slurm >job.sh
    local directory=$PWD again
    start_cluster
    cd "$directory"
    in_time 300 sbatch --quiet --wait job.sh || true # a cell fails
    merge_all
    again=$(scontrol --oneliner show job | grep ' Restarts=1 ')
    if ! [[ $again =~ ' ExcNodeList='(n[12])' NodeList='(n[12]) ]] || [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]; then
        fail "the lost cell did not run on the other node: $again"
    fi
    # what was lost runs again
    rm results/two_*.json
    lose_node n2
    in_time 300 sbatch --quiet --wait --array=0-2 job.sh || true
    merge_all
    # where there is no other node, on the same one
    rm source/calm results/four_*.json
    until_true 300 node_is n2 'down*'
    in_time 300 sbatch --quiet --wait --array=3 job.sh
    stop_cluster
    merge_all
}
# The script of a task, with stand-ins for the programs that it calls.
by_slurm_in_vain() {
    write_plan
    "$hostpin" matrix emit plan --for slurm --hostpin hostpin >job.sh
    mkdir bin
    for each in scontrol sbatch; do printf '#!/bin/sh\necho "%s $*" >>called\n' $each >bin/$each; done
    # shellcheck disable=SC2016 # the stand-ins' shells
    printf '#!/bin/sh\nexit "$CODE"\n' >bin/hostpin
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "$STATE"\n' >bin/squeue
    chmod +x bin/*
    task() { # CODE RESTARTS STATE
        call env PATH="$PWD/bin:$PATH" CODE="$1" SLURM_RESTART_COUNT="$2" STATE="$3" SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_JOB_ID=7 \
            SLURM_JOB_PARTITION=p SLURMD_NODENAME=n sh job.sh
        exits "$1"
    }
    task 137 1 RUNNING
    same "$(cat called)" 'scontrol requeue 7_1
sbatch --quiet --test-only --partition=p --exclude=n job.sh
scontrol update JobId=7_1 ExcNodeList=n'
    rm called
    task 2 2 RUNNING
    task 2 0 COMPLETING # cancelled
    task 1 0 RUNNING
    absent called
}

# shellcheck source=tests/e2e/spread/cluster.sh
. "$repository/tests/e2e/spread/cluster.sh"
if [ "${1:-}" = inside ]; then
    only=
    it "Slurm runs a plan, and again without one of its nodes" by_slurm
else
    only=${1:-}
    it "Nix runs a plan" by_nix
    it "a lost task of Slurm runs again at most twice, without the node" by_slurm_in_vain
    it "Buildbot accepts a plan, and runs it" by_buildbot
    it "the published schema of GitHub's workflows accepts what is emitted" by_schema_of_github
    it "the published schema of GitLab's pipelines accepts what is emitted" by_schema_of_gitlab
    it "a workflow of GitHub plans by itself, and runs what a change concerns" by_service github
    it "a pipeline of GitLab plans by itself, and runs what a change concerns" by_service gitlab
    it "a workflow of Forgejo plans by itself, and runs what a change concerns" by_service forgejo
    if [ "$failed" -gt 0 ]; then finish; fi
    if [ "$full" = 1 ] && [[ 'Slurm runs a plan' == *"$only"* ]]; then in_own_machine inside "$0"; fi
fi
finish
