#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: mutations.py REDIST CASES DIRECTORY EVERY

Damages files in every form that `hostpin redist check` reads, one value at a time and always in the same order, and runs
REDIST check on each in DIRECTORY. A damage counts as found if it leads to a finding that the undamaged file does not have.
What no single file can show, such as another digit in a hash, is checked next to a copy and against a lock, and the finding
has to name the package and the platform. CASES: the directory of the schemas' cases, for examples. Exits with 1 if a damage
is not found. EVERY: 3 takes each third damage."""
import collections
import copy
import hashlib
import json
import os
import re
import subprocess
import sys


class Doubled(str):
    """A key that occurs twice: written like the one whose name it has."""

    def __hash__(self):
        return hash((str(self), "doubled"))

    def __eq__(self, other):
        return isinstance(other, Doubled) and str(self) == str(other)


# ------------------------------------------------------------------------------------------------- files


def archive(package, version, platform, variant="", keys=("sha256", "md5", "size")):
    ending = "zip" if platform.startswith("windows") else "tar.xz"
    infix = f"_{variant}" if variant else ""
    path = f"{package}/{platform}/{package}-{platform}-{version}{infix}-archive.{ending}"
    values = {
        "sha256": hashlib.sha256(path.encode()).hexdigest(),
        "md5": hashlib.md5(path.encode()).hexdigest(),
        "size": str(1000 + len(path)),
    }
    return {"relative_path": path, **{key: values[key] for key in keys}}


def package(key, version, platforms, variants=(), license_path=True, license_name="CUDA Toolkit"):
    made = {"name": f"NVIDIA {key}", "license": license_name}
    if license_path:
        made["license_path"] = f"{key}/LICENSE.txt"
    made["version"] = version
    if variants:
        made["cuda_variant"] = [variant.removeprefix("cuda") for variant in variants]
    for platform in platforms:
        if variants and platform != "source":
            made[platform] = {variant: archive(key, version, platform, variant) for variant in variants}
        else:
            made[platform] = archive(key, version, platform)
    return made


def by_hand(keys):
    name = "TensorRT-10.1.0.27.Linux.x86_64-gnu.cuda-12.4.tar.gz"
    made = archive("tensorrt", "10.1.0.27", "linux-x86_64", "cuda12", keys)
    made["relative_path"] = f"tensorrt/10.1.0/tars/{name}"
    return {
        "release_label": "10.1.0",
        "release_product": "tensorrt",
        "tensorrt": {
            "name": "NVIDIA TensorRT",
            "license": "TensorRT",
            "version": "10.1.0.27",
            "cuda_variant": ["12"],
            "linux-x86_64": {"cuda12": made},
        },
    }


def manifests():
    """Every form that is published: (file, document)."""
    label = {"release_date": "2024-04-03", "release_label": "12.4.1", "release_product": "cuda"}
    platforms = ["linux-x86_64", "linux-sbsa", "windows-x86_64"]
    yield "cuda/redistrib_12.4.1.json", {
        **label,
        "cuda_cudart": package("cuda_cudart", "12.4.127", platforms),
        "cuda_nvcc": package("cuda_nvcc", "12.4.131", platforms),
    }
    yield "cuda/redistrib_11.8.0.json", {
        "release_date": "2022-10-03",
        "cuda_cudart": package("cuda_cudart", "11.8.89", ["linux-x86_64", "linux-ppc64le"], license_path=False),
    }
    yield "cudnn/redistrib_9.1.1.json", {
        "release_date": "2024-05-07",
        "release_label": "9.1.1",
        "release_product": "cudnn",
        "cudnn": package("cudnn", "9.1.1.17", platforms, ["cuda11", "cuda12"], license_name="cudnn"),
        "cudnn_samples": package("cudnn_samples", "9.1.1.17", ["source"], license_name="cudnn"),
    }
    yield "tensorrt/redistrib_10.1.0.json", by_hand(("sha256", "md5", "size"))
    yield "tensorrt/redistrib_10.1.0.json", by_hand(("sha256",))


def others(cases):
    """Files of other kinds, from the examples of their schemas."""
    for kind, example, file in (
        ("redist-releases", "cudnn", "cudnn.json"),
        ("redist-releases", "tensorrt", "tensorrt.json"),
        ("redist-features-1", "cuda", "feature_12.4.1.json"),
        ("redist-features-2", "tensorrt", "10.4.0.json"),
    ):
        with open(f"{cases}/{kind}.json", encoding="utf-8") as text:
            yield file, json.load(text)["examples"][example]


# Damages after which a file is as good as before: (file, kind, position). No other file says that it was otherwise.
HARMLESS = [
    # Archives can be left out; against a lock they are found, below.
    (r"redistrib_", "dropped", r"[^/]*(/(linux|windows)-[^/]*)?"),
    # Keys that some published lists lack; null is what they have for a TensorRT that needs no cuDNN.
    (r"cudnn", "dropped", r"product|releases/[^/]*"),
    (r"tensorrt", "dropped|null instead", r"linux-sbsa/./cudnnVersion"),
    (r"10.4.0", "dropped", r".*/(relativePath|cudaArchitectures|linux-aarch64)"),
    # A feature manifest with fewer archives, or with outputs of other archives: only these show it.
    (r"feature_", "dropped|swapped", r"cuda_cudart/[^/]*"),
    (r"feature_", "swapped", r"cuda_cudart/[^/]*/outputs/.*"),
    # Two free texts.
    (r"10.4.0", "swapped", r"tensorrt/releaseInfo/license"),
]


def is_harmless(file, kind, place):
    where = "/".join(map(str, place))
    name = file.rpartition("/")[2]
    return any(name.startswith(one) and re.fullmatch(kinds, kind) and re.fullmatch(places, where) for one, kinds, places in HARMLESS)


# ----------------------------------------------------------------------------------------------- damages


def containers(value, at=()):
    if isinstance(value, (dict, list)):
        yield at, value
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(member, (*at, key))


def inside(document, at):
    for key in at:
        document = document[key]
    return document


def changed(document, at, change):
    """A copy in which `change` was called with the container at this position."""
    damaged = copy.deepcopy(document)
    change(inside(damaged, at))
    return damaged


def swap(container, first, second):
    container[first], container[second] = container[second], container[first]


def double(container, key):
    members = list(container.items())
    container.clear()
    for name, value in members:
        container[name] = value
        if name == key:
            container[Doubled(name)] = value


def retyped(value):
    """Values of other types; a number in place of a size is one that a lenient reader would take."""
    yield "a number", 7
    yield "null", None
    yield "a list", [[]]
    if not isinstance(value, str):
        yield "a string", "x"
    if not isinstance(value, bool):
        yield "a boolean", True


def structural(document):
    """(kind, position, damaged document): each key dropped, swapped with the next, of another type, doubled, misspelt."""
    for at, container in containers(document):
        if not isinstance(container, dict):
            continue
        keys = list(container)
        for index, key in enumerate(keys):
            place = (*at, key)
            yield "dropped", place, changed(document, at, lambda one, key=key: one.pop(key))
            yield "doubled", place, changed(document, at, lambda one, key=key: double(one, key))
            for what, value in retyped(container[key]):
                yield f"{what} instead", place, changed(document, at, lambda one, key=key, value=value: one.update({key: value}))
            following = keys[(index + 1) % len(keys)]
            if container[following] != container[key] and index + 1 < max(len(keys), 2):
                yield "swapped", place, changed(document, at, lambda one, key=key, other=following: swap(one, key, other))


def leaves(document, names):
    for at, container in containers(document):
        if isinstance(container, dict):
            for key in container:
                if key in names and isinstance(container[key], str):
                    yield at, key, container[key]


PATHS = {
    "absolute": "/{}",
    "above": "../{}",
    "above, later": "x/../../{}",
    "other host": "https://example.org/{}",
    "other host without a scheme": "//example.org/{}",
    "backslashes": "..\\{}",
    "escaped": "%2e%2e/{}",
    "dot": "./{}",
    "empty name": "x//{}",
    "space": " {}",
    "newline": "{}\n",
    "control character": "\x01{}",
    "quote": "'{}",
}


def paths(document):
    for at, key, value in leaves(document, ("relative_path", "license_path", "path", "url", "filename")):
        for what, form in PATHS.items():
            if key == "url" and what.startswith("other host"):
                form = {"other host": "http://example.org/{}", "other host without a scheme": "//example.org/{}"}[what]
            yield f"{what} path", (*at, key), changed(document, at, lambda one, key=key, new=form.format(value): one.update({key: new}))


def digests(document):
    """Digests that are none."""
    for at, key, value in leaves(document, ("sha256", "md5", "hash", "recursiveHash", "tree")):
        for what, new in (
            ("empty", ""),
            ("a character less", value[:-1]),
            ("a character more", value + "0"),
            ("a character that is none", value[:-2] + "!" + value[-1]),
            ("capital letters", value.upper()),
            ("a newline at the end", value + "\n"),
        ):
            if new != value:
                yield f"digest: {what}", (*at, key), changed(document, at, lambda one, key=key, new=new: one.update({key: new}))


def left_out(document):
    """A package or platform less."""
    for at, container in containers(document):
        for key, value in container.items() if isinstance(container, dict) and len(at) < 2 else ():
            if isinstance(value, dict):
                yield "left out", (*at, key), changed(document, at, lambda one, key=key: one.pop(key))


def flipped(document):
    """Well-formed digests and sizes of other files: every eighth digit, which a copy or a lock shows."""
    for at, key, value in leaves(document, ("sha256", "md5", "size")):
        for index in range(0, len(value), 8 if key != "size" else 1):
            new = value[:index] + ("2" if value[index] == "1" else "1") + value[index + 1 :]
            yield f"digit of {key}", (*at, key), changed(document, at, lambda one, key=key, new=new: one.update({key: new}))


# ---------------------------------------------------------------------------------------------- checking


def write(path, document):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)


def check(redist, *arguments):
    """(exit code, findings)"""
    done = subprocess.run([redist, "check", "--json", "--fail-on", "note", *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2) or (done.returncode != 2 and done.stderr):
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr}")
    findings = json.loads(done.stdout)["findings"] if done.stdout else []
    assert (done.returncode != 0) == bool(findings or done.stderr), arguments
    return done.returncode, findings


def new_findings(found, before):
    """A finding of the undamaged file may only move."""
    known = collections.Counter((one["rule"], one["package"], one["platform"], one["explanation"]) for one in before)
    fresh = []
    for one in found:
        what = (one["rule"], one["package"], one["platform"], one["explanation"])
        if known[what]:
            known[what] -= 1
        else:
            fresh.append(one)
    return fresh


class Harness:
    def __init__(self, redist, directory, every):
        self.redist, self.directory, self.every, self.seen = redist, directory, every, 0
        self.counts, self.rules, self.missed, self.harmless = collections.Counter(), set(), [], 0

    def takes(self):
        """One damage of each `every`, the same ones in every run."""
        self.seen += 1
        return self.seen % self.every == 0

    def note(self, kind, file, place, fresh, refused=False):
        self.counts[kind] += 1
        self.rules |= {one["rule"] for one in fresh}
        if not fresh and not refused and is_harmless(file, kind, place):
            self.harmless += 1
            self.counts[kind] -= 1
        elif not fresh and not refused:
            self.missed.append(f"{file}: {kind}: {'/'.join(map(str, place))}")

    def alone(self, file, document):
        path = f"{self.directory}/alone/{file}"
        write(path, document)
        _, before = check(self.redist, path)
        if any(one["severity"] == "error" for one in before):
            self.missed.append(f"{file}: an error in the undamaged file: {before}")
        for damages in (structural, paths, digests):
            for kind, place, damaged in damages(document):
                if not self.takes():
                    continue
                write(path, damaged)
                code, found = check(self.redist, path)
                self.note(kind, file, place, new_findings(found, before), code == 2)

    def together(self, file, document):
        """Next to a copy, and against a lock that was made from it."""
        path, twin = f"{self.directory}/damaged/{file}", f"{self.directory}/copy/{file}"
        write(path, document)
        write(twin, document)
        lock = f"{self.directory}/redist.lock"
        platforms = sorted({key for one in document.values() if isinstance(one, dict) for key in one if "-" in key})
        variant = ["--cuda-variant", "12"] if "cudnn" in document or "tensorrt" in document else []
        subprocess.run([self.redist, "lock", twin, "--platforms", ",".join(platforms), *variant, "-o", lock], capture_output=True, check=True)
        _, before = check(self.redist, path, twin)
        _, locked = check(self.redist, path, "--against", lock)
        with open(lock, encoding="utf-8") as text:
            in_lock = {one["path"] for one in json.load(text)["archives"]}
        for kind, place, damaged in flipped(document):
            self.compared(f"{kind}, copy", file, place, damaged, (path, twin), before)
            if place[-1] != "md5" and inside(document, place[:-1])["relative_path"] in in_lock:
                self.compared(f"{kind}, lock", file, place, damaged, (path, "--against", lock), locked)
        for kind, place, damaged in left_out(document):
            self.compared(f"{kind}, lock", file, place, damaged, (path, "--against", lock), locked)

    def compared(self, kind, file, place, damaged, arguments, before):
        """The finding has to name the package, and the platform if only that is damaged."""
        if not self.takes():
            return
        write(arguments[0], damaged)
        _, found = check(self.redist, *arguments)
        names = [one for one in new_findings(found, before) if one["package"] == place[0] and place[1:2] in ((), (one["platform"],))]
        self.note(kind, file, place, names)

    def report(self):
        for kind, count in sorted(self.counts.items()):
            print(f"{count:5} {kind}")
        print(f"{sum(self.counts.values()):5} damages, {len(self.missed)} not found; {self.harmless} more are harmless; rules: {', '.join(sorted(self.rules))}")
        print("\n".join(self.missed))
        return 1 if self.missed or sum(self.counts.values()) < 300 else 0


def main(redist, cases, directory, every):
    harness = Harness(redist, directory, int(every))
    for file, document in [*manifests(), *others(cases)]:
        harness.alone(file, document)
    for file, document in manifests():
        harness.together(file, document)
    return harness.report()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
