# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For comment.sh:
comment.py differing [--hostile] BEFORE NOW   writes two merged results, of which the later one has cells that fail
comment.py rendered FILE                      checks what cmark makes of a comment: no text of strangers outside code, no links
comment.py post SERVICE MARKER OWN TRUSTED    runs the scripts that post, from two pipelines, with an API on this machine
"""
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse
import zipfile

HOSTILE = [
    "```\n# forged: all cells passed\n```", "~~~\n@forged", "`" * 40 + "\n<h1>forged</h1>", "</code></pre></details><h1>forged</h1>",
    "<!-- hostpin matrix 0000000000000000 plan unknown --> forged", "--> @forged [forged](https://forged.example) ![i](https://forged.example)",
    "::error::forged", "x\n::error::forged\r\n##[error]forged", "%0A::error::forged", "$(touch forged) `touch forged`", "\x1b[31mforged\x07",
    "\u202e\u200bforged", "https://forged.example www.forged.example #1 !2 owner/forged#3 :forged:", "| forged |\n|---|", "    forged\n\n* forged",
]


def result(project, state, key, cause=None):
    at = {"project": project, "toolkit": "12.4", "stdenv": "g++-13"}
    one = {"kind": "result", "form": 1, "cell": "_".join(at.values()), "axes": at, "state": state, "question": "q", "key": key,
           "decision": "d", "findings": [], "inputs": [], "uncertain": []}
    return {**one, "cause": cause} if cause else one


def differing(arguments):
    texts = HOSTILE if arguments[0] == "--hostile" else []
    before, now = arguments[-2:]
    gate = {"kind": "gate", "stage": "build", "text": "host_config.h:1: error: unsupported GNU version!", "fix": "take another one"}
    results = {before: [result("one", "passed", "1"), result("other", "passed", "1")],
               now: [result("one", "failed", "2", gate), result("other", "passed", "2")]}
    for number, text in enumerate(texts):
        project = f"p{number}"
        results[before].append(result(project, "passed", "1"))
        bad = result(project, "failed", "2", {"kind": text if number % 2 else "test", "stage": text, "text": text, "fix": text})
        bad["findings"] = [{"rule": text, "severity": text, "path": text, "fingerprint": "f"}]
        bad["failed_tests"] = [text]
        results[now].append(bad)
    for path, cells in results.items():
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"kind": "merged", "form": 1, "name": HOSTILE[5] if texts else "posting", "cells": cells}, file, indent=1)


class Page(html.parser.HTMLParser):
    """The tags and the text outside code, and the comments."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text, self.comments = [], set(), "", []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "code" not in self.open:
            self.text += data

    def handle_comment(self, data):
        self.comments.append(data)


