# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares each verdict of `hostpin wheel check` with what `import` then does.

usage: truth.py HOSTPIN WORK RUNTIME13 [--runtime12 FILE] [--static FILE] [--root ROOT]...
RUNTIME13: libcudart.so.13 of a toolkit; FILE: libcudart.so.12, and libcudart_static.a. Each ROOT is a system's root directory with a
Python, in which the packages are imported as well."""
import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shapes import DRIVER, LAYOUTS, Builder, Wheel, install, run  # noqa: E402

CI = "/__w/_temp/conda_environment_1/lib"
CALL = "cudaRuntimeGetVersion"
SCHEMA = "https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json"


class Case:
    """A wheel, the wheels that are installed with it, and rules that it has to break (`expected`) or must not (`excluded`)."""

    def __init__(self, name, wheel, others=(), first=None, expected=(), excluded=(), arguments=()):
        self.name, self.wheel, self.others, self.first = name, wheel, list(others), first
        self.expected, self.excluded, self.arguments = set(expected), set(excluded), list(arguments)
        self.has_runtime = any("libcudart" in file for one in [wheel] + self.others for file in one.files)
        self.is_known = len(self.others) == 1 and first is None and bool(wheel.requires)  # by the table of NVIDIA's wheels
        self.loads_own = False  # the package imports another module of its own first, which loads what the second needs


class Shapes:
    def __init__(self, builder, static):
        self.builder, self.static = builder, static

    def nvidia(self, cuda):
        directory, distribution = LAYOUTS[cuda]
        wheel = Wheel(distribution.replace("-", "_"), version="%d.0.1" % cuda)
        return wheel.add("%s/libcudart.so.%d" % (directory, cuda), self.builder.runtime(cuda))

    def torch(self, cuda):
        """Loads NVIDIA's runtime when it is imported, and has a library for extensions."""
        directory, distribution = LAYOUTS[cuda]
        c10 = self.builder.library("libc10.so", ("_ZN3c104initEi", "_ZN3c104findERKNSt7__cxx1112basic_stringIcEE"))
        module = self.builder.module("_T", (CALL,), (self.builder.runtime(cuda), c10), "$ORIGIN/../%s:$ORIGIN/lib" % directory, rpath=True)
        wheel = Wheel("torch", version="2.9.0").add("torch/__init__.py", b"from . import _T\n").add("torch/_T.so", module)
        wheel.requires = [distribution if cuda == 12 else distribution + ">=13,<14"]
        return wheel.add("torch/lib/libc10.so", c10)

    def package(self, module, platform="manylinux_2_28_x86_64", requires=()):
        wheel = Wheel("pkg", platform).add("pkg/__init__.py", b"from . import _C\n").add("pkg/_C.so", module)
        wheel.requires = list(requires)
        return wheel

    def requirement(self, cuda):
        return LAYOUTS[cuda][1] + ("" if cuda == 12 else ">=13.0,<14")

    def run_paths(self):
        """Every run path, with every state of the required wheel."""
        for cuda in sorted(self.builder.runtimes):
            directory = "$ORIGIN/../" + LAYOUTS[cuda][0]
            paths = {"runpath": (directory, False), "rpath": (directory, True), "none": ("", False), "ci": (CI, True),
                     "ci and right": (CI + ":" + directory, True), "wrong": ("$ORIGIN/../nvidia/lib", False)}
            for (kind, (path, rpath)), required, installed, torch in itertools.product(paths.items(), (True, False), (True, False),
                                                                                       (True, False)):
                module = self.builder.module("_C", (CALL,), (self.builder.runtime(cuda),), path, rpath)
                requires = [self.requirement(cuda)] if required else []
                if required and not installed:
                    continue  # an installer installs it
                others = [self.nvidia(cuda)] if installed or torch else []
                if torch:
                    requires.append("torch")
                    others.append(self.torch(cuda))
                expected, excluded = set(), {"second-cuda-runtime", "policy-version"}
                (expected if kind.startswith("ci") else excluded).add("run-path-leaves-site")
                if not required and not torch:
                    expected.add("requires-missing")
                if required:
                    excluded |= {"requires-missing", "requires-loose", "requires-wrong-major"}
                yield Case("cuda %d, %s run path, %s, %s%s" % (cuda, kind, "required" if required else "not required",
                                                               "installed" if others else "not installed", ", torch" if torch else ""),
                           self.package(module, requires=requires), others, "torch" if torch else None, expected, excluded)

    def packed(self):
        """Runtimes in the wheel itself."""
        for cuda, renamed, path, torch in itertools.product(sorted(self.builder.runtimes), (True, False), ("right", "none", "ci"), (True, False)):
            soname = "libcudart-faf08d9a.so.%d" % cuda if renamed else ""
            library = self.builder.runtime(cuda, soname)
            run_path = {"right": "$ORIGIN/../pkg.libs", "none": "", "ci": CI + ":$ORIGIN/../pkg.libs"}[path]
            module = self.builder.module("_C", (CALL,), (library,), run_path, path == "ci")
            wheel = self.package(module, requires=["torch"] if torch else [])
            wheel.add("pkg.libs/" + (soname or "libcudart.so.%d" % cuda), library)
            others = [self.nvidia(cuda), self.torch(cuda)] if torch else []
            two = torch and renamed and path != "none"
            yield Case("packed %sruntime %d, run path %s%s" % ("renamed " if renamed else "", cuda, path, ", torch" if torch else ""), wheel,
                       others, "torch" if torch else None, ["second-cuda-runtime"] if two else [],
                       ["requires-missing"] + ([] if two else ["second-cuda-runtime"]))

    def static_runtimes(self):
        if not self.static:
            return
        for torch in (True, False):
            module = self.builder.module("_C", (CALL,), static=self.static)
            others = [self.nvidia(13), self.torch(13)] if torch else []
            yield Case("static runtime" + (", torch" if torch else ""), self.package(module, requires=["torch"] if torch else []), others,
                       "torch" if torch else None, ["runtime-of-its-own"] if torch else [],
                       ["second-cuda-runtime"] + ([] if torch else ["runtime-of-its-own"]))

    def renamed_apart(self):
        """NEEDED and version needs that name different libraries."""
        for cuda, torch in itertools.product(sorted(self.builder.runtimes), (True, False)):
            soname = "libcudart-1.so.%d" % cuda
            module = self.builder.module("_C", (CALL,), (self.builder.runtime(cuda),), "$ORIGIN/../pkg.libs")
            changed = module + "-apart"
            shutil.copyfile(module, changed)
            run("patchelf", "--remove-needed", "libcudart.so.%d" % cuda, "--add-needed", soname, changed)
            wheel = self.package(changed, requires=["torch"] if torch else [])
            wheel.add("pkg.libs/" + soname, self.builder.runtime(cuda, soname))
            yield Case("cuda %d, NEEDED renamed alone%s" % (cuda, ", torch" if torch else ""), wheel,
                       [self.nvidia(cuda), self.torch(cuda)] if torch else [], "torch" if torch else None,
                       ["needed-and-version-names-differ"])

    def system_versions(self):
        """Symbol versions up to those that no system has, under each tag."""
        policies = ("manylinux_2_17", "manylinux2014", "manylinux_2_28", "manylinux_2_34", "manylinux_2_39")
        glibc = {"manylinux2014": (2, 17)}
        # Python binds all functions at once, so each is one that a system with the version has.
        functions = {"2.2.5": "strlen", "2.14": "memcpy", "2.17": "clock_gettime", "2.30": "gettid", "2.34": "dlopen",
                     "2.36": "arc4random", "2.38": "strlcpy", "2.41": "sched_setattr", "2.99": "none"}
        for (version, function), tag in itertools.product(functions.items(), policies):
            library = self.builder.library("libc.so.6", (function,), "GLIBC_" + version)
            module = self.builder.module("_C", (function,), (library,), alone=True)
            limit = glibc.get(tag) or tuple(int(part) for part in tag.split("_")[1:])
            above = tuple(int(part) for part in version.split(".")) > limit
            rules = ["policy-version", "tag-below-needs"]
            yield Case("GLIBC_%s under %s" % (version, tag), self.package(module, tag + "_x86_64"), expected=rules if above else [],
                       excluded=[] if above else rules)
        newest = {"manylinux_2_17": 19, "manylinux_2_28": 24, "manylinux_2_34": 29, "manylinux_2_39": 33}
        functions = {19: "_ZNSt6chrono3_V212steady_clock3nowEv", 20: "_ZSt24__throw_out_of_range_fmtPKcz",
                     22: "_ZNSt6thread6_StateD2Ev", 29: "_ZSt28__throw_bad_array_new_lengthv", 32: "_ZSt21ios_base_library_initv",
                     33: "_ZNKSt12__basic_fileIcE13native_handleEv", 99: "none"}
        for (version, function), (tag, limit) in itertools.product(functions.items(), newest.items()):
            library = self.builder.library("libstdc++.so.6", (function,), "GLIBCXX_3.4.%d" % version)
            module = self.builder.module("_C", (function,), (library,), alone=True)
            rules = ["policy-version", "tag-below-needs"]
            yield Case("GLIBCXX_3.4.%d under %s" % (version, tag), self.package(module, tag + "_x86_64"),
                       expected=rules if version > limit else [], excluded=[] if version > limit else rules)

    def torch_functions(self):
        """Functions that PyTorch has, had, or has with the other C++ ABI."""
        functions = {"has": "_ZN3c104initEi", "has no more": "_ZN3c104goneEv", "has for another ABI": "_ZN3c104findERKSs"}
        c10 = self.builder.library("libc10.so", tuple(functions.values()))
        for kind, function in functions.items():
            for needed in (True, False):
                module = self.builder.module("_C", (function,), (c10,) if needed else (), "$ORIGIN/../torch/lib")
                # Python loads libc10 for PyTorch's own modules only.
                rules = [] if kind == "has" and needed else ["torch-abi"]
                yield Case("a function that torch %s%s" % (kind, "" if needed else ", libc10 not NEEDED"),
                           self.package(module, requires=["torch"]), [self.nvidia(13), self.torch(13)], "torch", rules,
                           [] if rules else ["torch-abi"])

    def cuda_functions(self):
        """A function that NVIDIA's runtime has, and one that it does not have, as of a later release."""
        for cuda, function in itertools.product(sorted(self.builder.runtimes), (CALL, "cudaOfLaterRelease")):
            soname = "libcudart.so.%d" % cuda
            later = self.builder.library(soname, (CALL, "cudaOfLaterRelease"), soname)
            module = self.builder.module("_C", (function,), (later,), "$ORIGIN/../" + LAYOUTS[cuda][0])
            rules = ["missing-function"]
            case = Case("cuda %d, the function %s" % (cuda, function), self.package(module, requires=[self.requirement(cuda)]), [self.nvidia(cuda)],
                        expected=[] if function == CALL else rules, excluded=rules if function == CALL else [])
            case.is_known = function == CALL  # functions of what is assumed are not
            yield case

    def libraries(self):
        """Libraries of others, and of the wheel itself."""
        library = self.builder.library("libfoo.so.1", ("foo",), "FOO_1")
        newer = self.builder.library("libfoo.so.1", ("foo",), "FOO_2")
        for path, packed, platform in itertools.product(("$ORIGIN/../pkg.libs", "", "$ORIGIN/elsewhere"), (library, newer, None),
                                                        ("manylinux_2_28_x86_64", "linux_x86_64")):
            module = self.builder.module("_C", ("foo",), (library,), path)
            wheel = self.package(module, platform)
            if packed:
                wheel.add("pkg.libs/libfoo.so.1", packed)
            rule = "missing-library" if not packed else "run-path-missing" if "libs" not in path else "unmet-version-need" if packed == newer else ""
            yield Case("libfoo %s, run path %s, %s" % ("packed" if packed == library else "of another version" if packed else "not packed",
                                                       path or "none", platform), wheel, expected=[rule] if rule else [])
        for kind in ("first", "alone"):
            with_path = self.builder.module("_A", ("foo",), (library,), "$ORIGIN/../pkg.libs")
            without = self.builder.module("_C", ("foo",), (library,))
            wheel = self.package(without).add("pkg.libs/libfoo.so.1", library).add("pkg/_A.so", with_path)
            if kind == "first":
                wheel.add("pkg/__init__.py", b"from . import _A, _C\n")
            case = Case("a library that another module loads, %s" % kind, wheel, expected=["order-dependent"])
            case.loads_own = kind == "first"
            yield case
        driver = self.builder.library("libcuda.so.1", DRIVER)
        renamed = self.builder.library("libcuda-12ab.so.1", DRIVER)
        for one in (driver, renamed):
            module = self.builder.module("_C", ("cuInit",), (one,), "$ORIGIN/../pkg.libs")
            yield Case("%s packed" % os.path.basename(one), self.package(module).add("pkg.libs/" + os.path.basename(one), one),
                       expected=["vendored-driver"])

    def preloads(self):
        """Python code that opens a library by its path before the module that needs it is imported, and code that only seems to."""
        opening = b"import ctypes, os\ndef load_library():\n    name = 'libfoo.so.1'\n    ctypes.CDLL(os.path.join(os.path.dirname(__file__), name))\n"
        calling = b"import foolib\nfoolib.load_library()\nfrom . import _C\n"
        foo, bar = (self.builder.library("lib%s.so.1" % name, (name,)) for name in ("foo", "bar"))
        codes = {"opens it": (opening, calling), "opens another": (opening.replace(b"foo.so", b"bar.so"), calling),
                 "names it alone": (b"def load_library():\n    return 'libfoo.so.1'\n", calling),
                 "comments on it": (b"def load_library(): pass\n# ctypes.CDLL('libfoo.so.1')\n", calling),
                 "is not imported": (opening, b"from . import _C\n")}
        for name, (load, start) in codes.items():
            wheel = self.package(self.builder.module("_C", ("foo",), (foo,)), requires=["foolib"]).add("pkg/__init__.py", start)
            other = Wheel("foolib").add("foolib/__init__.py", b"from .load import load_library\n").add("foolib/load.py", load)
            other.add("foolib/libfoo.so.1", foo).add("foolib/libbar.so.1", bar)
            good = name == "opens it"
            case = Case("code that " + name, wheel, [other], expected=["order-dependent" if good else "run-path-missing"],
                        excluded=["run-path-missing" if good else "order-dependent"])
            case.is_known = False  # the tables have NVIDIA's
            yield case

    def chains(self):
        """A library that no module loads: its DT_RPATH also serves what it loads, its DT_RUNPATH does not."""
        start = (b"import ctypes, os\ntry:\n    ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libz.so'))\n"
                 b"except OSError as problem:\n    raise ImportError(str(problem))\n")
        last = self.builder.library("liblast.so", ("last",))
        for tags in ("disable", "enable"):
            built = os.path.join(self.builder.path("chain", tags), "")
            os.makedirs(built)
            run("gcc", "-shared", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed,-soname,libmiddle.so", last,
                "-o", built + "libmiddle.so")
            run("gcc", "-shared", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed,-rpath,$ORIGIN/lib,--%s-new-dtags" % tags,
                "-Wl,--allow-shlib-undefined", built + "libmiddle.so", "-o", built + "libz.so")
            wheel = Wheel("pkg").add("pkg/__init__.py", start).add("pkg/libz.so", built + "libz.so")
            wheel.add("pkg/lib/libmiddle.so", built + "libmiddle.so").add("pkg/lib/liblast.so", last)
            rules = ["run-path-missing"]
            is_rpath = tags == "disable"
            yield Case("a chain of %s" % ("DT_RPATH" if is_rpath else "DT_RUNPATH"), wheel, expected=[] if is_rpath else rules,
                       excluded=rules if is_rpath else [])

    def records(self):
        plain = self.builder.module("_C")

        def edited(edit, **fields):
            wheel = self.package(plain)
            wheel.edit_record = edit
            for name, value in fields.items():
                setattr(wheel, name, value)
            return wheel

        edits = {"complete": lambda rows: rows, "short": lambda rows: rows[1:], "empty": lambda rows: [],
                 "of another file too": lambda rows: rows + [["pkg/gone.py", "sha256=0", "1"]],
                 "with another hash": lambda rows: [[rows[0][0], "sha256=AAAA", rows[0][2]]] + rows[1:],
                 "with another size": lambda rows: [[rows[0][0], rows[0][1], "7"]] + rows[1:],
                 "without hashes": lambda rows: [[row[0], "", ""] for row in rows]}
        for name, edit in edits.items():
            rule = ["record-incomplete"]
            yield Case("RECORD " + name, edited(edit), expected=[] if name == "complete" else rule, excluded=rule if name == "complete" else [])
        keep = edits["complete"]
        for field, value in (("tag_inside", "py3-none-linux_x86_64"), ("name_inside", "other"), ("version_inside", "2.0")):
            yield Case("another %s" % field, edited(keep, **{field: value}), expected=["tag-names-differ"])
        yield Case("tag any", self.package(plain, "any"), expected=["tag-below-needs"])
        yield Case("tag of another machine", self.package(plain, "manylinux_2_28_aarch64"), expected=["foreign-machine"])
        yield Case("budget", self.package(plain), expected=["too-large"], arguments=["--budget", "1K"])
        loose, wrong = [LAYOUTS[13][1] + ">=13.0"], [LAYOUTS[13][1] + "<13"]
        module = self.builder.module("_C", (CALL,), (self.builder.runtime(13),), "$ORIGIN/../" + LAYOUTS[13][0])
        yield Case("a loose requirement", self.package(module, requires=loose), [self.nvidia(13)], expected=["requires-loose"])
        yield Case("a requirement of another major", self.package(module, requires=wrong), [self.nvidia(13)], expected=["requires-wrong-major"])
        yield Case("driver 525", self.package(module, requires=[self.requirement(13)]), [self.nvidia(13)], expected=["driver-floor"],
                   arguments=["--driver", "525.60.13"])
        yield Case("driver 580", self.package(module, requires=[self.requirement(13)]), [self.nvidia(13)], excluded=["driver-floor"],
                   arguments=["--driver", "580.65.06"])

    def variants(self):
        """What variants claim of their code. An installer of today does not take them, and their import does not depend on it."""
        gpu = {"nvidia": {"sm_arch": ["90_real"]}}
        for label, described, is_true in (("null", {"null": {}}, True), ("sm_90", {"sm_90": gpu}, False), ("sm_90", {"sm_80": gpu}, False),
                                          ("sm_90", None, False)):
            wheel = self.package(self.builder.module("_C"))
            wheel.label = label
            if described is not None:
                content = {"$schema": SCHEMA, "default-priorities": {"namespace": ["nvidia"]}, "variants": described}
                wheel.add("pkg-1.0.dist-info/variant.json", json.dumps(content).encode())
            rules = ["variant-claims-other-code"]
            yield Case("variant %s, described: %s" % (label, described and " ".join(described)), wheel, expected=[] if is_true else rules,
                       excluded=rules if is_true else [])

    def all(self):
        for shapes in (self.run_paths, self.packed, self.static_runtimes, self.renamed_apart, self.system_versions, self.torch_functions,
                       self.cuda_functions, self.libraries, self.preloads, self.chains, self.records, self.variants):
            yield from shapes()


