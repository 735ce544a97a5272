#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A history in which some commits break cells, and whether `hostpin matrix bisect` found them.

    broken.py make CELLS COMMITS BREAKING TOOLKIT CXX     writes source/, a git repository, matrix.toml, and truth.json
    broken.py judge FOUND.json

Each project reads a header of its group, which most commits change and one breaks, and a file that nobody else reads. The best schedule
knows the answer, and proves it: each broken cell runs at the commit before the one that broke it and at that one, but not where a result
of one of both ends holds, because nothing that the cell reads differs from there. Both ends have to run for anybody."""
import json
import os
import random
import subprocess
import sys


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def git(*words):
    return subprocess.run(["git", "-C", "source", *words], check=True, capture_output=True, text=True).stdout.strip()


def make(cells, commits, breaking, toolkit, cxx):
    choose = random.Random(1)
    groups = [f"g{number}" for number in range(breaking)]
    headers = {group: f"// header of {group}\n" for group in groups}
    names = [f"p{number:02}" for number in range(cells)]
    group_of = {name: groups[number % breaking] for number, name in enumerate(names)}
    write("source/commit", "0\n")
    for group in groups:
        write(f"source/{group}.h", headers[group])
    for name in names:
        write(f"source/{name}.c", f'#include "{group_of[name]}.h"\nint {name};\n')
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    history = [git("rev-parse", "HEAD")]
    at = dict(zip(choose.sample(range(1, commits + 1), breaking), groups))
    breaks, touched = {}, {group: [] for group in groups}
    for number in range(1, commits + 1):
        write("source/commit", f"{number}\n")
        for group in groups:
            # all but one in eight commits change what a group reads
            if choose.randrange(8) and at.get(number) != group:
                headers[group] += f"// commit {number}\n"
                touched[group].append(number)
        if number in at:
            headers[at[number]] += f"#error broken {at[number]}\n"
            touched[at[number]].append(number)
            breaks[at[number]] = number
        for group in groups:
            write(f"source/{group}.h", headers[group])
        git("add", "-A")
        git("commit", "-qm", f"break {at[number]}" if number in at else f"commit {number}")
        history.append(git("rev-parse", "HEAD"))
    projects = "".join(f'[project.{name}]\nsource = "source"\nbuild = "cc -fsyntax-only $SOURCE/{name}.c"\n' for name in names)
    write("matrix.toml", f'[axes]\ntoolkit = ["{toolkit}"]\nstdenv = ["{cxx}"]\n{projects}')
    best = 0
    for name in names:
        broken, seen = breaks[group_of[name]], touched[group_of[name]]
        best += any(number < broken for number in seen)  # else it is the good end's result that holds before it
        best += any(number > broken for number in seen)
    write("truth.json", json.dumps({"best": best, "ends": 2 * cells,
                                    "broken": {name: history[breaks[group_of[name]]] for name in names}}))


def judge(path):
    with open(path) as file:
        found = json.load(file)
    with open("truth.json") as file:
        truth = json.load(file)
    wrong = [each["cell"] for each in found["broken"]
             if truth["broken"].pop(each["cell"].split("_")[0]) != each["bad"] or not each["exact"]]
    builds = found["builds"] - truth["ends"]
    print(f"{len(found['broken'])} cells, {found['commits']} commits: {builds} builds between both ends, the best schedule {truth['best']} "
          f"({builds / max(truth['best'], 1):.2f} times)")
    sys.exit(1 if wrong or truth["broken"] or builds > 1.3 * truth["best"] else 0)


if sys.argv[1] == "make":
    make(*map(int, sys.argv[2:5]), *sys.argv[5:7])
else:
    judge(sys.argv[2])
