#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# System calls of hostpin bind fail one at a time, or a signal interrupts them: the binding is correct, or nothing is written.
#   bind.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: many more points, every way to fail
# shellcheck source=tests/e2e/fault/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Of thousands of calls the same ones in every run. The long form: each that changes files, and 24 of each other name. The short
# form: the middle one of those that change files or run programs, and the last that renames a file to its final path.
changing=' chmod fchmod link mkdir rename rmdir unlink unlinkat write flock '
telling=' clone epoll_create1 epoll_ctl fchmod kill memfd_create pidfd_open pipe2 rename unlinkat wait4 '
sampled() { # NAME N OF
    local step=$(($3 / 24 + 1))
    if [ "$full" = 1 ]; then
        [[ $changing == *" $1 "* ]] || [ $(($2 % step)) -eq $((step / 2)) ]
    else
        [[ $telling == *" $1 "* ]] && { [ "$2" -eq $((($3 + 1) / 2)) ] || { [ "$1" = rename ] && [ "$2" -eq "$3" ]; }; }
    fi
}

# The C library's startup code crashes without its first piece of memory, before any code of hostpin runs.
startup_crashes+='|mmap 1'

# FIONBIO and F_GETFL, the only ones here, do not fail for an open descriptor. A failing close has closed it anyway, but not
# one that strace makes fail, and then the reader of a pipe would wait forever.
never_fail+='ioctl fcntl close '
# If a file or link cannot be examined, the compilers fail too: another decision is then correct.
faults[readlink]=ENOMEM faults[faccessat2]=ENOMEM faults[newfstatat]='EIO ENOMEM EINTR' faults[getdents64]=EIO
# No kernel ends a pipe while its writer exists, and most reads are from pipes; a file that ends early was truncated at that
# moment, and its new time makes the decision stale.
faults[read]='EIO EINTR'

