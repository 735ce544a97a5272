#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check --shard and --merge: a scan that was divided reports what a whole one does, and parts that do not fit together
# are refused.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

merge() { call "$hostpin" leak-check --merge "$@"; }
# shards N ARGUMENT...: the reports 1.json to N.json.
shards() {
    local of=$1 i
    shift
    for ((i = 1; i <= of; ++i)); do
        "$hostpin" leak-check --no-binding --shard "$i/$of" "$@" >"$i.json" 2>"$i.err" || true
        same "$(cat "$i.err")" ''
    done
}
# Programs that load each other across shards, archives, links, and names that no terminal is to be given.
large_tree() {
    local i
    tree
    for i in 1 2 3 4 5 6; do
        g++ -shared -fPIC f.cpp -o "tree/lib/lib$i.so" -Wl,-soname,"lib$i.so" -Wl,--version-script=<(echo "V_$i { f; };")
        # shellcheck disable=SC2016 # $ORIGIN is the loader's
        g++ -x c++ main.cpp -x none "tree/lib/lib$i.so" -o "tree/bin/program$i" -Wl,-rpath,'$ORIGIN/../lib' \
            -Wl,-rpath,"$PWD/gcc-11/lib$i"
    done
    g++ -shared -fPIC f.cpp -o tree/lib/lib2.so -Wl,-soname,lib2.so -Wl,--version-script=<(echo 'V_3 { f; };')
    rm tree/lib/lib5.so
    mkdir "tree/share"
    echo "$PWD/gcc-11/x" >"tree/share/"$'a\nb \033[31m'
    echo "$PWD/gcc-11/x" >"tree/share/"$'\377name'
    ln -s "$PWD/gcc-11/y" tree/share/link
    ln tree/share/$'\377name' tree/share/again
    tar -C tree -czf tree/share/all.tar.gz lib share/again bin
    ar rc tree/lib/libx.a tree/share/again
    echo "prefix=$PWD/gcc-11" >tree/share/x.pc
}
merged_is_whole() {
    large_tree
    local of form reports words=(--forbid "$PWD/gcc-11" --build-dir "$PWD/build" tree)
    for form in '' --notes --json --sarif; do
        call "$hostpin" leak-check --no-binding ${form:+"$form"} "${words[@]}"
        exits 1
        cp "$out" "whole$form"
    done
    for of in 1 2 3 8; do
        shards "$of" "${words[@]}"
        mapfile -t reports < <(seq -f %g.json "$of" | sort -R)
        for form in '' --notes --json --sarif; do
            merge ${form:+"$form"} "${reports[@]}"
            exits 1
            cmp "$out" "whole$form" || fail "$of shards $form"
        done
    done
    # all of it was looked at by somebody, and not by each
    [ "$(wc -c <8.json)" -lt "$(wc -c <whole--json)" ] || fail 'one shard of eight has it all'
}
# same_as_whole OF ARGUMENT...
same_as_whole() {
    local of=$1 i reports=()
    shift
    "$hostpin" leak-check --no-binding --json --fail-on never "$@" >whole.json || true
    shards "$of" "$@"
    for ((i = 1; i <= of; ++i)); do reports+=("$i.json"); done
    merge --json --fail-on never "${reports[@]}"
    cmp "$out" whole.json || fail "$of shards: $*"
    grep -q '"rule"' whole.json || fail "nothing was found: $*"
}
other_ways() {
    large_tree
    cp -r tree other
    local forbid=(--forbid "$PWD/gcc-11")
    same_as_whole 3 "${forbid[@]}" tree other
    same_as_whole 3 "${forbid[@]}" --metadata tree
    same_as_whole 3 "${forbid[@]}" --no-unpack --vendor tree/bin tree tree/lib/libx.a
    head -c 3000000 /dev/zero | cat - tree/share/x.pc >tree/lib/large.so
    same_as_whole 5 "${forbid[@]}" tree tree/lib/large.so tree/share/again tree/lib tree
    find "$PWD/tree" -type f -print0 >list
    same_as_whole 4 "${forbid[@]}" --files-from list --below "$PWD/tree"
    mkdir -p stage/usr stage/opt
    cp -r tree/. stage/usr
    ln -s ../usr/lib stage/opt/lib
    same_as_whole 3 --forbid /opt/lib --forbid "$PWD/gcc-11" --root stage
    same_as_whole 2 "${forbid[@]}" --store "$PWD/tree" tree
}
exit_codes() {
    tree
    shards 3 tree
    merge 1.json 2.json 3.json
    exits 0
    prints '^3 files: 0 errors'
    g++ main.cpp -x c++ f.cpp -o tree/bin/dangling -Wl,-rpath,"$PWD/absent"
    shards 3 tree
    merge 1.json 2.json 3.json
    exits 0
    merge --fail-on warning 1.json 2.json 3.json
    exits 1
    # a shard's own exit code is of its own files
    local i found=0
    for i in 1 2 3; do
        call "$hostpin" leak-check --no-binding --fail-on warning --shard "$i/3" tree
        case $status in 0) ;; 1) found=$((found + 1)) ;; *) show_call && fail "exit code $status" ;; esac
    done
    same "$found" 1
    # what one could not look at is not looked at
    mkfifo tree/fifo
    shards 3 tree
    merge --fail-on never 1.json 2.json 3.json
    exits 2
    prints 'fifo: it is a FIFO'
    mkdir empty
    shards 2 empty
    merge 1.json 2.json
    exits 2
    says 'no file to look at'
    call "$hostpin" leak-check --no-binding --shard 1/2 empty
    exits 2
    # shellcheck disable=SC2016 # the inner shell's
    call bash -c '"$0" leak-check --no-binding --shard 1/2 tree >/dev/full' "$hostpin"
    exits 2
    says 'the report cannot be written'
}
exceptions() {
    tree
    local i
    for i in 1 2 3 4; do echo "$PWD/gcc-11/x" >"tree/lib/$i"; done
    cat >e.toml <<'TOML'
[[exception]]
path = "lib/*"
reason = "known"
[[exception]]
path = "lib/none"
reason = "known once"
TOML
    shards 4 --forbid "$PWD/gcc-11" --exceptions e.toml tree
    merge --notes --fail-on note 1.json 2.json 3.json 4.json
    exits 0
    says 'e.toml:4: this exception matches nothing any more'
    says_not 'e.toml:1:'
    merge --strict 1.json 2.json 3.json 4.json
    exits 1
    sed -i 's/none/[0-9]/' e.toml
    "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --exceptions e.toml --shard 2/4 tree >2.json || true
    merge 1.json 2.json 3.json 4.json
    exits 2
    says '1.json and 2.json are no shards of one scan: they were judged by different bindings, forbidden paths or exceptions'
}
refused() {
    tree
    shards 3 tree
    merge 1.json 3.json
    exits 2
    says 'of 3 shards 2 is missing' 'hint: '
    merge 1.json 2.json 3.json 2.json
    exits 2
    says 'shard 2/3 is there twice: 2.json and 2.json'
    head -c 400 2.json >cut.json
    merge 1.json cut.json 3.json
    exits 2
    says 'cut.json, byte 400, ' 'it is no JSON any more here, or not all of it' 'hint: scan that shard again'
    "$hostpin" leak-check --no-binding --json tree >whole.json
    merge whole.json
    exits 2
    says 'whole.json: it is the report of a whole scan'
    echo "$PWD/gcc-11/x" >tree/share
    "$hostpin" leak-check --no-binding --json --forbid "$PWD/gcc-11" --fail-on never tree tree/lib >whole.json
    merge whole.json
    exits 2
    says 'whole.json: it is the report of a whole scan'
    sed 's/"version": ".*"/"version": "0.0.1"/; s/"rule": "/&x/' 1.json >other.json
    merge other.json 2.json 3.json
    exits 2
    says 'other.json was written by hostpin 0[.]0[.]1, and this is ' 'hint: unite reports with the hostpin that wrote them'
    merge absent.json
    exits 2
    says 'absent.json cannot be opened: No such file'
    "$hostpin" leak-check --no-binding --metadata --shard 2/3 tree >2.json
    merge 1.json 2.json 3.json
    exits 2
    says 'the options of one were none, those of the other --metadata'
    shards 3 tree
    touch -d '2001-01-01' tree/lib/libf.so
    "$hostpin" leak-check --no-binding --shard 3/3 tree >3.json
    merge 1.json 2.json 3.json
    exits 2
    says 'the trees differ in names, sizes or times of change' 'while nobody writes'
    call "$hostpin" leak-check --no-binding --fix --shard 1/2 tree
    exits 2
    says '--fix does not go with --shard'
    # what stands in a report is no word to a terminal
    echo '[[exception]]
path = "none"
reason = "known"' >e.toml
    shards 1 --exceptions e.toml tree
    sed -i 's/"e\.toml"/"\\u001b[31m"/' 1.json
    merge 1.json
    exits 0
    says '[\]x1b[[]31m:1: this exception matches nothing'
    merge --forbid /x 1.json
    exits 2
    says '--forbid does not go with --merge'
    call "$hostpin" leak-check --no-binding --shard 0/2 tree
    exits 2
    says '--shard takes a part such as 2/4'
    call "$hostpin" report -o page.html --leaks 1.json
    exits 2
    says '1.json is the report of one shard' 'leak-check --merge'
}
# What one shard may not read is not looked at by all others alone.
unreadable() {
    tree
    local one other without=()
    if [ "$(id -u)" = 0 ]; then
        command -v setpriv >/dev/null || skip 'root reads everything, and there is no setpriv'
        without=(setpriv "--bounding-set=-dac_override,-dac_read_search")
    fi
    shards 2 tree
    merge 1.json 2.json
    exits 0
    for one in 1 2; do
        other=$((3 - one))
        chmod 644 tree/lib/libf.so
        "$hostpin" leak-check --no-binding --shard $one/2 tree >$one.json
        chmod 0 tree/lib/libf.so
        "${without[@]}" "$hostpin" leak-check --no-binding --fail-on never --shard $other/2 tree >$other.json || true
        merge 1.json 2.json
        exits 2
        says '1.json and 2.json are no shards of one scan: what loaders would find differs' 'as one user'
    done
    # all alike is one scan again
    for one in 1 2; do
        "${without[@]}" "$hostpin" leak-check --no-binding --fail-on never --shard $one/2 tree >$one.json || true
    done
    merge --fail-on never 1.json 2.json
    exits 2
    prints 'libf.so: Permission denied'
}
pipes() {
    tree
    # shellcheck disable=SC2016 # the inner shell's
    call bash -c '"$0" leak-check --merge <("$0" leak-check --no-binding --shard 1/2 tree) <("$0" leak-check --no-binding --shard 2/2 tree)' "$hostpin"
    exits 0
    prints '^3 files: 0 errors'
}
bound() {
    need_lab bin/g++-12
    tree
    call "$hostpin" bind bound --host g++-12
    [ "$status" = 0 ] || skip 'nothing to bind on this machine'
    readlink -f "$(command -v g++-12)" >tree/lib/names
    local i
    "$hostpin" leak-check --binding bound --json tree >whole.json || true
    for i in 1 2; do "$hostpin" leak-check --binding bound --shard $i/2 tree >$i.json || true; done
    merge --json 1.json 2.json
    cmp "$out" whole.json
    "$hostpin" leak-check --no-binding --shard 2/2 tree >2.json
    merge 1.json 2.json
    exits 2
    says 'different bindings'
}
it 'a scan in shards reports what a whole one does, byte by byte' merged_is_whole
it 'so it does for several trees, lists of files, staged trees and stores' other_ways
it 'exit codes are those of all together, and of each its own' exit_codes
it 'exceptions are used by all shards together' exceptions
it 'what is no part of one scan is refused, and why' refused
it 'what not all shards can read is told' unreadable
it 'reports may come through pipes' pipes
it 'shards are judged by the same binding' bound
finish
