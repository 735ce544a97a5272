#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# redist.sh: hostpin setup with a toolkit of NVIDIA's archives, from a real server (nginx), and the machine's own compiler: consent, the
# second run, kills, full and unusable file systems, damaged and missing files, files that were carried over, two at once. HOSTPIN_FULL=1:
# kills at ten points instead of five, and the setup completed after each error.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/../redist/lib.sh"
need_hostpin
need_component redist # its locks
need_command nginx python3 xz
need_archives 12.4.1
need_toolkit 12.4 12
export PATH=$plain_path HOSTPIN_STDENV=${host:?}
export PATH=$prefix/bin:$PATH

serve_archives
lock=$work/my.lock
hostpin redist lock "$manifest" --platforms linux-x86_64 --packages cuda_cccl,cuda_cudart,cuda_nvcc --base "cuda=$base" -o "$lock" >/dev/null 2>&1

# set_up DIR [OPTION]...: with consent.
set_up() {
    local directory=$1
    shift
    call hostpin setup "$directory" --from "redist:$lock" --yes --accept-eula "$@"
}
# recorded DIR: it is set up, and nothing is left of the work; works DIR: and it builds what setup itself has not built.
recorded() {
    [ -s "$1/setup.toml" ] || fail "no record in $1"
    absent "$1/.work"
}
works() {
    recorded "$1"
    echo '__global__ void f() {} int main() { f<<<1, 1>>>(); }' >works.cu
    "$1/toolchain/nvcc" works.cu -o works && ./works
}
requests() { grep -c 'GET .*archive' "$work/nginx/access.log" || true; }

plans() { # the plan, and nothing else: no file, no download
    : >"$work/nginx/access.log"
    call hostpin setup plan --from "redist:$lock" --dry-run
    exits 0
    contains -E 'CUDA 12\.4\.131 +[56][0-9] MB in 3 files' <"$out"
    contains 'https://docs.nvidia.com/cuda/archive/12.4.0/eula' <"$out"
    call hostpin setup plan --from "redist:$lock"
    exits 2
    says 'nobody can be asked' "setup $PWD/plan --from redist:$lock --yes --accept-eula"
    call hostpin setup plan --from "redist:$lock" --yes # a license is not a question of that kind
    exits 2
    says 'NVIDIA CUDA EULA.*has to be accepted' '--accept-eula'
    absent plan
    same "$(requests)" 0
}
sets_up() {
    set_up "$work/set up"
    exits 0
    contains -E 'check +a program was built with it: its host half ran' <"$out"
    contains -E "^  CMake +cmake -B build '-DCMAKE_TOOLCHAIN_FILE=$work/set up/toolchain/toolchain.cmake'" <"$out"
    contains '[56][0-9] MB fetched' <"$out"
    works "$work/set up"
    grep -q 'by = "--accept-eula"' "$work/set up/setup.toml" || fail "no consent in the record"
    local file
    file=$(sed -n 's/^file = "\(.*\)"/\1/p' "$work/set up/setup.toml" | sed -n 1p)
    grep -qF "$(sha256sum <"$work/set up/$file" | cut -c 1-64)" "$work/set up/setup.toml" || fail "not the hash of $file"
    # As it is printed for a shell.
    contains 'export' <<<"$(hostpin env --bound "$work/set up/toolchain" --shell sh)"
}
second_run() {
    : >"$work/nginx/access.log"
    call hostpin setup "$work/set up"
    exits 0
    contains 'is set up' <"$out"
    call hostpin setup "$work/set up" --from "redist:$lock"
    exits 0
    call hostpin setup "$work/set up" --cuda 11.8
    exits 2
    says 'was set up with other options: --from' '--cuda 11.8 --refresh'
    mv "$work/set up" "$work/moved"
    call hostpin setup "$work/moved"
    exits 2
    says 'works nowhere else'
    mv "$work/moved" "$work/set up"
    same "$(requests)" 0
}
refreshes() { # nothing differs, so that nothing is fetched
    : >"$work/nginx/access.log"
    set_up "$work/set up" --refresh
    exits 0
    recorded "$work/set up"
    same "$(requests)" 0
}
removed() { # by its owner, although files of archives are read-only
    cp -r "$work/set up" copy
    rm -r copy
}

