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

fetches() { # PACKAGES: of both releases to a store
    local release
    for release in 11.8.0 12.4.1; do
        need_archives "$release"
        hostpin redist lock "$manifest" --platforms linux-x86_64,linux-sbsa --packages "$1" -o "$release.lock"
        hostpin redist fetch "$release.lock" --store store --mirror "$archives"
    done
}
breaks() {
    fetches cuda_cudart,libnvjpeg
    call hostpin redist diff 11.8.0.lock 12.4.1.lock
    exits 1
    ! contains 'in place of' <"$out" || fail "contents without a store"
    call hostpin redist diff 11.8.0.lock 12.4.1.lock --store store
    exits 1
    contains 'cuda_cudart for linux-sbsa, linux-x86_64 has libcudart.so.12 in place of libcudart.so.11.0' <"$out"
    contains 'libnvjpeg for linux-sbsa, linux-x86_64 has no code for sm_35, sm_37 any more' <"$out"
    contains 'has no .*, cudaBindTexture, .* and [0-9]* others in libcudart.so.12 any more' <"$out"
    find store/cas -name 'libcudart.so.*' -type f -exec readelf -dW {} + | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p' | sort -u >sonames
    same "$(tr '\n' ' ' <sonames)" 'libcudart.so.11.0 libcudart.so.12 '
    call hostpin redist diff 11.8.0.lock 12.4.1.lock --store none
    exits 1
    says '8 archives that differ are not in none; their contents are not compared'
}
# names ROOT: symbols that readelf finds in the shared runtime, without versions and those that stand for one.
names() {
    readelf --dyn-syms -W "$1"/lib/libcudart.so.*.*.* | awk '$7 != "UND" && $7 != "ABS" && $5 != "LOCAL" { sub("@.*", "", $8); print $8 }' |
        grep -vxE '_init|_fini|_edata|_end|__bss_start' | sort -u
}
symbols() { # of composed toolkits, as readelf reads them
    local release
    fetches cuda_cudart
    for release in 11.8.0 12.4.1; do
        hostpin redist compose "$release.lock" "root-$release" --store store --host linux-x86_64
        names "root-$release" >"names-$release"
    done
    call hostpin redist diff root-11.8.0 root-12.4.1 --json
    exits 1
    python3 - "$out" names-11.8.0 names-12.4.1 <<'PY'
import json, sys
found = next(one for one in json.load(open(sys.argv[1]))["symbols"] if one["old_library"] == "libcudart.so.11.0")
old, new = (set(open(path).read().split()) for path in sys.argv[2:])
assert found["new_library"] == "libcudart.so.12" and found["platforms"] == ["linux-x86_64"], found
assert found["removed"] == len(old - new) and found["removed_symbols"] == sorted(old - new)[:100], sorted(old - new)
assert found["added"] == len(new - old) and found["added_symbols"] == sorted(new - old)[:100], sorted(new - old)
PY
    # Archives in a directory, which has those of one of the releases.
    call hostpin redist diff root-11.8.0 12.4.1.lock --archives "$archives"
    exits 1
    contains 'cuda_cudart *libcudart.so.11.0 -> libcudart.so.12 *+[0-9]* -[0-9]* *linux-x86_64' <"$out"
    call hostpin redist diff root-12.4.1 root-12.4.1
    exits 0
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
it 'symbols that composed toolkits gain and lose are those that readelf finds' symbols
it 'feature manifests show the same without the archives' features
finish