def rendered(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        text = file.read()
    made = subprocess.run(["cmark", "--unsafe"], input=text.encode(), capture_output=True, check=True).stdout.decode()
    page = Page()
    page.feed(made)
    page.close()
    assert page.open == [], page.open
    assert page.tags <= {"h3", "h4", "p", "strong", "code", "pre", "details", "summary"}, page.tags
    assert len(page.comments) == 1 and page.comments[0].startswith(" hostpin matrix "), page.comments
    for part in ("forged", "@", "example", "another", "::"):
        assert part not in page.text, (part, page.text)
    assert made.count("<h4>") == text.count("\n#### "), made
    assert "forged" not in text or "forged" in made


class Service:
    """The part of an API that posting uses: comments are listed by page, created and updated by whom the token names."""

    TOKEN = "secret-token"

    def __init__(self, name, marker):
        self.name, self.calls, self.comments = name, [], {}
        self.bot = {"github": "github-actions[bot]", "forgejo": "forgejo-actions", "gitlab": 77}[name]
        self.body = marker + " plan unknown -->\n"
        self.artifact = "difference.json"
        self.is_busy = False  # answers that it failed, although it created a comment
        self.elsewhere, self.leaked = "", []  # where artifacts are; headers with the token there
        for request in (5, 6, 7):
            self.add(request, "stranger", self.body + "forged")
            for number in range(130):
                self.add(request, "stranger", f"talk {number}")
            self.add(request, self.bot, "<!-- hostpin matrix ffffffffffffffff plan unknown -->\nanother matrix")

    def add(self, request, author, body):
        identifier = sum(len(each) for each in self.comments.values()) + 100
        who = {"author": {"id": author}} if self.name == "gitlab" else {"user": {"login": author}}
        self.comments.setdefault(request, []).append({"id": identifier, "body": body, **who})

    def by_bot(self, request):
        mine = [each["body"] for each in self.comments[request]
                if (each["author"]["id"] if self.name == "gitlab" else each["user"]["login"]) == self.bot]
        return [each for each in mine if "another matrix" not in each]

    def answer(self, method, path, query, body):
        """The status and the answer."""
        one = re.fullmatch(r".*/(?:issues|merge_requests)/(\d+)/(?:comments|notes)", path)
        edited = re.fullmatch(r".*/(?:issues/comments|merge_requests/\d+/notes)/(\d+)", path)
        if edited and method == ("PUT" if self.name == "gitlab" else "PATCH"):
            for each in (each for all_of in self.comments.values() for each in all_of if each["id"] == int(edited.group(1))):
                each["body"] = body["body"]
                return 200, each
        if one and method == "POST":
            self.add(int(one.group(1)), self.bot, body["body"])
            return 503 if self.is_busy else 201, {}
        if one and method == "GET":
            page, most = int(query.get("page", 1)), int(query.get("per_page", 30))
            all_of = self.comments[int(one.group(1))]
            return 200, all_of if self.name == "forgejo" else all_of[(page - 1) * most:page * most]
        return self.facts(path, query)

    def facts(self, path, query):
        """The request 6 comes from a fork's branch, of which another one has an older commit."""
        pulls = [{"number": 6, "head": {"sha": "c" * 40, "repo": None}}, {"number": 7, "head": {"sha": "0" * 40, "repo": None}},
                 {"number": None, "head": {"sha": "c" * 40}}, {"number": 9, "head": None}]
        fork = {"/user": {"id": self.bot},
                # the branch of the last one is in a project that was deleted
                "/projects/1/merge_requests": [{"iid": iid, "sha": sha * 40, "source_project_id": project}
                                               for iid, sha, project in ((7, "e", None), (6, "c", 2), (5, "d", 1))],
                "/repos/o/r/pulls": pulls if query.get("head", "fork:a b&c") == "fork:a b&c" else [],
                "/repos/o/r/actions/tasks": {"workflow_runs": [
                    {"name": "merge", "event": "pull_request", "head_sha": "c" * 40, "run_number": number} for number in (8, 9)]}}
        for project, sha in ((1, "d"), (2, "c")):
            of = f"/projects/{project}"
            fork |= {of + "/pipelines": [{"id": 30}] if query.get("sha") == sha * 40 else [],
                     of + "/pipelines/30/bridges": [{"name": "other", "downstream_pipeline": None},
                                                    {"name": "cells", "downstream_pipeline": {"id": 31}}],
                     of + "/pipelines/31/jobs": [{"name": "one", "id": 41}, {"name": "merge", "id": 40}]}
        return (200, fork[path]) if path in fork else (404, {"message": "Not Found"})


def served(handler):
    """The address of a server on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def storage(service):
    """Another host, where artifacts are: it must not get the token."""
    class Storage(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            service.leaked += [f"{name}: {value}" for name, value in self.headers.items() if service.TOKEN in value]
            if self.path.endswith(".json"):
                shutil.copy(service.artifact, "served")
            else:
                with zipfile.ZipFile("served", "w") as packed:
                    packed.write(service.artifact, "difference.json")
            with open("served", "rb") as file:
                text = file.read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return Storage


def handler(service):
    class Handler(http.server.BaseHTTPRequestHandler):
        def reply(self):
            parts = urllib.parse.urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            service.calls.append(f"{self.command} {self.path}")
            if service.TOKEN not in (self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""):
                status, text = 401, b"{}"
            elif re.fullmatch(r"/o/r/actions/runs/9/artifacts/difference|/projects/[12]/jobs/40/artifacts/difference.json", parts.path):
                status, text = 302, b""
            else:
                status, answer = service.answer(self.command, parts.path, dict(urllib.parse.parse_qsl(parts.query, True)),
                                                json.loads(body) if body else None)
                text = json.dumps(answer).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", service.elsewhere + parts.path)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_PATCH = reply

        def log_message(self, *_):
            pass

    return Handler


def script(pipeline, service):
    """The script that posts, and the variables of its step; empty: the pipeline has none."""
    import yaml

    with open(pipeline, encoding="utf-8") as file:
        read = yaml.safe_load(file)
    if "jobs" not in read:  # GitLab's
        return "\n".join(read["matrix-comment"]["script"]) if "matrix-comment" in read else "", {}
    event = {"github.token": service.TOKEN, "github.event.pull_request.number": "5",
             "github.event.workflow_run.head_repository.owner.login": "fork",
             "github.event.workflow_run.head_branch": "a b&c", "github.event.workflow_run.head_sha": "c" * 40}
    step = read["jobs"]["comment"]["steps"][-1]
    assert "${{" not in step["run"]
    return step["run"], {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda each: event[each.group(1)], str(value))
                         for name, value in step["env"].items()}


def run(made_of, service, api, difference):
    """The exit code."""
    text, variables = made_of
    service.artifact = difference
    for path in ("run", "run/untrusted"):
        os.mkdir(path)
        shutil.copy(difference, path + "/difference.json")
    services = {"GITHUB_API_URL": api, "GITHUB_SERVER_URL": api, "GITHUB_REPOSITORY": "o/r"}
    if service.name == "gitlab":
        services = {"MATRIX_TOKEN": service.TOKEN, "CI_API_V4_URL": api, "CI_PROJECT_ID": "1"}
    made = subprocess.run(["bash", "-e", "-c", text], env={**os.environ, **services, **variables, "no_proxy": "*"}, cwd="run",
                          capture_output=True, text=True, check=False)
    shutil.rmtree("run")
    assert service.TOKEN not in made.stdout + made.stderr
    assert service.leaked == []
    assert made.returncode in (0, 2), (made.stdout, made.stderr, service.calls[-5:])
    return made.returncode


def post(arguments):
    name, marker, own, trusted = arguments
    service = Service(name, marker)
    before = json.dumps(service.comments)
    service.elsewhere, api = served(storage(service)), served(handler(service))
    own_script, trusted_script = (script(each, service) for each in (own, trusted))
    assert (own_script[0] == "") == (name == "gitlab"), "GitLab's own jobs do not have the token"
    cases = ((own_script, [5]), (trusted_script, [6]))
    for made_of, requests in ((trusted_script, [5, 6]),) if name == "gitlab" else cases:
        assert run(made_of, service, api, "nothing.json") == 0
        assert json.dumps(service.comments) == before, "a comment that says nothing"
        assert run(made_of, service, api, "difference.json") == 0
        for request in requests:
            assert len(service.by_bot(request)) == 1 and "1 cell broken" in service.by_bot(request)[0], service.calls
        assert run(made_of, service, api, "difference.json") == 0
        assert run(made_of, service, api, "nothing.json") == 0
        for request in requests:
            # the same one, and it says so when nothing is broken any more
            assert len(service.by_bot(request)) == 1 and "Nothing is broken" in service.by_bot(request)[0], service.by_bot(request)
            assert service.by_bot(request)[0].startswith(marker), "the artifact chose the marker"
            del service.comments[request][-1]
        # neither a stranger's comment nor another request was changed
        assert json.dumps(service.comments) == before
    service.is_busy = True
    run(trusted_script, service, api, "difference.json")
    assert len(service.by_bot(6)) == 1, "created again"
    service.comments = {int(key): each for key, each in json.loads(before).items()}
    if name == "forgejo":  # its lists have one page
        assert not any("&page=2" in each for each in service.calls), service.calls
    else:  # no other comment where not all were read
        for _ in range(2000):
            service.add(6, "stranger", "talk")
        run(trusted_script, service, api, "difference.json")
        assert service.by_bot(6) == []


if __name__ == "__main__":
    {"differing": differing, "rendered": rendered, "post": post}[sys.argv[1]](sys.argv[2:])
