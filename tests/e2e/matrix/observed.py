#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Edits of what a cell was observed to use: does `hostpin matrix plan --from-results` leave out a cell that ends differently?

    observed.py --hostpin HOSTPIN --toolkit ROOT --cxx CXX [--number N] [--seed N] [--all-truths]

It has no list of what hostpin records. strace shows the commands of the cell: each path that a system call resolved, and each directory on
the way to it, is an input. An edit is one of those paths and a way to change what is there, or a field of matrix.toml with another value; some
are made while the cell runs. A cell that is left out although its commands, run again in an empty directory without `hostpin matrix`, make
something else or end otherwise is falsely green. Each edit is undone. The output is one line of JSON."""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

from edited import Matrix, Project, add_bytes, write
from edits import Setting

LOOK = """import os, stat, sys
top = sys.argv[1]


def tried(name, call):
    try:
        print(name, call())
    except OSError as error:
        print(name, error.errno)


def seen(found):
    return found.st_mode, found.st_size if stat.S_ISREG(found.st_mode) else 0


def first(path, **more):
    descriptor = os.open(path, os.O_RDONLY, **more)
    with open(descriptor) as file:
        return file.readline()


tried("stat", lambda: seen(os.stat(top + "/stat")))
tried("lstat", lambda: seen(os.lstat(top + "/lstat")))
tried("access", lambda: [os.access(top + "/access", each) for each in (os.F_OK, os.X_OK)])
tried("readlink", lambda: os.readlink(top + "/link"))
tried("scandir", lambda: sorted((each.name, each.is_dir(follow_symlinks=False), each.is_symlink()) for each in os.scandir(top + "/listed")))
tried("statvfs", lambda: bool(os.statvfs(top + "/statvfs")))
tried("getxattr", lambda: len(os.listxattr(top + "/attributes")))
directory = os.open(top + "/below", os.O_RDONLY | os.O_DIRECTORY)
tried("openat", lambda: first("file", dir_fd=directory))
os.fchdir(directory)
tried("relative", lambda: first("../other"))
tried("absent", lambda: first(top + "/absent"))
tried("link", lambda: os.link(top + "/linked", os.environ["BUILD"] + "/linked"))
tried("linked", lambda: first(os.environ["BUILD"] + "/linked"))
"""
BUILD = """
cd $SOURCE/current/sub; cat data.txt >$BUILD/program; cat ../../current/beside.txt >>$BUILD/program; cd $BUILD
$CXX -O0 -g0 -x c $SOURCE/main.c -I$SOURCE/include1 -I$SOURCE/include2 -x none -L$SOURCE/lib/third -lone -Wl,-rpath,$SOURCE/lib/first:$SOURCE/lib/third -o main
cat main >>program
$SOURCE/run/script >>program
for each in $SOURCE/names/*; do echo $each; [ ! -x $each ] || echo x; done >>program
find $SOURCE/names -type f -printf '%P %m\\n' | sort >>program
stat -c '%F %a' $SOURCE/names/a $SOURCE/names/c >>program
realpath $SOURCE/current/sub >>program
cp -r $SOURCE/copied copied; ls -R copied >>program; cat copied/* >>program
echo "$PLANTED" >>program
python3 -I -S $SOURCE/look.py $SOURCE/look >>program
"""


class Observed(Matrix):
    name = "observed"

    def __init__(self, setting, choose):
        super().__init__(setting, choose)
        source = self.source
        for each, text in (("v1", "one\n"), ("v2", "two\n")):
            write(f"{source}/{each}/sub/data.txt", text)
            write(f"{source}/{each}/beside.txt", "beside " + text)
        os.symlink("v1", source + "/current")
        write(source + "/include1/none", "")
        write(source + "/include2/h.h", "#define VALUE 7\n")
        main = '#include "h.h"\n#if __has_include("option.h")\n#include "option.h"\n#endif\n#include <stdio.h>\n'
        write(source + "/main.c", main + 'int one(void);\nint main(void) { return printf("%d\\n", one() + VALUE) < 0; }\n')
        write(source + "/lib/first/none", "")
        os.makedirs(source + "/lib/third")
        words = [setting.cxx, "-x", "c", "-", "-shared", "-nostdlib", "-fPIC", "-o", source + "/lib/third/libone.so"]
        subprocess.run(words, input="int one(void) { return 1; }\n", text=True, check=True)
        os.makedirs(source + "/run")
        os.symlink("/bin/sh", source + "/run/interpreter")
        write(source + "/run/script", f"#!{source}/run/interpreter -e\n. {source}/run/part\necho $VALUE\n", executable=True)
        write(source + "/run/part", "VALUE=part\n")
        write(source + "/names/a", "a\n")
        write(source + "/names/b/inner", "inner\n")
        os.symlink("a", source + "/names/c")
        write(source + "/copied/file", "copied\n")
        os.symlink("file", source + "/copied/link")
        write(source + "/look.py", LOOK)
        for each in ("stat", "lstat", "access", "statvfs", "attributes", "linked", "other", "listed/file", "below/file"):
            write(f"{source}/look/{each}", f"{each}\n")
        os.symlink("stat", source + "/look/link")
        self.axes["stdenv"] = [self.root + "/tool/c++"]
        write(self.root + "/tool/options", "-DPATCH=1\n")
        for name, more in (("c++", ""), ("other", "-DOTHER")):
            write(f"{self.root}/tool/{name}", f'#!/bin/sh\nexec {setting.cxx} {more} $(cat {self.root}/tool/options) "$@"\n', executable=True)
        self.hold, self.reached = self.root + "/plan/work/hold", self.root + "/plan/work/reached"  # below `work` of the plan nothing counts
        wait = f"[ ! -e {self.hold} ] || {{ : >{self.reached}; while [ -e {self.hold} ]; do sleep 0.02; done; }}"
        self.projects = {"all": Project(BUILD, f"./main >>program; {wait}")}
        self.fields, self.rows = {}, ""

    def describe(self):
        """matrix.toml, with other values of some fields."""
        value = lambda each: json.dumps(each) if not isinstance(each, list) else "[" + ", ".join(map(json.dumps, each)) + "]"
        project = self.projects["all"]
        axes = {**self.axes, **self.fields.get("axes", {})}
        fields = {"source": "source", "build": project.build, "test": project.test, "environment": [], **self.fields.get("project", {})}
        text = "[axes]\n" + "".join(f"{name} = {value(each)}\n" for name, each in axes.items())
        text += "[project.all]\n" + "".join(f"{name} = {value(each)}\n" for name, each in fields.items()) + self.fields.get("rows", "")
        write(self.root + "/matrix.toml", text)

    def outcome(self):
        return self.made({axis: values[0] for axis, values in self.axes.items()} | {"project": "all"})[0]

    def inputs(self):
        """What the commands resolve below the root, by strace: paths that are there or absent, without links in their directories, and the
        directories and links on the way."""
        trace = self.root + "/trace"
        self.tracing = ["strace", "-f", "-y", "-A", "-o", trace, "-e", "trace=%file,chdir,fchdir,getdents64,clone,clone3,fork,vfork"]
        self.outcome()
        self.tracing = []
        found = set()
        with open(trace, errors="replace") as file:
            printed = file.read()
        for path in resolved_paths(printed, self.root + "/truth/build"):
            at = "/"
            for part in path.split("/")[1:]:
                at = os.path.normpath(os.path.join(os.path.realpath(at), part))
                found.add(at)
        return sorted(each for each in found if each.startswith((self.source + "/", self.root + "/tool/")))


def resolved_paths(trace, start):
    """The absolute paths of the system calls in what strace printed; each process has its current directory."""
    current, forking = {}, None
    for line in trace.splitlines():
        call = re.match(r"(\d+) +(?:<\.\.\. )?(\w+)[( ](.*)", line)
        if not call:
            continue
        process, name, rest = call.groups()
        here = current.setdefault(process, current.get(forking, start))
        if name in ("clone", "clone3", "fork", "vfork"):
            forking = process
            continue
        if name in ("getdents64", "fchdir"):
            for path in re.findall(r"^\d+<(/[^>]*)>", rest):
                yield path
                if name == "fchdir":
                    current[process] = path
            continue
        named = re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', rest)
        for directory, text in named[: None if name.startswith(("rename", "link", "symlink")) else 1]:
            yield os.path.join(directory or here, text)
            if name == "chdir" and rest.endswith("= 0"):
                current[process] = os.path.normpath(os.path.join(here, text))


# -------------------------------------------------------------------------------------------- edits of paths


def replace(path, make):
    os.remove(path) if os.path.islink(path) or not os.path.isdir(path) else shutil.rmtree(path)
    make(path)


def flip(path):
    with open(path, "r+b") as file:
        data = file.read()
        at = len(data) // 2
        file.seek(at)
        file.write(bytes([data[at] ^ 1]))


def retarget(path, _):
    target = os.readlink(path)
    other = {"v1": "v2", "/bin/sh": "/bin/bash"}.get(target, "nowhere")
    replace(path, lambda at: os.symlink(other, at))


def link_to_copy(path, moved):
    shutil.move(path, moved)
    os.symlink(moved, path)


def link_to_other(path, moved):
    shutil.move(path, moved)
    add_bytes(moved, b"\n")
    os.symlink(moved, path)


FILE = {
    "flip": lambda path, _: flip(path),
    "append": lambda path, _: add_bytes(path, b"\n"),
    "empty": lambda path, _: os.truncate(path, 0),
    "delete": lambda path, _: os.remove(path),
    "directory": lambda path, _: replace(path, os.mkdir),
    "link to the same": link_to_copy,
    "link to another": link_to_other,
    "chmod": lambda path, _: os.chmod(path, os.stat(path).st_mode ^ 0o111),
    "times": lambda path, _: os.utime(path, (1, 1)),
}
LINK = {
    "retarget": retarget,
    "delete": lambda path, _: os.remove(path),
    "directory": lambda path, _: replace(path, os.mkdir),
    "file": lambda path, _: replace(path, lambda at: write(at, "other\n")),
    "the same file": lambda path, _: shutil.copytree(path, _) and replace(path, lambda at: shutil.copytree(_, at)) if os.path.isdir(path)
    else shutil.copy(path, _) and replace(path, lambda at: shutil.copy(_, at)),
}  # fmt: skip
DIRECTORY = {
    "add a file": lambda path, _: write(path + "/planted", "planted\n"),
    "add a directory": lambda path, _: os.mkdir(path + "/planted"),
    "add a link": lambda path, _: os.symlink("nowhere", path + "/planted"),
    "delete": lambda path, _: shutil.rmtree(path),
    "empty": lambda path, _: replace(path, os.mkdir),
    "file": lambda path, _: replace(path, lambda at: write(at, "")),
    "link to the same": link_to_copy,
    "chmod": lambda path, _: os.chmod(path, 0o700),
}
ABSENT = {
    "file": lambda path, _: write(path, "planted\n"),
    "directory": lambda path, _: os.makedirs(path),
    "link": lambda path, _: os.makedirs(os.path.dirname(path), exist_ok=True) or os.symlink("/etc/hostname", path),
    "library": lambda path, moved: library(path, moved),
}


def library(path, _):
    """As a loader or a linker would take it in the place of the other one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    words = ["cc", "-x", "c", "-", "-shared", "-nostdlib", "-fPIC", "-o", path]
    subprocess.run(words, input="int one(void) { return 5; }\n", text=True, check=True)


def kinds_of(path):
    if os.path.islink(path):
        return LINK
    if not os.path.lexists(path):
        return ABSENT
    return DIRECTORY if os.path.isdir(path) else FILE


# -------------------------------------------------------------------------------------------- edits of matrix.toml

FIELDS = {
    "project": {
        "source": "other", "configure": "echo configured >program.configured; exit 3", "build": BUILD + "echo more >>program\n", "install": "cp program $PREFIX/; false",
        "test": "false", "junit": "none*.xml", "needs": ["gpu"], "environment": ["PLANTED"], "time": "1s", "memory": "1M", "disk": "1K",
        "size_limit": "1%", "lto": True,
    },
    "axes": {"toolkit": ["/nonexistent"], "stdenv": ["{root}/tool/other"], "host": ["/nonexistent/g++"], "gpus": ["9.0"], "c_library": ["{root}"]},
}  # fmt: skip


class Edits:
    def __init__(self, matrix, choose, all_truths):
        self.matrix, self.choose, self.all_truths = matrix, choose, all_truths
        self.root = matrix.root
        self.save = os.getcwd() + "/saved"
        self.counts = {"edits": 0, "run": 0, "needed": 0, "while it runs": 0}
        self.wrong, self.kinds = [], {}
        matrix.describe()
        os.makedirs(self.root + "/plan/work", exist_ok=True)
        shutil.copytree(matrix.source, self.root + "/other", symlinks=True)
        write(self.root + "/other/v1/sub/data.txt", "another source\n")
        self.truth = matrix.outcome()
        self.inputs = matrix.inputs()
        self.run("results")
        if self.truth[:2] != ("test", 0) or not self.is_same():
            sys.exit(f"at the beginning: {self.truth}, and the cell is not the same as its result: {self.why}")
        for each in ("source", "tool"):
            shutil.copytree(f"{self.root}/{each}", f"{self.save}/{each}", symlinks=True)

    def hostpin(self, *words, **more):
        return subprocess.run([self.matrix.setting.hostpin, "matrix", *words], cwd=self.root, capture_output=True, text=True, errors="replace", **more)

    def plan(self, results, to="plan"):
        done = self.hostpin("plan", "matrix.toml", *(["--from-results", results] if results else []), "-o", to)
        if done.returncode == 2:
            return []
        with open(f"{self.root}/{to}/plan.json") as file:
            return json.load(file)["cells"]

    def run(self, results):
        cells = self.plan(None)
        done = self.hostpin("run", "plan", "--cell", cells[0]["id"], "-o", f"{results}/{cells[0]['id']}.json")
        return done.returncode

    def is_same(self, results="results"):
        cells = self.plan(results)
        self.why = [each.get("why") for each in cells]
        return bool(cells) and all(each["planned"] == "same" for each in cells)

    def restore(self):
        for each in ("source", "tool"):
            shutil.rmtree(f"{self.root}/{each}")
            shutil.copytree(f"{self.save}/{each}", f"{self.root}/{each}", symlinks=True)
        shutil.rmtree(self.root + "/moved", ignore_errors=True)
        self.matrix.fields = {}
        os.environ.pop("PLANTED", None)
        self.matrix.variables = {}
        self.matrix.describe()

    def judge(self, label, is_same, truth):
        """`truth` makes what the commands make now."""
        self.counts["edits"] += 1
        self.kinds[label[0]] = self.kinds.get(label[0], 0) + 1
        self.counts["run"] += not is_same
        if is_same or self.all_truths:
            now = truth()
            self.counts["needed"] += now != self.truth
            if is_same and now != self.truth:
                self.wrong.append([*label, str(self.truth), str(now)])

    def change(self, path, kind):
        os.makedirs(self.root + "/moved", exist_ok=True)
        moved = f"{self.root}/moved/{os.path.basename(path)}"
        try:
            kinds_of(path)[kind](path, moved)
            return True
        except (OSError, IndexError, subprocess.CalledProcessError):
            return False  # such as a byte of an empty file

    def edit_path(self, path, kind):
        if self.change(path, kind):
            self.judge([kind, os.path.relpath(path, self.root)], self.is_same(), self.matrix.outcome)
        self.restore()

    def edit_while_it_runs(self, path, kind):
        """The cell has read all when it waits."""
        results = self.root + "/results-of-edited"
        shutil.rmtree(results, ignore_errors=True)
        cell = self.plan(None)[0]["id"]
        write(self.matrix.hold, "")
        if os.path.exists(self.matrix.reached):
            os.remove(self.matrix.reached)
        words = [self.matrix.setting.hostpin, "matrix", "run", "plan", "--cell", cell, "-o", f"{results}/{cell}.json"]
        running = subprocess.Popen(words, cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while running.poll() is None and not os.path.exists(self.matrix.reached):
            time.sleep(0.02)
        changed = self.change(path, kind)
        os.remove(self.matrix.hold)
        running.wait()
        if changed:
            self.counts["while it runs"] += 1
            self.judge([kind + " while it runs", os.path.relpath(path, self.root)], os.path.isdir(results) and self.is_same(results), self.matrix.outcome)
        self.restore()

    def edit_field(self, table, name):
        value = FIELDS[table][name]
        value = [each.format(root=self.root) for each in value] if table == "axes" else value
        self.matrix.fields = {table: {name: value}}
        if name == "environment":
            os.environ["PLANTED"] = "planted"
        self.matrix.describe()
        self.judge([f"{table}.{name}", str(value)[:20]], self.is_same(), self.rerun)
        self.restore()

    def rerun(self):
        """By hostpin, as the commands alone do not show what a limit does."""
        shutil.rmtree(self.root + "/again", ignore_errors=True)
        cells = self.plan(None, "again")
        if not cells:
            return ("no plan",)
        self.hostpin("run", "again", "--cell", cells[0]["id"], "-o", "again/result.json")
        if not os.path.exists(self.root + "/again/result.json"):
            return ("lost",)
        with open(self.root + "/again/result.json") as file:
            result = json.load(file)
        return self.truth if result["state"] == "passed" and not result.get("size") else (result["state"], str(result.get("cause")))


def main():
    parser = argparse.ArgumentParser()
    for name in ("hostpin", "toolkit", "cxx"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-truths", action="store_true", help="also of cells that run, to count those that run in vain")
    arguments = parser.parse_args()
    arguments.samples = ""
    choose = random.Random(arguments.seed)
    edits = Edits(Observed(Setting(arguments), choose), choose, arguments.all_truths)
    fields = [(table, name) for table, names in FIELDS.items() for name in names]
    of_paths = [(path, kind) for path in edits.inputs for kind in kinds_of(path)]
    # each kind is as frequent as another, and no edit is made twice
    by_kind = {}
    for path, kind in choose.sample(of_paths, len(of_paths)):
        by_kind.setdefault((kinds_of(path) is ABSENT, os.path.islink(path), kind), []).append((path, kind))
    turns = [each[at] for at in range(len(of_paths)) for each in by_kind.values() if at < len(each)]
    while_running = max(4, arguments.number // 10)
    for table, name in fields:
        edits.edit_field(table, name)
    for path, kind in choose.sample(of_paths, while_running):
        edits.edit_while_it_runs(path, kind)
    for path, kind in turns:
        if edits.counts["edits"] >= arguments.number:
            break
        edits.edit_path(path, kind)
    if not edits.is_same():
        edits.wrong.append(["at the end", "what was undone is not the same", str(edits.why)])
    print(json.dumps({**edits.counts, "inputs": len(edits.inputs), "falsely green": edits.wrong, "by kind": edits.kinds}))
    sys.exit(1 if edits.wrong or edits.counts["edits"] < arguments.number else 0)


if __name__ == "__main__":
    main()
