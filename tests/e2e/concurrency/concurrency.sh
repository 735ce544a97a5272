#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Many first calls at once, and binders killed at any moment: one decides, nobody reads half a file.
#   concurrency.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: five times as many calls, twelve times as many kills
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

calls=40 kills=5 readers=60
if [ "$full" = 1 ]; then calls=200 kills=60 readers=300; fi

# CUDA 12.4 with GCC 12, 13 and 16, or the machine's toolkit with two, each behind a program that logs how it is probed.
ground() {
    local name
    need_split 12.4 13 16
    third=12
    if [ "$stands_in" = yes ]; then third=$(majors g++ "$older" | sed -n 2p); fi
    rm -rf "$bin"
    mkdir -p "$bin"
    for name in $third "$older" "$newer"; do logging_compiler "g++-$name"; done
    # the machine's other compilers would only be run as well
    printf 'search = "named"\ncompilers = ["%s", "%s", "%s"]\n' "$bin/g++-${third:-$older}" "$bin/g++-$older" "$bin/g++-$newer" >"$HOSTPIN_CONFIG"
    export PATH=$bin:/usr/bin:/bin CXX=$bin/g++-$newer CUDA_HOME=$toolkit
    write_source x.cu
}
# nvcc's own question to its host compiler, on each call, has a temporary file's name in it; ours have not.
logging_compiler() {
    cat >"$bin/$1" <<SH
#!/bin/sh
case "\$*" in *tmpxft*) ;; *) echo "$1 \$*" >>'$work/probes' ;; esac
exec '$lab/bin/$1' "\$@"
SH
    chmod +x "$bin/$1"
}
probes() { if [ -f "$work/probes" ]; then wc -l <"$work/probes"; else echo 0; fi; }
forget() { rm -rf "$HOSTPIN_CACHE_DIR" "$work/probes"; }

# dryrun N: the n-th call; its output goes to n.out, its exit code to n.code.
dryrun() {
    local code=0
    "$our_nvcc" --dryrun -c x.cu -o x.o >"$1.stdout" 2>"$1.out" </dev/null || code=$?
    echo "$code" >"$1.code"
}
together() { # FIRST LAST
    local n
    : >barrier
    for n in $(seq "$1" "$2"); do
        # all wait for the same moment
        (while [ -e barrier ]; do sleep 0.01; done && dryrun "$n") &
    done
    sleep 1
    rm barrier
    wait
}
all_alike() { # FIRST LAST
    local n
    normalise <"$1.out" >expected
    grep -q 'g\|c++' expected
    for n in $(seq "$1" "$2"); do
        same "$n: $(cat "$n.code")" "$n: 0"
        [ ! -s "$n.stdout" ] || fail "$n printed on stdout: $(cat "$n.stdout")"
        normalise <"$n.out" | cmp - expected || fail "call $n answers differently: $(cat "$n.out")"
    done
}

