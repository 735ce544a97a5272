# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every installed distribution that has ELF files with `hostpin wheel check --site`, and compares the verdicts with the loader.

usage: wheels.py HOSTPIN SITE [NAME...]
Each is packed into a wheel again, from its RECORD, and checked over the directory that it is installed in. Then, each in a process of its own:
every extension module is opened by dlopen alone, and the package is imported and its mapped files are read."""
import csv
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

WRITTEN_BY_INSTALLERS = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")
UNFOUND = {"run-path-missing", "order-dependent", "missing-library", "requires-missing"}


class Distribution:
    def __init__(self, site, info):
        self.site, self.info = site, info
        with open(os.path.join(site, info, "METADATA"), errors="replace") as file:
            headers = file.read().split("\n\n", 1)[0]
        self.name = re.search(r"^Name: *(\S+)", headers, re.M).group(1)
        self.version = re.search(r"^Version: *(\S+)", headers, re.M).group(1)
        with open(os.path.join(site, info, "WHEEL")) as file:
            self.tags = re.findall(r"^Tag: *(\S+)", file.read(), re.M)
        with open(os.path.join(site, info, "RECORD"), newline="") as file:
            rows = [row for row in csv.reader(file) if row]
        self.rows = [row for row in rows if not row[0].startswith(("..", "/")) and "__pycache__" not in row[0] and
                     not (row[0].startswith(info) and os.path.basename(row[0]) in WRITTEN_BY_INSTALLERS)]

    def libraries(self):
        return [row[0] for row in self.rows if ".so" in os.path.basename(row[0]) and is_elf(os.path.join(self.site, row[0]))]

    def modules(self):
        """Names that can be imported."""
        names = {row[0].split("/")[0] for row in self.rows if row[0].count("/") == 1 and row[0].endswith("/__init__.py")}
        return sorted(name for name in names if name.isidentifier())

    def wheel(self, directory):
        """Without compression: the content counts."""
        pythons, abis, platforms = ({tag.split("-")[i] for tag in self.tags} for i in range(3))
        name = re.sub(r"[-_.]+", "_", self.name)
        path = os.path.join(directory, "-".join([name, self.version.replace("-", "_")] + [".".join(sorted(part)) for part in (pythons, abis, platforms)]) + ".whl")
        record = self.info + "/RECORD"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for row in self.rows:
                member = zipfile.ZipInfo(row[0], (2020, 1, 1, 0, 0, 0))
                member.file_size = os.path.getsize(os.path.join(self.site, row[0]))
                with open(os.path.join(self.site, row[0]), "rb") as file, archive.open(member, "w") as out:
                    shutil.copyfileobj(file, out, 1 << 20)
            archive.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "".join('"%s",%s,%s\n' % tuple(row) for row in self.rows + [[record, "", ""]]))
        return path


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def in_child(work, *arguments):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            answer = work(*arguments)
        except BaseException as problem:  # whatever a package raises is its answer
            answer = {"error": str(problem) or type(problem).__name__, "files": []}
        with os.fdopen(writing, "w") as out:
            json.dump(answer, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as result:
        text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the process ended", "files": []}


def opened(path):
    ctypes.CDLL(path)
    return {"error": "", "files": mapped()}


def imported(names):
    for name in names:
        __import__(name)
    return {"error": "", "files": mapped()}


def mapped():
    with open("/proc/self/maps") as maps:
        return sorted({line.split(None, 5)[5].strip() for line in maps if ".so" in line})


def exports_runtime(path, known={}):  # kept from one package to the next
    if path not in known:
        symbols = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
        known[path] = "__cudaRegisterFatBinary" in symbols and re.search(r" cudaLaunchKernel\b", symbols) is not None
    return known[path]


def compare(distribution, report):
    """Disagreements with the loader."""
    site = distribution.site
    found = [(one["rule"], one["severity"], one["member"][0] if one["member"] else "", one["reference"]) for one in report["findings"]]
    for library in distribution.libraries():
        alone = in_child(opened, os.path.join(site, library))
        lost = re.match(r"(\S+): cannot open shared object file", alone["error"])
        said = {reference for rule, _, member, reference in found if member == library and rule in UNFOUND - {"requires-missing"}}
        if lost and not any(reference == lost.group(1) for rule, _, _, reference in found if rule in UNFOUND) and not lost.group(1).startswith(("libcuda.so", "libnvidia")):
            yield "%s: the loader does not find %s, and check does" % (library, lost.group(1))
        # What a toolkit of this machine has is found there.
        there = sorted(one for one in alone["files"] if os.path.basename(one) in said and one.startswith(site + "/"))
        if there and not alone["error"]:
            yield "%s: check does not find %s, and the loader does" % (library, " ".join(there))
    process = in_child(imported, distribution.modules())
    if process["error"]:
        print("        not imported: %s" % process["error"].splitlines()[0])
        return
    for rule, severity, member, reference in found:
        if severity == "error" and rule in UNFOUND - {"requires-missing"} and os.path.join(site, member) in process["files"]:
            yield "%s: %s %s is an error, and it was loaded" % (member, rule, reference)
    runtimes = [one for one in process["files"] if "/site-packages/" in one and exports_runtime(one)]
    if len(runtimes) > 1 and not any(one[0] == "second-cuda-runtime" for one in found):
        owners = {row[0] for row in distribution.rows}
        if any(os.path.relpath(one, site) in owners for one in runtimes):
            yield "two runtimes are loaded: " + " ".join(runtimes)


def main():
    hostpin, site, names = sys.argv[1], os.path.realpath(sys.argv[2]), set(sys.argv[3:])
    sys.path.insert(0, site)
    disagreements = checked = 0
    for info in sorted(os.listdir(site)):
        if not info.endswith(".dist-info") or not os.path.exists(os.path.join(site, info, "RECORD")):
            continue
        distribution = Distribution(site, info)
        if (names and distribution.name not in names) or not distribution.libraries():
            continue
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as directory:
            done = subprocess.run([hostpin, "wheel", "check", distribution.wheel(directory), "--site", site, "--json", "--fail-on", "never"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        checked += 1
        if done.returncode != 0:
            print("FAILED  %s: %s" % (distribution.name, done.stderr.strip() or "exit code %d" % done.returncode))
            disagreements += 1
            if not done.stdout:
                continue
        report = json.loads(done.stdout)
        counts = {}
        for one in report["findings"]:
            key = "%s %s" % (one["severity"], one["rule"])
            counts[key] = counts.get(key, 0) + 1
        needs = report["wheel"]["needs"]
        print("%-28s %s, CUDA %s, driver %s; %s" % (distribution.name + " " + distribution.version, needs["lowest_policy"], needs["cuda"], needs["driver"],
                                                   ", ".join("%d %s" % (count, key) for key, count in sorted(counts.items())) or "nothing"))
        for problem in compare(distribution, report):
            print("DIFFERS %s: %s" % (distribution.name, problem))
            disagreements += 1
    print("%d distributions, %d disagreements" % (checked, disagreements))
    return 1 if disagreements or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
