#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin setup with a toolkit of NVIDIA's wheels by the machine's own pip, from an index of this machine: the lab's wheels of CUDA 13.3, packed
# again, and small ones of indexes that are wrong or hostile.
#   wheels.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_command python3
only=${1:-}
python3 -m pip --version >/dev/null 2>&1 || skip 'the python3 on PATH has no pip'
while IFS= read -r name; do unset "$name"; done < <(compgen -e PIP_)
export PIP_CONFIG_FILE=/dev/null PIP_CACHE_DIR=$work/pip-cache PIP_RETRIES=0
index=$work/index
export PATH=$prefix/bin:$PATH

# serve DIRECTORY: as the index of pip; requests are in $work/requests.
serve() {
    # shellcheck disable=SC2154 # of lib.sh
    if [ -e "$work/server" ]; then kill "$(cat "$work/server")" 2>/dev/null || true; fi
    python3 -u - "$1" "$work/port" >/dev/null 2>>"$work/requests" <<'PYTHON' &
import functools, http.server, os, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", self.path[6:])
            self.end_headers()
        else:
            super().do_GET()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
with open(sys.argv[2] + ".new", "w") as port:
    port.write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
PYTHON
    echo $! >"$work/server"
    until [ -s "$work/port" ]; do sleep 0.02; done
    PIP_INDEX_URL=http://127.0.0.1:$(cat "$work/port")/simple
    export PIP_INDEX_URL
    rm "$work/port"
}
ended() {
    if [ -e "$work/server" ]; then kill "$(cat "$work/server")" 2>/dev/null || true; fi
    remove_work
}
trap ended EXIT
requests() { grep -c 'GET .*whl' "$work/requests" || true; }

set_up() { # DIR [OPTION]...: with consent
    local directory=$1
    shift
    call hostpin setup "$directory" --from wheels --cuda 13.3 --yes --accept-eula "$@"
}
nothing_made() { # DIR
    absent "$1/setup.toml"
    absent "$1/toolchain"
    absent "$1/cuda"
}

# ------------------------------------------------------------------------------------------ the lab's wheels