def is_runtime(path):
    return "libcudart" in os.path.basename(path)


def version(text):
    return [int(part) for part in text.split(".")] if text else [0]


class Verdict:
    """What the report says will happen."""

    def __init__(self, report):
        self.found = report["findings"]
        self.needs = report["wheel"]["needs"]["own"]

    def rules(self, least=("error", "warning", "note")):
        return {one["rule"] for one in self.found if one["severity"] in least}

    def loads(self, case, system, first):
        """Whether the import succeeds, after the package `first` was imported."""
        if any(version(self.needs[kind]) > version(system[kind]) for kind in ("glibc", "glibcxx")):
            return False
        for one in self.found:
            # What the machine's own toolkit has is found there: the third way of system-shadows-wheel.
            searched = one["rule"] in ("run-path-missing", "missing-library", "order-dependent", "requires-missing")
            if one["severity"] == "note" or (searched and one["reference"] in system["libraries"]):
                continue
            if one["rule"] in ("run-path-missing", "missing-library", "unmet-version-need", "torch-abi", "missing-function"):
                return False
            if one["rule"] == "order-dependent" and not (first and "after %s " % first in one["explanation"]) and not case.loads_own:
                return False
            if one["rule"] == "needed-and-version-names-differ" and not (first and "after %s " % first in one["explanation"]):
                return False
            if one["rule"] == "requires-missing" and not case.others:
                return False
        return True


