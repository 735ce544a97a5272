#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stubs.sh [WORDS]: stubs for linking that compose makes of libraries that only a driver or a Jetson has: linked with GNU ld and LLD, read by
# readelf, and never on a run path. 2 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/small.sh
. "$(dirname "$0")/small.sh"
need_hostpin
need_command xz python3 gcc readelf
export PATH=$prefix/bin:$PATH
# shellcheck disable=SC2034 # read by lib.sh
if [ $# -gt 0 ]; then only=$1; fi

cd "$work"
cat >gpu.c <<'C'
int NvRmGpuLibOpen(void) { return 1; }
C
cat >mem.c <<'C'
int old_alloc(void) { return 20; }
int new_alloc(void) { return 300; }
int NvRmMemFree(void) { return 4000; }
__asm__(".symver old_alloc,NvRmMemAlloc@NVRM_1.0");
__asm__(".symver new_alloc,NvRmMemAlloc@@NVRM_2.0");
C
echo 'NVRM_1.0 { global: NvRmMemFree; local: *_alloc; }; NVRM_2.0 { } NVRM_1.0;' >mem.map
# Three users: without versions, with the default version, and with the former one. `weak` is nobody's.
cat >gpu_user.c <<'C'
extern int NvRmGpuLibOpen(void);
extern int weak(void) __attribute__((weak));
int gpu_user(void) { return NvRmGpuLibOpen() + (weak ? weak() : 0); }
C
cat >new_user.c <<'C'
extern int NvRmMemAlloc(void), NvRmMemFree(void);
int new_user(void) { return NvRmMemAlloc() + NvRmMemFree(); }
C
cat >old_user.c <<'C'
extern int old(void), helper(void);
__asm__(".symver old,NvRmMemAlloc@NVRM_1.0");
int old_user(void) { return old() + helper(); }
C
echo 'int helper(void) { return 0; }' >helper.c # the tree has it, so no stub does
mkdir device
gcc -shared -fPIC -Wl,-soname,libnvrm_gpu.so gpu.c -o device/libnvrm_gpu.so
gcc -shared -fPIC -Wl,-soname,libnvrm_mem.so,--version-script=mem.map mem.c -o device/libnvrm_mem.so
made=tree/cuda_cudart-linux-x86_64-12.4.127-archive/lib
mkdir -p "$made"
user() { # NAME OPTION...
    gcc -shared -fPIC -Wl,-soname,"lib$1.so.1" "$1.c" -L"$made" -Ldevice "${@:2}" -o "$made/lib$1.so.1"
    ln -s "lib$1.so.1" "$made/lib$1.so"
}
user helper
user gpu_user -lnvrm_gpu
user new_user -lnvrm_mem
user old_user -lnvrm_mem -lhelper
# The same without versions for other machines, if there are a compiler and a linker for them.
foreign=()
if command -v clang ld.lld >/dev/null; then foreign=(linux-sbsa linux-ppc64le); fi
declare -A triples=([linux-sbsa]=aarch64-linux-gnu [linux-ppc64le]=powerpc64le-linux-gnu)
for platform in "${foreign[@]}"; do
    mkdir -p "$platform" "tree/cuda_cudart-$platform-12.4.127-archive/lib"
    for name in gpu gpu_user; do clang --target="${triples[$platform]}" -fPIC -O1 -c "$name.c" -o "$platform/$name.o"; done
    ld.lld -shared -soname libnvrm_gpu.so "$platform/gpu.o" -o "$platform/libnvrm_gpu.so"
    ld.lld -shared -soname libgpu_user.so.1 "$platform/gpu_user.o" "$platform/libnvrm_gpu.so" \
        -o "tree/cuda_cudart-$platform-12.4.127-archive/lib/libgpu_user.so.1"
done
platforms=$(IFS=, && echo "linux-x86_64${foreign[*]:+,${foreign[*]}}")
small_manifest cuda 12.4.1 "$(small_package cuda_cudart 12.4.127 linux-x86_64 "${foreign[@]}")"
hostpin redist lock cuda/redistrib_12.4.1.json --platforms "$platforms" -o redist.lock 2>log || { cat log && exit 1; }
hostpin redist fetch redist.lock --store store --mirror redist 2>log || { cat log && exit 1; }
composed() { # DIRECTORY OPTION...
    call hostpin redist compose "$work/redist.lock" "$1" --store "$work/store" --host linux-x86_64 "${@:2}"
    exits 0
}
composed "$work/plain"
composed "$work/root" --make-stubs
plain=$work/plain/lib root=$work/root/lib
cat >main.c <<'C'
#include <stdio.h>
extern int gpu_user(void), new_user(void), old_user(void);
int main(void) { return printf("%d\n", gpu_user() + new_user() + old_user()) < 0; }
C
users=(-lgpu_user -lnew_user -lold_user -lhelper)

links_with_bfd() {
    call gcc -fuse-ld=bfd "$work/main.c" -L"$plain" "${users[@]}" -Wl,--no-allow-shlib-undefined,-rpath-link,"$plain/stubs" -o before
    exits 1
    says 'undefined reference to .NvRmGpuLibOpen' 'undefined reference to .NvRmMemAlloc@NVRM_1.0'
    call gcc -fuse-ld=bfd "$work/main.c" -L"$root" "${users[@]}" -Wl,--no-allow-shlib-undefined,-rpath-link,"$root/stubs" -o program
    exits 0
    runs_with_the_device
}
links_with_lld() {
    need_command ld.lld
    local stubs=(-l:libnvrm_gpu.so -l:libnvrm_mem.so) strict=-Wl,--no-allow-shlib-undefined
    call gcc -fuse-ld=lld "$work/main.c" -L"$plain" -L"$plain/stubs" "${users[@]}" "${stubs[@]}" $strict -o before
    exits 1
    says 'unable to find library -l:libnvrm_gpu.so'
    # LLD compares what libraries need only if it has all of their NEEDED: it refuses libraries without the symbols.
    mkdir empty
    for name in gpu mem; do gcc -shared -Wl,-soname,libnvrm_$name.so -x c /dev/null -o empty/libnvrm_$name.so; done
    call gcc -fuse-ld=lld "$work/main.c" -L"$root" -Lempty "${users[@]}" "${stubs[@]}" $strict -o before
    exits 1
    says 'NvRmGpuLibOpen'
    call gcc -fuse-ld=lld "$work/main.c" -L"$root" -L"$root/stubs" "${users[@]}" "${stubs[@]}" $strict -o program
    exits 0
    runs_with_the_device
}
runs_with_the_device() {
    same "$(runpath program)" ''
    same "$(LD_LIBRARY_PATH=$root:$work/device ./program)" 4321
}
is_read() {
    local stub tool
    for stub in "$root"/stubs/libnvrm_{gpu,mem}.so; do
        readelf -W -a "$stub" >printed 2>&1
        ! grep -iE 'warning|error|corrupt|<unknown>' printed || fail "readelf complains about $stub"
        for tool in eu-elflint llvm-readelf-19; do
            if [ $tool = eu-elflint ] && command -v $tool >/dev/null; then $tool --quiet --gnu-ld "$stub"; fi
            if [ $tool != eu-elflint ] && command -v $tool >/dev/null; then ! $tool -a "$stub" 2>&1 | grep -i warning || fail "$tool"; fi
        done
        readelf -d "$stub" | contains -F "Library soname: [$(basename "$stub")]"
    done
    same "$(readelf -W --dyn-syms "$root/stubs/libnvrm_mem.so" | sed -n 's/.*FUNC.* \(NvRm\)/\1/p' | sort)" \
        "$(printf '%s\n' NvRmMemAlloc@@NVRM_2.0 NvRmMemAlloc@NVRM_1.0 NvRmMemFree@@NVRM_1.0)"
    same "$(readelf -W --dyn-syms "$root/stubs/libnvrm_gpu.so" | sed -n 's/.*FUNC.* //p')" NvRmGpuLibOpen
}
is_listed() {
    python3 - "$work/root/origin.json" "$work/plain/origin.json" <<'PY'
import json, sys
made, plain = (json.load(open(name)) for name in sys.argv[1:])
stubs = [entry for entry in made["entries"] if entry.get("output") == "stubs"]
assert [e["path"] for e in stubs] == [f"targets/x86_64-linux/lib/stubs/libnvrm_{n}.so" for n in ("gpu", "mem")], stubs
for entry in stubs:
    assert "archive" not in entry and entry["changed"].startswith("stub for linking") and entry["now"], entry
assert made["expected_at_run"] == plain["expected_at_run"] == ["libnvrm_gpu.so", "libnvrm_mem.so"]
PY
}
is_proven() {
    call hostpin redist check "$work/root" --fail-on note
    exits 0
    cp -a "$work/root" planted
    printf x >>planted/targets/x86_64-linux/lib/stubs/libnvrm_gpu.so
    call hostpin redist check planted --fail-on error
    exits 1
    grep -qF 'libnvrm_gpu.so' "$out" || { show_call && fail "a changed stub is not found"; }
}
is_on_no_run_path() {
    need_command patchelf
    cp -a "$work/root" planted
    local library=planted/targets/x86_64-linux/lib/libgpu_user.so.1
    cp --remove-destination "$(readlink -f "$library")" library && mv library "$library" && chmod u+w "$library"
    # shellcheck disable=SC2016 # the loader's own variable
    patchelf --set-rpath '$ORIGIN/stubs' "$library"
    call hostpin redist check planted --json
    exits 1
    contains '"stub-on-run-path"' <"$out"
    composed "$PWD/patched" --make-stubs --patched --driver /run/driver
    for library in patched/lib/lib*_user.so.1; do ! runpath "$library" | contains stubs || fail "$library"; done
}
is_once() {
    local before
    before=$(stat -c %i "$work/root")
    composed "$work/root" --make-stubs
    says 'is up to date'
    same "$(stat -c %i "$work/root")" "$before"
    composed "$PWD/again" --make-stubs
    cmp "$work/root/origin.json" again/origin.json
}
is_for_machine() { # PLATFORM DIRECTORY MACHINE
    [ ${#foreign[@]} -gt 0 ] || skip "no clang and ld.lld for other machines"
    composed "$PWD/root" --make-stubs --target "$1"
    local stub=root/$2/stubs/libnvrm_gpu.so
    readelf -W -a "$stub" >printed 2>&1
    ! grep -iE 'warning|error|corrupt' printed || fail "readelf complains about $stub"
    contains -F "$3" <printed
    echo 'extern int gpu_user(void); int main(void) { return gpu_user(); }' >main.c
    clang --target="${triples[$1]}" -fPIC -O1 -c main.c -o main.o
    ld.lld --no-allow-shlib-undefined -e main main.o "root/$2/libgpu_user.so.1" "$stub" -o program
    call hostpin redist check root --fail-on error
    exits 0
}
needs_stubs() {
    call hostpin redist compose "$work/redist.lock" new --store "$work/store" --host linux-x86_64 --make-stubs --outputs lib
    exits 2
    says '--make-stubs needs the output stubs'
    absent new
}

it 'GNU ld links a library of a Jetson with stubs and not without, and the program runs with the real ones' links_with_bfd
it 'LLD does' links_with_lld
it 'readelf reads the stubs, with the versions that are needed' is_read
it 'origin.json lists stubs as made, and their libraries as expected where programs run' is_listed
it 'check finds nothing, but a changed stub' is_proven
it 'stubs are on no run path, and a library that has them there is found' is_on_no_run_path
it 'stubs made twice are the same' is_once
it 'stubs for Arm are linked' is_for_machine linux-sbsa targets/sbsa-linux/lib AArch64
it 'stubs for PowerPC are linked' is_for_machine linux-ppc64le lib PowerPC64
it 'a tree without stubs gets none' needs_stubs
finish
