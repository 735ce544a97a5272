# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `hostpin wheel check` of published wheels with what the loader and imports do.

usage: published.py WHEEL STORE WORK [--auditwheel] [NAME...]
WHEEL: hostpin's program of that name. STORE: has the downloaded wheels, and gets findings.tsv. WORK: unpacked wheels, deleted at the end.
A wheel is installed with the wheels of published/*.txt that it requires. --auditwheel: the policy by auditwheel show too, which takes minutes for
wheels of more than 100 MB. Verdicts are `true`, `FALSE`, or `-` for a rule that is not compared."""
import collections
import csv
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loader_truth import POLICIES, Environment, call, unpack  # noqa: E402

ABSENT = ("run-path-missing", "missing-library", "order-dependent", "requires-missing")
Row = collections.namedtuple("Row", "name extras version sha256 requirement")


def rows():
    """Of all lists: normalised name to rows, of which one name may have several."""
    found = {}
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.txt"))):
        with open(path, encoding="ascii") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    one = Requirement(line.split()[0])
                    row = Row(one.name, tuple(sorted(one.extras)), str(one.specifier)[2:], line.strip()[-64:], line)
                    found.setdefault(canonicalize_name(row.name), []).append(row)
    return found


def digest(path):
    whole = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            whole.update(piece)
    return whole.hexdigest()


class Store:
    """Downloaded wheels, by the user's own pip, and each unpacked once."""

    def __init__(self, directory, work, known):
        self.directory, self.work, self.known = directory, work, known
        self.checked, self.requirements = set(), {}

    def wheel(self, row):
        path = self.there(row)
        if not path:
            with open(os.path.join(self.work, "requirements.txt"), "w", encoding="ascii") as file:
                file.write(row.requirement)
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--no-deps", "--require-hashes",
                            "-d", self.directory, "-r", file.name], check=True)
            path = self.there(row)
        if row not in self.checked and digest(path) != row.sha256:
            raise SystemExit("FAIL: %s is not the file of published/*.txt: delete it" % path)
        self.checked.add(row)
        return path

    def there(self, row):
        for path in glob.glob(os.path.join(self.directory, "*.whl")):
            name, version, _, _ = parse_wheel_filename(os.path.basename(path))
            if name == canonicalize_name(row.name) and version == Version(row.version):
                return path
        return None

    def unpacked(self, row):
        directory = os.path.join(self.work, "unpacked", row.name + "-" + row.version)
        if not os.path.isdir(directory):
            shutil.rmtree(directory + ".new", ignore_errors=True)
            unpack(self.wheel(row), directory + ".new")
            os.rename(directory + ".new", directory)
        return directory

    def metadata(self, row):
        """What it requires, with extras of itself left out."""
        if row not in self.requirements:
            with zipfile.ZipFile(self.wheel(row)) as archive:
                name = next(one for one in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", one))
                text = archive.read(name).decode(errors="replace").split("\n\n")[0]
            self.requirements[row] = [Requirement(one) for one in re.findall(r"^Requires-Dist: *(.+?)\r?$", text, re.M)]
        return self.requirements[row]

    def required(self, row):
        """Rows that are installed with it, and names of what no row has."""
        names, absent, seen, left = {}, set(), set(), [(row, extra) for extra in ("",) + row.extras]
        while left:
            one, extra = left.pop()
            for requirement in self.metadata(one):
                if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                    continue
                other = next((one for one in self.known.get(canonicalize_name(requirement.name), ())
                              if requirement.specifier.contains(one.version, prereleases=True)), None)
                if other is None:
                    absent.add(requirement.name)
                    continue
                names[other.name] = other
                for wanted in [""] + sorted(requirement.extras):
                    if (other, wanted) not in seen:
                        seen.add((other, wanted))
                        left.append((other, wanted))
        names.pop(row.name, None)
        return list(names.values()), absent


def numbers(text):
    return [int(part) for part in re.findall(r"\d+", text)]


class Comparison:
    """The findings of one wheel, each with a verdict."""

    def __init__(self, path, environment, files):
        self.path, self.environment, self.files, self.shadows = path, environment, files, None
        self.lacks = environment.lacks(files)

    def file(self, finding):
        """The installed file of a finding."""
        member = finding["member"][0] if finding["member"] else ""
        return os.path.join(self.environment.site, re.sub(r"^[^/]+\.data/(?:purelib|platlib)/", "", member))

    def verdict(self, finding):
        rule = finding["rule"]
        judge = getattr(self, "judge_" + ("absent" if rule in ABSENT else rule.replace("-", "_")), None)
        return judge(finding) if judge else "-"

    def judge_absent(self, finding):
        path, name = self.file(finding), finding["reference"]
        if finding["rule"] == "requires-missing" and finding["severity"] == "note":
            return "true" if any(name in elf.needed for elf in self.files.values()) else "FALSE: nothing needs it"
        if (path, name) not in self.lacks and finding["rule"] != "requires-missing":
            return "FALSE: ld.so finds it"
        if finding["rule"] == "requires-missing" and not any(name == lacked for _, lacked in self.lacks):
            return "FALSE: it is found"
        if finding["severity"] == "error":
            return self.judge_import(path)
        if finding["severity"] == "note":
            return self.judge_preload(path, name)
        return "true"

    def judge_preload(self, path, name):
        """Of a note that Python code opens the library: no module that loads the file lacks it."""
        for module in self.modules_with(path):
            if name in self.environment.imported(self.environment.module_name(module))[1]:
                return "FALSE: import %s fails" % self.environment.module_name(module)
        return "true"

    def judge_import(self, path):
        """Of an error: modules that load the file cannot be imported."""
        for module in self.modules_with(path):
            kind, error, _ = self.environment.imported(self.environment.module_name(module))
            if not kind:
                return "FALSE: import %s succeeds" % self.environment.module_name(module)
        return "true"

    def modules_with(self, path):
        return [one for one, elf in self.files.items() if elf.is_module
                and (one == path or any(where == path for _, _, where in self.environment.loaded(one)))]

    def judge_run_path_leaves_site(self, finding):
        path, entry = self.file(finding), finding["reference"] or ""
        elf = self.files[path]
        if entry not in ((elf.runpath if elf.runpath is not None else elf.rpath) or "").split(":"):
            return "FALSE: no such entry"
        meant = os.path.normpath(re.sub(r"\$(ORIGIN|\{ORIGIN\})", os.path.dirname(path), entry))
        prefix = os.path.normpath(self.environment.site + "/../../..")
        return "FALSE: inside" if entry.startswith("$") and (meant + "/").startswith(prefix + "/") else "true"

    def judge_executable_stack(self, finding):
        return "true" if self.files[self.file(finding)].executable_stack else "FALSE: none"

    def judge_second_cuda_runtime(self, finding):
        path = self.file(finding)
        first = re.search(r"The process after (\S+) was imported", finding["explanation"])
        names = [first.group(1)] if first and "/" not in first.group(1) else []
        names += [self.environment.module_name(one) for one in self.modules_with(path)]
        runtimes = [one for one in self.environment.imported(*names)[2] if "libcudart" in os.path.basename(one)]
        return "true" if len(runtimes) > 1 else "FALSE: %d" % len(runtimes) if not self.environment.imported(*names)[0] else "-"

    def promised(self):
        """The lowest policy of the tags in the file name."""
        aliases = {"1": "2_5", "2010": "2_12", "2014": "2_17"}
        tags = [tag[len("manylinux"):-len("_x86_64")].lstrip("_") for tag in self.path[:-4].rsplit("-", 1)[1].split(".")
                if tag.startswith("manylinux")]
        return min((numbers(aliases.get(tag, tag)) for tag in tags), default=None)

    def excess(self):
        """Pairs of a file and a version beyond the promised policy, by auditwheel's table, and glibc's versions by PEP 600."""
        promised = self.promised()
        below = [one for one in POLICIES if promised and one.name != "linux" and numbers(one.name.split("x86")[0]) <= promised]
        allowed = {kind: max((numbers(one) for policy in below for one in policy.symbol_versions.get(kind, ())), default=[])
                   for kind in ("GLIBCXX", "CXXABI", "GCC")}
        allowed["GLIBC"] = promised
        own = {name for path, elf in self.files.items() for name in (elf.soname, os.path.basename(path))}
        for path, elf in self.files.items():
            for library, versions in elf.versions.items():
                for one in versions if promised and library not in own else ():
                    kind, _, number = one.partition("_")
                    if kind in allowed and number[:1].isdigit() and numbers(number) > allowed[kind]:
                        yield path, one

    def judge_policy_version(self, finding):
        return "true" if (self.file(finding), finding["reference"]) in set(self.excess()) else "FALSE: in the policy"

    def judge_tag_below_needs(self, finding):
        if " It needs " not in finding["explanation"]:
            return "-"
        return "true" if any(True for _ in self.excess()) else "FALSE: in the policy"

    def judge_record_incomplete(self, finding):
        with zipfile.ZipFile(self.path) as archive:
            record = next(one for one in archive.namelist() if one.endswith(".dist-info/RECORD"))
            listed = {row[0]: row[1] for row in csv.reader(archive.read(record).decode().splitlines()) if row}
            member = (finding["member"] or [""])[0]
            return "-" if member in listed and listed[member] else "true"

    def judge_system_shadows_wheel(self, finding):
        if "LD_LIBRARY_PATH" not in finding["explanation"]:
            return "-"
        return "true" if finding["reference"] in self.shadowed() else "FALSE: the wheel's is loaded"

    def shadowed(self):
        if self.shadows is None:
            self.environment.make_toolkit({name for elf in self.files.values() for name in elf.needed
                                           if name.startswith(("libcu", "libnv", "libnpp", "libnccl"))})
            self.shadows = self.environment.shadowed(self.files)
        return self.shadows

    def missed(self, findings):
        """What ld.so does not find and no finding names."""
        named = {(self.file(one), one["reference"]) for one in findings if one["rule"] in ABSENT}
        required = {one["reference"] for one in findings if one["rule"] == "requires-missing"}
        of_torch = any(name.startswith(("libtorch", "libc10")) for name in required)
        for path, name in sorted(self.lacks):
            if (path, name) not in named and name not in required and not (of_torch and name.startswith(("libtorch", "libc10"))):
                yield path, name


def check(program, *arguments):
    done = subprocess.run([program, "check", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit("FAIL: check %s: %s" % (arguments[0], done.stderr))
    return json.loads(done.stdout)


def shown_by_auditwheel(path):
    output = call(sys.executable, "-m", "auditwheel", "show", path)[1].replace("\n", " ")
    shown = re.search(r'tag:\s+"(\S+?)_x86_64"', output)
    return shown.group(1) if shown else "none"


def judge(program, store, row, table, with_auditwheel):
    path = store.wheel(row)
    required, absent = store.required(row)
    root = os.path.join(store.work, "environment")
    shutil.rmtree(root, ignore_errors=True)
    directories = [store.unpacked(one) for one in [row] + required]
    environment = Environment(root, directories)
    files = environment.files_of(store.unpacked(row))
    environment.make_driver(directories)
    report = check(program, path, "--site", environment.site)
    bare = {(one["rule"], str(one["member"]), one["reference"]) for one in check(program, path)["findings"]}
    comparison = Comparison(path, environment, files)
    counts = collections.Counter()
    for one in report["findings"]:
        verdict = comparison.verdict(one)
        counts[one["severity"]] += 1
        counts[verdict[:4].strip()] += 1
        also = "" if (one["rule"], str(one["member"]), one["reference"]) in bare else "site only"
        table.writerow([row.name, row.version, one["severity"], one["rule"], "/".join(one["member"]), one["reference"], verdict, also,
                        one["explanation"]])
    # A library of a required wheel that is in no list is not there, which is no fault of the wheel.
    for file, name in comparison.missed(report["findings"]) if not absent else ():
        counts["missed"] += 1
        table.writerow([row.name, row.version, "", "MISSED", os.path.relpath(file, environment.site), name, "FALSE", "", ""])
    shown = shown_by_auditwheel(path) if with_auditwheel else ""
    lowest = report["wheel"]["needs"]["lowest_policy"]
    print("| %s %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s |" % (
        row.name, row.version, len(files), counts["error"], counts["warning"], counts["note"], counts["true"], counts["FALS"],
        counts["missed"], lowest or "none", shown, ", ".join(sorted(absent))), flush=True)
    shutil.rmtree(root)
    return counts


def main():
    program, directory, work, names = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with_auditwheel = "--auditwheel" in names
    names = [name for name in names if name != "--auditwheel"]
    known = rows()
    store = Store(directory, work, known)
    os.makedirs(work, exist_ok=True)
    wanted = [row for name in names or known for row in known[canonicalize_name(name)]]
    total = collections.Counter()
    print("| wheel | libraries | errors | warnings | notes | true | false | missed | policy | auditwheel | not installed |")
    with open(os.path.join(directory, "findings.tsv"), "w", encoding="utf-8") as file:
        table = csv.writer(file, "excel-tab")
        for row in wanted:
            total += judge(program, store, row, table, with_auditwheel)
            file.flush()
    print("%d wheels, %s" % (len(wanted), ", ".join("%s %d" % one for one in sorted(total.items()))))
    shutil.rmtree(work)
    return 1 if total["FALS"] or total["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
