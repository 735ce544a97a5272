#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compilers and toolkits that were seen before are not run again, and nothing that changed goes unnoticed.
#   remembered.sh [WORDS]   only the cases whose sentence contains WORDS
# HOSTPIN_FULL=1 compares decisions with and without the cache for every compiler and every toolkit.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_both_families

number=0
# bind ARGUMENT...: into a new directory, $bound; the programs that it ran are in $work/started, except hostpin itself and
# loaders that print their search path, which depends on the machine.
bind() {
    number=$((number + 1))
    bound=$work/case/bound-$number
    call strace -f -qq -s 200 -e trace=execve -o "$work/trace" "$hostpin" bind "$@" "$bound"
    exits 0
    sed -n 's/.*execve("\([^"]*\)", \[\(.*\)\], .* = 0$/\1 \2/p' "$work/trace" |
        grep -v -e "^$hostpin " -e '"--list-diagnostics"' >"$work/started" || true
}
starts_nothing() { [ ! -s "$work/started" ] || fail "started: $(cat "$work/started")"; }
starts() { contains -F -e "$1" <"$work/started" || fail "did not start $1"; }
# same_decision DIRECTORY DIRECTORY: byte for byte, except the plan's location.
same_decision() {
    local file
    for file in binding.toml toolchain.cmake plan identity; do
        if [ ! -e "$1/$file" ] && [ ! -e "$2/$file" ]; then continue; fi
        diff -a "$1/$file" "$2/$file" || fail "$file differs with the memory"
    done
}

everything_once() {
    local first
    CXX=$lab/bin/g++-$(majors g++ | head -n 1)
    export CXX
    bind
    first=$bound
    starts cc1plus
    bind
    starts_nothing
    same_decision "$bound" "$first"
    HOSTPIN_REMEMBER=off bind
    starts cc1plus
    same_decision "$bound" "$first"
}
it 'a second bind of another directory starts no compiler, no toolkit and no probe, and decides the same' everything_once

across() {
    local host stdenv one first='' other=$lab/bin/clang++-16
    if [ "$stands_in" = yes ]; then other=$lab/bin/clang++-$clang; fi
    for one in "$toolkit" "$lab"/cuda-* /usr/local/cuda; do
        [ -x "$one/bin/nvcc" ] || continue
        for stdenv in /usr/bin/c++ "$lab"/bin/g++-* "$lab"/bin/clang++-*; do
            for host in "$other" "$lab/bin/clang++-$clang" "$lab/bin/g++-$gcc"; do
                if [ "$full" != 1 ] && [[ $one != "$toolkit" || $stdenv != /usr/bin/c++ || $host != "$other" ]]; then continue; fi
                set -- --allow-unsupported --stdenv "$stdenv" --host "$host" --toolkit "$one"
                if ! "$hostpin" bind "$@" "$work/try" >/dev/null 2>&1; then continue; fi
                rm -rf "$work/try"
                bind "$@"
                first=$bound
                starts_nothing
                HOSTPIN_REMEMBER=off bind "$@"
                same_decision "$bound" "$first"
            done
        done
    done
    [ -n "$first" ] || fail 'nothing could be bound'
}
it 'a link across families is decided the same' across

# ---------------------------------------------------------------------------------------------- what changes

# From here on one compiler is used, a GCC in a separate tree: a driver, and links to the parts of the system's.
real=/usr/bin/g++-12 other=/usr/bin/g++-11
if [ ! -x "$real" ] || [ ! -x "$other" ]; then skip 'no GCC 11 and 12 in /usr/bin'; fi
machine=$("$real" -dumpmachine)
parts=/usr/lib/gcc/$machine/12
own=$work/own
mkdir -p "$own/bin" "$own/lib/gcc/$machine/12/include"
cp "$(realpath "$real")" "$own/bin/g++"
for part in "$parts"/*; do
    if [ "${part##*/}" != include ]; then ln -s "$part" "$own/lib/gcc/$machine/12/"; fi
