#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin redist lock and diff on small manifests: two seconds of processor time.
#
#   lock.sh [WORDS]  the cases whose sentence has these words
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/small.sh
. "$(dirname "$0")/small.sh"
need_hostpin
need_command xz zstd python3
export PATH=$prefix/bin:$PATH
# shellcheck disable=SC2034 # read by lib.sh
if [ $# -gt 0 ]; then only=$1; fi

cd "$work"
both_products
small_manifest next/cuda 12.4.2 "$(small_package cuda_cudart 12.4.127 linux-x86_64 linux-sbsa)" \
    "$(small_package cuda_nvcc 12.4.140 linux-x86_64 linux-sbsa)"
cuda=$work/cuda/redistrib_12.4.1.json cudnn=$work/cudnn/redistrib_9.1.1.json next=$work/next/cuda/redistrib_12.4.2.json
sed -i "s,\"next/cuda\",\"cuda\"," "$next"

same_bytes() {
    call hostpin redist lock "$cuda" "$cudnn" --platforms linux-x86_64 -o one
    exits 0
    says 'one: 3 archives of cuda 12\.4\.1, cudnn 9\.1\.1' 'not published for linux-x86_64: cuda_compat'
    call hostpin redist lock "$cudnn" "$cuda" --platforms linux-x86_64 -o two
    exits 0
    cmp one two
    contains '"sha256": "'"$(sha256sum "$cuda" | cut -d' ' -f1)" <one || fail "no hash of the manifest"
    contains 'cudnn-linux-x86_64-9.1.1.17_cuda12-archive' <one || fail "not the variant of the CUDA manifest"
}
to_standard_output() {
    call hostpin redist lock "$cuda" --platforms linux-sbsa --packages cuda_nvcc -o -
    exits 0
    contains '"package": "cuda_nvcc"' <"$out"
    ! contains 'cuda_cudart' <"$out" || fail "another package, too"
    absent redist.lock
}
from_the_directory() { # an old manifest names no product
    mkdir -p cuda
    sed -E 's/"release_(label|product)": "[^"]*",? ?//g' "$cuda" >cuda/redistrib_12.4.1.json
    cd cuda
    call hostpin redist lock redistrib_12.4.1.json --platforms linux-sbsa -o -
    exits 0
    contains '"label": "12.4.1"' <"$out"
    contains 'compute/cuda/redist/' <"$out"
    hostpin redist lock redistrib_12.4.1.json --platforms linux-sbsa -o ../old.lock
    for name in redistrib_12.4.1.json ./redistrib_12.4.1.json ../cuda/redistrib_12.4.1.json; do
        call hostpin redist check "$name" --against ../old.lock
        exits 0
    done
    sed -i '2s/"sha256": "..../"sha256": "0000/' redistrib_12.4.1.json
    call hostpin redist check redistrib_12.4.1.json --against ../old.lock
    exits 1
    contains 'replaced-manifest' <"$out"
    mkdir ../links && ln -s ../cuda/redistrib_12.4.1.json ../links/newest.json
    call hostpin redist lock ../links/newest.json --platforms linux-sbsa -o -
    exits 0
    contains '"label": "12.4.1"' <"$out"
}
refused() { # WORDS PATTERN... -- ARGUMENT...: nothing is written
    local patterns=()
    while [ "$1" != -- ]; do patterns+=("$1") && shift; done
    shift
    call hostpin redist lock "$@"
    exits 2
    says "${patterns[@]}"
    absent redist.lock
}
faulty() { # EXPRESSION PATTERN...
    mkdir -p cuda
    sed -E "$1" "$cuda" >cuda/redistrib_12.4.1.json
    ! cmp -s "$cuda" cuda/redistrib_12.4.1.json || fail "nothing was changed"
    shift
    refused 'no lock was made: the manifests have errors' "$@" -- cuda/redistrib_12.4.1.json --platforms linux-x86_64
}
# What NVIDIA publishes since 2026: a CUDA variant of a minor release, variants next to an archive without one, and .tar.zst.
newest_forms() {
    local archive name=TensorRT-Enterprise-11.3.0.99-Linux-x86_64-cuda-13.4-Release-external.tar.zst
    archive=$(small_archive cudnn 9.27.0.42 windows-arm64 cuda13.4)
    mkdir -p redist/cudnn/windows-arm64 redist/tensorrt/tars tree/TensorRT-11.3.0.99/include
    small_manifest cuda 13.3.0 "\"cuda_compat\": {\"name\": \"c\", \"license\": \"NVIDIA Driver\", \"license_path\": \"l\",
        \"version\": \"610.43.02\", \"cuda_variant\": [\"13.3\"], \"linux-x86_64\": {\"cuda13.3\": $(small_archive cuda_compat 610.43.02 linux-x86_64 cuda13.3)}}"
    small_manifest cudnn 9.27.0 "\"cudnn\": {\"name\": \"c\", \"license\": \"cudnn\", \"license_path\": \"l\", \"version\": \"9.27.0.42\",
        \"cuda_variant\": [\"13\"], \"linux-x86_64\": {\"cuda13\": $(small_archive cudnn 9.27.0.42 linux-x86_64 cuda13)},
        \"windows-arm64\": {\"cuda13\": $(small_archive cudnn 9.27.0.42 windows-arm64 cuda13), ${archive#?}}"
    echo '#define NV_TENSORRT_MAJOR 11' >tree/TensorRT-11.3.0.99/include/NvInferVersion.h
    tar -C tree -cf tensorrt.tar TensorRT-11.3.0.99
    zstd -q tensorrt.tar -o "redist/tensorrt/tars/$name"
    small_manifest tensorrt 11.3.0 "\"tensorrt\": {\"name\": \"t\", \"license\": \"TensorRT\", \"version\": \"11.3.0.99\",
        \"cuda_variant\": [\"13\"],
        \"linux-x86_64\": {\"cuda13\": {\"relative_path\": \"tensorrt/tars/$name\",
            \"sha256\": \"$(sha256sum "redist/tensorrt/tars/$name" | cut -d' ' -f1)\"}}}"
    call hostpin redist lock cuda/redistrib_13.3.0.json cudnn/redistrib_9.27.0.json tensorrt/redistrib_11.3.0.json \
        --platforms linux-x86_64
    exits 0
    says 'warning: cudnn, windows-arm64: The archive is listed without a CUDA variant, and named for cuda13\.4'
    contains '_cuda13.3-archive.tar.xz' <redist.lock
    hostpin redist fetch redist.lock --store store --mirror redist
    contains 'NV_TENSORRT_MAJOR 11' <"$(find store/cas -name NvInferVersion.h)"
    call hostpin redist diff cudnn/redistrib_9.27.0.json redist.lock
    exits 1
    # Windows as NVIDIA's own server has it is a zip: the archive without a variant is not taken.
    sed -i '/windows-arm64/s/\.tar\.xz/.zip/g' cudnn/redistrib_9.27.0.json
    hostpin redist lock cudnn/redistrib_9.27.0.json --cuda-variant 13 --platforms windows-arm64 -o windows.lock
    contains 'windows-arm64-9.27.0.42_cuda13-archive' <windows.lock
    ! contains 'cuda13.4' <windows.lock || fail 'the archive of another CUDA release'
}
faults_elsewhere() {
    mkdir -p cuda
    sed -E '2s/("linux-x86_64": .*"sha256": ")[0-9a-f]{4}/\1wxyz/' "$cuda" >cuda/redistrib_12.4.1.json
    cmp -s "$cuda" cuda/redistrib_12.4.1.json && fail 'nothing was changed'
    call hostpin redist lock cuda/redistrib_12.4.1.json --platforms linux-x86_64 -o all
    exits 0
    says 'warning: cuda_cudart, linux-sbsa: .*\[malformed-hash\]'
    call hostpin redist lock cuda/redistrib_12.4.1.json --platforms linux-sbsa --packages cuda_nvcc -o nvcc
    exits 0
    refused 'error: cuda_cudart, linux-sbsa: .*\[malformed-hash\]' 'the manifests have errors in what was selected' -- \
        cuda/redistrib_12.4.1.json --platforms linux-sbsa
}
releases() { # HASH...: a list of releases of cudnn, each with another hash
    local version=1 hash
    for hash in "$@"; do
        printf '[[releases.linux-x86_64]]\nversion = "9.%s.0"\nminCudaVersion = "12.0"\nmaxCudaVersion = "12.9"\n' "$version"
        printf 'url = "%s/cudnn-linux-x86_64-9.%s.0_cuda12-archive.tar.xz"\nhash = "%s"\n' \
            https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/linux-x86_64 "$version" "$hash"
        version=$((version + 1))
    done
}
faults_of_other_releases() {
    local good=sha256-BJH3sC9VwiB362eL8xTB+RdSS9UHz1tlgjm/mKRyM6E=
    { echo 'product = "cudnn"' && releases sha256-x "$good"; } >releases.toml
    call hostpin redist lock "$cuda" releases.toml --platforms linux-x86_64 -o one
    exits 0
    says 'releases\.toml:[0-9]+:[0-9]+: warning: .*\[malformed-hash\]'
    contains '"version": "9.2.0"' <one
    { echo 'product = "cudnn"' && releases "$good" sha256-x; } >releases.toml
    refused 'releases\.toml:[0-9]+:[0-9]+: error: .*\[malformed-hash\]' -- "$cuda" releases.toml --platforms linux-x86_64
    # Of two variants the other one.
    mkdir -p cudnn
    sed -E 's/("cuda11": .*"sha256": ")[0-9a-f]{4}(.*"cuda12")/\1wxyz\2/' "$cudnn" >cudnn/redistrib_9.1.1.json
    cmp -s "$cudnn" cudnn/redistrib_9.1.1.json && fail 'nothing was changed'
    call hostpin redist lock "$cuda" cudnn/redistrib_9.1.1.json --platforms linux-x86_64 -o two
    exits 0
    says 'warning: cudnn, linux-x86_64: .*\[malformed-hash\]'
    refused 'error: cudnn, linux-x86_64: .*\[malformed-hash\]' -- cudnn/redistrib_9.1.1.json --platforms linux-x86_64 --cuda-variant 11
}
differs() {
    call hostpin redist diff "$cuda" "$next"
    exits 1
    contains '  cuda_compat is not published any more' <"$out"
    contains '  no package has linux-aarch64 any more' <"$out"
    contains 'to fetch: 2 of 4 archives' <"$out"
    contains -E '^  cuda_nvcc +12\.4\.131 -> 12\.4\.140' <"$out"
    ! contains -E '^  cuda_cudart' <"$out" || fail "an unchanged package is listed"
    call hostpin redist diff --json "$cuda" "$next"
    exits 1
    python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))
