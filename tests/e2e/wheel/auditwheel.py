# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what auditwheel and hostpin find in wheels in the shapes of real ones, and whether what they repair can be imported.

usage: auditwheel.py WHEEL WORK RUNTIME13 AUDITWHEEL...
WHEEL: hostpin's program of that name; AUDITWHEEL: the command."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shapes import DRIVER, LAYOUTS, Builder, install  # noqa: E402
from truth import CALL, CI, Shapes, imported, is_runtime  # noqa: E402

PLATFORM = "linux_x86_64"


def shapes_of(shapes):
    """Name, wheel, wheels that are installed with it, and the package that is imported first."""
    builder, right = shapes.builder, "$ORIGIN/../" + LAYOUTS[13][0]
    runtime, foo = builder.runtime(13), builder.library("libfoo.so.1", ("foo",), "FOO_1")

    def package(*arguments, **fields):
        wheel = shapes.package(builder.module("_C", *arguments), PLATFORM, fields.pop("requires", ()))
        for name, value in fields.items():
            setattr(wheel, name, value)
        return wheel

    required = [shapes.requirement(13)]
    yield "sound", package((CALL,), (runtime,), right, requires=required), [shapes.nvidia(13)], None
    yield "no run path", package((CALL,), (runtime,), requires=required), [shapes.nvidia(13)], None
    yield "not required", package((CALL,), (runtime,), right), [shapes.nvidia(13)], None
    yield "CI's run path", package((CALL,), (runtime,), CI + ":" + right, True, requires=required), [shapes.nvidia(13)], None
    yield "order dependence", package((CALL,), (runtime,), requires=["torch"]), [shapes.nvidia(13), shapes.torch(13)], "torch"
    renamed = builder.runtime(13, "libcudart-faf08d9a.so.13")
    two = package((CALL,), (renamed,), "$ORIGIN/../pkg.libs", requires=["torch"]).add("pkg.libs/libcudart-faf08d9a.so.13", renamed)
    yield "second runtime, renamed", two, [shapes.nvidia(13), shapes.torch(13)], "torch"
    driver = builder.library("libcuda-12ab.so.1", DRIVER)
    yield "driver packed", package(("cuInit",), (driver,), "$ORIGIN/../pkg.libs").add("pkg.libs/libcuda-12ab.so.1", driver), [], None
    yield "a library of the machine", package(("foo",), (foo,), os.path.dirname(foo)), [], None
    yield "RECORD empty", package(edit_record=lambda rows: []), [], None


def call(command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, env=dict(os.environ, **environment))
    return done.returncode, done.stdout


def outcome(code, output, others, first, site):
    """What an import of the repaired wheel does."""
    files = os.listdir(output) if os.path.isdir(output) else []
    if code != 0 or not files:
        return "refused" + (", leaves a file" if files else "")
    install([os.path.join(output, files[0])] + others, site)
    case = {"site": site, "imports": [first, "pkg"] if first else ["pkg"], "library_path": ""}
    list_file = site + ".json"
    with open(list_file, "w") as file:
        json.dump([case], file)
    result = imported(sys.executable, list_file)["results"][0]
    runtimes = len([one for one in result["files"] if is_runtime(one)])
    tag = re.search(r"(manylinux_\d+_\d+|linux)_x86_64\.whl$", files[0])
    return "%s, %s" % (tag.group(1) if tag else "any", "fails: " + result["error"] if result["error"] else
                       "imported" + (", %d runtimes" % runtimes if runtimes > 1 else ""))


def main():
    program, work, runtime, auditwheel = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    shapes = Shapes(Builder(os.path.join(work, "built"), {13: runtime}), "")
    row = "%-25s | %-45s | %-12s | %-45s | %s"
    print(row % ("shape", "hostpin wheel check", "auditwheel show", "auditwheel repair --exclude CUDA", "hostpin wheel repair"))
    for number, (name, wheel, others, first) in enumerate(shapes_of(shapes)):
        directory = os.path.join(work, str(number))
        path = wheel.write(os.path.join(directory, "in"))
        paths = [one.write(os.path.join(directory, "others")) for one in others]
        with_others = [word for one in paths for word in ("--with", one)]
        found = json.loads(call([program, "check", path, "--json"] + with_others)[1])["findings"]
        rules = sorted({one["rule"] for one in found if one["severity"] != "note"})
        shown = re.search(r'tag:\s+"(\S+?)_x86_64"', call(auditwheel + ["show", path])[1].replace("\n", " "))
        excluded = [word for one in ("libcudart.so.13", "libcuda.so.1") for word in ("--exclude", one)]
        theirs, ours = os.path.join(directory, "theirs"), os.path.join(directory, "ours")
        code, _ = call(auditwheel + ["repair", "-w", theirs] + excluded + [path])
        first_outcome = outcome(code, theirs, paths, first, theirs + "-site")
        code, _ = call([program, "repair", "-o", ours] + with_others + [path])
        needed = paths or [shapes.nvidia(13).write(os.path.join(directory, "others"))]
        print(row % (name, " ".join(rules) or "clean", shown.group(1) if shown else "none", first_outcome,
                     outcome(code, ours, needed, first, ours + "-site")))
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
