#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# audit.sh [TEXT]: what of NVIDIA's is in trees and wheels, with the real patchelf, chrpath, strip, nvcc and NVIDIA's own files of the machine's
# toolkit. 10 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command python3 patchelf strip gcc
# shellcheck disable=SC2034 # read by lib.sh
only=${1:-}
toolkit=$(realpath -q "$(command -v nvcc || true)") || skip 'no nvcc on PATH'
toolkit=${toolkit%/bin/nvcc}
runtime=$(find -L "$toolkit" -name 'libcudart.so.*' -type f 2>/dev/null | head -n 1)
[ -n "$runtime" ] || skip "no shared CUDA runtime in $toolkit"
cd "$work"

# verdicts ARGUMENT...: of an audit, as `path verdict` lines in verdicts.txt; the exit code is left to `exits`.
verdicts() {
    call "$hostpin" redist audit "$@" --json
    python3 - "$out" >verdicts.txt <<'PY'
import json, sys
for one in json.load(open(sys.argv[1]))["files"]:
    print(one["path"], one["verdict"], "; ".join(one.get("details", [])))
PY
}
is() { # PATH VERDICT [TEXT]
    grep -F "$1 $2 " verdicts.txt | grep -qF -- "${3-}" || { cat verdicts.txt && fail "$1 is not $2 ${3-}"; }
}
tree_of_toolkit() { # a copy of the runtime with a small toolkit around it
    mkdir -p small/lib small/include
    cp "$runtime" small/lib/
    cp "$toolkit/include/cuda_runtime_api.h" "$toolkit/include/cuda_fp16.h" small/include/
}