# killed_at FILE: starts a run, and kills it once the file is there. A run that ended before is an error, too.
killed_at() {
    local run i
    hostpin setup killed --from "redist:$lock" --yes --accept-eula >run.log 2>&1 &
    run=$!
    for ((i = 0; i < 3000; i++)); do
        if compgen -G "$1" >/dev/null; then break; fi
        kill -0 "$run" 2>/dev/null || { cat run.log && fail "it ended before $1 was there"; }
        sleep 0.01
    done
    kill -9 "$run"
    wait "$run" || true
    absent killed/setup.toml
    # What is bound is whole: an nvcc that is there, and the toolkit that it needs.
    if [ -e killed/toolchain ]; then
        killed/toolchain/nvcc --version >/dev/null || fail "half of a toolchain after $1"
    fi
    call hostpin explain --bound killed/toolchain -- -c x.cu
    if [ "$status" = 0 ] && [ ! -x killed/cuda/bin/nvcc ]; then fail "bound without a toolkit after $1"; fi
}
kills() {
    local point points=(killed/.work/redist.lock 'killed/.work/store/trees/*' killed/cuda killed/toolchain killed/.work/check/saxpy.cu) first i
    if [ "$full" = 1 ]; then
        points=(killed killed/.lock killed/.work/redist.lock 'killed/.work/store/*' 'killed/.work/store/trees/*' 'killed/.work/made-cuda*'
            killed/cuda killed/toolchain killed/.work/check killed/.work/check/saxpy.cu)
    fi
    for point in "${points[@]}"; do killed_at "$point"; done
    hostpin setup killed --from "redist:$lock" --yes --accept-eula >first.log 2>&1 &
    first=$!
    for ((i = 0; i < 3000; i++)); do
        if [ "$(cat killed/.lock)" = "$first" ]; then break; fi
        sleep 0.01
    done
    set_up killed
    exits 0
    says "waiting for process $first, which sets up $PWD/killed"
    contains 'is set up' <"$out"
    wait "$first" || { cat first.log && fail 'the first one failed'; }
    works killed
}
built_in() { # no lock: a manifest, and what hostpin selects of it
    # The archives have no NVRTC, so this one is made of its header.
    local top=cuda_nvrtc-linux-x86_64-12.4.127-archive path=cuda_nvrtc/linux-x86_64 place=$www/more/cuda/redist
    mkdir -p "$place/$path" "$top/include"
    ln -s "$archives"/* "$place/"
    cp "$(realpath "$toolkit")/include/nvrtc.h" "$top/include/"
    echo 'see https://docs.nvidia.com/cuda/eula' >"$top/LICENSE"
    XZ_OPT=-0 tar -cJf "$place/$path/$top.tar.xz" "$top"
    rm "$place/redistrib_12.4.1.json"
    python3 - "$manifest" "$place" "$path/$top.tar.xz" <<'PYTHON'
import hashlib, json, sys
manifest, place, path = sys.argv[1:]
content = open(f"{place}/{path}", "rb").read()
hashes = {kind: hashlib.new(kind, content).hexdigest() for kind in ("sha256", "md5")}
release = json.load(open(manifest))
release["cuda_nvrtc"] = {"name": "CUDA NVRTC", "license": "CUDA Toolkit", "license_path": "cuda_nvrtc/LICENSE.txt", "version": "12.4.127",
                         "linux-x86_64": {"relative_path": path, **hashes, "size": str(len(content))}}
json.dump(release, open(f"{place}/redistrib_12.4.1.json", "w"))
PYTHON
    local url=http://127.0.0.1:$port/more/cuda/redist/redistrib_12.4.1.json
    call hostpin setup chosen --from "redist:$url" --libraries nvjpeg --yes --accept-eula
    exits 0
    recorded chosen
    cmp "$top/include/nvrtc.h" chosen/cuda/include/nvrtc.h
    [ -s chosen/cuda/include/nvjpeg.h ]
    [ -e chosen/cuda/lib/libnvjpeg.so ]
    call hostpin setup chosen --from "redist:$url" --libraries nvjpeg
    exits 0
    contains 'is set up' <"$out"
    call hostpin setup other --from "redist:$url" --libraries blas --dry-run
    exits 2
    says "there is no library 'blas'" 'there are cublas'
    call hostpin setup other --from "redist:$lock" --libraries cublas --dry-run
    exits 2
    says 'use it with --from redist, wheels or distribution; a lock has what'
    # NVIDIA's own address is in the tables.
    https_proxy=http://127.0.0.1:1 call hostpin setup other --from redist --cuda 12.4 --dry-run
    exits 2
    says "cannot lock NVIDIA's archives" 'developer\.download\.nvidia\.com/compute/cuda/redist/redistrib_12\.4\.1\.json'
    absent other
}
damaged() { # on the server, under the same name
    local path=cuda_cudart/linux-x86_64
    rm "$work/www/cuda/redist/cuda_cudart"
    mkdir -p "$work/www/cuda/redist/$path"
    for file in "$archives/$path"/*; do head -c 1000 /dev/urandom | cat "$file" - >"$work/www/cuda/redist/$path/${file##*/}"; done
    set_up damaged
    exits 2
    says 'cuda_cudart' 'what was fetched is kept'
    absent damaged/setup.toml
    absent damaged/toolchain
    rm -r "$work/www/cuda/redist/cuda_cudart"
    set_up damaged # and then it is gone
    exits 2
    says 'cuda_cudart' '404|not found|Not Found'
    ln -s "$archives/cuda_cudart" "$work/www/cuda/redist/"
    if [ "$full" = 1 ]; then
        set_up damaged
        exits 0
        recorded damaged
    fi
}
carried() { # a list, the files that it names, and no network
    mkdir -p usb
    hostpin setup other --from "redist:$lock" --dry-run --json >usb/setup.json
    same "$(python3 -c 'import json
plan = json.load(open("usb/setup.json"))
files = [file for piece in plan["pieces"] for file in piece["files"]]
assert plan["schema"] == 1 and plan["bytes"] == sum(file["bytes"] for file in files)
assert all(len(file["sha256"]) == 64 and file["address"].endswith(file["file"]) for file in files)
print(len(files))')" 3
    if python3 -c 'import jsonschema' 2>/dev/null; then
        python3 "$repository/tests/e2e/redist/check/schemas.py" "$prefix/share/hostpin/schema/setup-plan.schema.json" --valid usb/setup.json
    fi
    call hostpin setup offline --from usb --yes --accept-eula
    exits 2
    says 'are missing in .*/usb for CUDA 12\.4\.131' '^hint: bring them:$'
    same "$(grep -cF "  $base" "$err")" 3
    python3 -c 'import json
for piece in json.load(open("usb/setup.json"))["pieces"]:
    for file in piece["files"]: print(file["file"])' | while read -r file; do
        mkdir -p "usb/${file%/*}"
        cp "$archives/$file" "usb/$file"
    done
    : >"$work/nginx/access.log"
    call hostpin setup offline --from usb --yes --accept-eula
    exits 0
    works offline
    same "$(requests)" 0
    call hostpin setup nothing --from "$work/nginx" --yes
    exits 2
    says '--dry-run --json'
}
unusable() {
    mkdir other && echo mine >other/file
    set_up other
    exits 2
    says 'other holds files that are not of hostpin setup'
    absent other/.work
    set_up 'a:b'
    exits 2
    says 'without : , ;'
    echo >file
    set_up file
    exits 2
    says 'not a directory'
}
mounted() {
    need_mounts
    # shellcheck disable=SC2016 # expanded inside
    unshare -m bash -c 'set -e
        mkdir -p noexec full readonly
        mount -t tmpfs -o noexec,size=1g none noexec && mount -t tmpfs -o size=100m none full && mount -t tmpfs -o ro none readonly
        for each in noexec full readonly; do
            hostpin setup $each/d --from "redist:$1" --yes --accept-eula >$each.log 2>&1 && exit 9
            if [ -e $each/d/setup.toml ] || [ -e $each/d/toolchain ]; then exit 8; fi
        done; true' mounted "$lock" || fail "exit code $?"
    contains 'mounted noexec' <noexec.log
    contains -E 'is needed in .* and its file system has .* free' <full.log
    contains 'Read-only file system' <readonly.log
}

it 'without consent there is a plan, and no file' plans
it 'a toolkit of archives and the compiler that is here become a toolchain' sets_up
it 'a second run reports what is there, and refuses other options' second_run
it 'refresh fetches what differs, here nothing' refreshes
it 'rm -r removes it' removed
it 'after kills at several points, the next run goes on; a second one meanwhile waits, and finds it done' kills
it 'without a lock, hostpin selects archives of a manifest' built_in
it 'damaged and missing files make no toolchain' damaged
it 'files that were carried over need no network' carried
it 'directories that cannot be used are left as they are' unusable
it 'file systems that are full, read-only or noexec are named' mounted
finish
