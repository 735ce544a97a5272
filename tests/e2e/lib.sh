# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by every end-to-end script: where things are, how to skip, how to assert. Needs bash 4.4.
#
#   HOSTPIN_PREFIX        the install under test (default: out/ of this checkout)
#   HOSTPIN_LAB           compilers and toolkits (default: ~/.cache/hostpin/lab); without one the machine's own stand in for it
#   HOSTPIN_LAB_REQUIRED  1: a test that lacks the lab fails, and nothing stands in for it
#   HOSTPIN_FULL          1: scripts that have a longer form take it; they look at $full, as the variable is hidden below
#   HOSTPIN_PASSED        a file of cases that pass with the machine's own compilers: written without a lab; with one they are not run again
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
prefix=${HOSTPIN_PREFIX:-$repository/out}
lab=${HOSTPIN_LAB:-${HOME:-/nonexistent}/.cache/hostpin/lab}
# shellcheck disable=SC2034 # the scripts' own
full=${HOSTPIN_FULL:-0}
passed_file=${HOSTPIN_PASSED:-} this="$0 $*"
export hostpin=$prefix/bin/hostpin
export our_nvcc=$prefix/libexec/hostpin/nvcc our_cxx=$prefix/libexec/hostpin/c++

# A private directory that is gone afterwards; HOSTPIN_KEEP=1 keeps it for a look.
work=$(mktemp -d "${TMPDIR:-/tmp}/hostpin-e2e.XXXXXX")
remove_work() {
    if [ "${HOSTPIN_KEEP:-0}" = 1 ]; then echo "kept: $work"; else remove_all "$work"; fi
}
# remove_all PATH...: also while a process that is being ended still writes there.
remove_all() {
    local tries
    for tries in 1 2 3 4 5 6 7 8; do
        if rm -rf "$@" 2>/dev/null; then return; fi
        sleep "0.$tries"
    done
    rm -rf "$@"
}
trap remove_work EXIT

machine_toolkits=("${CUDAToolkit_ROOT:-}" "${CUDA_HOME:-}" "${CUDA_PATH:-}") # the order in which hostpin looks, see stand_in
# Only what a test sets may steer the tools: no configuration, cache or flags of whoever runs it.
unset CC CXX CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH COMPILER_PATH CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS \
    CUDAFLAGS CUDACXX CUDAHOSTCXX CUDAARCHS CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CMAKE_GENERATOR \
    NVCC_CCBIN NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_GENCODE TORCH_CUDA_ARCH_LIST HERMETIC_CUDA_COMPUTE_CAPABILITIES \
    GCC_EXEC_PREFIX COLLECT_GCC NO_COLOR LANGUAGE
export LC_ALL=C.UTF-8 # the messages and the order that the tests know
while IFS= read -r name; do unset "$name"; done < <(compgen -e HOSTPIN_ | grep -vxE 'HOSTPIN_(PREFIX|LAB|LAB_REQUIRED|KEEP)')
: >"$work/config.toml"
export HOSTPIN_CONFIG=$work/config.toml HOSTPIN_CACHE_DIR=$work/cache
export XDG_RUNTIME_DIR=$work/run # where decisions are that no cache takes
mkdir -m 700 "$XDG_RUNTIME_DIR"
export COLUMNS=1000 # a line of a table is one line
# pyenv's shims are shell scripts that take a third of a second to find the python3 that is started then.
without_shims=$(tr : '\n' <<<"$PATH" | grep -v '/shims$' | paste -sd :)
if PATH=$without_shims command -v python3 >/dev/null; then PATH=$without_shims; fi
plain_path=$PATH # what the machine itself offers, without the lab

# ---------------------------------------------------------------------------------------------- skipping

