#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# diff.sh: two releases of real archives compared by their contents, sonames as readelf reads them. 5 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_command readelf
export PATH=$prefix/bin:$PATH

breaks() {
    local release
    for release in 11.8.0 12.4.1; do
        need_archives "$release"
        hostpin redist lock "$manifest" --platforms linux-x86_64,linux-sbsa --packages cuda_cudart,libnvjpeg -o "$release.lock"
        hostpin redist fetch "$release.lock" --store store --mirror "$archives"
    done
    call hostpin redist diff 11.8.0.lock 12.4.1.lock
    exits 1
    ! contains 'in place of' <"$out" || fail "contents without a store"
    call hostpin redist diff 11.8.0.lock 12.4.1.lock --store store
    exits 1
    contains 'cuda_cudart for linux-sbsa, linux-x86_64 has libcudart.so.12 in place of libcudart.so.11.0' <"$out"
    contains 'libnvjpeg for linux-sbsa, linux-x86_64 has no code for sm_35, sm_37 any more' <"$out"
    find store/cas -name 'libcudart.so.*' -type f -exec readelf -dW {} + | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p' | sort -u >sonames
    same "$(tr '\n' ' ' <sonames)" 'libcudart.so.11.0 libcudart.so.12 '
    call hostpin redist diff 11.8.0.lock 12.4.1.lock --store none
    exits 1
    says '8 archives that differ are not in none; their contents are not compared'
}
features() {
    local release
    for release in 11.8.0 12.4.1; do
        need_archives "$release"
        hostpin redist features "$manifest" --platform linux-x86_64 --package libnvjpeg --archives "$archives" -o "$release.json"
    done
    call hostpin redist diff 11.8.0.json 12.4.1.json
    exits 1
    contains 'libnvjpeg for linux-x86_64 has libnvjpeg.so.12 in place of libnvjpeg.so.11' <"$out"
    contains 'libnvjpeg for linux-x86_64 has no code for sm_35, sm_37 any more' <"$out"
    call hostpin redist diff 12.4.1.json 12.4.1.json
    exits 0
}
it 'lost sonames and GPUs of archives in a store are what breaks' breaks
it 'feature manifests show the same without the archives' features
finish
