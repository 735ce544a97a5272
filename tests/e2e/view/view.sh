#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `hostpin bind --view DIR`: a whole toolkit tree with hostpin's nvcc, and later changes to it.
#   view.sh [WORDS]          only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1           every toolkit of the lab instead of 12.4 alone
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_split 12.4 13 14
tk=$toolkit

bind_view() { "$hostpin" bind --view "$1" --toolkit "${2:-$tk}" --stdenv "$stdenv" --host "$host" >bind.log; }
# The first view is used often and never written to.
view="$work/the view's é"
(cd "$work" && bind_view "$view")

# The content of a view: links with their targets, other files with their content.
picture() { (cd "$1" && find . -type l -printf '%p -> %l\n' -o -type f -printf '%p ' -exec sha256sum {} \; | sed "s| $1/| |" | sort); }
# farm NAME: a separate toolkit to upgrade; its nvcc.profile is a file and the rest are links.
farm() {
    mkdir -p "$1"
    cp -as "$tk/." "$1/"
    cp --remove-destination "$tk/bin/nvcc.profile" "$1/bin/nvcc.profile"
    cp --remove-destination "$tk/include/crt/host_config.h" "$1/include/crt/host_config.h"
    settle
}

whole_tree() {
    local root entry gcc=$host roots=("$tk")
    if [ "$full" = 1 ]; then gcc=$lab/bin/g++-10 roots=("$lab"/cuda-* "$(cuda 13.0)"); fi
    for root in "${roots[@]}"; do
        [ -x "$root/bin/nvcc" ] || continue
        "$hostpin" bind --view each --toolkit "$root" --stdenv "$gcc" >/dev/null
        (cd "$root/" && find . -mindepth 1 -maxdepth 1 ! -name bin && find ./bin -mindepth 1 -maxdepth 1 ! -name nvcc) >entries
        [ "$(wc -l <entries)" -gt 10 ] || fail "the toolkit in $root has no more than $(cat entries)"
        while read -r entry; do
            [ "each/$entry" -ef "$root/$entry" ] || fail "$entry of the view is not that of $root"
        done <entries
        # and nothing else
        same "$(find each -type l ! -path each/hostpin/toolkit ! -path each/bin/nvcc | wc -l)" "$(wc -l <entries)"
        call each/bin/nvcc -v __nothing
        says "^#\\$ TOP=$(literally "$PWD/each")/bin/\\.\\.\$"
        # for tools that resolve the link
        same "$(dirname "$(dirname "$(realpath each/bin/nvcc)")")" "$PWD/each"
        call each/bin/nvcc --version
        grep -q 'Cuda compilation tools' "$out" || fail "nvcc does not tell its version"
        rm -r each
    done
}
same_inputs_same_tree() {
    bind_view one
    bind_view two
    picture "$PWD/one" | sed "s|$PWD/one|DIR|g" >first
    picture "$PWD/two" | sed "s|$PWD/two|DIR|g" >second
    diff first second || fail "two views of the same inputs differ"
    "$hostpin" bind --refresh one >/dev/null
    picture "$PWD/one" | sed "s|$PWD/one|DIR|g" | diff first - || fail "a refresh changed what did not change"
}
compiles_and_links() {
    echo '__global__ void k() {} int main() { throw 1; }' >x.cu
    "$view/bin/nvcc" -arch=sm_75 -c x.cu -o x.o
    made_by x.o gcc "$older"
    "$view/bin/nvcc" -cudart none -o x x.o -lcudart_static -ldl -lpthread -lrt 2>/dev/null || "$view/bin/nvcc" -o x x.o
    stdenv_program "$stdenv"
    same "$(loaded x 'libstdc++')" "$(loaded plain 'libstdc++')"
    # also without its parent's environment, and by another name of the same directory
    ln -s "$view" other
    same "$(env -i PATH=/usr/bin:/bin other/bin/nvcc -arch=sm_75 --dryrun -c x.cu 2>&1 | grep -cF "$view/hostpin\"/c++")" 3
}
finds_the_toolkit() {
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(asks LANGUAGES NONE)
find_package(CUDAToolkit REQUIRED)
file(WRITE found "${CUDAToolkit_NVCC_EXECUTABLE}\n${CUDAToolkit_VERSION}\n${CUDAToolkit_INCLUDE_DIRS}\n${CUDA_CUDART}\n")
CMAKE
    local way
    for way in "CUDAToolkit_ROOT=$view" "PATH=$view/bin:$PATH"; do
        rm -rf build
        call env "$way" cmake -S . -B build
        exits 0
        same "$way: $(sed -n 1p found)" "$way: $view/bin/nvcc"
        sed -n 2p found | contains -xF "$("$tk/bin/nvcc" --version | sed -n 's/.*, V//p')" || fail "$way: version $(sed -n 2p found)"
        # CMake 4 lists the directories that nvcc searches
        sed -n 3p found | contains -E "^$(literally "$view")/(targets/[^/;]*/)?include(;|\$)" || fail "$way: headers are in $(sed -n 3p found)"
        sed -n 4p found | contains -E "^$(literally "$view")/(targets/[^/]*/)?lib" || fail "$way: cudart is $(sed -n 4p found)"
    done
}
tells_the_environment() {
    call "$hostpin" env --bound "$view" --shell sh
    exits 0
    # shellcheck source=/dev/null
    (. "$out" && env) >environment
    local name
    for name in CUDA_HOME CUDA_PATH CUDAToolkit_ROOT; do grep -qxF "$name=$view" environment || { cat environment && fail "no $name"; }; done
    grep -qxF "CUDACXX=$view/bin/nvcc" environment || fail "CUDACXX is not the view's: $(grep CUDACXX environment)"
    grep -qxF "CUDAHOSTCXX=$view/hostpin/c++" environment || fail "CUDAHOSTCXX is not the view's"
    call "$hostpin" explain --bound "$view" -- nvcc -c x.cu
    exits 0
    contains -F "é/hostpin/c++" <"$out" || { show_call && fail "explain does not know the view"; }
    # decisions are made about the toolkit behind the view
    call env CUDA_HOME="$view" "$hostpin" doctor --stdenv "$stdenv"
    contains -F "$tk" <"$out" || { show_call && fail "the toolkit behind the view is not found"; }
    grep -qE "current .*$(literally "$view") .*CUDA $release.*CUDA_HOME" "$out" || { show_call && fail "doctor does not tell of the view"; }
    # the tree in a bound directory is followed as well
    "$hostpin" bind bound --toolkit "$tk" --stdenv "$stdenv" >/dev/null
    call env CUDA_HOME="$PWD/bound/cuda" "$hostpin" doctor --stdenv "$stdenv"
    grep -qE "^ *\* +CUDA $release.* $(literally "$tk") .*CUDA_HOME" "$out" || { show_call && fail "the toolkit behind a bound directory's tree is not found"; }
}
never_overwrites() {
    mkdir theirs
    echo precious >theirs/file
    call "$hostpin" bind --view theirs --toolkit "$tk" --stdenv "$stdenv"
    exits 2
    says 'theirs contains files that are not a toolkit view; nothing was written' '^hint: .*new or an empty directory'
    same "$(find theirs -mindepth 1)" theirs/file
    "$hostpin" bind bound --toolkit "$tk" --stdenv "$stdenv" >/dev/null
    call "$hostpin" bind --view bound --toolkit "$tk" --stdenv "$stdenv"
    exits 2
    says 'not a toolkit view'
    echo file >plain
    call "$hostpin" bind --view plain --toolkit "$tk" --stdenv "$stdenv"
    exits 2
    says 'exists and is not a directory'
    # in an existing view: a file at the path of a link, and files of a user
    bind_view mine
    rm mine/bin/ptxas
    echo 'my own' >mine/bin/ptxas
    call "$hostpin" bind --refresh mine
    exits 2
    says 'mine/bin/ptxas does not belong to this view; nothing was written'
    same "$(cat mine/bin/ptxas)" 'my own'
    rm mine/bin/ptxas
    echo 'my own' >mine/bin/my-tool
    "$hostpin" bind --refresh mine >/dev/null
    same "$(cat mine/bin/my-tool)" 'my own'
    [ mine/bin/ptxas -ef "$tk/bin/ptxas" ] || fail "the link did not come back"
    # bind without --view keeps it a view; an empty directory and the target of a symlink become one
    "$hostpin" bind mine --toolkit "$tk" --stdenv "$stdenv" >/dev/null
    [ -L mine/include ] || fail "a view became something else"
    absent mine/plan
    mkdir empty real
    ln -s real link
    bind_view empty
    bind_view link
    [ -L link ] || fail "the link to a directory was replaced"
    [ -x real/bin/nvcc ] || fail "no view behind the link"
    ! compgen -G '*.??????' >/dev/null || fail "drafts are left: $(ls)"
}
races() {
    local i
    for i in 1 2 3 4; do "$hostpin" bind --view crowd --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null 2>"$i.log" & done
    for i in 1 2 3 4; do wait -n || { cat ./*.log && fail "one of four failed"; }; done
    call crowd/bin/nvcc --version
    exits 0
    bind_view alone
    picture "$PWD/crowd" | sed "s|$PWD/crowd|DIR|g" >first
    picture "$PWD/alone" | sed "s|$PWD/alone|DIR|g" | diff first - || fail "four at once made something else than one"
    # the same for a directory without a view
    for i in 1 2 3; do "$hostpin" bind plain --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null 2>"$i.log" & done
    for i in 1 2 3; do wait -n || { cat ./*.log && fail "one of three failed"; }; done
    plain/nvcc --version >/dev/null
    ! compgen -G '*.??????' >/dev/null || fail "drafts are left: $(ls)"
}
goes_stale() {
    farm tk
    touch tk/bin/vanishing
    bind_view mine "$PWD/tk"
    mine/bin/nvcc --version >/dev/null
    # an upgrade: another profile, a tool less, a tool more
    echo '# upgraded' >>tk/bin/nvcc.profile
    rm tk/bin/vanishing
    touch tk/bin/appearing tk/version.json
    call mine/bin/nvcc --version
    exits 2
    says "$(literally "$PWD/mine") depends on .*nvcc.profile, which has changed" "^hint: .*hostpin bind --refresh $(literally "$PWD/mine")\$"
    call env CUDA_HOME="$PWD/mine" "$hostpin" doctor --stdenv "$stdenv"
    grep -qE "stale .*nvcc.profile has changed" "$out" || { show_call && fail "doctor does not see it"; }
    grep -qE "^next: .*hostpin bind --refresh $(literally "$PWD/mine")\$" "$out" || { show_call && fail "doctor does not say what to do"; }
    "$hostpin" bind --refresh mine >/dev/null
    mine/bin/nvcc --version >/dev/null
    [ ! -L mine/bin/vanishing ] || fail "a link that vanished is still there"
    for name in bin/appearing version.json; do [ -L "mine/$name" ] || fail "$name, which appeared, is not linked"; done
    # only links changed: calls continue, doctor reports it
    rm tk/bin/appearing
    mine/bin/nvcc --version >/dev/null
    call env CUDA_HOME="$PWD/mine" "$hostpin" doctor --stdenv "$stdenv"
    grep -qE "stale .*bin/appearing is a dangling symlink" "$out" || { show_call && fail "doctor does not see a dangling symlink"; }
    # another toolkit in its place, by name, and links that were lost
    "$hostpin" bind --refresh mine --toolkit "$tk" >/dev/null
    [ mine/include -ef "$tk/include" ] || fail "the view is still one of the old toolkit"
    rm mine/bin/nvcc.profile
    call mine/bin/nvcc --version
    exits 2
    says 'is incomplete: .*mine/bin/nvcc.profile is missing or a dangling symlink' '^hint: .*--refresh'
    # the toolkit is gone
    "$hostpin" bind --refresh mine --toolkit "$PWD/tk" >/dev/null
    rm -r tk
    call mine/bin/nvcc --version
    exits 2
    says 'depends on .*/tk/.* is gone'
    call "$hostpin" bind --refresh mine
    [ "$status" -ne 0 ] || fail "a view of a toolkit that is gone was refreshed"
}
killed_in_between() {
    bind_view mine
    echo 'this view is being made' >mine/hostpin/plan
    rm mine/bin/ptxas
    call mine/bin/nvcc --version
    exits 2
    says 'damaged' "^hint: .*hostpin bind $(literally "$PWD/mine")\$"
    "$hostpin" bind --refresh mine >/dev/null
    mine/bin/nvcc --version >/dev/null
    [ mine/bin/ptxas -ef "$tk/bin/ptxas" ] || fail "the link did not come back"
    # a list that would lead out of the view is not followed
    printf 'hostpin view 1\n../plain\0/nowhere\0' >mine/hostpin/links
    ln -s /nowhere plain
    call "$hostpin" bind --refresh mine
    exits 2
    [ -L plain ] || fail "a link outside the view was removed"
}
odd_names() {
    local name
    # shellcheck disable=SC2016 # what must not be read by a shell
    for name in 'a"b' 'a$b' 'a`b' 'a\b' $'a\nb' 'a:b'; do
        call "$hostpin" bind --view "$name" --toolkit "$tk" --stdenv "$stdenv" --host "$host"
        exits 2
        says 'toolkit view cannot be in'
        absent "$name"
    done
    name=$(printf '%0200d/' {1..21})
    call "$hostpin" bind --view "$name" --toolkit "$tk" --stdenv "$stdenv" --host "$host"
    exits 2
    says 'File name too long'
    absent "${name%%/*}"
    call "$hostpin" bind "$name" --toolkit "$tk" --stdenv "$stdenv" --host "$host"
    exits 2
    says 'File name too long'
    # if anybody could replace the programs
    bind_view open
    chmod o+w open/bin
    call "$hostpin" bind --refresh open
    exits 2
    says 'open/bin is writable by all users'
    farm tk
    call "$hostpin" bind --view tk/view --toolkit "$PWD/tk" --stdenv "$stdenv" --host "$host"
    exits 2
    says 'tk/view is inside the toolkit'
    absent tk/view
    call "$hostpin" bind --view '' --toolkit "$tk"
    exits 2
}
moves() {
    bind_view before
    mv before "after a move"
    call "after a move/bin/nvcc" -v __nothing
    says "TOP=$(literally "$PWD/after a move")/bin"
    "$hostpin" bind --refresh "after a move" >/dev/null
    # a view of the toolkit behind a view
    bind_view again "$PWD/after a move"
    same "$(readlink again/include)" "$(realpath "$tk")/include"
}
farms_and_spread_toolkits() {
    farm tk
    bind_view mine "$PWD/tk"
    same "$(readlink mine/include)" "$PWD/tk/include"
    mine/bin/nvcc --version >/dev/null
    # Debian's and Ubuntu's layout: headers next to the system's, tools in usr/bin, no TOP in the profile
    local lib=usr/lib/x86_64-linux-gnu home=usr/lib/nvidia-cuda-toolkit
    mkdir -p usr/bin usr/include $lib/stubs $home/bin
    cp -s "$tk"/bin/{bin2c,cudafe++,fatbinary,nvlink,ptxas} usr/bin/
    cp -s "$tk/bin/nvcc" "$tk/nvvm/bin/cicc" $home/bin/
    cp -rs "$tk/bin/crt" $home/bin/crt
    ln -s "$tk/nvvm/libdevice" $home/libdevice
    cp -rs "$tk"/include/* usr/include/
    touch usr/include/stdio.h usr/include/zlib.h $lib/libc.so.6 $lib/libz.so
    cp -rs "$tk"/lib64/* $lib/
    printf '#!/bin/sh\nexit 1\n' >$home/bin/g++
    chmod +x $home/bin/g++
    cat >$home/bin/nvcc.profile <<PROFILE
NVVMIR_LIBRARY_DIR = $PWD/$home/libdevice
PATH += $PWD/$home/bin:$PWD/usr/bin:
INCLUDES += "-I$tk/include" \$(_SPACE_)
LIBRARIES =+ \$(_SPACE_) -L$PWD/$lib/stubs -L$PWD/$lib
PROFILE
    settle
    # its headers are where the compiler searches, which for this one is not the system's own directory
    sed -i "s|-I$tk/include|-I$PWD/usr/include|" $home/bin/nvcc.profile
    bind_view spread "$PWD/$home/bin/nvcc"
    [ spread/include/cuda_runtime.h -ef "$tk/include/cuda_runtime.h" ] || fail "no cuda_runtime.h"
    [ spread/lib64/libcudart_static.a -ef "$tk/lib64/libcudart_static.a" ] || fail "no CUDA runtime"
    for name in lib64/stubs/libcuda.so nvvm/libdevice/libdevice.10.bc nvvm/bin/cicc bin/ptxas bin/fatbinary; do
        [ -e "spread/$name" ] || fail "no $name"
    done
    for name in include/stdio.h include/zlib.h lib64/libc.so.6 lib64/libz.so bin/g++ bin/c++; do absent "spread/$name"; done
    spread/bin/nvcc --version >/dev/null
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(asks LANGUAGES NONE)
find_package(CUDAToolkit REQUIRED)
message("found ${CUDAToolkit_NVCC_EXECUTABLE} ${CUDAToolkit_INCLUDE_DIRS}.")
CMAKE
    call cmake -S . -B build "-DCUDAToolkit_ROOT=$PWD/spread"
    exits 0
    says "found $(literally "$PWD/spread")/bin/nvcc $(literally "$PWD")/(spread|usr)/include\\."
}

it 'every entry of the toolkit is there, and nvcc says that it is at home there' whole_tree
it 'the same inputs give the same tree' same_inputs_same_tree
it 'it compiles by the host compiler and links by the stdenv, whatever its path' compiles_and_links
it 'FindCUDAToolkit finds our nvcc and the view, however it is told' finds_the_toolkit
it 'env, explain, doctor and discovery know a view' tells_the_environment
it 'what is not ours is never overwritten' never_overwrites
it 'four at once make one whole view' races
it 'a view whose toolkit changed says so, and refreshing mends it' goes_stale
it 'a view that was killed in the making refuses calls until it is made anew' killed_in_between
it 'names that nvcc cannot say, too long ones and places inside the toolkit are refused' odd_names
it 'a view can be moved, and a view of it is one of its toolkit' moves
it 'farms of links and toolkits that a distribution spread become whole trees' farms_and_spread_toolkits
finish
