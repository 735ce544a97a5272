#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted edits: is what `hostpin matrix plan --from-results` leaves out really the same, and how much does it run in vain?

    edits.py HOSTPIN TOOLKIT CXX [NUMBER [SEED]]

Each edit changes a tree of random sources and headers, its commands, or what stands in for a compiler. The truth is what the commands
themselves make when they run again in an empty directory, without hostpin: the bytes of each program, what it prints, and its exit code.
A cell that is left out although those differ is falsely green. The least that has to run again are the cells whose compiler, asked by -M,
reads a file of the edit, or whose commands changed, or that look where a new header now is. The output is one line of JSON."""
import json
import os
import random
import re
import shutil
import subprocess
import sys

HOSTPIN, TOOLKIT, CXX = sys.argv[1:4]
NUMBER = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
PROJECTS, HEADERS, DIRECTORIES = 8, 20, ["first", "second", "third"]
choose = random.Random(SEED)
root = os.getcwd()
source = root + "/source"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path) as file:
        return file.read()


# ------------------------------------------------------------------------------------------------ the tree

commands, tests = {}, {}
for number in range(HEADERS):
    deeper = [f'#include "h{other}.h"\n' for other in range(number + 1, HEADERS) if choose.random() < 0.06]
    write(f"{source}/{choose.choice(DIRECTORIES[1:])}/h{number}.h",
          f"#pragma once\n{''.join(deeper)}// header {number}\n#define V{number} {number}\ninline int f{number}() {{ return V{number}; }}\n")
for number in range(PROJECTS):
    includes = choose.sample(range(HEADERS), 3)
    lines = "".join(f'#include "h{each}.h"\n' for each in includes)
    total = " + ".join(f"f{each}()" for each in includes)
    write(f"{source}/p{number}.cpp", f"{lines}#include <cstdio>\nint main() {{ std::printf(\"%d\\n\", {total}); return 0; }}\n")
    where = " ".join(f"-I$SOURCE/{each}" for each in DIRECTORIES)
    commands[number] = f"$TOOL -O0 -g0 {where} $SOURCE/p{number}.cpp -o program"
    tests[number] = "./program && cat $SOURCE/data.txt >/dev/null" if number % 2 else "./program"
write(source + "/data.txt", "data\n")
write(source + "/first/none", "")  # a directory that appears is a change for everybody who searches it
# a compiler of our own, whose options are in a file next to it: a patch level that changes
write(root + "/tool/options", "-DPATCH=1\n")
write(root + "/tool/c++", f'#!/bin/sh\nexec {CXX} $(cat {root}/tool/options) "$@"\n')
os.chmod(root + "/tool/c++", 0o755)


def write_description():
    names = ", ".join(f'"p{number}"' for number in range(PROJECTS))
    text = f'[axes]\nproject = [{names}]\ntoolkit = ["{TOOLKIT}"]\nstdenv = ["{CXX}"]\n'
    for number in range(PROJECTS):
        text += (f'[project.p{number}]\nsource = "source"\nbuild = "{commands[number]}"\ntest = "{tests[number]}"\n'
                 'environment = ["TOOL"]\n')
    write(root + "/matrix.toml", text)


environment = {**os.environ, "TOOL": root + "/tool/c++"}


# ------------------------------------------------------------------------------------------------ the truth

def made(number):
    """What the commands make, with no help of hostpin's."""
    place = root + "/truth"
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    variables = {**environment, "SOURCE": source}
    build = subprocess.run(["sh", "-e", "-c", commands[number]], cwd=place, env=variables, capture_output=True)
    if build.returncode != 0:
        return ("build", re.sub(rb"0x[0-9a-f]+|/tmp/\S+", b"", build.stderr))
    test = subprocess.run(["sh", "-e", "-c", tests[number]], cwd=place, env=variables, capture_output=True)
    with open(place + "/program", "rb") as file:
        return (test.returncode, test.stdout, file.read())


def depends(number):
    """Files that the compiler reads, and the places where it looks for headers in vain before them."""
    words = commands[number].replace("$SOURCE", source).replace("$TOOL", environment["TOOL"]).split()
    printed = subprocess.run(words[:-2] + ["-M"], capture_output=True, text=True).stdout
    files = set(re.split(r"[\s\\]+", printed.split(":", 1)[-1])) - {""}
    files = {os.path.normpath(each) for each in files}
    searched = set()
    for each in files:
        if each.startswith(source) and each.endswith(".h"):
            for directory in DIRECTORIES:
                if f"{source}/{directory}/" == os.path.dirname(each) + "/":
                    break
                searched.add(f"{source}/{directory}/{os.path.basename(each)}")
    return files | searched | {root + "/tool/options"} | ({source + "/data.txt"} if number % 2 else set())


# ------------------------------------------------------------------------------------------------ edits

