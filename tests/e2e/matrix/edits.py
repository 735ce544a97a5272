#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted edits: is what `hostpin matrix plan --from-results` leaves out really the same, and how much does it run in vain?

    edits.py --hostpin HOSTPIN --toolkit ROOT --cxx CXX --samples DIRECTORY [--number N] [--seed N] [-j JOBS] [MATRIX...]

Each edit changes what the cells of one matrix read, or their commands or values (edited_*.py). The truth is what the commands themselves
make when they run again in an empty directory, without `hostpin matrix`, and how the test ends. A cell that is left out although those are
not what they were when its stored result was made is falsely green. The least that has to run again are the cells whose compiler, linker
or loader, by its own account, reads or looks for a file of the edit, whose commands changed, or that are new. Of other cells the truth is
not made again either, but for every twentieth edit of a matrix, as a control of that. Test results that are chance are `noise` if stored
ones of the same inputs failed and passed: run again, never green. The output is one line of JSON."""
import argparse
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import time

from edited_cuda import Cuda
from edited_headers import Headers
from edited_libraries import Library, Roots
from edited_links import Links
from edited_real import Real

MATRICES = {Headers: 8, Links: 5, Real: 5, Library: 3, Roots: 3, Cuda: 3}  # how often each is edited
PART = 100  # edits after which everything begins again, in another tree
CONTROL, STORED = 20, 8  # every how many edits of a matrix all truths are made; results of a cell that are kept


class Setting:
    """The tools of this machine, and what it lacks."""

    def __init__(self, arguments):
        self.hostpin, self.toolkit, self.cxx, self.samples = arguments.hostpin, arguments.toolkit, arguments.cxx, arguments.samples
        cxx = self.cxx
        self.machine_cxx = shutil.which("c++", path="/usr/local/bin:/usr/bin") or cxx
        directories = dict.fromkeys([os.path.dirname(cxx), *os.environ["PATH"].split(":")])
        names = [f"{directory}/g++-{number}" for number in range(30, 8, -1) for directory in directories]
        version = self.version(cxx)
        self.others = [each for each in names if os.access(each, os.X_OK) and self.version(each) != version]
        self.missing = []

    @staticmethod
    def version(cxx):
        return subprocess.run([cxx, "-dumpversion"], capture_output=True, text=True).stdout.strip()

    def lack(self, what):
        self.missing.append(what)


class Edits:
    """The edits of one matrix, and what came of them."""

    def __init__(self, matrix):
        self.matrix, self.choose, self.count = matrix, matrix.choose, 0
        self.truth, self.read = {}, {}  # by cell, as of the last edit
        self.results = {}  # by cell: the names of stored results, each with the truth when it was made, and its state
        self.falsely_green, self.wrong, self.by_kind = [], [], {}
        matrix.describe()
        cells = self.plan()
        self.there = set(cells)  # those of the plan before
        for cell in cells.values():
            self.look(cell)
            self.run(cell)
            if self.expected(cell) != "passed":
                self.wrong.append([0, "none", cell["id"], "it does not pass at the beginning"])

    def hostpin(self, *words):
        environment = {**os.environ, **self.matrix.variables}
        command = [self.matrix.setting.hostpin, "matrix", *words]
        done = subprocess.run(command, env=environment, cwd=self.matrix.root, capture_output=True, text=True)
        if done.returncode == 2 and words[0] in ("plan", "run"):
            sys.exit(f"{words}: {done.stderr}{done.stdout}")
        return done

    def plan(self):
        os.makedirs(self.matrix.root + "/results", exist_ok=True)
        self.hostpin("plan", "matrix.toml", "--from-results", "results", "-o", "plan")
        with open(self.matrix.root + "/plan/plan.json") as file:
            return {each["id"]: each for each in json.load(file)["cells"]}

    def is_flaky(self, cell):
        return self.matrix.projects[cell["axes"]["project"]].flaky

    def look(self, cell):
        project = self.matrix.projects[cell["axes"]["project"]]
        outcome, self.read[cell["id"]] = self.matrix.made(cell["axes"])
        self.truth[cell["id"]] = (*outcome, project.build, project.test) if project.flaky else outcome

    def expected(self, cell):
        return "passed" if self.truth[cell["id"]][:2] == ("test", 0) else "failed"

    def state(self, result):
        with open(f"{self.matrix.root}/results/{result}") as file:
            return json.load(file)["state"]

    def run(self, cell, kind="none"):
        name = f"{cell['id']}.{time.monotonic_ns()}.json"
        self.hostpin("run", "plan", "--cell", cell["id"], "-o", "results/" + name)
        stored = self.results.setdefault(cell["id"], [])
        stored.append((name, self.truth[cell["id"]], self.state(name)))
        for old, _, _ in stored[:-STORED]:
            os.remove(f"{self.matrix.root}/results/{old}")
        del stored[:-STORED]
        if not self.is_flaky(cell) and stored[-1][2] != self.expected(cell):
            self.wrong.append([self.count, kind, cell["id"], stored[-1][2]])

    def states(self, cell):
        """Of the stored results that were made of what is there now."""
        return {state for _, truth, state in self.results.get(cell["id"], []) if truth == self.truth[cell["id"]]}

    def is_falsely_green(self, cell):
        name, truth, state = next(each for each in self.results[cell["id"]] if each[0] == cell["result"])
        if self.is_flaky(cell):
            return state == "passed" and (truth != self.truth[cell["id"]] or "failed" in self.states(cell))
        return truth != self.truth[cell["id"]] or state != self.expected(cell)

    def edit(self):
        self.count += 1
        kinds = self.matrix.kinds
        kind = self.choose.choices(list(kinds), kinds.values())[0]
        edit = self.matrix.edit(kind)
        self.matrix.describe()
        cells = self.plan()
        if edit.binds:
            self.matrix.bound.clear()
        # of a cell that was not there before this edit, nothing is known
        before, read = {id: self.truth[id] for id in self.there}, dict(self.read)
        self.there = set(cells)
        control = self.count % CONTROL == 0
        ideal = set()
        for id, cell in cells.items():
            is_concerned = id not in before or cell["axes"]["project"] in edit.changed or bool(edit.touched & read[id])
            if is_concerned or control:
                self.look(cell)
            if is_concerned:
                ideal.add(id)
            elif self.truth[id] != before[id]:
                self.wrong.append([self.count, kind, id, "its truth changed, and nothing that it is known to read"])
        rerun = set()
        for id, cell in cells.items():
            if cell["planned"] == "same" and self.is_falsely_green(cell):
                self.falsely_green.append([self.count, kind, id, cell["result"]])
            if cell["planned"] == "run" and not (self.is_flaky(cell) and len(self.states(cell)) > 1):  # noise is no wrong guess
                rerun.add(id)
                self.run(cell, kind)
        # what was there before is stored already
        counts = [1, len(rerun), len(ideal & rerun)]
        seen = self.by_kind.setdefault(kind, [0, 0, 0])
        self.by_kind[kind] = [old + new for old, new in zip(seen, counts)]
        if kind == "flaky":
            self.try_chance(next(each for each in cells.values() if self.is_flaky(each)))

    def try_chance(self, cell):
        """The same again, as a run of everything would have it."""
        self.hostpin("plan", "matrix.toml", "-o", "plan")
        for _ in range(2):
            self.run(cell)
        planned = self.plan()[cell["id"]]["planned"]
        self.hostpin("merge", "results", "--plan", "plan", "-o", "now.json")
        with open(self.matrix.root + "/now.json") as file:
            state = next(each["state"] for each in json.load(file)["cells"] if each["cell"] == cell["id"])
        states = self.states(cell)
        expected = ("run", "noise") if len(states) > 1 else ("same", *states)
        if (planned, state) != expected:
            self.wrong.append([self.count, "flaky", f"{planned}, {state}", expected])


def part(arguments, number, seed):
    """So many edits, in the current directory."""
    choose = random.Random(seed)
    setting = Setting(arguments)
    matrices = [each for each in MATRICES if not arguments.only or each.name in arguments.only]
    all_edits = {each: Edits(each(setting, choose)) for each in matrices}
    for _ in range(number):
        all_edits[choose.choices(matrices, [MATRICES[each] for each in matrices])[0]].edit()
    return {
        "falsely green": [[seed, matrix.name, *each] for matrix, edits in all_edits.items() for each in edits.falsely_green],
        "wrong": [[seed, matrix.name, *each] for matrix, edits in all_edits.items() for each in edits.wrong],
        "missing": setting.missing,
        "by kind": {f"{matrix.name} {kind}": counts for matrix, edits in all_edits.items() for kind, counts in edits.by_kind.items()},
    }  # fmt: skip


def part_apart(arguments, number, seed):
    os.mkdir(f"part-{seed}")
    os.chdir(f"part-{seed}")
    return part(arguments, number, seed)


def main():
    parser = argparse.ArgumentParser()
    for name in ("hostpin", "toolkit", "cxx", "samples"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--number", type=int, default=1000, help="of edits, of which each part has %s at most" % PART)
    parser.add_argument("--seed", type=int, default=1, help="of the first part")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="parts that run at the same time")
    parser.add_argument("only", nargs="*", help="names of matrices: " + " ".join(each.name for each in MATRICES))
    arguments = parser.parse_args()
    numbers = [min(PART, arguments.number - done) for done in range(0, arguments.number, PART)]
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=1) as pool:  # each in a process, for its current directory
        parts = pool.starmap(part_apart, [(arguments, number, arguments.seed + at) for at, number in enumerate(numbers)], chunksize=1)
        pool.close()
        pool.join()
    by_kind = {}
    for each in parts:
        for kind, counts in each["by kind"].items():
            by_kind[kind] = [old + new for old, new in zip(by_kind.get(kind, [0, 0, 0]), counts)]
    edits, run, least = (sum(counts[at] for counts in by_kind.values()) for at in range(3))
    lists = {name: sum((each[name] for each in parts), []) for name in ("falsely green", "wrong", "missing")}
    times = os.times()
    print(json.dumps({"edits": edits, "run": run, "least": least, **lists, "edits, run, least by kind": dict(sorted(by_kind.items())),
                      "seconds of processor": round(times.children_user + times.children_system)}))  # fmt: skip
    lacks = lists["missing"] and os.environ.get("HOSTPIN_LAB_REQUIRED") == "1"
    sys.exit(1 if lists["falsely green"] or lists["wrong"] or lacks or run > 1.2 * least else 0)


if __name__ == "__main__":
    main()
