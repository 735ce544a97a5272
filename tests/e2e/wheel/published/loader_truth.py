# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What glibc's loader and Python do with installed wheels, without a GPU and without this machine's CUDA: an environment made of
unpacked wheels, ld.so's own list of what it finds, and imports with a made libcuda.so.1 and libnvidia-ml.so.1."""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

from auditwheel.policy import WheelPolicies
from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

READ = {}  # what the loader reads of each file
LOADER = "/lib64/ld-linux-x86-64.so.2"
OF_DRIVER = ("libcuda.so", "libnvidia-", "libnvcuvid.so", "libnvoptix.so")
POLICIES = WheelPolicies(libc=Libc.GLIBC, arch=Architecture.x86_64)
SYSTEM = {name for policy in POLICIES for name in policy.whitelist} | {"ld-linux-x86-64.so.2"}


def call(*command, **environment):
    done = subprocess.run([str(one) for one in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=dict(os.environ, **environment))
    return done.returncode, done.stdout


class Elf:
    """Of one file: what the loader reads."""

    def __init__(self, file):
        elf = ELFFile(file)
        dynamic = next((one for one in elf.iter_segments() if one.header.p_type == "PT_DYNAMIC"), None)
        self.is_linked = dynamic is not None and elf.header.e_machine == "EM_X86_64"
        self.needed, self.soname, self.rpath, self.runpath, self.versions, self.is_module = [], "", None, None, {}, False
        stack = [one.header.p_flags for one in elf.iter_segments() if one.header.p_type == "PT_GNU_STACK"]
        self.executable_stack = not stack or bool(stack[0] & 1)
        self.is_program = any(one.header.p_type == "PT_INTERP" for one in elf.iter_segments())
        if not self.is_linked:
            return
        for tag in dynamic.iter_tags():
            kind = tag.entry.d_tag
            if kind == "DT_NEEDED":
                self.needed.append(tag.needed)
            elif kind in ("DT_SONAME", "DT_RPATH", "DT_RUNPATH"):
                setattr(self, kind[3:].lower(), getattr(tag, kind[3:].lower()))
        for section in elf.iter_sections():
            if isinstance(section, GNUVerNeedSection):
                for library, versions in section.iter_versions():
                    self.versions.setdefault(library.name, []).extend(one.name for one in versions)

    @staticmethod
    def read(path):
        try:
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    return None
                elf = Elf(file)
        except (ELFError, OSError, UnicodeError):
            return None
        if elf.is_linked and ".so" in os.path.basename(path):
            name = os.path.basename(path).split(".")[0]
            elf.is_module = " PyInit_%s\n" % name in call("nm", "-D", "--defined-only", path)[1]
        return elf if elf.is_linked else None


def unpack(path, directory):
    """What an installer does."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(directory)
    for name in os.listdir(directory):
        if name.endswith(".data"):
            for scheme in ("purelib", "platlib"):
                inside = os.path.join(directory, name, scheme)
                if os.path.isdir(inside):
                    shutil.copytree(inside, directory, dirs_exist_ok=True)
            shutil.rmtree(os.path.join(directory, name))


@functools.lru_cache(maxsize=None)
def functions_of_driver(directory):
    functions = set()
    for where, _, names in os.walk(directory):
        for path in (os.path.join(where, name) for name in names if ".so" in name):
            elf = Environment.elf(path)
            if elf and any(name.startswith(OF_DRIVER) for name in elf.needed):
                functions.update(re.findall(r" U ((?:cu[A-Z]|nvml[A-Z])\w+)", call("nm", "-D", "--undefined-only", path)[1]))
    return functions


class Environment:
    """A directory of wheels, as hard links to what was unpacked."""

    def __init__(self, root, unpacked):
        self.site = os.path.join(root, "lib/python%d.%d/site-packages" % sys.version_info[:2])
        os.makedirs(self.site)
        for directory in unpacked:
            if call("cp", "-al", directory + "/.", self.site)[0]:  # several wheels may have a file of one name
                call("cp", "-alf", directory + "/.", self.site)
        self.driver, self.toolkit = os.path.join(root, "driver"), os.path.join(root, "toolkit")

    @staticmethod
    def elf(path):
        """Environments have hard links to the same files."""
        try:
            status = os.stat(path)
        except OSError:
            return None
        key = (status.st_dev, status.st_ino, path.endswith(".so"))
        if key not in READ:
            READ[key] = Elf.read(path)
        return READ[key]

    def files_of(self, unpacked):
        """Of one wheel: path in the environment to what the loader reads."""
        files = {}
        for directory, _, names in os.walk(unpacked):
            for name in names:
                path = os.path.join(self.site, os.path.relpath(os.path.join(directory, name), unpacked))
                if self.elf(path):
                    files[path] = self.elf(path)
        return files

    def make_driver(self, directories):
        """Functions of the driver that files need; each says that there is no device."""
        os.makedirs(self.driver)
        functions = set()
        for directory in directories:
            functions |= functions_of_driver(directory)
        functions |= {"cuInit", "cuDriverGetVersion", "cuGetProcAddress", "cuGetProcAddress_v2", "nvmlInit_v2"}
        source = os.path.join(self.driver, "driver.c")
        with open(source, "w", encoding="ascii") as file:
            file.writelines("int %s(void) { return 100; }\n" % one for one in sorted(functions))
        for soname in ("libcuda.so.1", "libnvidia-ml.so.1"):
            call("gcc", "-w", "-shared", "-fPIC", source, "-Wl,-soname," + soname, "-o", os.path.join(self.driver, soname))

    def make_toolkit(self, sonames):
        """Libraries of those names, as a toolkit in LD_LIBRARY_PATH has them."""
        os.makedirs(self.toolkit, exist_ok=True)
        for soname in sonames:
            call("gcc", "-shared", "-nostdlib", "-x", "c", "/dev/null", "-Wl,-soname," + soname, "-o", os.path.join(self.toolkit, soname))

    @functools.lru_cache(maxsize=None)
    def listed(self, path, with_toolkit=False):
        """ld.so's list of what a file loads: names with paths, None for what it does not find."""
        directories = self.driver + (":" + self.toolkit if with_toolkit else "")
        # With --list it stops at the first library that it does not find.
        output = call(LOADER, "--inhibit-cache", path, LD_LIBRARY_PATH=directories, LD_TRACE_LOADED_OBJECTS="1")[1]
        found = {}
        for name, where in re.findall(r"^\s+(\S+) => (\S.*?)(?: \(0x[0-9a-f]+\))?$", output, re.M):
            found[name] = None if where == "not found" else os.path.realpath(where)
        return found

    def loaded(self, root, with_toolkit=False):
        """Pairs of a file that is loaded with `root`, and what it needs."""
        found, seen, left = self.listed(root, with_toolkit), {root}, [root]
        while left:
            path = left.pop()
            elf = self.elf(path)
            for name in elf.needed if elf else ():
                where = found.get(name)
                yield path, name, where
                if where and where.startswith(self.site) and where not in seen:
                    seen.add(where)
                    left.append(where)

    def is_absent(self, name, where):
        """No wheel has it, nor every system of a policy: what this machine has does not count."""
        if name.startswith(OF_DRIVER) or name in SYSTEM:
            return False
        return where is None or not where.startswith(self.site)

    @staticmethod
    def roots(files):
        """Modules, and what no other file of the wheel loads."""
        needed = {name for elf in files.values() for name in elf.needed}
        return [path for path, elf in files.items()
                if elf.is_module or not needed & {elf.soname, os.path.basename(path)}]

    def lacks(self, files):
        """Pairs of a file and a name that it needs and does not find, however it is loaded."""
        return {(path, name) for root in self.roots(files) for path, name, where in self.loaded(root)
                if path in files and self.is_absent(name, where)}

    def shadowed(self, files):
        """Names that a toolkit in LD_LIBRARY_PATH has for a file of the wheel."""
        return {name for root in self.roots(files) for _, name, where in self.loaded(root, True)
                if where and where.startswith(self.toolkit)}

    def module_name(self, path):
        relative = os.path.relpath(path, self.site)
        return relative[:relative.index(".", relative.rfind("/") + 1)].replace("/", ".")

    @functools.lru_cache(maxsize=None)
    def imported(self, *names):
        """Imports in a new process: the error, its kind, and the libraries that were mapped."""
        code = ("import importlib, json, sys\n"
                "sys.path.insert(0, %r)\n"
                "kind = error = ''\n"
                "try:\n"
                "    for name in %r: importlib.import_module(name)\n"
                "except BaseException as problem: kind, error = type(problem).__name__, str(problem)\n"
                "maps = sorted({line.split(None, 5)[5].strip() for line in open('/proc/self/maps') if '.so' in line})\n"
                "print('\\n' + json.dumps([kind, error[:300], maps]))" % (self.site, list(names)))
        try:
            done = subprocess.run([sys.executable, "-B", "-S", "-E", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=300,
                                  env=dict(os.environ, LD_LIBRARY_PATH=self.driver, HOME=self.driver))
            return json.loads(done.stdout.splitlines()[-1])
        except (subprocess.TimeoutExpired, ValueError, IndexError):
            return ["crash", "the process ended", []]