assert found["archives_to_fetch"] == 2 and [one["kind"] for one in found["breaks"]] == ["package-gone", "platform-lost"], found' "$out"
}
differs_for_a_platform() {
    call hostpin redist diff "$cuda" "$next" --platform linux-sbsa
    exits 1
    contains 'to fetch: 1 of 2 archives' <"$out"
    contains -E '^  cuda_nvcc +12\.4\.131 -> 12\.4\.140' <"$out"
    ! contains -E 'cuda_compat|linux-aarch64' <"$out" || fail 'another platform'
    call hostpin redist diff "$cuda" "$next" --platform linux-x86-64
    exits 2
    says 'neither of them has an archive for linux-x86-64'
    # What is wrong with another platform does not matter.
    mkdir -p cuda
    sed -E '2s/"linux-x86_64": \{"relative_path"/"linux-x86_64": {"path"/' "$cuda" >cuda/redistrib_12.4.1.json
    cmp -s "$cuda" cuda/redistrib_12.4.1.json && fail 'nothing was changed'
    call hostpin redist diff cuda/redistrib_12.4.1.json "$next" --platform linux-sbsa
    exits 1
    call hostpin redist diff cuda/redistrib_12.4.1.json "$next"
    exits 2
}
differs_not() {
    hostpin redist lock "$cuda" --platforms linux-x86_64,linux-sbsa,linux-aarch64
    call hostpin redist diff "$cuda" redist.lock
    exits 0
    contains 'no difference' <"$out"
}
unreadable() {
    call hostpin redist diff "$cuda" "$work/absent"
    exits 2
    echo '{' >broken
    call hostpin redist diff broken "$cuda"
    exits 2
    says 'broken:1:2: '
}
lock_of_a_lock() { # which would be an empty one in its place
    hostpin redist lock "$cuda" --platforms linux-sbsa -o redist.lock
    cp redist.lock before
    call hostpin redist lock redist.lock --platforms linux-sbsa
    exits 2
    says 'redist\.lock is a lock, and locks are made of manifests' 'name the manifest'
    cmp redist.lock before
}
other_files_below() { # of other programs and of a composed toolkit
    mkdir -p cuda toolkit
    cp "$cuda" cuda
    printf '[package]\nversion = "1.0"\n' >Cargo.toml
    echo '{"cuda": {"version": "12.4.1"}}' >toolkit/version.json
    echo '{}' >toolkit/origin.json
    call hostpin redist check .
    exits 0
    contains '^1 file, 0 errors, 0 warnings' <"$out"
}
some_rules() {
    call hostpin redist rules missing-header
    exits 0
    contains '^missing-header ' <"$out"
    same "$(grep -c '^[a-z]' "$out")" 1
    call hostpin redist rules missing-heade
    exits 2
    says "there is no rule 'missing-heade'" 'did you mean missing-header'
}
aligned_help() {
    local command
    for command in check closure compose diff emit features fetch lock rules; do
        call hostpin redist $command --help
        exits 0
        ! sed '1,/^Options:/d; /^$/,$d' "$out" | grep -vE '^(  -| {24}[^ ])' || fail "$command: not aligned"
        ! contains TEXT <"$out" || fail "$command: a value without a name"
    done
}
near_command() {
    call hostpin redist chek
    exits 2
    says 'did you mean check\? hostpin redist --help lists'
    call hostpin redist fetch
    exits 2
    says 'hostpin redist fetch --help lists its arguments'
}
manifest_for_lock() {
    call hostpin redist fetch "$cuda" --store store
    exits 2
    says 'this is not a lock' 'make one of a manifest with'
    absent store
    call hostpin redist closure absent
    exits 2
    says 'absent: there is no such file or directory'
}
full_disk() {
    [ -e /dev/full ] || skip 'no /dev/full'
    local status=0
    hostpin redist lock "$cuda" --platforms linux-sbsa -o - >/dev/full 2>"$err" || status=$?
    same "$status" 2
}