def check(hostpin, case, directory):
    wheel = case.wheel.write(directory)
    others = [other.write(directory) for other in case.others]
    command = [hostpin, "check", wheel, "--json"] + case.arguments + [word for other in others for word in ("--with", other)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode not in (0, 1):
        raise SystemExit("FAIL: %s\n%s" % (" ".join(command), done.stderr))
    install([wheel] + others, os.path.join(directory, "site"))
    verdict = Verdict(json.loads(done.stdout))
    if case.is_known:
        # The same by the table alone, and by the directory that it is installed to.
        for arguments in ([], ["--site", os.path.join(directory, "site")]):
            done = subprocess.run([hostpin, "check", wheel, "--json"] + case.arguments + arguments, stdout=subprocess.PIPE, universal_newlines=True)
            if Verdict(json.loads(done.stdout)).rules() != verdict.rules():
                raise SystemExit("FAIL: %s: other rules with %s than with --with\n%s" % (case.name, arguments or "nothing", done.stdout))
    return verdict


def experiments(case, directory, toolkit):
    site = os.path.join(directory, "site")
    yield {"site": site, "imports": ["pkg"], "library_path": ""}
    yield {"site": site, "imports": [case.first, "pkg"] if case.first else ["pkg"], "library_path": ""}
    # A toolkit only matters to those that need something of it.
    yield {"site": site, "imports": ["pkg"], "library_path": toolkit if case.name.startswith(("cuda 13", "packed runtime 13")) else ""}


def imported(python, list_file, root=""):
    command = [python, "-B", "-S", "-E", os.path.join(os.path.dirname(os.path.abspath(__file__)), "importer.py"), list_file]
    if root:
        inside = "mount -t proc proc $0/proc && exec chroot $0 /usr/bin/python3 -B -S -E /wheels/importer.py /wheels/cases.json"
        command = ["unshare", "-m", "sh", "-c", inside, root]
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return json.loads(done.stdout)


def disagreements(case, verdict, system, alone, after, shadowed, toolkit):
    for first, result in ((None, alone), (case.first, after)):
        said, does = verdict.loads(case, system, first), not result["error"]
        if said != does:
            yield "check says that the import%s %s, and it %s: %s" % (" after " + first if first else "", "succeeds" if said else "fails",
                                                                    "succeeds" if does else "fails", result["error"])
    two = any(len([one for one in result["files"] if is_runtime(one)]) > 1 for result in (alone, after))
    if two != ("second-cuda-runtime" in verdict.rules()):
        yield "%s runtimes are loaded: %s" % ("two" if two else "not two", " ".join(filter(is_runtime, after["files"])))
    shadows = [one["explanation"] for one in verdict.found if one["rule"] == "system-shadows-wheel"]
    if toolkit and case.has_runtime and not shadowed["error"]:
        real = any(one.startswith(toolkit + "/") for one in shadowed["files"])
        if real != bool(shadows):
            yield "with LD_LIBRARY_PATH the toolkit's library is %sloaded" % ("" if real else "not ")
    if case.has_runtime and "libcudart.so.13" in system["libraries"] and not alone["error"]:
        real = any(is_runtime(one) and "/site/" not in one for one in alone["files"])
        if real and not any("ld.so.conf" in one for one in shadows):
            yield "the toolkit's library in ld.so.conf is loaded"
    missing = case.expected - verdict.rules()
    if missing:
        yield "not found: " + " ".join(sorted(missing))
    wrong = case.excluded & verdict.rules()
    if wrong:
        yield "found: " + " ".join(sorted(wrong))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hostpin")
    parser.add_argument("work")
    parser.add_argument("runtime")
    parser.add_argument("--runtime12", default="")
    parser.add_argument("--static", default="")
    parser.add_argument("--root", action="append", default=[])
    options = parser.parse_args()
    work = os.path.join(options.work, "wheels")
    runtimes = {13: options.runtime}
    if options.runtime12:
        runtimes[12] = options.runtime12
    toolkit = os.path.join(work, "toolkit")
    os.makedirs(toolkit)
    shutil.copyfile(options.runtime, os.path.join(toolkit, "libcudart.so.13"))
    cases = list(Shapes(Builder(os.path.join(work, "built"), runtimes), options.static).all())
    verdicts, attempts = [], []
    for number, case in enumerate(cases):
        directory = os.path.join(work, str(number))
        verdicts.append(check(options.hostpin, case, directory))
        attempts += experiments(case, directory, toolkit)
    list_file = os.path.join(work, "cases.json")
    with open(list_file, "w") as file:
        json.dump(attempts, file)
    failed = 0
    for root in [""] + options.root:
        if root:
            inside = os.path.join(root, "wheels")
            os.makedirs(inside, exist_ok=True)
            moved = json.loads(json.dumps(attempts).replace(work, "/wheels"))
            with open(os.path.join(inside, "cases.json"), "w") as file:
                json.dump(moved, file)
            shutil.copyfile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "importer.py"), os.path.join(inside, "importer.py"))
            run("cp", "-a", toolkit, *[os.path.join(work, str(number)) for number in range(len(cases))], inside)
        answer = imported(sys.executable, list_file, root)
        place = "/wheels/toolkit" if root else toolkit
        agreed = 0
        for number, (case, verdict) in enumerate(zip(cases, verdicts)):
            alone, after, shadowed = answer["results"][3 * number:3 * number + 3]
            has_path = attempts[3 * number + 2]["library_path"]
            problems = list(disagreements(case, verdict, answer["system"], alone, after, shadowed if has_path else alone, place if has_path else ""))
            agreed += not problems
            for problem in problems[:1]:
                print("DIFFERS: %s: %s" % (case.name, problem))
        print("%s: glibc %s, GLIBCXX_%s: %d of %d cases agree" % (root or "this machine", answer["system"]["glibc"], answer["system"]["glibcxx"],
                                                                agreed, len(cases)))
        failed += len(cases) - agreed
        if root:
            shutil.rmtree(os.path.join(root, "wheels"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