# The decision, without the fields that only make it faster.
decision() { tr '\0' '\1' <"$1/plan" | sed -z 's/\x01/\n/g' | grep -avE '^(identity=|[0-9a-f]{16}$)'; }
# Between two decisions the programs have stamps that no cache has seen.
passing() { # PROGRAM
    local own=${hostpin%/bin/hostpin}/libexec/hostpin/nvcc
    cmp -s -n "$(stat -c %s "$own")" "$1" "$own" && tail -c 70000 "$1" | tr -d '\0' | contains '^hostpin: bound between two plans '
}
# whole DIRECTORY EXPECTED...: has one of these decisions, and each file whole.
whole() {
    local one decided=
    for one in "${@:2}"; do
        if [ "$(decision "$1")" = "$(decision "$one")" ]; then decided=$one; fi
    done
    if [ -z "$decided" ]; then
        wrong 'another decision is bound'
        diff <(decision "$2") <(decision "$1") >>"$work/findings" || true
    fi
    for one in nvcc c++; do # never of the other decision: caches use them as keys
        cmp -s "$1/$one" "$decided/$one" || { [ $# -gt 2 ] && passing "$1/$one"; } || wrong "$one is not whole, or another decision's"
    done
    [ "$1/cuda/bin/nvcc" -ef "$1/nvcc" ] || wrong 'no toolkit tree with this nvcc'
    for one in binding.toml toolchain.cmake; do
        tail -c 1 "$1/$one" | cmp -s - <(echo) || wrong "$one is not whole"
    done
}
nothing_left() {
    local left
    left=$(find temporary -mindepth 1 -maxdepth 1)
    [ -z "$left" ] || [[ $point =~ ^unlink\  ]] || wrong "left in TMPDIR: $left"
    # below cuda, links with the toolkit's names and no temporary file
    left=$(find place -mindepth 1 | grep -vxE 'place/bound(/(binding.toml|c\+\+|cuda(/.*)?|identity|nvcc|plan|toolchain.cmake))?' || true)
    left+=$(find place -regextype posix-extended -regex '.*\.[0-9a-f]{16}')
    [ -z "$left" ] || wrong "left beside the binding: $left"
    rm -rf temporary && mkdir temporary
}
prepare() { # [machine]: all compilers of the machine are run, not only those that are named
    mkdir -p temporary place
    [ "${1:-}" = machine ] || alone
    export TMPDIR=$PWD/temporary HOSTPIN_CACHE_DIR=$work/warm
    cp "$work/x.cu" .
}

bind_new() {
    local command=("$hostpin" bind "$PWD/place/bound") total
    prepare
    "$hostpin" bind normal
    try() {
        total=$(grep -c "^$1 " calls)
        sampled "$1" "$2" "$total" || return 0
        rm -rf place/bound
        disturbed "$@" "${command[@]}"
        judge true
        if [ -e place/bound ]; then whole "$PWD/place/bound" normal; fi
        if [ "$status" -eq 0 ] && [ ! -e place/bound ]; then wrong 'success, and nothing is bound'; fi
        nothing_left
    }
    rm -rf place/bound
    every try "${command[@]}"
}

# A disk that cannot be read is not an empty disk: unreadable files are reported, and nothing is decided.
failing_disk() {
    local command=("$hostpin" bind "$PWD/place/bound") total
    prepare machine
    "$hostpin" bind normal
    try() {
        total=$(grep -c "^$1 " calls)
        if [ "$full" != 1 ] && [ $(($2 % (total / 3 + 1))) -ne 0 ]; then return 0; fi
        rm -rf place/bound
        disturbed "$@" "${command[@]}"
        judge true
        if [ -e place/bound ]; then whole "$PWD/place/bound" normal; fi
        nothing_left
    }
    rm -rf place/bound
    only_of=' getdents64 newfstatat openat read '
    every try "${command[@]}"
}

# The existing binding was made with another compiler of the same name: one of the two decisions is there afterwards, whole.
bind_again() {
    local command=("$hostpin" bind "$PWD/place/bound") total
    prepare
    "$hostpin" bind --host "$lab/bin/g++-$(majors g++ "$older" | head -n 2 | tail -n 1)" former
    "$hostpin" bind normal
    try() {
        total=$(grep -c "^$1 " calls)
        sampled "$1" "$2" "$total" || return 0
        rm -rf place/bound
        cp -a former place/bound
        disturbed "$@" "${command[@]}"
        judge true
        whole "$PWD/place/bound" normal former
        [ "$status" -ne 0 ] || whole "$PWD/place/bound" normal
        nothing_left
        call place/bound/nvcc --dryrun -c x.cu
        exits 0
    }
    cp -a former place/bound
    if [ "$full" != 1 ]; then only_of=' rename fchmod '; fi
    every try "${command[@]}"
}
# If bind is terminated, it leaves no scratch directory and no partial binding.
ended() {
    local command=("$hostpin" bind "$PWD/place/bound") total signal
    prepare
    "$hostpin" bind normal
    try() {
        total=$(grep -c "^$1 " calls)
        sampled "$1" "$2" "$total" || return 0
        for signal in SIGTERM SIGINT SIGKILL; do
            rm -rf place && mkdir place
            disturbed "$1" "$2" "$signal" "${command[@]}"
            case $status in
            0 | 130 | 137 | 143) ;;
            *) wrong "$signal: ended in another way" ;;
            esac
            if [ -e place/bound ]; then whole "$PWD/place/bound" normal; fi
            # no process can clean up after SIGKILL
            if [ "$signal" = SIGKILL ]; then rm -rf temporary && mkdir temporary; else nothing_left; fi
        done
    }
    if [ "$full" != 1 ]; then only_of=' clone rename wait4 '; fi
    every try "${command[@]}"
}
# Copying a new hostpin over the old one truncates its programs for a moment.
program_cut_short() {
    local n
    prepare
    for n in 1 2 3; do
        call strace -qq -o /dev/null -P "$our_nvcc" -e "inject=read:retval=0:when=$n" "$hostpin" bind "$PWD/place/bound"
        exits 2
        says 'cannot read .*/nvcc: it changed while it was read' '^hint: try again'
        same "left: $(find place -mindepth 1)" 'left: '
    done
}
# Linux 4.18 has none of these calls. The unit tests of toolchains/base have sandboxes that forbid them.
without_newer_calls() { # COMMAND...
    local newer=pidfd_open,close_range,clone3,faccessat2,openat2,statx
    # Without close_range each child makes thousands of calls, which are not to be traced.
    call strace -f --seccomp-bpf -qq -o "$work/calls" -e "trace=$newer" -e "inject=$newer:error=ENOSYS" "$@"
    exits 0
}
old_kernel() {
    local each
    prepare
    "$hostpin" bind "$PWD/new" >/dev/null
    without_newer_calls "$hostpin" bind "$PWD/place/bound"
    for each in pidfd_open close_range; do contains "$each(.* = -1 ENOSYS" <"$work/calls" || fail "$each was not called"; done
    same "$(decision place/bound | sed "s#$PWD/place/bound#HERE#g")" "$(decision new | sed "s#$PWD/new#HERE#g")"
    same "left: $(find temporary -mindepth 1)" 'left: '
    write_host_source x.cpp
    without_newer_calls place/bound/nvcc -c x.cpp -o x.o
    [ -s x.o ] || fail "no x.o"
    for each in 'doctor' 'explain -- -c x.cu'; do
        # shellcheck disable=SC2086 # words
        "$hostpin" $each >expected 2>&1
        # shellcheck disable=SC2086
        without_newer_calls "$hostpin" $each
        same "$(cat "$out" "$err" | grep -v '^strace: ')" "$(cat expected)"
    done
}

need_hostpin
need_command strace
cd "$work"
ground
it 'a new binding' bind_new
it 'a disk that fails under what is read' failing_disk
it 'a binding over another' bind_again
it 'a signal at any moment' ended
it 'a program of ours that is cut short while it is read' program_cut_short
it 'a kernel without newer system calls' old_kernel
finish