what_was_changed_is_named_with_the_tool() {
    tree_of_toolkit
    mkdir tree
    cp "$runtime" tree/libcudart-renamed.so
    cp "$runtime" tree/patched.so && patchelf --set-rpath /opt/a/very/long/directory/of/somebody tree/patched.so
    cp "$runtime" tree/needs.so && patchelf --add-needed libown.so tree/needs.so
    cp small/include/cuda_fp16.h tree/unchanged.h
    mkdir tree/include && { cat small/include/cuda_runtime_api.h && echo '/* edited */'; } >tree/include/cuda_runtime_api.h
    verdicts tree --toolkit small
    exits 1
    is libcudart-renamed.so unchanged 'under another name'
    is patched.so changed 'run path: '
    is patched.so changed 'marks of patchelf'
    is needs.so changed 'NEEDED: +libown.so'
    is unchanged.h unchanged
    is include/cuda_runtime_api.h changed 'from line '
    call "$hostpin" redist audit tree --toolkit small
    exits 1
    contains -F 'unchanged: 2 files of toolkit small' <"$out"
    contains -F 'redistribution: listed in CUDA Toolkit EULA' <"$out"
    call "$hostpin" redist audit tree --toolkit small --sarif
    exits 1
    contains -F '"ruleId": "changed-part"' <"$out"
}
without_originals_nothing_is_proven() {
    mkdir tree && cp "$runtime" tree/
    verdicts tree
    exits 0
    is "$(basename "$runtime")" unproven
}
a_tool_that_shortened_the_run_path_is_named() {
    need_command chrpath
    mkdir original tree
    echo 'int x;' >x.c
    gcc -shared -fPIC -Wl,-soname,libcublas.so.13,-rpath,/a/long/run/path,--build-id x.c -o original/libcublas.so.13
    cp original/libcublas.so.13 tree/ && chrpath -r /a tree/libcublas.so.13
    verdicts tree --toolkit original
    exits 1
    is libcublas.so.13 changed 'chrpath'
    gcc -shared -fPIC -Wl,-soname,libcublas.so.13,-rpath,/a/long/run/path,--build-id x.c -o tree/libcublas.so.13
    patchelf --set-rpath /b tree/libcublas.so.13 && strip tree/libcublas.so.13
    verdicts tree --toolkit original
    exits 1
    is libcublas.so.13 changed 'marks of patchelf, strip'
    is libcublas.so.13 changed '.symtab (symbols for debuggers) is missing'
    # Under another soname the file is known by its name and build.
    gcc -shared -fPIC -Wl,-soname,libcublas.so.13,-rpath,/a/long/run/path,--build-id x.c -o tree/libcublas.so.13
    patchelf --set-soname libown.so tree/libcublas.so.13
    verdicts tree --toolkit original
    exits 1
    is libcublas.so.13 changed 'soname: libcublas.so.13 -> libown.so'
    patchelf --set-soname libnccl.so.2 tree/libcublas.so.13 # which is open source
    verdicts tree --toolkit original
    exits 1
    is libcublas.so.13 changed 'soname: libcublas.so.13 -> libnccl.so.2'
    # An older build of the same library has another build ID.
    echo 'int y;' >y.c
    gcc -shared -fPIC -Wl,-soname,libcublas.so.13,--build-id y.c -o tree/libcublas.so.13
    verdicts tree --toolkit original
    exits 0
    is libcublas.so.13 unproven 'another build'
}
code_that_is_linked_in_is_found_after_strip() {
    cat >own.cu <<'CU'
__global__ void child(int* p) { *p = 1; }
__global__ void parent(int* p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); return cudaGetLastError(); }
CU
    mkdir tree
    nvcc -rdc=true -o tree/own own.cu && strip tree/own
    echo 'int main() {}' >plain.c && gcc plain.c -o tree/plain
    verdicts tree
    exits 0
    is own linked
    is plain other
    call "$hostpin" redist audit tree
    contains -F 'has libcudart_static.a' <"$out"
    contains -F 'has libcudadevrt.a' <"$out"
}
slimmed_device_code_is_changed() {
    need_component devicecode
    cat >own.cu <<'CU'
__global__ void k(int* p) { *p = 1; }
extern "C" int own() { k<<<1, 1>>>(nullptr); return cudaGetLastError(); }
CU
    mkdir original tree
    nvcc -shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -o original/libnpptest.so.1 \
        -Xlinker -soname=libXpptest.so.1,--build-id own.cu
    # fatbin slim refuses NVIDIA's libraries: under another soname while it is slimmed.
    call "$hostpin" fatbin slim original/libnpptest.so.1 --keep 8.0 -o tree/libnpptest.so.1
    exits 0
    sed -i s/libXpptest/libnpptest/g original/libnpptest.so.1 tree/libnpptest.so.1
    verdicts tree --toolkit original
    exits 1
    is libnpptest.so.1 changed '.nv_fatbin (device code)'
    is libnpptest.so.1 changed 'marks of hostpin'
}
record_of_a_repacked_wheel_proves_nothing() {
    python3 - "$runtime" <<'PY'
import base64, hashlib, sys, zipfile
bytes = open(sys.argv[1], "rb").read()
def wheel(path, content, recorded):
    digest = base64.urlsafe_b64encode(hashlib.sha256(recorded).digest()).decode().rstrip("=")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        out.writestr("nvidia/lib/libcudart.so.13", content)
        out.writestr("nvidia_x-1.dist-info/METADATA", "Name: nvidia-x\nVersion: 1\n")
        out.writestr("nvidia_x-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        out.writestr("nvidia_x-1.dist-info/RECORD", f"nvidia/lib/libcudart.so.13,sha256={digest},{len(content)}\n")
wheel("nvidia_x-1-py3-none-any.whl", bytes, bytes)
wheel("changed-1-py3-none-any.whl", bytes + b"x", bytes)
PY
    verdicts nvidia_x-1-py3-none-any.whl
    exits 0
    is nvidia/lib/libcudart.so.13 unproven 'which proves nothing'
    verdicts changed-1-py3-none-any.whl
    is nvidia/lib/libcudart.so.13 unproven 'another hash'
    verdicts nvidia_x-1-py3-none-any.whl --hash "$(sha256sum nvidia_x-1-py3-none-any.whl | cut -d' ' -f1)"
    exits 0
    is nvidia/lib/libcudart.so.13 unchanged
    call "$hostpin" redist audit nvidia_x-1-py3-none-any.whl --hash "$(printf '%064d' 0)"
    exits 2
    says 'has another SHA-256'
    head -c 200 nvidia_x-1-py3-none-any.whl >cut.whl
    call "$hostpin" redist audit cut.whl
    exits 2
}
what_is_not_read_is_reported() {
    mkdir tree && mkfifo tree/pipe && ln -s /etc tree/outside
    printf '\x7fELF\x02\x01\x01' >tree/damaged.so
    head -c 5000 "$runtime" >tree/cut.so
    printf '/* Copyright NVIDIA Corporation */' >tree/$'a\n\e[31mb.h'
    verdicts tree
    exits 0
    is pipe not-judged
    is outside not-judged
    is damaged.so not-judged 'it is damaged'
    is cut.so not-judged 'it is damaged'
    call "$hostpin" redist audit tree
    contains -F 'a\n' <"$out"
    if contains -F $'\e' <"$out"; then fail 'an escape is in the output'; fi
    if [ "$(id -u)" != 0 ]; then
        : >tree/secret && chmod 0 tree/secret
        call "$hostpin" redist audit tree
        exits 2
    fi
    call "$hostpin" redist audit absent
    exits 2
    says 'cannot read absent'
    call "$hostpin" redist audit tree --lock x
    exits 2
    says 'need each other'
}
composed_roots_are_what_compose_says() {
    [ -d "$toolkit/dist-info" ] || skip "$toolkit was not unpacked from wheels: it has no dist-info"
    python3 "$repository/tests/e2e/redist/records.py" store "$toolkit" store redist.lock cuda_cudart libnvvm
    call "$hostpin" redist compose redist.lock unmodified --store store --host linux-x86_64
    exits 0
    verdicts unmodified --lock redist.lock --store store
    exits 0
    is targets/x86_64-linux/lib/libcudart.so.13 unchanged
    call "$hostpin" redist compose redist.lock patched --store store --host linux-x86_64 --patched
    exits 0
    verdicts patched --lock redist.lock --store store
    exits 1
    is targets/x86_64-linux/lib/libcudart.so.13 changed 'run path: '
    call "$hostpin" redist audit patched --lock redist.lock --store absent
    exits 2
    says 'no archive of redist.lock is in the store absent'
}
it 'what was changed is named with the tool' what_was_changed_is_named_with_the_tool
it 'without originals nothing is proven' without_originals_nothing_is_proven
it 'the tool that shortened a run path is named, and strip' a_tool_that_shortened_the_run_path_is_named
it 'code that is linked in is found after strip' code_that_is_linked_in_is_found_after_strip
it 'slimmed device code is changed' slimmed_device_code_is_changed
it "a repacked wheel's RECORD proves nothing" record_of_a_repacked_wheel_proves_nothing
it 'composed roots are unmodified or patched' composed_roots_are_what_compose_says
it 'what is not read is reported' what_is_not_read_is_reported
finish
