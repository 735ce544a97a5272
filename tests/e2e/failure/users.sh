#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Machines with several users: files that others own or can write are not used, or reported; shared names are unpredictable.
#   users.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# Everything is readable for both; they share a cache as they share /tmp.
two_users() {
    ground
    alone
    need_mounts
    cp -r "$prefix" install
    mkdir out
    mkdir -m 1777 cache temporary
    chmod -R a+rX "$work" && chmod 777 out && chmod 1777 cache
    export HOSTPIN_CACHE_DIR=$PWD/cache TMPDIR=$PWD/temporary
    their_nvcc=$PWD/install/libexec/hostpin/nvcc
}
# A user who can write to a cache could replace hostpin's programs.
one_cache() {
    two_users
    call as_nobody "$their_nvcc" -c x.cpp -o out/theirs.o
    exits 0
    made_by out/theirs.o gcc "$older"
    call "$their_nvcc" -c x.cpp -o out/ours.o
    exits 0
    made_by out/ours.o gcc "$older"
    says '^hostpin: note: the decision cannot be stored.*: the cache directory .* is not used: it belongs to another user, or others may write to it'
    same "index: $(find cache -path '*/index/*')" 'index: '
    # one that another user created for themselves
    rm -r cache
    mkdir cache
    chown 65534 cache
    rm -r "$XDG_RUNTIME_DIR/hostpin"
    call "$their_nvcc" --dryrun -c x.cu
    exits 0
    says 'is not used'
    same "index: $(find cache -path '*/index/*')" 'index: '
}
# A plan in the cache that another user planted: it names a program of theirs as nvcc.
planted_plan() {
    local index
    two_users
    chmod 700 cache
    "$their_nvcc" --version >/dev/null
    index=$(find cache/index -type f -size +1k)
    chown 65534 "$index"
    strace -f --seccomp-bpf -qq -e trace=execve -o trace "$their_nvcc" --version >/dev/null
    grep -q '"bind", "--plan"' trace || fail 'the plan of another user was used'
    same "owner: $(stat -c %u "$index")" 'owner: 0'
    chmod 666 "$index"
    strace -f --seccomp-bpf -qq -e trace=execve -o trace "$their_nvcc" --version >/dev/null
    grep -q '"bind", "--plan"' trace || fail 'a plan that anybody may write was used'
}
# Directories in this user's cache that another user created while they could: the owner of one can replace its files.
planted_directories() {
    local how each
    two_users
    for how in 'chown 65534 index' 'chmod 770 index' 'chown 65534 bindings' 'chmod 707 bindings'; do
        each=${how##* }
        rm -rf cache "$XDG_RUNTIME_DIR/hostpin"
        mkdir -m 700 cache "cache/$each"
        (cd cache && $how)
        call "$their_nvcc" --dryrun -c x.cu
        exits 0
        says "gnu_version=${older}0" "^hostpin: note: .*cache/$each .*belongs to another user, or others may write to it"
        same "kept: $(find "cache/$each" -mindepth 1)" 'kept: '
    done
}
# A symlink that another user created in a world-writable directory, at the path of the cache.
planted_link() {
    two_users
    mkdir theirs
    chown 65534 theirs
    rm -rf cache
    ln -s theirs cache
    chown -h 65534 cache
    call "$their_nvcc" --dryrun -c x.cu
    exits 0
    says "gnu_version=${older}0" 'cache .*belongs to another user'
    same "kept: $(find theirs -mindepth 1)" 'kept: '
}
# Below a directory in which others can rename: they could exchange the whole cache while nvcc runs its c++.
shared_above() {
    local how
    two_users
    for how in 'chmod 777' 'chmod 775' 'chown 65534'; do
        rm -rf above "$XDG_RUNTIME_DIR/hostpin"
        mkdir -m 755 above
        mkdir -m 700 above/c
        chgrp 65534 above
        $how above
        call env HOSTPIN_CACHE_DIR="$PWD/above/c" "$their_nvcc" --dryrun -c x.cu
        exits 0
        says "gnu_version=${older}0" "cache directory $PWD/above/c is not used: $PWD/above, above it, belongs to another user, or others may write to it"
        same "kept: $(find above/c -mindepth 1)" 'kept: '
        says_not "-ccbin[ =]\"*$PWD/above"
    done
    rm -rf above/c
    call "$hostpin" bind above/bound
    exits 0
    says "^hostpin: note: $PWD/above belongs to another user, or others may write to it: they can replace the programs in $PWD/above/bound"
    chown 0:0 above
    call "$hostpin" bind --refresh above/bound
    exits 0
    says_not 'belongs to another user'
}
# A home that sudo kept: the configuration in it names programs.
their_configuration() {
    two_users
    unset HOSTPIN_CONFIG XDG_CONFIG_HOME
    mkdir -p home/.config/hostpin
    printf '#!/bin/sh\nid >>%s/ran\nexit 1\n' "$PWD" >evil
    chmod 755 evil
    printf 'stdenv = "%s/evil"\n' "$PWD" >home/.config/hostpin/config.toml
    chown -R 65534 home
    call env -u CXX HOME="$PWD/home" "$hostpin" doctor
    exits 2
    says "^hostpin: error: the configuration $PWD/home/.config/hostpin/config.toml is not used: $PWD/home belongs to another user" '^hint: .*HOSTPIN_CONFIG'
    absent ran
    chown -R 0:0 home
    chmod 666 home/.config/hostpin/config.toml
    call env -u CXX HOME="$PWD/home" "$hostpin" doctor
    exits 2
    says 'config.toml is not used: it belongs to another user, or others may write to it'
    absent ran
}
writable_binding() {
    two_users
    "$hostpin" bind bound
    call bound/nvcc --version
    exits 0
    for mode in 664 646; do
        chmod "$mode" bound/plan
        call bound/nvcc -c x.cpp -o x.o
        refuses 2 "$PWD/bound/plan, which determines what is executed, can be written by others" '^hint: .*chmod go-w'
        call bound/c++ --version
        exits 2
    done
    chmod 644 bound/plan
    chown 65534 bound/plan
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 'belongs to another user'
    chown 65534 bound/nvcc # a toolchain that another user installed for all
    call bound/nvcc --version
    exits 0
}
# An empty directory that another user left at the path of hostpin's, or made writable for all.
foreign_directory() {
    local how
    ground
    need_mounts
    for how in 'chown 65534' 'chmod 777' 'chmod 707' 'chmod 1777'; do
        rm -rf bound
        mkdir -m 755 bound
        $how bound
        call "$hostpin" bind bound
        exits 2
        says "^hostpin: error: $PWD/bound .*, who could replace its programs; nothing was written" '^hint: '
        same "$(ls bound)" ''
    done
    rm -rf bound
    mkdir -m 775 bound # as created under a umask of 002
    call "$hostpin" bind bound
    exits 0
    chown 65534 bound
    cp -a bound before
    call "$hostpin" bind --refresh bound
    exits 2
    diff -r --no-dereference before bound
}
# A link of another user chooses the directory: also one on the way, one that leads nowhere, and for --refresh, before the recorded
# request is read, which names programs.
foreign_link() {
    local name
    ground
    need_mounts
    mkdir -m 755 own theirs
    mkdir -m 777 shared # where the kernel follows links of anyone
    printf '#!/bin/sh\nid >>%s/ran\nexit 1\n' "$PWD" >evil
    chmod 755 evil
    ln -s ../own shared/link
    ln -s ../own/new shared/dangling
    chown -h 65534 shared/link shared/dangling
    for name in link link/new dangling; do
        call "$hostpin" bind "shared/$name"
        exits 2
        says "^hostpin: error: $PWD/shared/${name%/new} is a link of another user, who could replace the programs in $PWD/shared/$name; nothing was written" '^hint: '
        same "own: $(ls own)" 'own: '
    done
    "$hostpin" bind theirs/bound
    sed -i "s|$bin/[^\"]*|$PWD/evil|g" theirs/bound/binding.toml
    ln -sfn ../theirs/bound shared/link
    chown -h 65534 shared/link
    call "$hostpin" bind --refresh shared/link
    exits 2
    says 'is a link of another user'
    absent ran
    chown -R 65534 theirs
    call "$hostpin" bind --refresh theirs/bound
    exits 2
    says 'belongs to another user'
    absent ran
    chown -h 0 shared/link
    ln -sfn ../own shared/link
    call "$hostpin" bind shared/link
    exits 0
}
# setup.toml of another user names programs, which setup would run if the directory is not bound.
foreign_setup() {
    ground
    need_mounts
    mkdir -m 755 theirs
    printf '#!/bin/sh\nid >>%s/ran\nexit 1\n' "$PWD" >evil
    chmod 755 evil
    printf 'schema = 1\ndirectory = "%s"\nrequest = []\nstdenv = "x"\ntoolkit = "%s"\ncompiler = "%s"\nstdenv-driver = ""\n' \
        "$PWD/theirs" "$toolkit" "$PWD/evil" >theirs/setup.toml
    chown -R 65534 theirs
    call "$hostpin" setup theirs
    exits 2
    says 'belongs to another user'
    absent ran
    chown -R 0 theirs
    call "$hostpin" setup theirs
    [ -e ran ] || { show_call && fail 'a record of this user is not used'; }
}
# planted FILE TEXT: by the other user, in place of what is there.
planted() {
    as_nobody rm -rf "$1"
    rmdir hold
    # shellcheck disable=SC2016
    as_nobody sh -ec 'mkdir -p "${1%/*}"; printf "%b" "$2" >"$1"' sh "$1" "$2"
    rmdir hold
}
# Root builds in a directory that others may write to: their files there name programs, releases and decisions. The environment decides, or
# the call is refused, and nothing of theirs is executed, printed as a line of hostpin's, or waited for.
foreign_build() {
    local each file release
    two_users
    mkdir own && export HOSTPIN_CACHE_DIR=$PWD/own
    mkdir evil evil/bin
    for each in nvcc c++ "g++-$older" "g++-$newer"; do
        # shellcheck disable=SC2016
        printf '#!/bin/sh\necho "$0 $*" >>%q/ran\n' "$PWD" >"evil/bin/$each"
        chmod 755 "evil/bin/$each"
    done
    cp "$toolkit/bin/nvcc.profile" evil/bin/
    mkdir -m 777 build
    file=$PWD/build/CMakeFiles/3.25.1/CMakeCUDACompiler.cmake
    # root configures the directory, and the other user exchanges what CMake left there
    mkdir -p build/CMakeFiles/3.25.1/CompilerIdCUDA && chown -R 65534 build
    (cd build/CMakeFiles/3.25.1/CompilerIdCUDA && "$our_nvcc" --version >/dev/null)
    builds_there() {
        (cd build && call timeout 60 "$our_nvcc" -c ../x.cpp -o "$work/case/x.o" && echo "$status" >"$work/status")
        status=$(cat "$work/status")
        absent ran
        says_not "$(printf '\033')" '^hint: evil' '^evil'
    }
    for each in evil/bin/nvcc evil/bin/../bin/nvcc evil/bin/nvcc.gone; do
        planted "$file" "set(CMAKE_CUDA_COMPILER \"$PWD/$each\")\nset(CMAKE_CUDA_COMPILER_VERSION \"9.9\")\n"
        builds_there
        exits 0
    done
    for release in 9.9 '9.9\nhint: evil' '\033[2J\033[1;1Hevil' "$(printf '%20000s' x)"; do
        planted "$file" "set(CMAKE_CUDA_COMPILER \"$our_nvcc\")\nset(CMAKE_CUDA_COMPILER_VERSION \"$release\")\n"
        rm -rf own/builds
        builds_there
        [ "$release" = 9.9 ] || exits 0
        [ "$release" != 9.9 ] || { exits 1 && says 'was configured with CUDA 9\.9'; }
        [ "$(wc -c <"$err")" -lt 3000 ] || fail "a message of $(wc -c <"$err") bytes"
    done
    planted "$file" ''
    # shellcheck disable=SC2016
    as_nobody sh -ec 'rm "$1"; mkfifo "$1"' sh "$file"
    rmdir hold
    builds_there
    exits 0
    for each in binding.toml plan hostpin.toml config.toml .config/hostpin/config.toml; do
        planted "$PWD/build/$each" "stdenv = \"$PWD/evil/bin/g++-$newer\"\nhost = \"$PWD/evil/bin/g++-$older\"\n"
    done
    for each in nvcc c++ g++ "g++-$older" ld as; do
        as_nobody cp "$PWD/evil/bin/nvcc" "$PWD/build/$each"
        rmdir hold
    done
    builds_there
    exits 0
    made_by x.o gcc "$older"
}
# Every file in a world-writable directory is created by open or mkdir that fail if the name exists, with six random characters.
unguessable_names() {
    two_users
    export HOSTPIN_CONFIG=$work/config.toml # everything in it is checked
    rm -rf "$HOSTPIN_CACHE_DIR"
    export HOSTPIN_CACHE_DIR=$PWD/own
    makes_unguessable "$hostpin" bind bound
    # lto-check runs linkers, stdlib-probe runs the compiler
    echo 'int main() { throw 1; }' >main.cpp
    "$host" -flto -c main.cpp
    makes_unguessable "$hostpin" lto-check -- "$host" -flto main.o -o program
    if is_built checks; then makes_unguessable "$hostpin" stdlib-probe why main.cpp --max GLIBCXX_3.4.20 -- "$host" -c main.cpp; fi
    if [ "$full" = 1 ]; then makes_unguessable "$hostpin" doctor --verify; fi
    # the fixed file is in a directory that a group shares
    mkdir -m 1777 tree
    printf 'libdir=%s\nLibs: -L%s -lx\n' "$PWD/gone" "$PWD/gone" >tree/x.pc
    if is_built checks; then TMPDIR=$PWD/tree makes_unguessable "$hostpin" leak-check --no-binding --fix --forbid "$PWD/gone" tree; fi
}
# makes_unguessable COMMAND...: also leaves no files there.
makes_unguessable() {
    local before
    before=$(find "$TMPDIR" -mindepth 1)
    strace -f --seccomp-bpf -qq -e trace=open,openat,creat,mkdir,mkdirat,link,linkat,symlink,symlinkat,rename,renameat,renameat2 -o trace "$@" \
        >"$out" 2>"$err" || [ $? -eq 1 ] || { show_call && fail "$*"; }
    # nvcc and GCC's drivers name their own; if two threads call at once, strace prints a call in two lines
    grep -E "\"($TMPDIR/)?[^/\"]*\"" trace | grep -E 'O_CREAT|mkdir|creat\(|link' | grep -E "$TMPDIR/|openat\([0-9]" |
        grep -vE '/(tmpxft_|cc[A-Za-z0-9]{6})| = -1 ' >made || true
    ! grep -vE 'O_EXCL|mkdir|linkat' made || fail "made without O_EXCL by $*"
    grep 'hostpin' made >ours || true
    ! grep -vE "mkdir\(\"$TMPDIR/hostpin\.[A-Za-z0-9]{6}\", 0700(\)| <unfinished)|linkat\(.*\.hostpin[-.][A-Za-z0-9]+\"" ours || fail "ours, under another name or open to others, by $*"
    wc -l made ours
    same "left: $(find "$TMPDIR" -mindepth 1)" "left: $before"
}

need_hostpin
need_command strace setpriv
it 'a cache that others may write to is not used, and the build is right' one_cache
it 'a plan in the cache that another user owns or may write is not used' planted_plan
it 'a directory in the cache that another user owns or may write is not used' planted_directories
it 'a link to a directory of another user is no cache' planted_link
it 'a cache below a directory that others may write to is not used, and bind reports such a one' shared_above
it 'a configuration that others own or may write to is not used' their_configuration
it 'a binding whose plan others own or may write is refused' writable_binding
it 'bind writes to no directory that another user owns or everybody may write to' foreign_directory
it 'bind goes through no link of another user' foreign_link
it 'setup runs nothing that the record of another user names' of setup foreign_setup
it 'what others planted in a build directory runs nothing and prints no line of its own' foreign_build
it 'no name in a shared directory can be guessed' unguessable_names
finish
