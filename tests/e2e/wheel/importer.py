# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports packages, each in a process of its own, and prints as JSON what the loader did.

usage: importer.py CASES.json: a list of {"site": DIR, "imports": [NAME...], "library_path": DIR or ""}
Runs on Python 3.9 and later, also in a chroot. Each result has `error`, empty if all could be imported, and `files`, the libraries that
were mapped."""
import json
import os
import re
import subprocess
import sys


def attempt(case):
    sys.path.insert(0, case["site"])
    error = ""
    try:
        for name in case["imports"]:
            __import__(name)
    except ImportError as problem:
        error = str(problem)
    with open("/proc/self/maps") as maps:
        files = sorted({line.split(None, 5)[5].strip() for line in maps if ".so" in line})
    return {"error": error, "files": files}


def in_child(case):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writing, "w") as out:
            json.dump(attempt(case), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as result:
        text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the process ended: an assertion of the loader, or a signal", "files": []}


def with_library_path(case):
    """LD_LIBRARY_PATH is read when a process starts."""
    code = "import json, sys; sys.path.insert(0, %r); import importer; print(json.dumps(importer.attempt(json.loads(sys.argv[1]))))"
    environment = dict(os.environ, LD_LIBRARY_PATH=case["library_path"])
    done = subprocess.run([sys.executable, "-B", "-S", "-E", "-c", code % os.path.dirname(os.path.abspath(__file__)), json.dumps(case)],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": "the process ended", "files": []}


def path_of(library):
    """As the loader's cache has it; empty if it does not."""
    done = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    found = re.search(r"^\s*%s \(libc6,x86-64\S*.*=> (\S+)$" % re.escape(library), done.stdout, re.M)
    return found.group(1) if found else ""


def newest(library, pattern):
    """The newest version that a library of the system defines; empty if there is no such library."""
    if not path_of(library):
        return ""
    with open(path_of(library), "rb") as file:
        versions = re.findall(pattern, file.read())
    return max((one.decode() for one in versions), key=lambda one: [int(part) for part in one.split(".")])


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    results = [with_library_path(case) if case["library_path"] else in_child(case) for case in cases]
    system = {"glibc": newest("libc.so.6", rb"\0GLIBC_(2\.[0-9.]+)(?=\0)"), "glibcxx": newest("libstdc++.so.6", rb"\0GLIBCXX_(3\.[0-9.]+)(?=\0)"),
              "libraries": [name for name in ("libcudart.so.12", "libcudart.so.13") if path_of(name)]}
    json.dump({"system": system, "results": results}, sys.stdout)
