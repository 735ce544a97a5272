#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check as users call it: arguments, output and exit codes.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command /usr/bin/time
if [ $# -gt 0 ]; then only=$1; fi

clean() {
    tree
    check --forbid "$PWD/gcc-11" tree
    exits 0
    prints '^3 files: 0 errors, 0 warnings, 0 notes$'
}
nothing_there() {
    mkdir -p empty/deep/er
    check empty
    exits 2
    prints '^0 files: '
    says 'no file to scan'
    check --json --fail-on never empty
    exits 2
    tree
    echo "$PWD/gcc-11/x" >tree/lib/notes
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 1
    check --forbid "$PWD/gcc-11" --vendor tree --fail-on error tree
    exits 0
    g++ -g main.cpp f.cpp -o tree/bin/noted -fdebug-prefix-map="$PWD=$PWD/gcc-11"
    rm tree/lib/notes
    check --forbid "$PWD/gcc-11" --fail-on warning tree
    exits 0
    check --forbid "$PWD/gcc-11" --fail-on note tree
    exits 1
}
exit_codes() {
    tree
    check --fail-on never --forbid "$PWD/gcc-11" absent
    exits 2
    g++ main.cpp -x c++ f.cpp -o tree/bin/dangling -Wl,-rpath,"$PWD/absent"
    check tree
    exits 0
    check --fail-on warning tree
    exits 1
    check --fail-on never tree
    exits 0
    check --nothing tree
    exits 2
    says 'no option --nothing'
    call "$hostpin" leak-check --binding "$PWD" tree
    exits 2
    says 'is not a bound directory'
    call "$hostpin" leak-check --rules
    exits 0
    prints '^forbidden-runpath \(error\)$'
    # a report that cannot be written is not that of a clean tree
    local report
    for report in --json --sarif --fail-on=never; do
        # shellcheck disable=SC2016 # the inner shell's
        call bash -c '"$0" leak-check --no-binding "$1" tree >/dev/full' "$hostpin" "$report"
        exits 2
        says 'the report cannot be written: No space left on device'
    done
    # shellcheck disable=SC2016 # the inner shell's
    call bash -c '"$0" leak-check --no-binding tree >&-' "$hostpin"
    exits 2
}
nothing_is_run() {
    tree
    printf '#!/bin/sh\ntouch "%s/was-run"\n' "$PWD" >ld-linux-x86-64.so.2
    chmod +x ld-linux-x86-64.so.2
    g++ main.cpp -x c++ f.cpp -o tree/bin/trap -Wl,--dynamic-linker="$PWD/ld-linux-x86-64.so.2"
    check --notes tree
    absent was-run
    finds missing-library note
    # nor one in a named store: its file is read for its search path
    mkdir -p store/glibc
    mv ld-linux-x86-64.so.2 store/glibc
    g++ main.cpp -x c++ f.cpp -o tree/bin/trap -Wl,--dynamic-linker="$PWD/store/glibc/ld-linux-x86-64.so.2"
    check --store "$PWD/store" tree store
    absent was-run
    if [ ! -e /lib64/ld-linux-x86-64.so.2 ]; then return; fi
    cp /lib64/ld-linux-x86-64.so.2 store/glibc
    check --notes --store "$PWD/store" tree
    exits 0
    passes missing-library
    g++ main.cpp tree/lib/libf.so -o tree/bin/trap -Wl,--dynamic-linker="$PWD/store/glibc/ld-linux-x86-64.so.2"
    check --store "$PWD/store" tree
    exits 1
    finds missing-library error
}
exceptions() {
    tree
    g++ main.cpp f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/gcc-11/lib64"
    g++ main.cpp f.cpp -o tree/bin/other -Wl,-rpath,"$PWD/gcc-11/lib64"
    cat >known.toml <<'TOML'
[[exception]]
rule = "forbidden-runpath"
path = "bin/le*"
reference = "**/gcc-11/lib64"
reason = "it finds its plugins there"

[[exception]]
rule = "missing-library"
path = "lib/**"
reason = "the program brings them"
TOML
    check --json --forbid "$PWD/gcc-11" --exceptions known.toml tree
    exits 1
    ungraded forbidden-runpath bin/leaks
    graded forbidden-runpath bin/other error
    says 'known\.toml:7: this exception no longer matches anything'
    says_not 'known\.toml:1:'
    rm tree/bin/other
    check --forbid "$PWD/gcc-11" --exceptions known.toml tree
    exits 0
    says 'known\.toml:7: '
    check --strict --forbid "$PWD/gcc-11" --exceptions known.toml tree
    exits 1
    sed -i 6,\$d known.toml
    check --strict --forbid "$PWD/gcc-11" --exceptions known.toml tree
    exits 0
    says_not .
}
wrong_exceptions() {
    tree
    local wrong
    check --exceptions absent.toml tree
    exits 2
    says 'absent\.toml'
    for wrong in 'rule = "missing-library"' 'reason = "all of it"' $'rule = "no-such-rule"\nreason = "x"' \
        $'rule = "missing-library"\nreason = ""\nfile = "x"' 'reason = ['; do
        printf '[[exception]]\n%s\n' "$wrong" >wrong.toml
        check --exceptions wrong.toml tree
        exits 2
        says '^hostpin: error: .*wrong\.toml'
    done
}
two_trees() {
    tree
    g++ main.cpp f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/gcc-11/lib64"
    mv tree one
    cp -r one other
    rm other/bin/main
    printf '[[exception]]\nrule = "forbidden-runpath"\npath = "other/bin/*"\nreason = "known"\n' >other.toml
    printf '[[exception]]\nrule = "forbidden-runpath"\npath = "bin/*"\nreason = "known"\n' >both.toml
    check --json --forbid "$PWD/gcc-11" one/
    exits 1
    same "$(json "$out" findings 0 path)" bin/leaks
    local alone here
    alone=$(json "$out" findings 0 fingerprint)
    check --json --forbid "$PWD/gcc-11" other one
    exits 1
    same "$(json "$out" findings 0 path) $(json "$out" findings 1 path)" "one/bin/leaks other/bin/leaks"
    here=$(json "$out" findings 0 fingerprint)
    [ "$here" != "$alone" ] || fail "the tree is not in the fingerprint"
    [ "$here" != "$(json "$out" findings 1 fingerprint)" ] || fail "two findings have one fingerprint"
    check --json --forbid "$PWD/gcc-11" one other
    same "$(json "$out" findings 0 fingerprint)" "$here"
    check --json --strict --forbid "$PWD/gcc-11" --exceptions other.toml one other
    graded forbidden-runpath one/bin/leaks error
    ungraded forbidden-runpath other/bin/leaks
    says_not .
    check --strict --forbid "$PWD/gcc-11" --exceptions both.toml one other
    exits 0
    # a named file is reported as it was named
    check --json --forbid "$PWD/gcc-11" one other/bin/leaks
    graded forbidden-runpath other/bin/leaks error
}
sarif() {
    tree
    g++ main.cpp f.cpp -o "tree/bin/it leaks" -Wl,-rpath,"$PWD/gcc-11/lib64"
    check --sarif --forbid "$PWD/gcc-11" tree
    exits 1
    cp "$out" log.sarif
    same "$(json log.sarif version)" 2.1.0
    same "$(json log.sarif runs 0 tool driver name)" "hostpin leak-check"
    same "$(json log.sarif runs 0 invocations 0 executionSuccessful)" ON
    same "$(json log.sarif runs 0 results 0 ruleId)" forbidden-runpath
    same "$(json log.sarif runs 0 results 0 level)" error
    same "$(json log.sarif runs 0 results 0 locations 0 physicalLocation artifactLocation uri)" bin/it%20leaks
    local print
    print=$(json log.sarif runs 0 results 0 partialFingerprints hostpin/v1)
    check --json --forbid "$PWD/gcc-11" tree
    same "$(json "$out" findings 0 fingerprint)" "$print"
    rm "tree/bin/it leaks"
    check --sarif --forbid "$PWD/gcc-11" tree
    exits 0
    same "$(json "$out" runs 0 results)" '[]'
    check --sarif --json tree
    exits 2
}
listed_files() {
    tree
    g++ main.cpp f.cpp -o "tree/bin/it leaks" -Wl,-rpath,"$PWD/gcc-11/lib64"
    echo "$PWD/gcc-11/lib" >$'tree/lib/two\nlines'
    ln -s "$PWD/gcc-11" tree/link
    check --json --notes --forbid "$PWD/gcc-11" tree
    exits 1
    cp "$out" whole.json
    same "$(grep -c '"fingerprint"' whole.json)" 3
    local -a list=(bash -c '"$@" <list' -- "$hostpin" leak-check --no-binding --json --notes --forbid "$PWD/gcc-11" --below tree)
    # directories and their contents, as listed by find
    find tree -print0 >list
    call "${list[@]}" -0 --files-from -
    exits 1
    cmp "$out" whole.json
    find tree ! -type d -print0 >list
    call "${list[@]}" --null --files-from list
    exits 1
    cmp "$out" whole.json
    find tree ! -type d -print0 | sed -z '/\n/d' | tr '\0' '\n' >list
    call "${list[@]}" --files-from /dev/stdin
    exits 1
    same "$(grep -c '"fingerprint"' "$out")" 2
    mkfifo fifo
    cat list >fifo &
    call "${list[@]}" --files-from fifo
    exits 1
    same "$(grep -c '"fingerprint"' "$out")" 2
    echo "$PWD/fifo" >list
    call timeout 120 "$hostpin" leak-check --no-binding --files-from list
    exits 2
    prints 'fifo: it is a FIFO'
    seq -f "$PWD/tree/bin/../bin/%.0f" 300000 >list
    call_within 400000 "$hostpin" leak-check --no-binding --files-from list
    exits 2
    rm fifo
    call bash -c 'find tree -type f -print0 | "$@"' -- "$hostpin" leak-check --no-binding -0 --files-from - --forbid "$PWD/gcc-11"
    exits 1
    prints 'tree/bin/it leaks'
}
wrong_lists() {
    tree
    check --files-from absent
    exits 2
    says '^hostpin: error: absent cannot be read: No such file or directory$' '^hint: --files-from takes a file'
    check --files-from tree
    exits 2
    says 'tree cannot be read: Is a directory'
    check --files-from -
    exits 2
    says '^hostpin: error: the list on standard input lists no path$'
    find tree -print0 >list
    check --files-from list
    exits 2
    says 'list contains a NUL byte' '^hint: add --null'
    check --null tree
    exits 2
    says '\-\-null needs --files-from'
    printf 'tree/bin/main\ntree/gone\n' >list
    check --files-from list
    exits 2
    prints 'tree/gone: there is no such file or directory'
}
many_findings() {
    mkdir many
    local i form
    for i in {1..2000}; do echo "/opt/forbidden-$i/gcc/lib"; done >paths
    for i in {1..50}; do tr '\n' '\0' <paths >"many/$i"; done
    check --no-unpack --forbid-file paths many
    exits 0
    prints '^50 files: 0 errors, 100000 warnings, 0 notes$'
    for form in --json --sarif; do
        call_within 524288 "$hostpin" leak-check --no-binding --fail-on warning "$form" --forbid-file paths many
        exits 1
        same "$(grep -cE '"(fingerprint|hostpin/v1)"' "$out")" 100000
    done
    printf '[[exception]]\nreference = "/opt/forbidden-?*/**"\nreason = "known"\n' >known.toml
    check --fail-on note --exceptions known.toml --forbid-file paths many
    exits 0
}

# Without --binding, the decision of an unbound nvcc counts, which is made if there is none.
by_the_decision() {
    need_command strace
    need_split
    export CUDA_HOME=$toolkit CXX=$stdenv
    tree
    write_small_source empty.cu
    "$our_nvcc" -arch=sm_80 -c empty.cu
    call strace -f -qq -e trace=execve -e status=successful -o started "$hostpin" leak-check tree
    exits 0
    ! grep -E '"[^"]*(g\+\+|cc1plus|nvcc|clang)[^"/]*", \[' started || fail 'it asked compilers again'
    call env HOSTPIN_CACHE_DIR=/dev/null/none "$hostpin" leak-check tree
    exits 0
}
it "a clean tree has no finding" clean
it "the decision of an unbound nvcc counts, and compilers are asked once" by_the_decision
it "a tree without files is an error, and notes may be one" nothing_there
it "exit codes distinguish findings from failures" exit_codes
it "a loader is not run because a file names it" nothing_is_run
it "accepted findings are omitted, and unused exceptions are reported" exceptions
it "exceptions that cannot be understood are refused before the scan" wrong_exceptions
it "the same path in two trees is two findings" two_trees
it "SARIF has the findings of JSON" sarif
it "files that are listed have the findings of their tree" listed_files
it "a list that cannot be used is an error, and missing files are reported" wrong_lists
it "all findings are listed, in any number" many_findings
finish