def headers():
    return sorted(f"{source}/{directory}/{name}" for directory in DIRECTORIES for name in os.listdir(f"{source}/{directory}") if name.endswith(".h"))


def edit():
    """Changes something; the kind, the paths that it touched, and the projects whose commands it changed."""
    kind = choose.choice(["comment", "macro", "shadow", "remove", "source", "flag", "tool", "data", "unread", "touch", "test"])
    path = choose.choice(headers())
    if kind == "comment":
        write(path, read(path) + f"// comment {choose.random()}\n")
    elif kind == "macro":
        write(path, re.sub(r"(#define V\d+) \d+", rf"\1 {choose.randrange(1000)}", read(path)))
    elif kind == "shadow":
        new = f"{source}/first/{os.path.basename(path)}"
        write(new, re.sub(r"(#define V\d+) \d+", rf"\1 {choose.randrange(1000)}", read(path)))
        path = new
    elif kind == "remove":
        again = [each for each in headers() if each.startswith(source + "/first/")]
        if not again:
            return edit()
        path = choose.choice(again)
        os.remove(path)
    elif kind == "source":
        path = f"{source}/p{choose.randrange(PROJECTS)}.cpp"
        write(path, read(path) + "// end\n")
    elif kind in ("flag", "test"):
        number = choose.randrange(PROJECTS)
        if kind == "flag":
            commands[number] = re.sub(r"-O0(?: -DX=\d+)?", f"-O0 -DX={choose.randrange(1000)}", commands[number])
        else:
            tests[number] = tests[number].split(" && true")[0] + " && true" * choose.randrange(1, 9)
        write_description()
        return kind, set(), {number}
    elif kind == "tool":
        path = root + "/tool/options"
        write(path, f"-DPATCH={choose.randrange(1000)}\n")
    elif kind == "data":
        path = source + "/data.txt"
        write(path, f"{choose.random()}\n")
    elif kind == "unread":
        path = f"{source}/unread{choose.randrange(5)}.txt"
        write(path, f"{choose.random()}\n")
    else:
        os.utime(path)
        return kind, set(), set()
    return kind, {path}, set()


# ------------------------------------------------------------------------------------------------ runs

def hostpin(*words):
    done = subprocess.run([HOSTPIN, "matrix", *words], env=environment, capture_output=True, text=True)
    if done.returncode == 2:
        sys.exit(f"{words}: {done.stderr}{done.stdout}")
    return done.stdout


def plan():
    hostpin("plan", "matrix.toml", "--from-results", "results", "-o", "plan")
    with open("plan/plan.json") as file:
        cells = json.load(file)["cells"]
    return {int(each["axes"]["project"][1:]): each for each in cells}


def run(cells, count):
    for number, cell in cells.items():
        if cell["planned"] == "run":
            hostpin("run", "plan", "--cell", cell["id"], "-o", f"results/{cell['id']}.{count}.json")


os.makedirs("results", exist_ok=True)
write_description()
run(plan(), 0)
truth = {number: made(number) for number in range(PROJECTS)}
read_by = {number: depends(number) for number in range(PROJECTS)}
falsely_green, wrong, reruns, least, by_kind = [], [], 0, 0, {}
for count in range(1, NUMBER + 1):
    kind, paths, changed = edit()
    cells = plan()
    rerun = {number for number, cell in cells.items() if cell["planned"] == "run"}
    after_truth, after_read = {}, {}
    for number in range(PROJECTS):
        after_truth[number], after_read[number] = made(number), depends(number)
    ideal = {number for number in range(PROJECTS)
             if number in changed or paths & (read_by[number] | after_read[number]) or truth[number] != after_truth[number]}
    # a state that was there before is stored already
    stored = ideal - rerun
    for number in set(range(PROJECTS)) - rerun:
        with open(f"results/{cells[number]['result']}") as file:
            state = json.load(file)["state"]
        expected = "passed" if after_truth[number][0] == 0 else "failed"
        if state != expected or (number not in ideal and truth[number] != after_truth[number]):
            falsely_green.append([count, kind, number, state, expected])
    reruns += len(rerun)
    least += len(ideal - stored)
    seen = by_kind.setdefault(kind, [0, 0, 0])
    seen[0] += 1
    seen[1] += len(rerun)
    seen[2] += len(ideal - stored)
    run(cells, count)
    for number in rerun:
        result = f"results/{cells[number]['id']}.{count}.json"
        with open(result) as file:
            state = json.load(file)["state"]
        if state != ("passed" if after_truth[number][0] == 0 else "failed"):
            wrong.append([count, kind, number, state])
    truth, read_by = after_truth, after_read
print(json.dumps({"edits": NUMBER, "seed": SEED, "cells": PROJECTS * NUMBER, "run": reruns, "least": least, "falsely green": falsely_green,
                  "wrong": wrong, "edits, run, least by kind": by_kind}))
sys.exit(1 if falsely_green or wrong or reruns > 1.2 * least else 0)