real() {
    need_lab bin/g++-13 bin/g++-16
    site=$lab/wheels/13.3/lib/python3/site-packages
    [ -d "$site" ] || skip 'no wheels of CUDA 13.3 in the lab (./bootstrap lab installs them where the Python Package Index is reached)'
    consider g++-13 g++-16
    export CXX=$lab/bin/g++-16 PATH=$prefix/bin:$PATH
    if [ ! -e "$index" ]; then
        python3 "$repository/tests/e2e/setup/wheel_index.py" "$index.new" "$site"
        mv "$index.new" "$index"
    fi
    serve "$index"
}
works() { # DIR: it is complete, and builds what setup itself has not built
    [ -s "$1/setup.toml" ] || fail "no record in $1"
    absent "$1/.work"
    echo '__global__ void f() {} int main() { f<<<1, 1>>>(); }' >works.cu
    "$1/toolchain/nvcc" works.cu -o works && ./works
}
sets_up() {
    real
    set_up "$work/done"
    exits 0
    contains -E 'fetch +CUDA 13\.3\.[0-9]+ +[0-9]+ MB in 7 files +NVIDIA.s wheels, http://127.0.0.1:[0-9]+ +NVIDIA CUDA EULA' <"$out"
    contains -E 'check +a program was built with it: its host half ran' <"$out"
    contains -E '^[0-9]+ MB fetched' <"$out"
    works "$work/done"
    local wheel
    for wheel in "$index"/files/*.whl; do
        [[ $wheel == */nvidia_cublas* ]] || contains "sha256 = \"$(sha256sum <"$wheel" | cut -c 1-64)\"" <"$work/done/setup.toml"
    done
    contains 'by = "--accept-eula"' <"$work/done/setup.toml"
    contains 'file = "licenses/cuda-nvidia_cuda_nvcc-.*License.txt"' <"$work/done/setup.toml"
    : >"$work/requests"
    call hostpin setup "$work/done" --from wheels --cuda 13.3
    exits 0
    contains 'is set up' <"$out"
    same "$(requests)" 0
}
killed_at() { # FILE: starts a run, and kills it once the file is there
    local run i
    hostpin setup killed --from wheels --cuda 13.3 --yes --accept-eula >run.log 2>&1 &
    run=$!
    for ((i = 0; i < 3000; i++)); do
        if compgen -G "$1" >/dev/null; then break; fi
        kill -0 "$run" 2>/dev/null || { cat run.log && fail "it ended before $1 was there"; }
        sleep 0.01
    done
    kill -9 "$run"
    wait "$run" || true
    absent killed/setup.toml
    if [ -e killed/toolchain ]; then killed/toolchain/nvcc --version >/dev/null || fail "half of a toolchain after $1"; fi
}
kills() {
    real
    local point points=(killed/.work/pip killed/.work/wheels.answer 'killed/.work/made-cuda-parts/*/nvidia' killed/cuda)
    for point in "${points[@]}"; do killed_at "$point"; done
    : >"$work/requests"
    set_up killed
    exits 0
    works killed
    same "$(requests)" 0
}
carried() { # a list, the files that it names, and no network
    real
    mkdir usb
    hostpin setup other --from wheels --cuda 13.3 --dry-run --json >usb/setup.json
    absent other
    python3 -c 'import json
plan = json.load(open("usb/setup.json"))
files = [file for piece in plan["pieces"] for file in piece["files"]]
assert len(files) == 7 and all(len(file["sha256"]) == 64 and file["address"].endswith(file["file"]) for file in files)'
    if python3 -c 'import jsonschema' 2>/dev/null; then
        python3 "$repository/tests/e2e/redist/check/schemas.py" "$prefix/share/hostpin/schema/setup-plan.schema.json" --valid usb/setup.json
    fi
    export PIP_INDEX_URL=http://127.0.0.1:1/simple
    call hostpin setup offline --from usb --yes --accept-eula
    exits 2
    says 'are missing in .*/usb for CUDA 13\.3\.' '^hint: bring them:$'
    ln "$index"/files/*.whl usb/
    local crt=("$index"/files/nvidia_cuda_crt-*.whl)
    cp --remove-destination "${crt[0]}" usb/
    echo x >>"usb/${crt[0]##*/}"
    call hostpin setup offline --from usb --yes --accept-eula
    exits 2
    says 'nvidia_cuda_crt-.* is damaged or another file'
    nothing_made offline
    cp "${crt[0]}" usb/
    call hostpin setup offline --from usb --yes --accept-eula
    exits 0
    works offline
}
mounted() {
    real
    need_mounts
    # shellcheck disable=SC2016 # expanded inside
    unshare -m bash -c 'set -e
        mkdir -p full readonly
        mount -t tmpfs -o size=300m none full && mount -t tmpfs -o ro none readonly
        for each in full readonly; do
            hostpin setup $each/d --from wheels --cuda 13.3 --yes --accept-eula >$each.log 2>&1 && exit 9
            if [ -e $each/d/setup.toml ] || [ -e $each/d/toolchain ]; then exit 8; fi
        done; true' || fail "exit code $?"
    contains -E 'is needed in .* and its file system has .* free|No space left' <full.log
    contains 'Read-only file system' <readonly.log
}

# ------------------------------------------------------------------------------------ wrong and hostile indexes

