#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Comments, annotations and messages about what a change breaks: of a history with planted breaks, of the texts of strangers' code as
# a renderer of CommonMark shows them, and as the emitted pipelines' own commands post them to an API (comment.py).
#   comment.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_toolkit
need_command python3
only=${1:-}
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null
pages() { PYTHONDONTWRITEBYTECODE=1 python3 "$matrix/comment.py" "$@"; }
commit() { git -C source add -A && git -C source commit -qm "$1"; }
has() { # FILE LINE...: whole lines
    local line
    for line in "${@:2}"; do grep -qxF -e "$line" "$1" || { cat "$1" && fail "$1 has no line: $line"; }; done
}

# Two projects in a repository; the second commit breaks what includes value.h, and the test of the other.
history() {
    need_command git cmark
    mkdir -p source/one source/two source/common
    git -C source init -q
    printf '#define FIRST 1\n#define VALUE 0\n' >source/common/value.h
    printf '#include "../common/value.h"\nint main() { return VALUE; }\n' >source/one/main.cpp
    printf 'int main() { return 0; }\n' >source/two/main.cpp
    commit first
    cat >matrix.toml <<TOML
name = "history"
[axes]
toolkit = ["$toolkit"]
stdenv = ["$host"]
[project.one]
source = "source/one"
build = "\$CXX \$SOURCE/main.cpp -o main"
test = "./main"
[project.two]
source = "source/two"
build = "\$CXX \$SOURCE/main.cpp -o main"
test = "./main"
TOML
    plan plan
    run_all plan results first
    "$hostpin" matrix merge results --plan plan -o before.json
    printf '#define FIRST 1\n#define VALUE nothing\n' >source/common/value.h
    printf 'int main() {\n  return 3;\n}\n' >source/two/main.cpp
    commit 'Return <b>another</b> value @everyone'
    plan plan
    mkdir new
    run_all plan new second
    "$hostpin" matrix merge new --plan plan -o now.json || [ $? = 1 ]
    call "$hostpin" matrix diff --json --plan plan --matrix matrix.toml --from HEAD^ before.json now.json
    exits 1
    cp "$out" difference.json
    call "$hostpin" matrix diff --format markdown difference.json
    exits 1
    cp "$out" comment.md
    pages rendered comment.md
    has comment.md '**2 cells broken. 0 fixed, 0 new, 0 gone, 0 the same.**' '-#define VALUE 0' '+#define VALUE nothing' '@@ common/value.h:2 @@ '
    grep -q "^#### [12]\. broken: error (build), 1 cell$" comment.md
    grep -q "error: .*nothing" comment.md
    # the command in it fails in the same way
    grep "^hostpin matrix plan .* --cell=one" comment.md >again.sh
    # shellcheck disable=SC2016 # the shell that runs it expands it
    sed -i 's,hostpin matrix,"$hostpin" matrix,g' again.sh
    call sh -e again.sh
    exits 1
    prints '^one.*: failed \(error, build\): .*nothing'
    call "$hostpin" matrix diff --format annotations difference.json
    exits 1
    grep -q '^::error file=common/value.h,line=2,.*title=matrix%3A error%2C 1 cell::' "$out"
    call "$hostpin" matrix diff --format annotations --service gitlab difference.json
    python3 -c 'import json, sys
assert [each["location"] for each in json.load(sys.stdin)] == [{"path": "common/value.h", "lines": {"begin": 2}}]' <"$out"
    # bisect knows the commit
    call "$hostpin" matrix bisect plan --good HEAD^ --bad HEAD -o found --json
    exits 1
    cp "$out" bisected.json
    call "$hostpin" matrix diff --format markdown --plan plan --bisected bisected.json before.json now.json
    exits 1
    grep -q "^Changed by commit $(git -C source rev-parse --short=12 HEAD):$" "$out"
    has "$out" '@@ common/value.h:2 @@ Return <b>another</b> value @everyone'
    cp "$out" bisected.md
    pages rendered bisected.md
}
without_plan() {
    pages differing before.json now.json
    call "$hostpin" matrix diff --format markdown before.json now.json
    exits 1
    has "$out" 'hostpin matrix run PLAN --cell=one_12.4_g++-13 -o result.json'
    grep -q '^<!-- hostpin matrix [0-9a-f]* plan unknown -->$' "$out"
    call "$hostpin" matrix diff --format annotations before.json now.json
    exits 1
    call "$hostpin" matrix diff --format markdown before.json before.json
    exits 0
    grep -qF '**Nothing is broken.' "$out"
    call "$hostpin" matrix diff --format markdown missing.json
    exits 2
    call "$hostpin" matrix diff --format markdown now.json
    exits 2
    says 'now.json is not a file of hostpin matrix with difference'
}
hostile_texts() {
    need_command cmark
    pages differing --hostile before.json now.json
    call "$hostpin" matrix diff --format markdown --matrix matrix.toml before.json now.json
    exits 1
    cp "$out" comment.md
    pages rendered comment.md
    [ "$(wc -c <comment.md)" -le 60000 ] || fail "$(wc -c <comment.md) bytes"
    call "$hostpin" matrix diff --format annotations before.json now.json
    if grep -vE '^::(error|warning) title=matrix%3A [a-z ]*%2C [0-9]+ cells?::' "$out"; then fail 'a line of another form'; fi
    call "$hostpin" matrix diff before.json now.json
    grep -qF '::error::forged' "$out"
    if grep -qE '^[[:space:]]*::|##\[|'$'\x1b' "$out"; then fail "$(cat "$out")"; fi
    # a cell whose name is not made of its values
    # shellcheck disable=SC2016 # nothing does
    sed 's/"cell": "one_[^"]*"/"cell": "$(touch forged)"/' now.json >forged.json
    call "$hostpin" matrix diff --format markdown before.json forged.json
    exits 2
    says 'the id of a cell is not that of its axes'
    absent forged
}
notified() {
    pages differing before.json now.json
    "$hostpin" matrix diff --json before.json now.json >difference.json || [ $? = 1 ]
    cat >subscribe.toml <<'TOML'
[[subscriber]]
name = "toolkits"
mail = "toolkits@example.org"
causes = ["gate"]
[[subscriber]]
name = "others"
cells = ["other_*"]
TOML
    call "$hostpin" matrix notify subscribe.toml difference.json
    exits 0
    python3 -c 'import email, json, sys
message, = json.load(sys.stdin)["messages"]
mail = email.message_from_string(message["mail"])
assert (mail["To"], mail["Subject"]) == ("toolkits@example.org", "hostpin matrix: 1 broken"), mail
assert mail.get_payload() == message["text"] and "one_12.4_g++-13" in message["text"]' <"$out"
    call "$hostpin" matrix notify --mail toolkits subscribe.toml difference.json
    exits 0
    same "$(sed -n 1,2p "$out")" $'To: toolkits@example.org\nSubject: hostpin matrix: 1 broken'
    call "$hostpin" matrix notify --mail others subscribe.toml difference.json
    exits 0
    same "$(wc -c <"$out")" 0
    call "$hostpin" matrix notify --mail nobody subscribe.toml difference.json
    exits 2
}
# The script of a comment job, with an API that has a comment of a stranger with the same marker.
posting() { # SERVICE
    need_command curl unzip
    python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (./bootstrap test installs it)"
    mkdir source
    printf '[axes]\ntoolkit = ["%s"]\n[project.one]\nsource = "source"\ntest = "true"\n' "$toolkit" >matrix.toml
    pages differing before.json now.json
    "$hostpin" matrix diff --json --matrix evil/../other.toml before.json now.json >difference.json || [ $? = 1 ]
    "$hostpin" matrix diff --json before.json before.json >nothing.json
    "$hostpin" matrix emit matrix.toml --for "$1" --hostpin "$hostpin" >own.yml
    "$hostpin" matrix emit matrix.toml --for "$1-comment" --hostpin "$hostpin" >trusted.yml
    pages post "$1" "$("$hostpin" matrix diff --format marker --matrix matrix.toml difference.json || [ $? = 1 ])" own.yml trusted.yml
}

it "a comment has each planted break, its line, what changed, and a command that repeats it" history
it "results without a plan are compared as well" without_plan
it "what strangers' code prints is text and nothing else, as CommonMark is rendered" hostile_texts
it "who subscribed gets a message of what is theirs" notified
it "GitHub's workflows update one comment, on the pull request that GitHub names" posting github
it "GitLab's pipelines update one comment, on the merge request that GitLab names" posting gitlab
it "Forgejo's workflows update one comment, on the pull request that Forgejo names" posting forgejo
finish
