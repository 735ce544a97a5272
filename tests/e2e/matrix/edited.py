# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the matrices of edits.py share: their projects, the truth about a cell, and the helpers that change files."""
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text, executable=False):
    """Replaces a link to a file elsewhere by a file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(path):
        os.remove(path)
    with open(path, "w") as file:
        file.write(text)
    if executable:
        os.chmod(path, 0o755)


def add_bytes(path, data):
    """The file, or a copy of it in the place of a link, gets a different end."""
    if os.path.islink(path):
        target = os.path.realpath(path)
        os.remove(path)
        shutil.copy(target, path)
    with open(path, "ab") as file:
        file.write(data)


def link_tree(origin, to, deep=()):
    """A directory of links to what is in another one; a directory of `deep`, by its path in it, is one of links itself."""
    os.makedirs(to, exist_ok=True)
    for name in os.listdir(origin):
        if name in [each.split("/")[0] for each in deep]:
            link_tree(f"{origin}/{name}", f"{to}/{name}", [each.split("/", 1)[1] for each in deep if each.startswith(name + "/")])
        elif not os.path.lexists(f"{to}/{name}"):
            os.symlink(os.path.realpath(f"{origin}/{name}"), f"{to}/{name}")


def plain(path):
    """The path without `..` and links to directories; a last link stays."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


@dataclass
class Project:
    build: str
    test: str
    makes: str = "program"  # the file whose bytes are the truth, with whether the test passes
    flaky: bool = False  # whether the test passes is chance
    reads: set = field(default_factory=set)  # what its commands read and neither compiler, linker nor loader prints


@dataclass
class Edit:
    """What an edit touched: paths, names of projects whose commands it changed, and whether bindings may be other ones."""

    touched: set = field(default_factory=set)
    changed: set = field(default_factory=set)
    binds: bool = False


