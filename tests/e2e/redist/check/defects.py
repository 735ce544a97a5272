#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: defects.py REDIST DIRECTORY

Runs REDIST check on all files below DIRECTORY, such as a collection of published manifests, and prints a table: for each rule
that was broken, how often, and in which files. By hand: published manifests are not part of this repository."""
import collections
import json
import os
import subprocess
import sys


def main(redist, directory):
    done = subprocess.run([redist, "check", "--json", directory], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    severities, files = {}, collections.defaultdict(collections.Counter)
    for one in report["findings"]:
        severities.setdefault(one["rule"], one["severity"])
        files[one["rule"]][os.path.relpath(one["file"], directory)] += 1
    print("| rule | severity | findings | files |\n|---|---|---|---|")
    for rule, counts in files.items():
        listed = ", ".join(f"{name} {count}" if count > 1 else name for name, count in sorted(counts.items()))
        print(f"| {rule} | {severities[rule]} | {sum(counts.values())} | {listed} |")
    touched = {name for counts in files.values() for name in counts}
    print(f"\n{report['files']} files, {len(touched)} of them with findings, exit code {done.returncode}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
