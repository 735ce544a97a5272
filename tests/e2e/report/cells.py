# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merged results of a matrix of 10,000 cells, as hostpin matrix merge writes them: cells.py BEFORE.json NOW.json."""
import json
import sys

FAILURES = {
    7: ("test", "test", "$WORK/build/sum: wrong result"),
    11: ("link", "build", "reduce.cu.o: undefined reference to `<b>warp_sum</b>(float&)'"),
    13: ("header", "build", "$SOURCE/vector.cuh:3:10: fatal error: cub/cub.cuh: No such file or directory"),
}


def cell(number, is_before):
    axes = {"project": f"project-{number // 1000}", "toolkit": f"12.{number // 100 % 10}", "stdenv": f"g++-{number // 10 % 10 + 7}",
            "gpus": f"{number % 10 + 6}.0"}
    one = {"cell": "_".join(axes.values()), "axes": axes, "state": "passed", "key": f"{number:063x}{is_before:d}", "decision": "d",
           "question": "q", "findings": [], "inputs": [], "uncertain": [], "kind": "result", "form": 1}
    cause = None
    if number % 10 == 9:
        one["state"], cause = "cannot", ("gate", "bind", "no host compiler fits CUDA " + axes["toolkit"])
    for each, failure in FAILURES.items():
        if number % each == 0 and not (is_before and number % 2):
            one["state"], cause = "failed", failure
    if number % 997 == 0:
        one["state"], cause = "lost", ("disk", "build", "write: No space left on device")
    if number % 100 == 3:
        one["findings"] = [{"rule": "wrong-libstdcxx", "severity": "warning", "path": f"$WORK/prefix/lib/lib{n}.so",
                            "fingerprint": f"{n}"} for n in range(3)]
    if cause:
        one["cause"] = dict(zip(("kind", "stage", "text", "fix"), (*cause, "")))
    return one


for path, is_before in zip(sys.argv[1:], (True, False)):
    cells = sorted((cell(number, is_before) for number in range(10000)), key=lambda one: one["cell"])
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"kind": "merged", "form": 1, "name": "nightly", "cells": cells}, file)
