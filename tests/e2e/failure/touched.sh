#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A bound directory whose files have other times but the same bytes, as in copied trees and image layers, continues to work; with
# other bytes it is refused.
#   touched.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# A toolkit and a compiler whose files may be changed.
touchable() {
    ground
    cp -rs "$CUDA_HOME" toolkit
    cp --remove-destination "$CUDA_HOME"/bin/nvcc{,.profile} toolkit/bin/
    cp --remove-destination "$CUDA_HOME/include/crt/host_config.h" toolkit/include/crt/
    ours=("$PWD"/toolkit/bin/nvcc{,.profile} "$PWD/toolkit/include/crt/host_config.h" "$bin/g++-$older")
    CUDA_HOME=$PWD/toolkit "$hostpin" bind bound >/dev/null
    cp -a bound before
}
# goes_on DIRECTORY: it compiles as before and prints nothing.
goes_on() {
    rm -f x.o
    call "$1" -c x.cpp -o x.o
    exits 0
    same "stderr: $(cat "$err")" 'stderr: '
    made_by x.o gcc "$older"
}
# The launcher reads none of the files, and the host compiler is not queried.
reads_the_plan_alone() {
    call strace -f --seccomp-bpf -qq -e trace=execve,openat -o trace "$1" --dryrun -c x.cu
    exits 0
    # up to the exec of the real nvcc
    ! sed '/execve.*toolkit\/bin\/nvcc/,$d' trace | contains -E "openat.*(toolkit|g\+\+-$older)" || { cat trace && fail "the launcher reads what it rests on"; }
    ! contains -E 'execve\("[^"]*g\+\+' <trace || { cat trace && fail "the host compiler is asked"; }
}
same_bytes() {
    local time
    touchable
    reads_the_plan_alone bound/nvcc
    # now, a layer's whole seconds, an archive's zero, and the future
    for time in now "@$(stat -c %Y toolkit/bin/nvcc)" @0 2099-01-01; do
        touch -d "$time" "${ours[@]}"
        goes_on bound/nvcc
        reads_the_plan_alone bound/nvcc
        for name in nvcc c++ binding.toml toolchain.cmake identity; do cmp "bound/$name" "before/$name"; done
        same "$(bound/nvcc --hostpin-fingerprint bound/c++)" "$(before/nvcc --hostpin-fingerprint before/c++)"
    done
    # a tree that was copied without its times, links and files alike
    mv toolkit original
    cp -r original toolkit
    settle
    goes_on bound/nvcc
    # the stored times are not part of the decision: a refresh makes the plan of a new binding
    "$hostpin" bind --refresh bound >/dev/null
    CUDA_HOME=$PWD/toolkit "$hostpin" bind again >/dev/null
    cmp bound/plan again/plan
}
at_once() {
    local n
    touchable
    touch "${ours[@]}"
    for n in 1 2 3 4 5 6; do bound/nvcc --dryrun -c x.cu >"$n.out" 2>&1 & done
    for n in 1 2 3 4 5 6; do wait -n || { cat ./*.out && fail "one of six failed"; }; done
    reads_the_plan_alone bound/nvcc
    same "$(stat -c %a bound/plan)" "$(stat -c %a before/plan)"
    ! compgen -G 'bound/plan.*' >/dev/null || fail "drafts are left: $(ls bound)"
}
a_view() {
    touchable
    CUDA_HOME=$PWD/toolkit "$hostpin" bind --view view >/dev/null
    touch "${ours[@]}"
    call env CUDA_HOME="$PWD/view" "$hostpin" doctor
    grep -qE "current .*$(literally "$PWD/view") " "$out" || { show_call && fail "doctor takes the view for stale"; }
    goes_on view/bin/nvcc
    cmp -s view/hostpin/plan before/plan && fail "the plan is another one's"
    contains touched= <view/hostpin/plan || fail "the new times are not stored"
}
other_bytes() {
    touchable
    # the same size and the old time
    sed -i "s/g++-$older/g++-xx/" "$bin/g++-$older"
    touch -d '2001-01-01' "$bin/g++-$older"
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 "depends on $old, which has changed" 'bind --refresh'
    cmp bound/plan before/plan
    # back again
    sed -i "s/g++-xx/g++-$older/" "$bin/g++-$older"
    goes_on bound/nvcc
    # one byte of a program of 20 MB, outside all headers
    damage toolkit/bin/nvcc $(($(stat -c %s toolkit/bin/nvcc) - 9))
    call bound/nvcc -c x.cpp -o y.o
    exits 2
    says 'depends on .*/toolkit/bin/nvcc, which has changed'
}
# If the plan cannot be written, or belongs to another user: every call reads the files with new times.
not_stored() {
    touchable
    need_mounts
    touch "${ours[@]}"
    # shellcheck disable=SC2016 # for that shell
    unshare -m sh -ec 'mount --bind bound bound && mount -o remount,bind,ro bound && for n in 1 2; do bound/nvcc -c x.cpp -o "$0$n.o"; done' made
    made_by made1.o gcc "$older"
    made_by made2.o gcc "$older"
    chmod -R go+rX . "$work"
    mkdir -m 777 out
    call as_nobody sh -ec 'bound/nvcc -c x.cpp -o out/x.o'
    exits 0
    cmp bound/plan before/plan
    same "$(ls bound)" "$(ls before)"
}

need_hostpin
need_command strace
it 'files with other times and the same bytes are the same files' same_bytes
it 'calls at once store the new times, and leave nothing else' at_once
it 'a view goes on too, and doctor calls it current' a_view
it 'files with other bytes are other files, whatever their size and time' other_bytes
it 'where nothing can be stored, calls go on' not_stored
finish
