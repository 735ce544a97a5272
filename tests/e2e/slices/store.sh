#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The store of slices: what is made once, what is made again, and who may write to it. HOSTPIN_FULL=1: more toolkits, and each signal
# at each time.
# shellcheck source=tests/e2e/slices/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
only=${1:-}

fresh() {
    use 12.4
    write_kernels a.cu
}
# Without the host's half of the object, which is in no store, and takes twice as long as the rest.
compile() { sliced/nvcc "$@" -fatbin a.cu -o a.fatbin; }

added_gpu() {
    use "$1"
    write_kernels a.cu
    sliced/nvcc "${two[@]}" -c a.cu -o a.o
    forget_calls
    sliced/nvcc "${three[@]}" -c a.cu -o a.o
    same "$(ran) $(reused)" '2 4'
    grep -o '"gpu":"[a-z]*_[0-9]*","key":"[^"]*","reused":false' store/calls/* | grep -qv "_$third\"" && fail 'another GPU was made again'
    alike a.o "${three[@]}" -c a.cu -o a.o
}
# Everything in it is internal: nvcc puts its process id into the names.
write_internal_source() {
    cat >"$1" <<'CU'
static __device__ int variable;
static __global__ void constant(int *p) { *p = 3; }
template <class T> __global__ void generic(T *p) { *p = T{variable}; }
template <class T> void start(T *p) { generic<<<1, 1>>>(p); }
namespace {
struct Pair { int a; };
__global__ void copy(int *p) { *p = variable; }
struct Starts { Starts() { constant<<<1, 1>>>(nullptr); copy<<<1, 1>>>(nullptr); Pair *p = nullptr; start(p); } } starts;
}
CU
}
internal_names() {
    use "$1"
    write_internal_source a.cu
    sliced/nvcc "${two[@]}" -dc -Xcompiler -fPIC a.cu -o a.o
    mv a.o first.o
    forget_calls
    sliced/nvcc "${two[@]}" -dc -Xcompiler -fPIC a.cu -o a.o
    same "$(ran) $(reused)" '0 4'
    cmp a.o first.o
    rm -r store # as on a machine with another one
    sliced/nvcc "${two[@]}" -dc -Xcompiler -fPIC a.cu -o a.o
    cmp a.o first.o
    plain/nvcc "${two[@]}" -dc -Xcompiler -fPIC a.cu -o b.o
    if [ -x "$(cuda 12.4)/bin/cuobjdump" ]; then
        same "$(instructions a.o)" "$(instructions b.o)"
    else
        echo "the instructions were not compared: there is no cuobjdump of CUDA 12.4 (./bootstrap lab provides it)"
    fi
    # cicc of the highest GPU names the module before CUDA 12
    if [[ $1 != 11.* ]]; then
        forget_calls
        sliced/nvcc "${three[@]}" -dc -Xcompiler -fPIC a.cu -o a.o
        same "$(ran) $(reused)" '2 4'
    fi
    # another object of the same source can be linked with it: the names differ
    sliced/nvcc "${two[@]}" -dc -Xcompiler -fPIC a.cu -o b.o
    sliced/nvcc "${two[@]}" -shared -rdc=true a.o b.o -o linked.so
    [ -s linked.so ] || fail 'nothing was linked'
}
changed() {
    fresh
    compile "${two[@]}"
    echo '// a comment' >>a.cu
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '0 4'
    sed -i 's/ x.a/ 3 + x.a/' a.cu
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '4 0'
    forget_calls && compile "${two[@]}" -Xptxas -O1
    same "$(ran) $(reused)" '2 2'
    # the PTX is the same, so it is not assembled again
    forget_calls && compile "${two[@]}" -use_fast_math
    same "$(ran) $(reused)" '2 2'
}
# store/files has digests of tools, which stay the same, and none of a call's temporary files.
no_digests_of_temporary_files() {
    fresh
    sliced/nvcc "-arch=sm_$newer" -c a.cu -o a.o
    local before
    before=$(ls store/files)
    [ -n "$before" ] || fail 'no digests of tools'
    echo 'static int more() { return 3; } int used = more();' >>a.cu
    sliced/nvcc "-arch=sm_$newer" -c a.cu -o a.o
    same "$(ls store/files)" "$before"
}
for_one_gpu_alone() {
    fresh
    compile "${two[@]}"
    sed -i "s/__CUDA_ARCH__ + counter/(__CUDA_ARCH__ == ${older}0 ? 7 : 8) + counter/" a.cu
    compile "${two[@]}"
    sed -i "s/? 7 :/? 9 :/" a.cu
    forget_calls && compile "${two[@]}"
    # nvcc's preprocessor leaves the condition to cicc, so both are compiled, and one of them is assembled
    [ "$(reused)" -ge 1 ] || fail 'nothing was reused'
}
damaged() {
    fresh
    compile "${two[@]}"
    cp a.fatbin good.fatbin
    for each in store/slices/*; do damage "$each" 200; done
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '4 0'
    cmp a.fatbin good.fatbin
    for each in store/slices/*; do truncate -s 100 "$each"; done
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '4 0'
    for each in store/slices/*; do : >"$each"; done
    forget_calls && compile "${two[@]}"
    cmp a.fatbin good.fatbin
}
strangers() {
    [ "$(id -u)" = 0 ] || skip 'needs root'
    fresh
    compile "${two[@]}"
    chown 12345 store/slices/*
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '4 0'
    chmod o+w store/slices/*
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '4 0'
    chmod o+w store
    rm a.fatbin
    call compile "${two[@]}"
    exits 0
    says '^hostpin: note: slices are not stored: .* belongs to another user, or others may write to it'
    [ -e a.fatbin ] || fail 'no object'
    call "$hostpin" bind --slices "$PWD/store" other
    exits 2
    absent other
}
read_only() {
    need_mounts
    fresh
    compile "${two[@]}"
    write_small_source b.cu
    # shellcheck disable=SC2016 # the inner shell
    call unshare -m sh -ec 'mount --bind store store && mount -o remount,ro,bind store
        sliced/nvcc "$@" -fatbin a.cu && sliced/nvcc "$@" -fatbin b.cu' sh "${two[@]}"
    exits 0
    says '^hostpin: note: a slice was not stored: .*Read-only file system'
    [ -e b.fatbin ] || fail 'no object'
}
full_disk() {
    need_mounts
    fresh
    # shellcheck disable=SC2016 # the inner shell
    call unshare -m sh -ec 'mount -t tmpfs -o size=64k,mode=700 none store && dd if=/dev/zero of=store/fill bs=4k 2>/dev/null || true
        rm -f store/fill; dd if=/dev/zero of=store/fill bs=1k count=40 2>/dev/null; chmod 700 store
        sliced/nvcc "$@" -fatbin a.cu; find store -name "*.??????"' sh "${two[@]}"
    exits 0
    prints_nothing
    says '^hostpin: note: a slice was not stored: .*No space left on device'
    [ -e a.fatbin ] || fail 'no object'
}
killed() {
    fresh
    mkdir tmp
    local delays='0.05 0.2 0.5'
    for signal in TERM INT HUP; do
        for delay in $delays; do
            rm -rf store/slices/*
            # a background process of this shell would ignore SIGINT
            python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' env TMPDIR="$PWD/tmp" sliced/nvcc "${two[@]}" -c a.cu -o a.o >/dev/null 2>&1 &
            sleep "$delay"
            kill -s "$signal" $! 2>/dev/null || true
            status=0
            wait $! || status=$?
            [ "$status" -eq 0 ] || [ "$status" -gt 128 ] || fail "exit code $status after $signal"
            same "$(find tmp -name 'hostpin.*')" ''
        done
        [ "$full" = 1 ] || delays=0.2
    done
    alike a.o "${two[@]}" -c a.cu -o a.o
}
together() {
    fresh
    for each in 1 2 3 4; do sliced/nvcc "${two[@]}" -fatbin a.cu -o "$each.fatbin" & done
    wait
    for each in 2 3 4; do cmp 1.fatbin "$each.fatbin"; done
    forget_calls && compile "${two[@]}"
    same "$(ran) $(reused)" '0 4'
    same "$(find store -name '*.??????')" ''
}
ended() {
    fresh
    "$hostpin" bind --refresh sliced >/dev/null
    grep -q "^slices = \"$PWD/store\"" sliced/binding.toml || fail 'a refresh forgot the store'
    "$hostpin" bind --refresh --slices '' sliced >/dev/null
    compile "-arch=sm_$newer"
    absent "$(echo store/calls/*)"
    cmp sliced/plan plain/plan
    cmp sliced/nvcc plain/nvcc
}

for release in 13.0 $([ "$full" = 0 ] || echo 12.4); do
    it "CUDA $release: another GPU in the list makes its own slices and no others" added_gpu "$release"
done
for release in 11.8 13.0 $([ "$full" = 0 ] || echo 11.2 12.4); do
    it "CUDA $release: a source that defines nothing for other files has the same names in each call and on each machine" internal_names "$release"
done
it 'a comment makes nothing again; code, options of cicc and options of ptxas make what they change' changed
it 'the store has no digests of temporary files' no_digests_of_temporary_files
it 'code for one GPU leaves the slices of another' for_one_gpu_alone
it 'a damaged, shortened or empty slice is made again' damaged
it 'slices of other users, or that others may write to, are not used, nor is such a store' strangers
it 'a store that cannot be written is read, with a note, and the call succeeds' read_only
it 'a full disk is noted, leaves nothing half-written, and the call succeeds' full_disk
it 'after a signal no temporary files are left, and the next call is right' killed
it 'calls that make the same slices at the same time all succeed' together
it 'a refresh uses the same store, and an empty name ends that' ended
finish
