#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Another user exchanges caches, bindings, configurations, links and names in shared directories while root calls hostpin: none of that
# user's programs is executed. Each of them writes to the file `ran` if root runs it. 5 seconds; with HOSTPIN_FULL=1 60.
#   attacked.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"
seconds=5
if [ "$full" = 1 ]; then seconds=60; fi

# What the other user has prepared: a compiler that shows who runs it, and a configuration, a cache and a binding that name it, all of them
# whole, as hostpin made them for that user.
prepare_theirs() {
    local name
    mkdir evil theirs
    # shellcheck disable=SC2016
    for name in "g++-$older" nvcc c++ g++ gcc ld cc as; do
        printf '#!/bin/sh\n[ "$(id -u)" != 0 ] || echo "$0 $*" >>%s/ran\nexec %s "$@"\n' "$PWD" "$host" >"evil/$name"
    done
    chmod 755 evil/*
    "evil/g++-$older" --version >/dev/null
    [ -s ran ] || fail 'what is planted leaves no trace'
    rm ran
    chown 65534 theirs
    printf 'search = "named"\ncompilers = ["%s"]\nstdenv = "%s"\n' "$PWD/evil/g++-$older" "$PWD/evil/g++-$older" >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml HOSTPIN_CACHE_DIR=$PWD/theirs/cache TMPDIR=/tmp as_nobody sh -ec '
        mkdir -p theirs/home/.config/hostpin theirs/tree/bin
        cp config.toml theirs/home/.config/hostpin/config.toml
        unset CXX
        install/libexec/hostpin/nvcc -c x.cpp -o theirs/x.o
        install/bin/hostpin bind theirs/bound
        cp evil/* theirs/tree; cp evil/* theirs/tree/bin
        cp theirs/x.o theirs/tree/libx.so'
    grep -q "$PWD/evil" theirs/bound/binding.toml || fail 'the binding of the other user does not name the planted compiler'
}
# attack: until the file `attacked` is gone; how often something was exchanged is in the file `exchanged`.
attack() {
    # shellcheck disable=SC2016
    as_nobody bash -c '
        count=0
        while [ -e attacked ]; do
            count=$((count + 1))
            case $((RANDOM % 4)) in 0) name=cache ;; 1) name=bound ;; 2) name=home ;; *) name=tree ;; esac
            mv -T "shared/$name" "shared/gone.$count"
            case $((RANDOM % 6)) in
            0) ln -s "../theirs/$name" "shared/$name" ;;
            1 | 2) cp -r "theirs/$name" "shared/$name" ;;
            3) mv -T "shared/gone.$((RANDOM % count + 1))" "shared/$name" ;;
            4) ln -s "../theirs/$name" "shared/$name.link" && mv -T "shared/$name.link" "shared/$name" ;;
            esac
            for each in temporary/hostpin*; do
                mv -T "$each" "temporary/gone.$count" && ln -s "$PWD/theirs/bound" "$each"
            done
            ln -s "$PWD/theirs/cache" temporary/hostpin-0
            case $((RANDOM % 8)) in 0) rm temporary/hostpin-0 ;; 1) rm temporary/hostpin-0 && cp -r theirs/cache temporary/hostpin-0 ;; esac
            [ $((count % 20)) != 0 ] || rm -rf shared/gone.* temporary/gone.*
        done 2>/dev/null
        echo "$count"' >exchanged
}
# called COMMAND...: by root, from a shared cache and temporary directory.
calls=0 refused=0
called() {
    call env HOSTPIN_CACHE_DIR="$PWD/shared/cache" TMPDIR="$PWD/temporary" "$@"
    calls=$((calls + 1))
    [ "$status" -lt 126 ] || { show_call; fail "exit code $status of $*"; }
    if grep -qE 'belongs to another user|of another user|others may write|writable by all' "$err"; then refused=$((refused + 1)); fi
    [ ! -e ran ] || { show_call; fail "root ran what another user had planted, in $*: $(cat ran)"; }
}
nothing_of_theirs_runs() {
    local end attacker tree
    ground
    alone
    need_mounts
    cp -r "$prefix" install
    chmod -R a+rX "$work"
    prepare_theirs
    mkdir own
    mkdir -m 777 shared
    mkdir -m 1777 temporary
    "$hostpin" bind own/bound
    rmdir hold && touch attacked
    attack &
    attacker=$!
    end=$((SECONDS + seconds))
    while [ "$SECONDS" -lt "$end" ] || [ "$calls" -lt 12 ]; do
        called "$our_nvcc" -c x.cpp -o own/x.o
        exits 0
        called env -u XDG_RUNTIME_DIR "$our_nvcc" -c x.cpp -o own/x.o
        exits 0
        called own/bound/nvcc -c x.cpp -o own/x.o
        exits 0
        called "$hostpin" bind --refresh own/bound
        exits 0
        called "$hostpin" bind shared/bound
        called "$hostpin" bind --refresh shared/bound
        called env -u HOSTPIN_CONFIG -u XDG_CONFIG_HOME -u CXX HOME="$PWD/shared/home" PATH="$bin:$tools" "$hostpin" doctor
        if is_built checks; then
            tree=$PWD/shared/tree
            called "$hostpin" leak-check --no-binding "$tree"
            # shellcheck disable=SC2016 # the shell itself cannot enter a tree that is gone
            called sh -c 'cd "$1" 2>/dev/null || exit 0; PATH=.:bin::$PATH; exec "$2" leak-check --no-binding .' sh "$tree" "$hostpin"
        fi
    done
    rm attacked
    wait "$attacker"
    echo "$calls calls, $refused with a refusal or a note, while $(cat exchanged) times something was exchanged" | tee "$work/figures"
    absent ran
    if [ "$refused" = 0 ] || [ "$(cat exchanged)" = 0 ]; then fail 'nothing was attacked'; fi
}

need_hostpin
need_command setpriv
it 'nothing is executed that another user plants while root calls hostpin' nothing_of_theirs_runs
cat "$work/figures" 2>/dev/null || true
finish