readonly skip_code=77
# In a case (below) or at the top of a script: not run, and why.
skip() {
    echo "skipped: $*"
    exit "$skip_code"
}
without_lab() {
    if [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then
        echo "FAIL: $*, and HOSTPIN_LAB_REQUIRED=1 says that it must be there"
        exit 1
    fi
    skip "$* (./bootstrap lab provides it)"
}
need_hostpin() {
    if [ ! -x "$hostpin" ] || [ ! -x "$our_nvcc" ]; then
        echo "FAIL: no hostpin in $prefix (./bootstrap build)"
        exit 1
    fi
}
# limit_memory KB: of address space, for what follows in this shell; sanitized programs take terabytes of it.
limit_memory() { [ -n "${ASAN_OPTIONS-}" ] || ulimit -v "$1"; }
# The program that shows whether a component is in the install under test.
declare -A program_of=([checks]=leak-check [devicecode]=fatbin [redist]=redist [setup]=setup [wheel]=wheel [matrix]=matrix [report]=report)
# has_command NAME: an install without its component reports that, and exits with 2.
has_command() {
    local status=0
    "$hostpin" "$1" --help >"$work/help" 2>&1 || status=$?
    [ "$status" != 2 ] || ! grep -q "is in the component" "$work/help"
}
is_built() { has_command "${program_of[$1]}"; }
need_component() {
    local component
    for component in "$@"; do is_built "$component" || skip "the component $component is not built"; done
}
# of COMPONENT COMMAND...: a case, or a part of one, that needs the commands of that component.
of() {
    need_component "$1"
    "${@:2}"
}
# need_what_it_runs FILE: the components whose commands a block of shell has.
need_what_it_runs() {
    local component
    local -A commands=([checks]='leak-check|stdlib-probe (facts|why)' [devicecode]='fatbin|slices' [redist]=redist [setup]=setup [wheel]=wheel
        [matrix]=matrix [report]=report)
    for component in "${!commands[@]}"; do
        if grep -qE "hostpin (${commands[$component]})" "$1"; then need_component "$component"; fi
    done
}
need_command() {
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null || skip "no $command on PATH (./bootstrap test installs what there is a package of)"
    done
}
# A private mount namespace, for file systems that are full, read-only or hidden.
need_mounts() {
    if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
        skip "needs root and a mount namespace"
    fi
}

# ---------------------------------------------------------------------------------------------- compilers and toolkits

# majors FAMILY [MOST]: what is there of that family, the newest first.
majors() {
    find "$lab/bin/" -name "$1-*" | sed -n 's/.*-\([0-9]*\)$/\1/p' | sort -rn | awk -v most="${2:-99}" '$1 <= most'
}
# Where there is no lab, the machine's own compilers and toolkit stand in for it: $lab then holds links to them under the lab's names.
# A case asks for roles (need_split, need_toolkit) and runs with what fills them, or for things by name (need_lab, need_cuda).
stands_in=no where="in the lab $lab"
stand_in() {
    local name version each directory directories own=0 seen=:
    stands_in=yes where='on this machine' lab=$work/lab
    mkdir -p "$lab/bin"
    IFS=: read -ra directories <<<"$PATH"
    for name in {gcc,g++,clang,clang++}{-{9..30},}; do
        for directory in "${directories[@]}"; do if [ -x "$directory/$name" ]; then break; fi; done
        each=$directory/$name
        if [ ! -x "$each" ]; then continue; fi
        version=${name##*-} # to ask each Clang takes a tenth of a second in every script
        if [ "$version" = "$name" ]; then version=$("$each" -dumpversion 2>/dev/null) || continue; fi
        if [ "$name" = clang++ ]; then own=${version%%.*}; fi
        name=${name%%-*}-${version%%.*}
        [ -e "$lab/bin/$name" ] || ln -s "$each" "$lab/bin/$name"
    done
    # Of many Clangs the machine's own and the newest do: some tests take each pair of compilers.
    if [ "$full" != 1 ]; then
        for version in $(majors clang++ | sed 1d); do
            [ "$version" -eq "$own" ] || rm -f "$lab/bin/clang-$version" "$lab/bin/clang++-$version"
        done
    fi
    each=$(realpath -q "$(command -v nvcc)") && machine_toolkits+=("${each%/bin/nvcc}")
    for each in "${machine_toolkits[@]}" /usr/local/cuda "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/hostpin/toolchain/cuda"; do
        if [ ! -x "$each/bin/nvcc" ] || [ ! -e "$each/include/crt/host_config.h" ]; then continue; fi
        each=$(realpath "$each")
        case $seen in *":$each:"*) continue ;; esac
        seen+=$each:
        version=$("$each/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
        [ -e "$lab/cuda-$version" ] || ln -s "$each" "$lab/cuda-$version"
        : "${machine_release:=$version}"
    done
}
if [ ! -d "$lab/bin" ] && [ "${HOSTPIN_LAB_REQUIRED:-0}" != 1 ]; then stand_in; fi

# need_lab THING...: each a path below the lab, such as bin/g++-13 or cuda-12.4.
need_lab() {
    local thing
    [ -d "$lab/bin" ] || without_lab "no lab in $lab"
    for thing in "$@"; do
        [ -e "$lab/$thing" ] || without_lab "no ${thing#bin/} $where"
        case $thing in bin/*++-*) consider "${thing#bin/}" ;; esac
    done
    export PATH=$lab/bin:$plain_path
}
# consider COMPILER...: as well as those that were needed before. hostpin considers these alone, unless a script writes a configuration of its
# own: with the lab 50 are on PATH, and to ask them takes a second of processor in each call.
needed_line='# those that the script needs'
consider() {
    local first name names=
    if [ ! -f "${HOSTPIN_CONFIG-}" ]; then return; fi
    if [ -s "$HOSTPIN_CONFIG" ]; then
        { read -r first && read -r && IFS= read -r names; } <"$HOSTPIN_CONFIG" || return 0
        [ "$first" = "$needed_line" ] || return 0
        names=${names#*[} names=${names%]}', '
    fi
    for name in "$@"; do
        case $names in *"\"$name\""*) ;; *) names+="\"$name\", " ;; esac
    done
    { echo "$needed_line" && considers "$names"; } >"$HOSTPIN_CONFIG"
}
considers() { printf 'search = "named"\ncompilers = [%s]\n' "${1%, }"; }
# cuda 12.4: the toolkit's root. 13.0 is what stands in /usr/local, where it does; later ones are wheels, whose libraries are in lib.
cuda() {
    if [ -d "$lab/cuda-$1" ]; then
        realpath -s "$(readlink "$lab/cuda-$1" || echo "$lab/cuda-$1")"
    elif [[ $1 == 13.[1-9]* ]]; then
        wheels_of "$1"
    else
        echo "/usr/local/cuda-$1"
    fi
}
wheels_of() { echo "$lab/wheels/$1/lib/python3/site-packages/nvidia/cu13"; }
need_wheels() {
    [ -d "$(wheels_of "$1")" ] || skip "no wheels of CUDA $1 in the lab (./bootstrap lab installs them where the Python Package Index is reached)"
}
need_cuda() {
    need_lab bin
    if [ -x "$(cuda "$1")/bin/nvcc" ]; then return; fi
    case $1 in
    13.0) skip "no CUDA $1 in /usr/local, and it is no piece of the lab" ;;
    13.*) need_wheels "$1" ;;
    *) without_lab "no CUDA $1 $where" ;;
    esac
}

# need_cross [RELEASE GCC]: as need_toolkit, with a toolkit for another machine, which has only a runtime library for it, as
# $cross_toolkit; $triple, and the newest cross GCC that fits as $cross (its path).
# shellcheck disable=SC2034,SC2120 # the scripts' own
need_cross() {
    local name directory
    need_toolkit "$@"
    triple=aarch64-linux-gnu directory=sbsa-linux
    if [ "$(uname -m)" = aarch64 ]; then triple=x86_64-linux-gnu directory=x86_64-linux; fi
    cross=
    for ((name = gcc; name > 8 && ${#cross} == 0; name--)); do cross=$(PATH=$plain_path command -v "$triple-g++-$name") || :; done
    [ -n "$cross" ] || skip "no $triple-g++ that fits CUDA $release (./bootstrap test installs what there is a package of)"
    consider "$cross"
    cross_toolkit=$work/cross-$release
    [ ! -d "$cross_toolkit" ] || return 0
    mkdir -p "$cross_toolkit/bin" "$cross_toolkit/targets/$directory/lib"
    for name in "$toolkit"/bin/*; do ln -s "$(realpath "$name")" "$cross_toolkit/bin/"; done
    for name in nvcc nvcc.profile; do # nvcc looks next to itself
        rm "$cross_toolkit/bin/$name"
        cp "$(realpath "$toolkit/bin/$name")" "$cross_toolkit/bin/$name"
    done
    # shellcheck disable=SC2016 # nvcc's own variables
    sed -i -e 's,"-I$(TOP)/include","-I$(TOP)/$(_TARGET_DIR_)/include",' -e 's,$(TOP)/lib64,$(TOP)/$(_TARGET_DIR_)/lib,g' "$cross_toolkit/bin/nvcc.profile"
    for name in nvvm include lib64; do [ ! -e "$toolkit/$name" ] || ln -s "$(realpath "$toolkit/$name")" "$cross_toolkit/$name"; done
    ln -s ../../include "$cross_toolkit/targets/$directory/include"
    [ -e "$cross_toolkit/targets/$(uname -m)-linux" ] || mkdir -p "$cross_toolkit/targets/$(uname -m)-linux"
    ln -s ../../include "$cross_toolkit/targets/$(uname -m)-linux/include"
    ln -s ../../lib64 "$cross_toolkit/targets/$(uname -m)-linux/lib"
    "$cross" -shared -nostdlib -x c /dev/null -o "$cross_toolkit/targets/$directory/lib/libcudart.so"
    if [ "$triple" = aarch64-linux-gnu ]; then cp -a "$cross_toolkit/targets/$directory" "$cross_toolkit/targets/aarch64-linux"; fi # Jetson's
}

# limit FAMILY ROOT: the newest release of that family that the toolkit's own header takes.
limit() {
    case $1 in
    g++) sed -n 's/^#if __GNUC__ > \([0-9]*\).*/\1/p' ;;
    clang++) sed -n 's/^#if (__clang_major__ >= \([0-9]*\)).*/\1/p' | awk '{ print $1 - 1 }' ;;
    esac <"$2/include/crt/host_config.h" | sed -n 1p
}
# need_toolkit [RELEASE GCC]: those of the lab, or the machine's toolkit and the newest GCC that fits it, as $release, $toolkit,
# $gcc (a number) and $host (its path).
# shellcheck disable=SC2034,SC2120 # the scripts' own
need_toolkit() {
    release=${1:-12.4} gcc=${2:-13}
    if [ "$stands_in" = yes ]; then
        [ -n "${machine_release:-}" ] || skip 'no CUDA toolkit on this machine (install one, set CUDAToolkit_ROOT, or ./bootstrap lab)'
        release=$machine_release
        gcc=$(majors g++ "$(limit g++ "$(cuda "$release")")" | sed -n 1p)
        [ -n "$gcc" ] || skip "no GCC that fits CUDA $release on this machine (install an older one, or ./bootstrap lab)"
    fi
    need_cuda "$release"
    need_lab "bin/g++-$gcc"
    toolkit=$(cuda "$release") host=$lab/bin/g++-$gcc
}
# since RELEASE: $release is that one or a later one.
since() { [ "$(printf '%s\n' "$1" "$release" | sort -V | sed -n 1p)" = "$1" ]; }
# need_release RELEASE WHAT: since then nvcc has it.
need_release() { since "$1" || skip "CUDA $release has no $2 (CUDA $1 and newer have; ./bootstrap lab provides one)"; }
# Of $toolkit, whose nvlink loads it for link-time code.
need_libnvvm() { [ -e "$toolkit/nvvm/lib64" ] || skip "no libnvvm in $toolkit (NVIDIA's packages and ./bootstrap lab have it)"; }
# need_split [RELEASE OLDER NEWER]: a toolkit that takes the older GCC and not the newer one, as $release, $toolkit, $older and $newer
# (numbers), $host and $stdenv (their paths). Where the machine's toolkit takes both of its GCCs, it is given a lower limit.
# shellcheck disable=SC2034,SC2120 # the scripts' own
need_split() {
    release=${1:-12.4} older=${2:-13} newer=${3:-15}
    if [ "$stands_in" = yes ]; then
        need_toolkit "$release"
        read -r newer older < <(majors g++ | head -n 2 | xargs)
        [ -n "$older" ] || skip "GCC $newer alone makes no split (install an older one, such as g++-$((newer - 1)), or ./bootstrap lab)"
        [ "$older" -le "$gcc" ] || skip "CUDA $release takes neither GCC $older nor $newer (install an older one, or ./bootstrap lab)"
        if [ "$newer" -eq "$gcc" ]; then toolkit=$(limited "$toolkit" "$older"); fi
    else
        need_cuda "$release"
        need_lab "bin/g++-$older" "bin/g++-$newer"
        toolkit=$(cuda "$release")
    fi
    host=$lab/bin/g++-$older stdenv=$lab/bin/g++-$newer
    consider "g++-$older" "g++-$newer"
}
# need_third: a third GCC, which the toolkit of need_split takes as well, as $third.
need_third() {
    third=12
    if [ "$stands_in" = yes ]; then third=$(majors g++ "$older" | sed -n 2p); fi
    if [ -z "$third" ] || [ ! -e "$lab/bin/g++-$third" ]; then without_lab "no third GCC next to $newer and $older $where"; fi
    consider "g++-$third"
}
# limited ROOT GCC: a toolkit of links to that one, whose header takes GCC up to that release, as an earlier CUDA's does.
limited() {
    local to=$work/cuda-$release-gcc-$2 each headers
    headers=$(realpath "$1/include")
    if [ ! -d "$to" ]; then
        mkdir -p "$to.new/bin" "$to.new/include/crt"
        for each in "$1"/*; do case ${each##*/} in bin | include | targets) ;; *) ln -s "$each" "$to.new/" ;; esac; done
        ln -s "$1"/bin/* "$to.new/bin/"
        for each in nvcc nvcc.profile; do cp --remove-destination "$1/bin/$each" "$to.new/bin/"; done
        find "$headers" -mindepth 1 -maxdepth 1 ! -name crt -exec ln -s -t "$to.new/include" {} +
        ln -s "$headers"/crt/* "$to.new/include/crt/"
        rm "$to.new/include/crt/host_config.h"
        sed "s/__GNUC__ > [0-9]*/__GNUC__ > $2/" "$headers/crt/host_config.h" >"$to.new/include/crt/host_config.h"
        for each in "$1"/targets/*/*; do
            mkdir -p "$to.new/targets/$(basename "${each%/*}")"
            case $(realpath "$each") in "$headers") each=../../include ;; esac
            ln -s "$each" "$to.new/targets/$(basename "$1"/targets/*)/"
        done
        mv "$to.new" "$to"
        settle
    fi
    echo "$to"
}
# For what is asked of a GCC and a Clang alike: those of the lab and CUDA 12.4 or the machine's, as $toolkit, $gcc and $clang
# (numbers), and strace, which shows what is run.
# shellcheck disable=SC2034 # the scripts' own
need_both_families() {
    need_hostpin
    need_command strace
    need_toolkit
    clang=17
    if [ "$stands_in" = yes ]; then
        clang=$(majors clang++ "$(limit clang++ "$toolkit")" | sed -n 1p)
        [ -n "$clang" ] || skip "no Clang that fits CUDA $release on this machine (install one, such as clang-14, or ./bootstrap lab)"
    fi
    need_lab "bin/clang++-$clang"
    mkdir -p "$bin"
}

# ---------------------------------------------------------------------------------------------- cases

passed=0 failed=0 skipped=0 passed_before=0

# processor_time: hundredths of a second that this shell and what it waited for have taken.
processor_time() {
    local fields
    read -r fields <"/proc/$$/stat"
    read -ra fields <<<"${fields##*) }"
    echo $((fields[11] + fields[12] + fields[13] + fields[14]))
}
# in_seconds HUNDREDTHS: with one decimal place.
in_seconds() { echo $(($1 / 100)).$(($1 / 10 % 10)); }

# it SENTENCE FUNCTION [ARGUMENT...]: one case, in a shell of its own where any failing command fails it. What cases share is made before the
# first that is run: by $prepare, a function that a script may name.
prepare=
it() {
    local sentence=$1 status=0 began=${EPOCHREALTIME/[.,]/} had took
    shift
    if [ -n "${only:-}" ] && [[ $sentence != *"$only"* ]]; then return; fi
    # A script whose cases can be chosen by words has none that rests on another.
    if [ "$stands_in" = no ] && [ -n "${only+chosen}" ] && [ -n "$passed_file" ] && grep -qsxF -e "$this: $sentence" "$passed_file"; then
        passed_before=$((passed_before + 1))
        return
    fi
    had=$(processor_time)
    if [ -n "$prepare" ]; then "$prepare" && prepare=; fi
    mkdir -p "$work/case"
    set +e
    (
        set -e
        cd "$work/case"
        "$@"
    ) >"$work/case.log" 2>&1
    status=$?
    set -e
    took="$(in_seconds $(((${EPOCHREALTIME/[.,]/} - began) / 10000))) s, $(in_seconds $(($(processor_time) - had))) of processor"
    remove_all "$work/case" "$work/run/hostpin"
    case $status in
    0)
        passed=$((passed + 1)) && echo "ok      $sentence ($took)"
        if [ "$stands_in" = yes ] && [ -n "$passed_file" ]; then echo "$this: $sentence" >>"$passed_file"; fi
        ;;
    "$skip_code") skipped=$((skipped + 1)) && echo "skip    $sentence: $(tail -n 1 "$work/case.log")" ;;
    *) failed=$((failed + 1)) && echo "FAILED  $sentence ($took)" && sed 's/^/        /' "$work/case.log" ;;
    esac
}
# seldom SENTENCE FUNCTION [ARGUMENT...]: a case that others stand for, which only HOSTPIN_FULL=1 runs, or who names it by its words.
left_out=0
seldom() {
    if [ "$full" = 1 ] || [ -n "${only:-}" ]; then
        it "$@"
    else
        left_out=$((left_out + 1))
    fi
}
# The script's last line: its exit code says whether anything failed, or nothing ran at all.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    if [ "$passed_before" -gt 0 ]; then echo "$passed_before not run again, which passed without the lab"; fi
    if [ "$left_out" -gt 0 ]; then echo "$left_out that others stand for, left to HOSTPIN_FULL=1"; fi
    if [ "$failed" -gt 0 ]; then exit 1; fi
    if [ $((passed + passed_before)) -eq 0 ]; then exit "$skip_code"; fi
}

# damage FILE OFFSET: its byte there becomes another one, whatever it was, which compressed data does not let one know.
damage() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # the escape is the format
    printf "\\x$(printf %02x $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# ---------------------------------------------------------------------------------------------- assertions

fail() {
    echo "FAIL: $*"
    exit 1
}
# call COMMAND...: keeps its exit code in $status and its output in the files $out and $err.
out=$work/out err=$work/err status=0
call() {
    status=0
    "$@" >"$out" 2>"$err" </dev/null || status=$?
}
# without_threads COMMAND...: it can make none, as each would need a stack as large as the address space.
without_threads() { prlimit --stack=$((1 << 47)): "$@"; }
# call_within KB COMMAND...: as `call`, and it takes no more memory at any time; a sanitizer keeps what was freed.
call_within() {
    local most=$1 peak
    shift
    call /usr/bin/time -o "$work/peak" -f %M "$@"
    peak=$(tail -n 1 "$work/peak")
    [ -n "${ASAN_OPTIONS-}" ] || [ "$peak" -lt "$most" ] || fail "it took $peak KB"
}
show_call() {
    echo "exit code $status, stderr:"
    tail -n 40 "$err"
    echo "stdout:"
    tail -n 20 "$out"
}
exits() {
    [ "$status" -eq "$1" ] || { show_call; fail "exit code $status instead of $1"; }
}
# Each argument is an extended regular expression that some line of stderr must match.
says() {
    local pattern
    for pattern in "$@"; do
        grep -qE -e "$pattern" "$err" || { show_call; fail "stderr does not say: $pattern"; }
    done
}
says_not() {
    local pattern
    for pattern in "$@"; do
        ! grep -qE -e "$pattern" "$err" || { show_call; fail "stderr says: $pattern"; }
    done
}
prints_nothing() {
    [ ! -s "$out" ] || { show_call; fail "stdout is nvcc's, yet something was printed"; }
}
# literally TEXT: as a part of such an expression, every character means itself.
# shellcheck disable=SC2001 # bash 4.4 cannot refer back to what it replaces
literally() { sed 's/[].[^$*+?(){}|\\]/\\&/g' <<<"$1"; }
# contains [OPTION...] PATTERN: of what comes in. Unlike grep -q it reads to the end: a writer that goes on when its reader has
# left dies of SIGPIPE, and the pipeline fails now and then.
contains() {
    local text
    text=$(tr -d '\0')
    grep -q "$@" <<<"$text"
}
absent() {
    [ ! -e "$1" ] || fail "$1 was made"
}
# none_runs PATTERN: no process has such a command line, which is the caller's alone: other tests run at the same time. A process that was
# just killed may take a moment to end.
none_runs() {
    local tries
    for ((tries = 0; tries < 300; ++tries)); do
        if ! pgrep -f -- "$1" >/dev/null; then return; fi
        sleep 0.1
    done
    fail "it still runs: $(pgrep -af -- "$1")"
}
# Lets files that were just written age: what changed within a tick of the kernel's clock for files may change again under
# the same time, so that an answer about it is not cached.
settle() { sleep 0.1; }
same() {
    [ "$1" = "$2" ] || fail "got: $1"$'\n'"      expected: $2"
}

# ---------------------------------------------------------------------------------------------- looking

# The compilers that left their name in an object: `GCC: (Debian 13.3.0-14) 13.3.0`, `Debian clang version 14.0.6`.
producers() {
    readelf -p .comment "$1" | sed -n 's/^ *\[ *[0-9a-f]*\] *//p' | sort -u
}
# made_by FILE gcc|clang MAJOR: that one and no other compiler made the object.
made_by() {
    local name
    case $2 in gcc) name='GCC: \([^)]*\)' ;; clang) name='.*clang version' ;; esac
    [ -f "$1" ] || fail "no $1"
    producers "$1" | contains -E "^$name $3\." || fail "$1 was made by $(producers "$1"), not by $2 $3"
    ! grep -vqE "^$name $3\." <<<"$(producers "$1")" || fail "$1 was also made by another compiler: $(producers "$1")"
}
# The file of a library that a program would load, found by the program's own loader without running it.
loaded() {
    LD_TRACE_LOADED_OBJECTS=1 "$(realpath "$1")" | sed -n "s/^[[:space:]]*$2[^ ]* => \([^ ]*\) .*/\1/p" | xargs -r realpath
}
# stdenv_program CXX: ./plain, by that compiler alone. What it loads is what a program of ours must load.
stdenv_program() {
    echo 'int main() { throw 1; }' >plain.cpp
    # libgcc_s as a need of its own, for a RUNPATH does not reach the needs of needs
    "$1" plain.cpp -o plain -Wl,--no-as-needed -lgcc_s
}
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
runpath() { readelf -d "$1" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p'; }
# json FILE KEY...: one value, by CMake, which every machine that builds this has.
json() {
    cmake "-DFILE=$1" "-DKEYS=$(IFS=';' && echo "${*:2}")" -P "$repository/tests/e2e/json.cmake"
}
# Temporary names hold process ids and addresses, and --threads changes the order of lines: see both the same way.
normalise() {
    sed -E -e 's/tmpxft_[0-9a-f]+_[0-9a-f]+/tmpxft_PID/g' -e 's/_[0-9a-f]{6,16}_(stdout|stderr)/_ADDRESS_\1/g' | sort
}

# ---------------------------------------------------------------------------------------------- servers

# free_ports NUMBER: that many different ones of 127.0.0.1, on a line.
free_ports() {
    python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(each.getsockname()[1] for each in sockets))' "$1"
}
# is_logged PORT: waits until the nginx there, which has one process and a location /logged, has logged all that it answered before: it
# writes a line after the answer.
is_logged() {
    local connection
    exec {connection}<>"/dev/tcp/127.0.0.1/$1"
    printf 'GET /logged HTTP/1.0\r\n\r\n' >&"$connection"
    contains ' 204 ' <&"$connection"
    exec {connection}>&-
}
# start_sccache SCCACHE: its server, with a port for its clients in SCCACHE_SERVER_PORT. A client gives a server ten seconds to start, which
# a busy machine may need.
start_sccache() {
    local try
    need_command python3
    for try in 1 2 3 4 5; do
        SCCACHE_SERVER_PORT=$(free_ports 1)
        export SCCACHE_SERVER_PORT
        if "$1" --start-server >/dev/null 2>&1; then return; fi
    done
    fail "the server of sccache did not start in $try tries"
}

