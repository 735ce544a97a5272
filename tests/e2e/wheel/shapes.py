# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small wheels in the shapes of real ones, built with gcc, patchelf and the CUDA runtime of an installed toolkit."""
import base64
import functools
import hashlib
import os
import shutil
import subprocess
import zipfile

MODULE = r"""
/* A module without Python's headers: the layout of PyModuleDef does not change. */
struct definition { long count; void *type, *init; long index; void *copy; const char *name, *doc; long size; void *rest[5]; };
static struct definition this_module = {1, 0, 0, 0, 0, "%(name)s", 0, -1, {0}};
extern void *PyModule_Create2(void *, int);
%(declare)s
void *PyInit_%(name)s(void) { return PyModule_Create2(&this_module, 1013); }
%(use)s
"""
DRIVER = ("cuInit", "cuLaunchKernel", "cuDriverGetVersion") + tuple("cuFunction%d" % i for i in range(400))  # as many as the stub has
LAYOUTS = {13: ("nvidia/cu13/lib", "nvidia-cuda-runtime"), 12: ("nvidia/cuda_runtime/lib", "nvidia-cuda-runtime-cu12")}


def run(*command):
    done = subprocess.run([str(one) for one in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        raise SystemExit("FAIL: %s\n%s" % (" ".join(map(str, command)), done.stdout))
    return done.stdout


class Builder:
    """Builds each ELF file once, in one directory."""

    def __init__(self, work, runtimes):
        self.work, self.runtimes = work, runtimes
        os.makedirs(work, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.work, "-".join(str(part).replace("/", "_").replace("$", "").replace(":", ",") for part in parts))

    @functools.lru_cache(maxsize=None)
    def runtime(self, cuda, soname=""):
        """A copy of libcudart; with another soname, as auditwheel renames it."""
        if not soname:
            return self.runtimes[cuda]
        copy = os.path.join(self.work, soname)
        shutil.copyfile(self.runtimes[cuda], copy)
        run("patchelf", "--set-soname", soname, copy)
        return copy

    @functools.lru_cache(maxsize=None)
    def library(self, soname, symbols, version=""):
        """A library that defines functions, all of one symbol version."""
        output = os.path.join(self.path("library", soname, version, hashlib.sha1(repr(symbols).encode()).hexdigest()[:8]), soname)
        os.makedirs(os.path.dirname(output), exist_ok=True)
        source = output + ".c"
        with open(source, "w") as file:
            for i, symbol in enumerate(symbols):
                file.write('void f%d(void) __asm__("%s"); void f%d(void) {}\n' % (i, symbol, i))
        arguments = ["-Wl,-soname," + soname]
        if version:
            with open(output + ".map", "w") as file:
                file.write("%s { *; };\n" % version)
            arguments.append("-Wl,--version-script," + output + ".map")
        run("gcc", "-shared", "-fPIC", "-nostdlib", source, *arguments, "-o", output)
        return output

    @functools.lru_cache(maxsize=None)
    def module(self, name, calls=(), libraries=(), run_path="", rpath=False, alone=False, static=""):
        """An extension module that refers to functions of libraries; `alone`: of nothing else, the C library included."""
        output = self.path("module", name, hashlib.sha1(repr((calls, libraries, run_path, rpath, alone, static)).encode()).hexdigest()[:12])
        declare = "".join('extern int c%d(void) __asm__("%s");\n' % pair for pair in enumerate(calls))
        use = "int use_%s(void) { return 0%s; }\n" % (name, "".join(" + c%d()" % i for i in range(len(calls))))
        with open(output + ".c", "w") as file:
            file.write(MODULE % {"name": name, "declare": declare, "use": use})
        arguments = ["-Wl,-z,now", "-Wl,--no-as-needed"]
        if run_path:
            arguments += ["-Wl,-rpath," + run_path, "-Wl,--%s-new-dtags" % ("disable" if rpath else "enable")]
        arguments += ["-nostdlib"] if alone else []
        arguments += [static, "-ldl", "-lrt", "-lpthread"] if static else []
        run("gcc", "-shared", "-fPIC", output + ".c", *libraries, *arguments, "-o", output)
        return output


class Wheel:
    """A wheel that is written with what is wrong about it."""

    def __init__(self, name, platform="manylinux_2_28_x86_64", version="1.0"):
        self.name, self.version, self.platform = name, version, platform
        self.files = {}  # by name: a path, or bytes
        self.requires = []
        self.tag_inside = self.name_inside = self.version_inside = None
        self.edit_record = lambda rows: rows
        self.label = ""  # of a variant

    def add(self, name, content):
        self.files[name] = content
        return self

    def members(self):
        info = "%s-%s.dist-info/" % (self.name, self.version)
        for name, content in self.files.items():
            if isinstance(content, str):
                with open(content, "rb") as file:
                    content = file.read()
            yield name, content
        metadata = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (self.name_inside or self.name, self.version_inside or self.version)
        metadata += "".join("Requires-Dist: %s\n" % one for one in self.requires)
        yield info + "METADATA", metadata.encode()
        tag = self.tag_inside or "py3-none-" + self.platform
        yield info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()

    def write(self, directory):
        label = "-" + self.label if self.label else ""
        path = os.path.join(directory, "%s-%s-py3-none-%s%s.whl" % (self.name, self.version, self.platform, label))
        os.makedirs(directory, exist_ok=True)
        rows = []
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in self.members():
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                rows.append([name, "sha256=" + digest, str(len(content))])
            record = "%s-%s.dist-info/RECORD" % (self.name, self.version)
            rows = self.edit_record(rows) + [[record, "", ""]]
            archive.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "".join(",".join(row) + "\n" for row in rows))
        return path


def install(paths, site):
    """What an installer does with wheels that have no .data directory."""
    os.makedirs(site, exist_ok=True)
    for path in paths:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(site)
    return site