one_probes() {
    local alone
    ground
    forget
    dryrun 0
    same "code $(cat 0.code)" 'code 0'
    alone=$(probes)
    [ "$alone" -gt 0 ] || fail "a first call probes nothing"
    dryrun 0
    same "probes after a second call: $(probes)" "probes after a second call: $alone"
    forget
    together 1 "$calls"
    all_alike 1 "$calls"
    same "probes of $calls calls: $(probes)" "probes of $calls calls: $alone"
}
# A thousand at one moment, of both programs of a binding.
a_thousand() {
    local question=$PWD/tmpxft_0000abcd_00000000-2.cpp
    ground
    "$hostpin" bind bound --host "$host" --stdenv "$stdenv"
    settle
    tr '\0' '\1' <bound/identity | sed -z 's/.*\x01question=\([^\x01]*\).*/\1/' >"$question"
    "$host" -E "$question" >answer
    bound/nvcc --version >version
    mkdir made
    export question
    # shellcheck disable=SC2016 # for the shells that xargs starts
    seq 1 1000 | xargs -P 1000 -I N sh -c 'case $1 in
        *[02468]) bound/c++ -E "$question" ;;
        *) bound/nvcc --version ;;
        esac >"made/$1" 2>"made/$1.err" || echo "$1 failed"' sh N >failed
    same "$(cat failed)" ''
    same "$(cat made/*.err)" ''
    same "$(cksum made/*[02468] | cut -d ' ' -f 1,2 | sort -u)" "$(cksum <answer)"
    same "$(cksum made/*[13579] | cut -d ' ' -f 1,2 | sort -u)" "$(cksum <version)"
}
different_questions_at_once() {
    local n
    ground
    need_third
    forget
    : >barrier
    # three answers are being made side by side, each by several calls
    for n in $(seq 1 60); do
        (
            while [ -e barrier ]; do sleep 0.01; done
            case $((n % 3)) in
            0) dryrun "$n" ;;
            1) CXX=$bin/g++-$older dryrun "$n" ;;
            2) CXX=$bin/g++-$third dryrun "$n" ;;
            esac
        ) &
    done
    sleep 1
    rm barrier
    wait
    for n in $(seq 1 60); do
        same "$n: $(cat "$n.code")" "$n: 0"
        case $((n % 3)) in 0 | 1) wanted=${older}0 ;; 2) wanted=${third}0 ;; esac
        grep -q "gnu_version=${wanted}" "$n.out" || fail "call $n got the wrong compiler: $(cat "$n.out")"
    done
}

# While one rewrites a bound directory without end, readers see the one or the other decision, whole.
rebinding_under_readers() {
    local writer n
    ground
    need_third
    "$hostpin" bind bound
    (while [ ! -e stop ]; do
        "$hostpin" bind --host "$bin/g++-$third" bound && "$hostpin" bind --host "$bin/g++-$older" bound
    done) &
    writer=$!
    for n in $(seq 1 $readers); do
        call bound/nvcc --dryrun -c x.cu -o x.o
        exits 0
        says "gnu_version=($third|$older)0"
        says_not 'hostpin: error'
    done
    touch stop
    wait "$writer"
}

# A binder and everything it started, killed after a random part of the time that a cold call takes.
killed_cold_calls() {
    local started took n
    ground
    forget
    started=$(date +%s%N)
    dryrun 0
    took=$((($(date +%s%N) - started) / 1000000))
    normalise <0.out >expected
    for n in $(seq 1 "$kills"); do
        if [ $((n % 4)) -ne 0 ]; then forget; fi # every fourth finds what the third left
        kill_after $((RANDOM * took / 32768)) "$our_nvcc" --dryrun -c x.cu -o x.o
        dryrun "$n"
        same "after kill $n: $(cat "$n.code")" "after kill $n: 0"
        normalise <"$n.out" | cmp - expected || fail "after kill $n: $(cat "$n.out")"
    done
}
killed_bind() {
    local n took started
    ground
    started=$(date +%s%N)
    "$hostpin" bind bound
    took=$((($(date +%s%N) - started) / 1000000))
    for n in $(seq 1 "$kills"); do
        if [ $((n % 2)) -eq 0 ]; then rm -rf bound; fi
        kill_after $((RANDOM * took / 32768)) "$hostpin" bind bound
        if [ -e bound ]; then
            # what is there is whole
            call bound/nvcc --dryrun -c x.cu -o x.o
            exits 0
        fi
        "$hostpin" bind bound
        call bound/nvcc --dryrun -c x.cu -o x.o
        exits 0
        says "gnu_version=${older}0"
    done
}
kill_after() { # MILLISECONDS COMMAND...
    local pause group
    pause=$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))
    shift
    setsid "$@" >/dev/null 2>&1 </dev/null &
    group=$!
    sleep "$pause"
    kill -KILL -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || true
}

need_hostpin
it "of $calls simultaneous first calls one probes, and all succeed alike" one_probes
it 'a thousand calls at once answer alike' a_thousand
it 'different questions at once get their own answers' different_questions_at_once
it 'a directory that is bound again and again is whole at any moment' rebinding_under_readers
it "$kills cold calls killed at random moments leave a usable cache" killed_cold_calls
it "$kills binds killed at random moments leave a whole directory or none" killed_bind
finish
