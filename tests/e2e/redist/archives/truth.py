# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truth.py DIRECTORY RELEASE PLATFORM FEATURES: compares a feature manifest with what others computed from NVIDIA's own archives.

DIRECTORY has tree-truth.csv (outputs; cuda-redist-find-features), arch-truth.csv (architectures; cuda-packages) and sonames.csv (sonames
by package and release; cuda-redist-find-features). None of them is in this repository. Prints each difference, then counts of rows that
agree; the exit code is 0. What Debian's packages lack is explained in README.md.
"""
import csv
import json
import sys


def rows(path, release, platform):
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["product"] == "cuda" and row["release"] == release and row["platform"] == platform and not row["variant"]:
                yield row


def sonames(path, release, platform):
    """Package -> sonames."""
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["platform"] == platform and release in row["releases"].split():
                found.setdefault(row["package"], set()).add(row["soname"])
    return found


def report(kind, expected, actual):
    """Both: package -> set. Prints and counts."""
    agree = 0
    for package in sorted(expected):
        if expected[package] == actual[package]:
            agree += 1
            continue
        print(f"{kind} {package}: lacks {' '.join(sorted(expected[package] - actual[package])) or '-'}, "
              f"has {' '.join(sorted(actual[package] - expected[package])) or '-'}")
    print(f"{kind}: {agree} of {len(expected)} packages agree")


def main(directory, release, platform, path):
    with open(path, encoding="utf-8") as file:
        packages = json.load(file)
    features = {key: value["packages"][platform]["None"]["features"] for key, value in packages.items()}
    tree = {row["package"]: set(row["outputs"].split()) for row in rows(f"{directory}/tree-truth.csv", release, platform)}
    report("outputs", {key: value for key, value in tree.items() if key in features},
           {key: set(value["outputs"]) for key, value in features.items()})
    archs = {row["package"]: set(row["architectures"].split())
             for row in rows(f"{directory}/arch-truth.csv", release, platform)}
    report("architectures", {key: archs.get(key, set()) for key in features},
           {key: set(value["cudaArchitectures"]) for key, value in features.items()})
    names = sonames(f"{directory}/sonames.csv", release, platform)
    if names:
        report("sonames", {key: names.get(key, set()) for key in features},
               {key: {each["soname"] for each in value["providedLibs"]} for key, value in features.items()})
    else:
        print(f"sonames: the list has no {release}")


main(*sys.argv[1:])
