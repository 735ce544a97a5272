#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unusual names of directories, of the cache and of the directory for temporary files, and the longest paths: a correct build or a
# refusal.
#   names.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# shellcheck disable=SC2016 # of which nothing is expanded
hostile_names() {
    local name
    ground
    for name in 'a b' "it's" $'new\nline' $'\xff\xfe' '-dash' '*?[x]' '$(touch made)' '`touch made`' 'a"b' 'a\b' 'a;touch made;' \
        "$(printf 'n%.0s' {1..240})"; do
        mkdir -- "./$name"
        cp x.cpp "./$name/source.cu"
        rm -f x.o
        call "$hostpin" bind "./$name/bound"
        case $name in
        *[\"\$\`\\]* | *$'\n'*)
            refuses 2 'to a shell unescaped' '^hint: '
            absent "./$name/bound"
            ;;
        *)
            exits 0
            call "./$name/bound/c++" -c -x c++ "./$name/source.cu" -o x.o
            exits 0
            made_by x.o gcc "$older"
            rm -f x.o
            call "./$name/bound/nvcc" -c x.cpp -o x.o
            exits 0
            made_by x.o gcc "$older"
            ;;
        esac
        absent made
    done
}

# A cache and a directory for temporary files with such names: decided, stored and found again, or refused.
# shellcheck disable=SC2016
hostile_caches() {
    local name
    ground
    alone
    for name in 'a b' $'new\nline' $'\xff\xfe' '-dash' '$(touch made)'; do
        mkdir -- "./$name"
        export HOSTPIN_CACHE_DIR=$PWD/$name/cache TMPDIR=$PWD/$name
        for _ in first second; do
            rm -f x.o
            call "$our_nvcc" -E x.cu -o x.ii
            case $status in
            0) grep -q nothing x.ii ;;
            2) says '^hostpin: error: ' 'passes that path to a shell unescaped' '^hint: ' ;;
            *) show_call && fail "$name" ;;
            esac
            absent made
        done
        [ -n "$(find "./$name/cache/index" -type f -size +1k)" ] || fail "nothing was kept in $name"
        unset TMPDIR
    done
}
# Up to the system's limit for paths, and beyond it.
longest_paths() {
    local name source
    ground
    source=$PWD/x.cu
    name=$(printf 'd%.0s' {1..250})
    while [ ${#PWD} -lt 3500 ]; do mkdir "$name" && cd "$name"; done
    cp "$source" x.cu
    "$hostpin" bind bound
    call bound/nvcc -c x.cu -o x.o
    exits 0
    made_by x.o gcc "$older"
    rm x.o
    for _ in 1 2 3; do mkdir "$name" && cd "$name"; done
    call "$hostpin" bind bound
    refuses 2 'File name too long' '^hint: '
    same "$(ls)" ''
}

need_hostpin
it 'hostile names of directories' hostile_names
it 'hostile names of the cache and of the place for temporary files' hostile_caches
it 'paths as long as the system takes are bound, longer ones refused' longest_paths
finish
