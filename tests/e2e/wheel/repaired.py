# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repairs each wheel of truth.py, and imports what was repaired.

usage: repaired.py WHEEL WORK RUNTIME13 [--runtime12 FILE] [--cuda wheels|bundle|system]
WHEEL: hostpin's program of that name. A repaired wheel passes `check`, is imported with one CUDA runtime at most, and is the same file after
another repair. Of a wheel that cannot be repaired, nothing is written."""
import argparse
import json
import os
import re
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shapes import LAYOUTS, Builder, install  # noqa: E402
from truth import Shapes, imported, is_runtime, version  # noqa: E402


def is_hopeless(case, cuda):
    """What no repair of a built wheel can change."""
    if case.expected & {"torch-abi", "missing-function", "variant-claims-other-code"}:
        return True
    if "name_inside" in case.name or "version_inside" in case.name or "another machine" in case.name:
        return True
    if ".99 " in case.name or "of another version" in case.name:
        return True
    # A second runtime under another name stays a second one if it is to be packed.
    return cuda == "bundle" and case.first is not None and "renamed" in case.name


def call(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return done.returncode, done.stdout


def requirements(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return re.findall(r"^Requires-Dist: ([A-Za-z0-9.-]+)", archive.read(name).decode(), re.M)


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Repairs:
    def __init__(self, options, shapes):
        self.options, self.shapes = options, shapes
        self.libraries = os.path.dirname(shapes.builder.library("libfoo.so.1", ("foo",), "FOO_1"))
        self.attempts, self.names, self.problems = [], [], []
        self.refused = 0

    def repair(self, case, wheel, output, with_others):
        directories = [self.libraries] + (self.toolkits() if self.options.cuda == "bundle" else [])
        paths = [word for one in directories for word in ("--library-path", one)]
        return call(self.options.wheel, "repair", "--cuda", self.options.cuda, *paths, "-o", output, *with_others, wheel)

    def toolkits(self):
        return [os.path.dirname(one) for one in self.shapes.builder.runtimes.values()]

    def take(self, case, directory):
        wheel = case.wheel.write(os.path.join(directory, "in"))
        others = [one.write(os.path.join(directory, "others")) for one in case.others]
        with_others = [word for one in others for word in ("--with", one)]
        out, again = os.path.join(directory, "out"), os.path.join(directory, "again")
        code, text = self.repair(case, wheel, out, with_others)
        written = os.listdir(out) if os.path.isdir(out) else []
        if (code != 0) != is_hopeless(case, self.options.cuda):
            return self.problems.append("%s: repair exits with %d: %s" % (case.name, code, text))
        if code != 0:
            self.refused += 1
            if written:
                self.problems.append("%s: repair fails and leaves %s" % (case.name, written))
            return None
        repaired = os.path.join(out, written[0])
        code, text = call(self.options.wheel, "check", repaired, *with_others)
        if code != 0 and self.options.cuda != "system":
            self.problems.append("%s: check exits with %d: %s" % (case.name, code, text))
        code, text = self.repair(case, repaired, again, with_others)
        if code != 0 or os.listdir(again) != written or content(os.path.join(again, written[0])) != content(repaired):
            self.problems.append("%s: another repair gives another file (%d): %s" % (case.name, code, text))
        self.add_attempt(case, directory, repaired, others)
        return None

    def add_attempt(self, case, directory, repaired, others):
        required = requirements(repaired)
        for cuda in self.shapes.builder.runtimes:
            if LAYOUTS[cuda][1] in required and not any(LAYOUTS[cuda][1] == one.name.replace("_", "-") for one in case.others):
                others = others + [self.shapes.nvidia(cuda).write(os.path.join(directory, "required"))]
        site = install([repaired] + others, os.path.join(directory, "site"))
        toolkit = ":".join(self.toolkits()) if self.options.cuda == "system" else ""
        needed = [tuple(version(one.replace("_", "."))) for one in re.findall(r"manylinux_(\d+_\d+)_", repaired)]
        for names in (["pkg"], [case.first, "pkg"]) if case.first else (["pkg"],):
            self.attempts.append({"site": site, "imports": names, "library_path": toolkit})
            self.names.append((case.name, max(needed, default=(0,))))

    def judge(self, answer):
        system = tuple(version(answer["system"]["glibc"]))
        imports = 0
        for (name, needed), result in zip(self.names, answer["results"]):
            if needed > system:
                continue  # the tag is right: this machine cannot install it
            imports += 1
            runtimes = [one for one in result["files"] if is_runtime(one)]
            is_driverless = result["error"].startswith("libcuda.so.1:")  # it was packed, and this machine has none
            if (result["error"] and not is_driverless) or len(runtimes) > 1:
                self.problems.append("%s: %s %s" % (name, result["error"], runtimes))
        return imports


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("work")
    parser.add_argument("runtime")
    parser.add_argument("--runtime12", default="")
    parser.add_argument("--cuda", default="wheels")
    options = parser.parse_args()
    work = os.path.join(options.work, options.cuda)
    runtimes = {13: options.runtime}
    if options.runtime12:
        runtimes[12] = options.runtime12
    repairs = Repairs(options, Shapes(Builder(os.path.join(options.work, "built"), runtimes), ""))
    cases = list(repairs.shapes.all())
    for number, case in enumerate(cases):
        repairs.take(case, os.path.join(work, str(number)))
    list_file = os.path.join(work, "cases.json")
    with open(list_file, "w") as file:
        json.dump(repairs.attempts, file)
    imports = repairs.judge(imported(sys.executable, list_file))
    for problem in repairs.problems:
        print("DIFFERS: " + problem)
    print("--cuda %s: %d wheels, %d cannot be repaired, %d imports, %d differ" % (options.cuda, len(cases), repairs.refused, imports,
                                                                                len(repairs.problems)))
    return 1 if repairs.problems or imports < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