done
ln -s "/usr/lib/gcc/$machine/11" "$own/lib/gcc/$machine/" # for the one that takes its place
ln -s "$parts"/include/* "$own/lib/gcc/$machine/12/include/"
one() { # DRIVER
    printf 'search = "named"\nstdenv = "%s"\ntoolkit = "%s"\n' "$1" "${2:-$toolkit}" >"$work/config.toml"
    settle
}
# noticed DRIVER CHANGE...: a bind starts nothing before the change, and the compiler after it, and nothing again.
noticed() {
    one "$1"
    bind
    bind
    starts_nothing
    "${@:2}"
    settle
    bind
    starts cc1plus
}
replace() { cp "$(realpath "$other")" "$own/new" && mv "$own/new" "$own/bin/g++"; }
restore() { cp "$(realpath "$real")" "$own/new" && mv "$own/new" "$own/bin/g++"; }
in_place() {
    noticed "$own/bin/g++" replace
    contains 'GCC 11' <"$out"
    noticed "$own/bin/g++" restore
    contains 'GCC 12' <"$out"
}
it 'a compiler that is replaced in place' in_place

links() {
    ln -s "$real" "$bin/linked"
    ln -s "$bin/linked" "$bin/g++"
    noticed "$bin/g++" ln -sfn "$other" "$bin/linked"
    contains 'GCC 11' <"$out"
    noticed "$bin/g++" ln -sfn "$real" "$bin/g++"
    contains 'GCC 12' <"$out"
    rm "$bin/g++"
}
it 'a link, and a link to a link as alternatives are, that is redirected to another compiler' links

scripts() {
    ln -sfn "$real" "$bin/linked"
    compiler g++ "$bin/linked"
    noticed "$bin/g++" ln -sfn "$other" "$bin/linked"
    contains 'GCC 11' <"$out"
    noticed "$bin/g++" compiler g++ "$real"
    contains 'GCC 12' <"$out"
}
it 'the compiler that a plain script runs, and the script' scripts

opaque() {
    printf '#!/bin/sh\nif [ -e "%s" ]; then exec %s "$@"; fi\nexec %s "$@"\n' "$work/flag" "$other" "$real" >"$bin/g++"
    one "$bin/g++"
    bind
    bind
    starts cc1plus
    : >"$work/flag"
    bind
    contains 'GCC 11' <"$out"
    rm "$work/flag"
}
it 'a script whose answer may depend on anything is run each time' opaque

own_parts() {
    local there=$own/lib/gcc/$machine/12
    noticed "$own/bin/g++" eval "rm $there/cc1plus && cp $parts/cc1plus $there/"
    # shellcheck disable=SC2016 # the driver's own text
    noticed "$own/bin/g++" eval "printf '*cpp_unique_options:\n+ -DSPECS\n' >$there/specs"
    noticed "$own/bin/g++" rm "$there/specs"
    noticed "$own/bin/g++" eval "echo '#include_next <features.h>' >$there/include/features.h"
    noticed "$own/bin/g++" rm "$there/include/features.h"
}
it 'its parts: cc1plus, a specs file, a header before another' own_parts

surroundings() {
    one "$own/bin/g++"
    bind
    COMPILER_PATH=$own bind
    starts cc1plus
    GCC_EXEC_PREFIX=/usr/lib/gcc/ bind
    starts cc1plus
    PATH=$own:$PATH bind
    starts cc1plus
    PATH=$PATH: bind
    PATH=$PATH: bind
    starts cc1plus
    bind
    starts_nothing
}
it 'an environment in which a compiler would find other parts' surroundings

# A view of a toolkit: links, and its own nvcc.profile.
toolkits() {
    local view=$work/view part
    mkdir -p "$view/bin"
    for part in "$toolkit"/*; do [ "${part##*/}" = bin ] || ln -s "$part" "$view/"; done
    ln -s "$toolkit"/bin/* "$view/bin/"
    rm "$view/bin/nvcc.profile"
    cp "$toolkit/bin/nvcc.profile" "$view/bin/"
    one "$own/bin/g++" "$view"
    bind
    bind
    starts_nothing
    # shellcheck disable=SC2016 # for nvcc to expand
    echo 'LIBRARIES =+ $(ELSEWHERE)' >>"$view/bin/nvcc.profile"
    settle
    bind
    starts "$view/bin/nvcc"
    bind
    starts_nothing
    ELSEWHERE=-L/opt bind
    starts "$view/bin/nvcc"
    rm "$view/bin/nvcc"
    cp "$toolkit/bin/nvcc" "$view/bin/"
    settle
    bind
    starts "$view/bin/nvcc"
}
it 'a toolkit: its nvcc, its profile, and a variable that the profile names' toolkits

# ---------------------------------------------------------------------------------------------- the cache itself

damaged() {
    local file first kept=$HOSTPIN_CACHE_DIR/programs
    one "$own/bin/g++"
    bind
    first=$bound
    for file in "$kept"/*; do truncate -s -7 "$file"; done
    bind
    starts cc1plus
    same_decision "$bound" "$first"
    for file in "$kept"/*; do head -c 2000 /dev/urandom >"$file"; done
    bind
    starts cc1plus
    same_decision "$bound" "$first"
    for file in "$kept"/*; do sed -i 's/ 12 / 11 /g' "$file"; done
    bind
    starts cc1plus
    same_decision "$bound" "$first"
    bind
    starts_nothing
    chmod o+w "$kept"/*
    bind
    starts cc1plus
    chmod o+w "$kept"
    bind
    bind
    starts cc1plus
    same_decision "$bound" "$first"
    rm -rf "$kept"
    : >"$kept" # no directory at all
    bind
    same_decision "$bound" "$first"
    rm "$kept"
}
it 'damaged files, and files that others may write, are not used' damaged

switched_off() {
    one "$own/bin/g++"
    bind
    HOSTPIN_REMEMBER=off bind
    starts cc1plus
    starts "$toolkit/bin/nvcc"
    HOSTPIN_REMEMBER=off HOSTPIN_CACHE_DIR=$work/untouched bind
    absent "$work/untouched/programs"
}
it 'HOSTPIN_REMEMBER=off runs them again, and stores nothing' switched_off
finish
