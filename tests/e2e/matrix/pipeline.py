# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a pipeline of GitHub, Forgejo or GitLab one after the other in the current directory, where artifacts stay; each entry
of the cache is in caches/: pipeline.py FILE. Prints how many cells ran; the exit code is that of the last job. A pull request's runs have
GITHUB_EVENT_NAME=pull_request or CI_MERGE_REQUEST_IID."""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml


def shell(script, **variables):
    return subprocess.run(["bash", "-e", "-c", script], env={**os.environ, **variables}, check=False).returncode


def copied(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def restore(entries):
    for entry in entries:
        if os.path.isdir("caches/" + entry):
            return copied("caches/" + entry, "before")


def github_cache(step):
    """A pull request's runs have their own entry, which is looked for first."""
    event = os.environ.get("GITHUB_EVENT_NAME", "push")
    if step["uses"].startswith("actions/cache/restore@"):
        restore([event, "push"])
    elif step["uses"].startswith("actions/cache/save@"):
        assert step["if"] in ("always()", "always() && github.event_name != 'pull_request'"), step
        if event != "pull_request" or step["if"] == "always()":
            copied("before", "caches/" + event)


def github(pipeline):
    outputs, ran, code = {}, 0, 0
    with open("github-output", "w", encoding="utf-8"):
        pass
    for name, job in pipeline["jobs"].items():
        if name == "comment":  # comment.sh runs it
            continue
        matrix = job.get("strategy", {}).get("matrix", {}).get("cells")
        if matrix is not None:
            matrix = json.loads(outputs[re.search(r"outputs\.([-a-z]+)", matrix).group(1)])
            ran += sum(len(each.split()) for each in matrix)
        for cells in [""] if matrix is None else matrix:
            for step in job["steps"]:
                if "uses" in step:
                    github_cache(step)
                if "run" in step and (code == 0 or "always()" in step.get("if", "")):
                    script = step["run"].replace("${{ matrix.cells }}", cells)
                    for joined in re.findall(r"\$\{\{ join\(fromJSON\(needs\.plan\.outputs\.[-a-z]+\), ' '\) \}\}", script):
                        name = re.search(r"outputs\.([-a-z]+)", joined).group(1)
                        script = script.replace(joined, " ".join(json.loads(outputs[name])))
                    assert "${{" not in script, script
                    ended = shell(script, GITHUB_OUTPUT=os.path.abspath("github-output"))
                    code = code or ended
        with open("github-output", encoding="utf-8") as file:
            outputs.update(line.rstrip("\n").split("=", 1) for line in file)
    if "plan" not in pipeline["jobs"]:  # Forgejo's has one job
        ran = len({re.sub(r"(\.lost)?\.json$", "", each) for each in os.listdir("results") if each.endswith(".json")})
    return ran, code


def gitlab(pipeline):
    ran, code = 0, 0
    for stage in pipeline["stages"]:
        for name, job in pipeline.items():
            if not isinstance(job, dict) or name.startswith(".") or name == "workflow":
                continue
            job = {**pipeline.get(job.get("extends"), {}), **job}
            if job["stage"] != stage:
                continue
            if "trigger" in job:
                with open(job["trigger"]["include"][0]["artifact"], encoding="utf-8") as file:
                    more, code = gitlab(yaml.safe_load(file))
                ran += more
                continue
            cache = job.get("cache", {"policy": None})
            key = re.sub(r"\$(\w+)", lambda each: os.environ.get(each.group(1), ""), cache.get("key", ""))
            if cache["policy"] == "pull":
                restore([key])
            retry = job.get("retry", {"max": 0, "exit_codes": []})
            for _ in range(1 + retry["max"]):
                code = shell("\n".join(job.get("before_script", []) + job["script"]))
                if code not in retry["exit_codes"]:
                    break
            if cache["policy"] == "push":
                copied("before", "caches/" + key)
            ran += stage == "cells"
            if code == job.get("allow_failure", {}).get("exit_codes"):
                code = 0
    return ran, code


with open(sys.argv[1], encoding="utf-8") as description:
    PIPELINE = yaml.safe_load(description)
RAN, CODE = (github if "jobs" in PIPELINE else gitlab)(PIPELINE)
print(f"ran: {RAN}")
sys.exit(CODE)
