#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# chain.sh: from a manifest to a toolkit: lock, fetch from a real server (nginx, which serves ranges), and compose; then a patch release.
# Archives of CUDA 12.4.1 for x86_64. 15 s of processor, most of it unpacking. compose.sh builds with composed toolkits.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
need_hostpin
need_command nginx python3 xz
need_archives 12.4.1
export PATH=$prefix/bin:$PATH

serve_archives
lock=$work/redist.lock store=$work/store root=$work/root
packages=cuda_cccl,cuda_cudart,cuda_nvcc

# fetched [OPTION]...: number of requests that the server answered meanwhile is in $requests.
fetched() {
    : >"$work/nginx/access.log"
    call hostpin redist fetch "$lock" --store "$store" "$@"
    exits 0
    is_logged "$port"
    requests=$(grep -c 'GET .*archive' "$work/nginx/access.log" || true)
}
locks() {
    call hostpin redist lock "$manifest" --platforms linux-x86_64 --packages "$packages" --base "cuda=$base" -o "$lock"
    exits 0
    says '3 archives of cuda 12\.4\.1'
}
fetches() {
    fetched --mirror "$base"
    [ "$requests" -ge 3 ] || fail "$requests requests"
    fetched --mirror "$base"
    same "$requests" 0
}
composes() {
    call hostpin redist compose "$lock" "$root" --store "$store" --host linux-x86_64
    exits 0
    call hostpin redist check "$root" --fail-on error
    exits 0
    call "$root/bin/nvcc" --version
    exits 0
    contains 'release 12.4' <"$out"
}
composes_again() {
    hostpin redist compose "$lock" other --store "$store" --host linux-x86_64
    (cd "$root" && find . ! -name origin.json -printf '%P %y %l\n' | sort) >one
    (cd other && find . ! -name origin.json -printf '%P %y %l\n' | sort) >two
    cmp one two
    call hostpin redist compose "$lock" "$root" --store "$store" --host linux-x86_64
    exits 0
    says 'is up to date'
}
# The next release: another nvcc, and the rest as it was.
patch_release() {
    local old next path
    path=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cuda_nvcc"]["linux-x86_64"]["relative_path"])' "$manifest")
    old=$(basename "$path" .tar.xz) next=cuda_nvcc-linux-x86_64-12.4.999-archive
    mkdir -p "$next/bin" "$work/www/cuda/redist.next/cuda_nvcc/linux-x86_64"
    ln -s "$archives"/cuda_cccl "$archives"/cuda_cudart "$work/www/cuda/redist.next/"
    echo '#!/bin/sh' >"$next/bin/nvcc"
    echo "license" >"$next/LICENSE"
    tar -cJf "$work/www/cuda/redist.next/cuda_nvcc/linux-x86_64/$next.tar.xz" "$next"
    python3 - "$manifest" "redistrib_12.4.2.json" "$work/www/cuda/redist.next/cuda_nvcc/linux-x86_64/$next.tar.xz" "$old" "$next" <<'PY'
import hashlib, json, os, sys
manifest = json.load(open(sys.argv[1]))
manifest["release_label"] = "12.4.2"
data = open(sys.argv[3], "rb").read()
nvcc = manifest["cuda_nvcc"]
for platform in list(nvcc):
    if platform.startswith("linux-") and platform != "linux-x86_64":
        del nvcc[platform]
nvcc["version"] = "12.4.999"
nvcc["linux-x86_64"] = {"relative_path": "cuda_nvcc/linux-x86_64/" + os.path.basename(sys.argv[3]), "size": str(len(data)),
                        "sha256": hashlib.sha256(data).hexdigest(), "md5": hashlib.md5(data).hexdigest()}
json.dump(manifest, open(sys.argv[2], "w"), indent=1)
PY
    mv "$lock" old.lock
    hostpin redist lock redistrib_12.4.2.json --platforms linux-x86_64 --packages "$packages" --base "cuda=${base%redist/}redist.next/" -o "$lock"
    call hostpin redist diff old.lock "$lock"
    exits 1
    contains 'to fetch: 1 of 3 archives' <"$out"
    contains -E '^  cuda_nvcc +12\.4\.[0-9]+ -> 12\.4\.999' <"$out"
    fetched --mirror "${base%redist/}redist.next/"
    same "$requests" 1
    mv old.lock "$lock"
}
lost_in_between() { # a store without one archive: only that one is fetched again
    local hash
    hash=$(python3 -c 'import json, sys
print(next(one["sha256"] for one in json.load(open(sys.argv[1]))["archives"] if one["package"] == "cuda_cudart"))' "$lock")
    rm "$store/trees/sha256-$hash"
    fetched --mirror "$base"
    same "$requests" 1
}

it 'a lock has the hashes of what the server has' locks
it 'fetch takes each archive from the server once' fetches
it 'compose makes a toolkit that is proven to be its archives' composes
it 'composed again from the store it is the same' composes_again
it 'of a patch release only what changed is fetched' patch_release
it 'what the store lost is fetched again, and nothing else' lost_in_between
finish
