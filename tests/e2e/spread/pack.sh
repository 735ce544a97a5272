#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The archive of hostpin bind --pack, extracted in an empty root with nothing else there, compiles and links.
#   pack.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: those too that take long
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_split 12.4 13 14
need_command tar zstd unshare cmp
archive=$work/toolchain.tar.zst
bind=("$hostpin" bind --toolkit "$toolkit" --stdenv "$stdenv")

pack() { # ARCHIVE
    call "${bind[@]}" --pack "$1" "$work/toolchain"
    exits 0
}
# The archive, which the first case that needs it makes.
packed() {
    [ -f "$archive" ] || { "${bind[@]}" --pack "$work/draft.tar.zst" "$work/toolchain" && mv "$work/draft.tar.zst" "$archive"; }
}
# extract ARCHIVE DIRECTORY: a root with only that and the source of saxpy.
extract() {
    mkdir "$2" "$2/source" "$2/dev"
    tar -C "$2" -xf "$1"
    : >"$2/dev/null" # lto-check lets its compilers read it
    cp "$repository"/samples/saxpy/*.{cu,cuh,cpp,hpp} "$2/source"
}
# alone ROOT COMMAND: without /proc, PATH beyond the default, or the right to change users.
alone() { env -i PATH=/usr/bin:/bin unshare --map-root-user --root="$1" /bin/sh -c "cd /source && $2"; }
need_namespaces() { unshare --map-root-user true || skip 'user namespaces are not allowed here'; }

packs_a_toolchain() {
    rm -f "$archive"
    pack "$archive"
    grep -qE "packed +$(literally "$archive")" "$out" || { show_call && fail 'it does not say so'; }
    grep -qE 'extracts +as /toolchain,' "$out" || { show_call && fail 'it does not say under which name it unpacks'; }
    same "$(tar -tvf "$archive" | awk '{ print $2 }' | sort -u)" 0/0
    # a link of saxpy does not need cuBLAS and the like
    ! tar -tf "$archive" | contains -E 'libcublas|libnvptxcompiler|nvdisasm' || fail 'more than what compiles and links'
}
# The list of what to pack must not get their descriptor numbers.
packs_without_standard_streams() {
    packed
    status=0
    "${bind[@]}" --pack "$PWD/again.tar.zst" "$work/toolchain" <&- >&- 2>"$err" || status=$?
    exits 2
    says '^hostpin: error: cannot write to standard output'
    cmp "$archive" again.tar.zst
}
builds_saxpy_alone() {
    need_namespaces
    packed
    extract "$archive" root
    alone root "/toolchain/nvcc -arch=compute_75 -std=c++17 -c saxpy_cuda.cu && '$stdenv' -std=c++20 -c report.cpp &&
        /toolchain/nvcc saxpy_cuda.o report.o -o saxpy && ./saxpy host"
    made_by root/source/saxpy_cuda.o gcc "$older"
    made_by root/source/report.o gcc "$newer"
}
# nvcc names targets/x86_64-linux/include, and if that is a symlink its headers are elsewhere.
reaches_headers_through_a_symlink() {
    need_cuda 13.0
    [ "$release" != 13.0 ] || skip 'the toolkit that was packed is that one'
    [ -L "$(cuda 13.0)/targets/x86_64-linux/include" ] || skip 'the include directory of CUDA 13.0 is no symlink'
    need_namespaces
    call "$hostpin" bind --toolkit "$(cuda 13.0)" --stdenv "$stdenv" --pack "$PWD/t.tar.zst" "$PWD/toolchain"
    exits 0
    extract t.tar.zst root
    alone root '/toolchain/nvcc -arch=compute_75 -std=c++17 -c saxpy_cuda.cu'
}
builds_a_device_link_alone() {
    [ "$full" = 1 ] || skip 'HOSTPIN_FULL=1 runs it'
    need_namespaces
    packed
    extract "$archive" root
    alone root "'$stdenv' -std=c++20 -c report.cpp && /toolchain/nvcc -arch=sm_75 -dlto -dc saxpy_cuda.cu -o d.o &&
        /toolchain/nvcc -arch=sm_75 -dlto d.o report.o -o d && ./d host"
}
is_the_same_again() {
    [ "$full" = 1 ] || skip 'HOSTPIN_FULL=1 runs it'
    packed
    pack "$PWD/again.tar.zst"
    cmp "$archive" again.tar.zst
}
refuses_what_it_cannot_write() {
    local name
    for name in t.tar.gz t .tar.zst; do
        call "${bind[@]}" --pack "$name" "$work/other"
        exits 2
        says 'is not named like one' 'ends in .tar.zst'
        absent "$work/other"
    done
    call "${bind[@]}" --pack "$PWD/nowhere/t.tar.zst" "$work/toolchain"
    exits 2
    says 'cannot write .*nowhere/t.tar.zst'
    mkdir t.tar.zst
    call "${bind[@]}" --pack t.tar.zst "$work/toolchain"
    exits 2
    says 'is not a regular file'
    call "${bind[@]}" --pack u.tar.zst --with "$PWD/missing" "$work/toolchain"
    exits 2
    says 'there is nothing to pack at .*/missing'
    same "$(ls -A)" t.tar.zst
}
keeps_the_former_when_it_fails() {
    need_mounts
    # shellcheck disable=SC2016 # for the inner shell
    call unshare --mount bash -euc 'mount -t tmpfs -o size=8m none . && echo former >t.tar.zst
        ! "${@:2}" --pack "$PWD/t.tar.zst" "$1" && ls -A && cat t.tar.zst' sh "$work/toolchain" "${bind[@]}"
    exits 0
    says 'No space left'
    same "$(tail -n 2 "$out")" $'t.tar.zst\nformer'
}
leaves_nothing_when_it_is_ended() {
    [ "$full" = 1 ] || skip 'HOSTPIN_FULL=1 runs it'
    "${bind[@]}" --pack "$PWD/t.tar.zst" "$work/toolchain" &
    until compgen -G 't.tar.zst.*' >/dev/null; do sleep 0.01; done
    kill -TERM $!
    ! wait $! || fail 'it was not ended'
    same "$(ls -A)" ''
}
it 'a toolchain is packed with what it compiles and links with' packs_a_toolchain
seldom 'without standard streams it is packed all the same' packs_without_standard_streams
it 'alone in an empty root it builds saxpy' builds_saxpy_alone
it 'so it does with device link-time optimization' builds_a_device_link_alone
it 'headers that the toolkit reaches through a symlink are packed' reaches_headers_through_a_symlink
it 'the same toolchain is packed as the same bytes' is_the_same_again
it 'what cannot be written is refused' refuses_what_it_cannot_write
it 'a full disk leaves the former archive' keeps_the_former_when_it_fails
it 'an interruption leaves nothing' leaves_nothing_when_it_is_ended
finish