# small RELEASE [COMMAND...]: an index of small wheels in index/, changed by the command.
small() {
    python3 "$repository/tests/e2e/setup/wheel_index.py" index "$1"
    "${@:2}"
    serve "$PWD/index"
}
add() { # PYTHON: adds to the index, as `index`
    PYTHONPATH=$repository/tests/e2e/setup PYTHONDONTWRITEBYTECODE=1 python3 -c "from wheel_index import Index
index = Index('index')
$1"
}
refused() { # TEXT...: of setup, and nothing is made
    set_up d
    exits 2
    says "$@"
    nothing_made d
}
consent() {
    small 13.3
    call hostpin setup d --from wheels --cuda 13.3 --dry-run
    exits 0
    contains -E 'license +NVIDIA CUDA EULA +of CUDA 13\.3\.20' <"$out"
    call hostpin setup d --from wheels --cuda 13.3
    exits 2
    says 'nobody can be asked' "setup $PWD/d --cuda 13\.3 --from wheels --yes --accept-eula"
    call hostpin setup d --from wheels --cuda 13.3 --yes
    exits 2
    says 'NVIDIA CUDA EULA.*has to be accepted' '--accept-eula'
    absent d
    call hostpin setup d --from wheels --cuda 12.9 --dry-run
    exits 2
    says 'the wheels of CUDA 12\.9 have no nvcc' '--from redist'
    call hostpin setup d --from wheels --libraries cublas,blas --dry-run
    exits 2
    says "no wheel has a library 'blas'" 'cublas'
    call hostpin setup d --from wheels --libraries cublas --dry-run --json
    exits 0
    contains 'nvidia_cublas-13.3.26' <"$out"
}
# A release of which there is no metapackage yet.
newer() {
    small 13.3 rm -r index/simple/cuda-toolkit
    call hostpin setup d --from wheels --cuda 13.3 --dry-run --json
    exits 0
    contains 'nvidia_nvvm-13.3.22' <"$out"
    call hostpin setup d --from wheels --cuda 13.3.21 --dry-run
    exits 2
    says 'cannot find cuda-toolkit.*==13\.3\.\* nvidia-cuda-nvcc==13\.3\.21'
    call hostpin setup d --from wheels --cuda 13.7 --dry-run
    exits 2
    says 'cannot find cuda-toolkit.*==13\.7\.\*'
}
wrong_hash() {
    small 13.3 sed -i 's/sha256=[0-9a-f]\{8\}/sha256=00000000/' index/simple/nvidia-nvvm/index.html
    refused 'nvidia_nvvm|nvidia-nvvm' 'HASHES'
}
mixed() {
    small 13.3 add 'index.add("nvidia-cuda-crt", "13.1.5", {}); versions = {"nvidia-cuda-nvcc": "13.3.20", "nvidia-cuda-crt": "13.1.5"}
versions.update({"nvidia-nvvm": "13.3.22", "nvidia-cuda-runtime": "13.3.23", "nvidia-cuda-nvrtc": "13.3.24", "nvidia-cuda-cccl": "13.3.25"})
index.metapackage(versions)'
    refused 'wheels of different releases: nvidia-cuda-nvcc 13\.3\.20, nvidia-cuda-crt 13\.1\.5'
}
# A source distribution could run code: no step builds one.
source_only() {
    small 13.3
    mkdir nvidia_nvvm-13.3.22
    echo "open('$PWD/it-ran', 'w')" >nvidia_nvvm-13.3.22/setup.py
    tar -czf index/files/nvidia_nvvm-13.3.22.tar.gz nvidia_nvvm-13.3.22
    echo '<a href="../../files/nvidia_nvvm-13.3.22.tar.gz">nvidia_nvvm-13.3.22.tar.gz</a>' >index/simple/nvidia-nvvm/index.html
    PIP_NO_BINARY=:all: refused 'cannot find'
    absent it-ran
}
yanked() { # NVIDIA's metapackage names no exact versions, so that pip does not take it
    small 13.3 sed -i 's/<a /<a data-yanked="broken" /' index/simple/nvidia-nvvm/index.html
    refused 'cannot find'
}
# pip would replace ${HOME} in a file of requirements.
variable() {
    small 13.3
    # shellcheck disable=SC2016 # as it is
    mkdir 'index/${HOME}' && mv index/files/nvidia_nvvm-* 'index/${HOME}/'
    # shellcheck disable=SC2016
    sed -i 's,\.\./\.\./files/,../../${HOME}/,' index/simple/nvidia-nvvm/index.html
    set_up d
    exits 2
    if grep -qF "$HOME/nvidia_nvvm" "$work/requests"; then fail 'a variable of this machine went to the index'; fi
    nothing_made d
}
# The address leads elsewhere; what counts is the hash.
redirected() {
    small 13.3 sed -i 's,\.\./\.\./files/,/moved/files/,' index/simple/nvidia-nvvm/index.html
    call hostpin setup d --from wheels --cuda 13.3 --dry-run
    exits 0
    printf x >>index/files/nvidia_nvvm-13.3.22-py3-none-any.whl
    refused 'HASHES|nvidia_nvvm.* is damaged'
}
escaping() { # PATH
    small 13.3 add "index.add('nvidia-nvvm', '13.3.22', {'$1': b'x'})"
    refused 'cannot unpack .*nvidia_nvvm-13\.3\.22'
    absent escaped
    absent d/escaped
    absent d/.work/escaped
}
linked() { # a symbolic link out of the tree
    small 13.3 add "index.add('nvidia-nvvm', '13.3.22', {'nvidia/cu13/x/y': b'x'})"
    python3 - <<'PYTHON'
import hashlib, zipfile
wheel = "index/files/nvidia_nvvm-13.3.22-py3-none-any.whl"
with zipfile.ZipFile(wheel, "a") as archive:
    link = zipfile.ZipInfo("nvidia/cu13/z")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    archive.writestr(link, "../../../../../../../../etc")
digest = hashlib.sha256(open(wheel, "rb").read()).hexdigest()
open("index/simple/nvidia-nvvm/index.html", "w").write(f'<a href="../../{wheel[6:]}#sha256={digest}">{wheel[12:]}</a>')
PYTHON
    refused 'cannot unpack .*nvidia_nvvm-13\.3\.22.*nvidia/cu13/z'
}
two_have_it() {
    small 13.3 add "index.add('nvidia-nvvm', '13.3.22', {'nvidia/cu13/crt': b'another'})"
    refused 'two wheels have other files of one name: .*nvidia/cu13/crt'
}
no_program() { # wheels in which no nvcc is
    small 13.3
    refused 'the nvcc of the packages does not run here'
}
unreached() {
    export PIP_INDEX_URL=http://127.0.0.1:1/simple
    refused 'cannot find cuda-toolkit' 'pip config list'
}
without_pip() {
    python3 -m venv --without-pip venv
    export PATH=$PWD/venv/bin:$prefix/bin:/usr/bin:/bin
    if ! command -v uv >/dev/null; then refused 'the python3 on PATH has no pip' 'install pip 22\.2 or newer'; fi
    mkdir -p old/pip && echo '__version__ = "20.3.4"' >old/pip/__init__.py
    export PYTHONPATH=$PWD/old
    if ! command -v uv >/dev/null; then refused 'pip 20\.3\.4 writes no report' 'install pip 22\.2 or newer'; fi
}
# Settings of the user and a module in the current directory.
settings() {
    small 13.3
    printf '[global]\nrequire-virtualenv = true\nuser = true\n[install]\nuser = true\ntarget = %s\nno-deps = true\nno-binary = :all:\n' "$PWD/elsewhere" >pip.conf
    printf 'require-hashes = true\nconstraint = %s/absent\nrequirement = %s/absent\n' "$PWD" "$PWD" >>pip.conf
    echo "open('$PWD/it-ran', 'w')" >pip.py
    cp pip.py runpy.py
    export PIP_CONFIG_FILE=$PWD/pip.conf PIP_TARGET=$PWD/elsewhere PIP_PREFIX=$PWD/elsewhere PIP_USER=1 PIP_REQUIRE_VIRTUALENV=1 PIP_NO_DEPS=1
    call hostpin setup d --from wheels --cuda 13.3 --dry-run
    exits 0
    refused 'the nvcc of the packages does not run here' # everything was fetched and unpacked
    absent elsewhere
    absent it-ran
}

it "NVIDIA's wheels become a toolchain, each by its hash" sets_up
it 'after kills at several points the next run goes on, and fetches nothing again' kills
it 'wheels that were carried over need no network' carried
seldom 'file systems that are full or read-only are named' mounted
it 'without consent there is a plan, and no file' consent
it 'a release without its metapackage is made of single wheels' newer
it 'a wheel with another hash is refused' wrong_hash
it 'wheels of different releases are refused with both named' mixed
it 'no source distribution is built' source_only
it 'a withdrawn release is not taken' yanked
it 'a variable in an address is not replaced' variable
it 'a redirected download counts by its hash' redirected
it 'a wheel cannot leave its directory: above' escaping ../../escaped
it 'at an absolute path' escaping /tmp/escaped
it 'through a symbolic link' linked
it 'two wheels with one file are refused' two_have_it
it 'wheels without a working nvcc make no toolchain' no_program
it 'an index that is not reached is named' unreached
it 'no pip, and one that is too old, are named' without_pip
it 'settings for installations and modules in the current directory have no effect' settings
finish