class Matrix:
    """A matrix.toml and what its cells read, in a directory of its own."""

    name = ""
    kinds = {}  # how often each kind of edit is taken: the name of a method is `edit_KIND`
    uses_nvcc = False
    tracing = []  # what runs the commands of which the truth is made

    def __init__(self, setting, choose):
        self.setting, self.choose = setting, choose
        self.root = f"{os.getcwd()}/{self.name}"
        self.source = self.root + "/source"
        os.makedirs(self.source)
        self.axes = {"toolkit": [setting.toolkit], "stdenv": [setting.cxx]}
        self.projects, self.excluded, self.variables = {}, [], {}
        self.bound = {}

    def number(self, limit=1000):
        return self.choose.randrange(limit)

    def edit(self, kind):
        return getattr(self, "edit_" + kind)()

    def describe(self):
        quoted = lambda values: ", ".join(f'"{each}"' for each in values)
        text = "[axes]\n" + "".join(f"{axis} = [{quoted(values)}]\n" for axis, values in self.axes.items())
        for name, project in self.projects.items():
            text += f"[project.{name}]\nsource = 'source'\nbuild = '''{project.build}'''\ntest = '''{project.test}'''\n"
            text += f"environment = [{quoted(self.variables)}]\n"
        for row in self.excluded:
            text += "[[exclude]]\n" + "".join(f'{axis} = "{value}"\n' for axis, value in row.items())
        write(self.root + "/matrix.toml", text)

    # ---------------------------------------------------------------------------------------- the truth

    def binding(self, axes):
        """What `hostpin bind` makes of a cell's values: its directory, or None. The same one until an edit may change it."""
        directory = f"{self.root}/bound-{'-'.join(re.sub('[^0-9a-z.]', '_', each) for each in axes.values())}"
        if directory not in self.bound:
            shutil.rmtree(directory, ignore_errors=True)
            words = [self.setting.hostpin, "bind", directory]
            for axis, option in (("toolkit", "--toolkit"), ("stdenv", "--stdenv"), ("gpus", "--capabilities")):
                words += [option, axes[axis]] if axes.get(axis) else []
            self.bound[directory] = subprocess.run(words, capture_output=True).returncode == 0
        return directory if self.bound[directory] else None

    def made(self, axes):
        """What the commands of a cell make without `hostpin matrix`, in an empty directory, and the files that compilers, linkers and
        loaders themselves print as those that they read or looked for."""
        project = self.projects[axes["project"]]
        place = self.root + "/truth"
        shutil.rmtree(place, ignore_errors=True)
        for part in ("build", "home", "tmp", "prefix"):
            os.makedirs(f"{place}/{part}")
        root = axes.get("c_library", "/")
        cxx = axes["stdenv"] + ("" if root == "/" else " --sysroot=" + root)
        printing, by_nvcc = " -Wl,--trace -fno-canonical-system-headers", "-Xlinker --trace -Xcompiler -fno-canonical-system-headers"
        variables = {
            "PATH": os.environ["PATH"], "LC_ALL": "C", "SOURCE": self.source, "BUILD": place + "/build", "PREFIX": place + "/prefix",
            "HOME": place + "/home", "TMPDIR": place + "/tmp", "CXX": cxx + printing, "GPUS": axes.get("gpus", ""),
            "C_LIBRARY": root, "SUNPRO_DEPENDENCIES": place + "/read", "NVCC_APPEND_FLAGS": by_nvcc, **self.variables,
        }  # fmt: skip
        if self.uses_nvcc:
            bound = self.binding({axis: value for axis, value in axes.items() if axis != "project"})
            if not bound:
                return ("bind",), set()
            variables |= {"BINDING": bound, "CUDACXX": bound + "/nvcc", "HOSTPIN_CACHE_DIR": os.environ["HOSTPIN_CACHE_DIR"]}
            variables |= dict(re.findall(r'^([A-Z_]+) = "(.*)"$', read(bound + "/binding.toml"), re.MULTILINE))  # of the GPUs

        def call(shell, **more):
            words = [*self.tracing, "sh", "-e", "-c", shell]
            return subprocess.run(words, cwd=place + "/build", env={**variables, **more}, capture_output=True, text=True, errors="replace")

        build = call(project.build)
        if build.returncode != 0:  # a compiler that fails prints nothing
            call(project.build, **{name: variables[name] + " -E" for name in ("CXX", "TOOL") if name in variables})
            return ("build",), self.reads(place, build.stdout, project)
        code = 0 if project.flaky else call(project.test, LD_DEBUG="libs", LD_DEBUG_OUTPUT=place + "/loaded").returncode
        with open(f"{place}/build/{project.makes}", "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        return ("test", code, digest), self.reads(place, build.stdout, project)

    def reads(self, place, printed, project):
        files = set(re.findall(r"^\(?(/[^\s()]+)", printed, re.MULTILINE))
        for name in os.listdir(place):
            if name == "read":
                files |= {each for each in re.split(r"[\s\\]+", read(f"{place}/{name}")) if each.startswith("/")}
            elif name.startswith("loaded"):
                files |= set(re.findall(r"trying file=(\S+)", read(f"{place}/{name}")))
        named = re.findall(r"\$SOURCE(/[\w./-]+)", project.build + project.test)  # a compiler does not print its source
        return {plain(each) for each in files} | {self.source + each for each in named} | project.reads

    # ---------------------------------------------------------------------------------------- edits that many have

    def edit_touch(self):
        files = [f"{place}/{name}" for place, _, names in os.walk(self.source) for name in names]
        os.utime(self.choose.choice(sorted(files)))
        return Edit()

    def edit_unread(self):
        path = f"{self.source}/unread{self.number(5)}.txt"
        write(path, f"{self.choose.random()}\n")
        return Edit({path})

    def edit_flag(self):
        name = self.choose.choice(list(self.projects))
        project = self.projects[name]
        project.build = re.sub(r"-DPLANTED=\d+", f"-DPLANTED={self.number()}", project.build)
        return Edit(changed={name})

    def edit_test(self):
        name = self.choose.choice(list(self.projects))
        project = self.projects[name]
        project.test = project.test.split(" && true")[0] + " && true" * self.choose.randrange(1, 9)
        return Edit(changed={name})
