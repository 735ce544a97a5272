#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# If standard output does not accept a complete answer, every command reports an error and does not crash, nor if the
# error cannot be reported either.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_toolkit 12.4 12
only=${1:-}
if [ ! -w /dev/full ]; then skip "no /dev/full"; fi

# refuses_to_lose ARGUMENT...: of hostpin. The same arguments give an answer if there is space for it.
refuses_to_lose() {
    call "$hostpin" "$@"
    test -s "$out"
    status=0
    "$hostpin" "$@" >/dev/full 2>"$err" </dev/null || status=$?
    exits 2
    says '^hostpin: error: the (answer|report) cannot be written: No space left on device$' '^hint: '
    says_not 'terminate called' 'nothing was decided'
    same "told $(grep -c '^hostpin: error: ' "$err") times" 'told 1 times'
}
# bind writes files, and prints which.
bind_tells_that_too() {
    status=0
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$gcc" >/dev/full 2>"$err" || status=$?
    exits 2
    says '^hostpin: error: the answer cannot be written: No space left on device$'
}
# sccache uses the output of preprocessing as its key. nvcc itself, which writes to a file here, would lose nothing and exit with 0.
# shellcheck disable=SC2016 # expanded by the shell that stands for sccache
a_key_of_sccache_is_not_lost() {
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$gcc"
    cp "$(command -v bash)" sccache
    : >none.cu
    status=0
    ./sccache -c '"$0" -E none.cu; exit $?' "$PWD/bound/nvcc" >key 2>"$err" </dev/null || status=$?
    exits 0
    grep -q '^#pragma hostpin ' key || fail "the control has no key"
    status=0
    ./sccache -c '"$0" -E none.cu -o preprocessed; exit $?' "$PWD/bound/nvcc" >/dev/full 2>"$err" </dev/null || status=$?
    exits 2
    says '^hostpin: error: cannot write the decision digest for sccache.s key: No space left on device$'
    test ! -e preprocessed
}
# ends_all_the_same CODE ARGUMENT...: of hostpin.
ends_all_the_same() {
    local code=$1
    shift
    call "$hostpin" "$@"
    exits "$code"
    says '^hostpin: '
    : >"$err"
    status=0
    "$hostpin" "$@" >"$out" 2>/dev/full </dev/null || status=$?
    exits "$code"
    status=0
    "$hostpin" "$@" >"$out" 2>&- </dev/null || status=$?
    exits "$code"
}
# Where there is no PTX for later GPUs.
a_note_that_cannot_be_told() {
    need_release 12.0 sm_90a
    ends_all_the_same 0 capabilities 9.0a --toolkit "$toolkit" --format cmake
}

printf '.version 8.4\n.target sm_80\n.address_size 64\n' >"$work/x.ptx"
echo '#include <string>' >"$work/string.cpp"
mkdir "$work/tree" # larger than any buffer
for i in $(seq 1 200); do cp "$work/x.ptx" "$work/tree/a file with a name that is quite long $i.ptx"; done
request=(--toolkit "$toolkit" --stdenv "g++-$gcc")

it "hostpin --version" refuses_to_lose --version
it "hostpin --help" refuses_to_lose --help
it "hostpin bind" bind_tells_that_too
it "hostpin env" refuses_to_lose env "${request[@]}"
it "hostpin doctor" refuses_to_lose doctor "${request[@]}"
it "hostpin doctor --json" refuses_to_lose doctor --json "${request[@]}"
it "hostpin explain" refuses_to_lose explain "${request[@]}" -- nvcc -c x.cu
it "hostpin capabilities" refuses_to_lose capabilities --toolkit "$toolkit"
it "hostpin capabilities LIST --format" refuses_to_lose capabilities 8.0 --format cmake --toolkit "$toolkit"
it "hostpin fatbin" of devicecode refuses_to_lose fatbin "$work/x.ptx"
it "hostpin fatbin, of a long list" of devicecode refuses_to_lose fatbin "$work/tree" --json
it "hostpin report" of report refuses_to_lose report -o - "${request[@]}"
it "hostpin stdlib-probe --help" refuses_to_lose stdlib-probe --help
it "hostpin stdlib-probe gate" refuses_to_lose stdlib-probe gate "$toolkit"
it "hostpin stdlib-probe facts" of checks refuses_to_lose stdlib-probe facts "g++-$gcc"
it "hostpin stdlib-probe why" of checks refuses_to_lose stdlib-probe why "$work/string.cpp" -- "g++-$gcc"
it "hostpin lto-check --help" refuses_to_lose lto-check --help
it "hostpin leak-check --help" of checks refuses_to_lose leak-check --help
it "hostpin leak-check" of checks refuses_to_lose leak-check "$work/tree" --no-binding
it "a key of sccache's" a_key_of_sccache_is_not_lost
it "an error that cannot be told, hostpin" ends_all_the_same 2
it "an error that cannot be told, hostpin bind" ends_all_the_same 1 bind bound --host "g++-$gcc" --stdenv false
it "an error that cannot be told, hostpin fatbin" of devicecode ends_all_the_same 1 fatbin "$work/x.ptx" --expect 9.0
it "an error that cannot be told, hostpin stdlib-probe" ends_all_the_same 2 stdlib-probe nothing
it "a note that cannot be told, hostpin capabilities" a_note_that_cannot_be_told
finish