# Options with which CMake identifies the CUDA compiler and does not try it in a project of its own, for projects of CUDA alone: 0.8 s of
# processor instead of 2.
# shellcheck disable=SC2034 # the scripts' own
identified_only=(-DCMAKE_CUDA_ABI_COMPILED=ON -DCMAKE_CUDA_COMPILER_WORKS=ON)

# A small CUDA source whose program needs the C++ library and prints a line. Without <iostream> it compiles in half the time.
write_source() {
    cat >"$1" <<'CU'
#include <cstdio>
__global__ void nothing() {}
int main() {
    try {
        throw "hello from the host half";
    } catch (const char *line) {
        std::puts(line);
    }
}
CU
}
# The smallest source: what differs is who made the object.
write_small_source() { echo '__global__ void nothing() {}' >"$1"; }
# The host half of write_source as a .cpp file: nvcc runs the host compiler alone, which takes a twentieth of the time.
write_host_source() { write_source "$1" && sed -i /__global__/d "$1"; }
# only_compilers NAME...: hostpin considers those alone, whatever the script needs.
only_compilers() { considers "$(printf '"%s", ' "$@")" >"$HOSTPIN_CONFIG"; }
# all_compilers: in this case, hostpin considers each on PATH, as where nothing is configured.
all_compilers() { export HOSTPIN_CONFIG=$work/all.toml && echo '# all' >"$HOSTPIN_CONFIG"; }
# compiler NAME COMMAND...: a program NAME in the directory $bin that runs COMMAND with its own arguments appended.
bin=$work/bin
compiler() {
    local name=$1
    shift
    mkdir -p "$bin"
    # written aside and moved, so that a running one is never changed under somebody's feet
    { echo '#!/bin/sh' && printf 'exec' && printf ' %q' "$@" && echo ' "$@"'; } >"$bin/$name.new"
    chmod +x "$bin/$name.new"
    mv "$bin/$name.new" "$bin/$name"
}
