# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a pipeline of GitHub or GitLab one after the other in the current directory, where artifacts and caches stay:
pipeline.py FILE. Prints how many cells ran; the exit code is that of the last job."""
import json
import os
import re
import subprocess
import sys

import yaml


def shell(script, **variables):
    return subprocess.run(["bash", "-e", "-c", script], env={**os.environ, **variables}, check=False).returncode


def github(pipeline):
    outputs, ran, code = {}, 0, 0
    with open("github-output", "w", encoding="utf-8"):
        pass
    for job in pipeline["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {}).get("cells")
        if matrix is not None:
            matrix = json.loads(outputs[re.search(r"outputs\.([-a-z]+)", matrix).group(1)])
            ran += sum(len(each.split()) for each in matrix)
        for cells in [""] if matrix is None else matrix:
            for step in job["steps"]:
                if "run" in step and (code == 0 or "always()" in step.get("if", "")):
                    script = step["run"].replace("${{ matrix.cells }}", cells)
                    for joined in re.findall(r"\$\{\{ join\(fromJSON\(needs\.plan\.outputs\.[-a-z]+\), ' '\) \}\}", script):
                        name = re.search(r"outputs\.([-a-z]+)", joined).group(1)
                        script = script.replace(joined, " ".join(json.loads(outputs[name])))
                    assert "${{" not in script, script
                    code = shell(script, GITHUB_OUTPUT=os.path.abspath("github-output"))
        with open("github-output", encoding="utf-8") as file:
            outputs.update(line.rstrip("\n").split("=", 1) for line in file)
    return ran, code


def gitlab(pipeline):
    ran, code = 0, 0
    for stage in pipeline["stages"]:
        for name, job in pipeline.items():
            if not isinstance(job, dict) or name.startswith("."):
                continue
            job = {**pipeline.get(job.get("extends"), {}), **job}
            if job["stage"] != stage:
                continue
            if "trigger" in job:
                with open(job["trigger"]["include"][0]["artifact"], encoding="utf-8") as file:
                    more, code = gitlab(yaml.safe_load(file))
                ran += more
                continue
            retry = job.get("retry", {"max": 0, "exit_codes": []})
            for _ in range(1 + retry["max"]):
                code = shell("\n".join(job.get("before_script", []) + job["script"]))
                if code not in retry["exit_codes"]:
                    break
            ran += stage == "cells"
            if code == job.get("allow_failure", {}).get("exit_codes"):
                code = 0
    return ran, code


with open(sys.argv[1], encoding="utf-8") as description:
    PIPELINE = yaml.safe_load(description)
RAN, CODE = (github if "jobs" in PIPELINE else gitlab)(PIPELINE)
print(f"ran: {RAN}")
sys.exit(CODE)