it 'the same manifests in any order give the same bytes, with every hash' same_bytes
it '-o - writes to standard output, and --packages selects' to_standard_output
it 'an old manifest has product and label by its path, from its own directory, too' from_the_directory
it 'a platform that is not there is refused with its name at NVIDIA' \
    refused "no manifest has the platform 'aarch64-linux'" 'linux-sbsa or linux-aarch64' -- "$cuda" --platforms aarch64-linux
it 'a package with a typing error is refused with the nearest' \
    refused "no package 'cuda_nvc'" 'did you mean cuda_nvcc' -- "$cuda" --platforms linux-sbsa --packages cuda_nvc
it 'variants that nothing chooses between are refused with the choices' \
    refused 'an archive for each of cuda11, cuda12' 'name the major with --cuda-variant' -- "$cudnn" --platforms linux-x86_64
it 'a malformed hash is refused with its position' faulty '2s/"sha256": "[0-9a-f]{4}/"sha256": "wxyz/' 'json:2:[0-9]+: error: .*\[malformed-hash\]'
it 'a path that leaves its directory is refused' faulty '3s,"relative_path": ",&../,' 'json:3:[0-9]+: error: .*\[unsafe-path\]'
it 'a package that is there twice is refused' faulty '3s/"cuda_nvcc": \{/"cuda_cudart": {/' '\[duplicate-key\]'
# shellcheck disable=SC2016 # sed's
it 'what is not JSON is refused' faulty '$d' '\[not-json\]'
it 'errors in what is not selected are warnings' faults_elsewhere
it 'errors of another release of a list, and of another variant, are warnings' faults_of_other_releases
it "NVIDIA's newest forms are locked, fetched and compared" newest_forms
it 'diff prints what breaks and what has to be fetched, and exits with 1' differs
it 'diff --platform compares one platform, and reads no other' differs_for_a_platform
it 'a lock of all platforms does not differ from its manifest' differs_not
it 'what cannot be read is reported with exit code 2' unreadable
it "a package without NVIDIA's prefix is refused with its name" \
    refused "no package 'cudart'" 'did you mean cuda_cudart' -- "$cuda" --platforms linux-sbsa --packages cudart
it 'a --cuda-variant that is no number is refused' \
    refused '--cuda-variant abc is no CUDA release' -- "$cuda" --platforms linux-sbsa --cuda-variant abc
it 'a --base of a product without a manifest is refused' \
    refused "no manifest is of the product 'cudnn'" 'the manifests are of cuda' -- "$cuda" --platforms linux-sbsa --base cudnn=http://localhost/
it 'a lock is not taken for a manifest, and stays as it is' lock_of_a_lock
it 'check passes over files of other programs and of composed toolkits below a directory' other_files_below
it 'rules prints those that are named' some_rules
it 'help is aligned, and values have names' aligned_help
it 'a command with a typing error is reported with the nearest' near_command
it 'a manifest in place of a lock, and what does not exist, are called so' manifest_for_lock
it 'output that cannot be written is an error' full_disk
finish
