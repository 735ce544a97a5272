#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin redist emit: each form read by the tool that it is for, with archives made here; where there is no such tool, compared with its
# documented fields. Ten seconds of processor time.
#
#   emit.sh [WORDS]  the cases whose sentence has these words
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
# shellcheck source=tests/e2e/redist/small.sh
. "$(dirname "$0")/small.sh"
need_hostpin
need_command xz python3
# shellcheck disable=SC2034 # read by lib.sh
if [ $# -gt 0 ]; then only=$1; fi
export PATH=$prefix/bin:$PATH

cd "$work"
both_products
wanted=(--platforms "linux-x86_64,linux-sbsa,linux-aarch64"
    --packages "cuda_cudart@linux-x86_64,cuda_cudart@linux-sbsa,cuda_compat@linux-aarch64,cudnn@linux-x86_64")
hostpin redist lock cuda/redistrib_12.4.1.json cudnn/redistrib_9.1.1.json "${wanted[@]}" 2>lock.err || { cat lock.err && exit 1; }
lock=$work/redist.lock mirror=$work/redist
cudart=cuda_cudart-linux-x86_64-12.4.127-archive
python() { python3 - "$@"; }

by_nix() {
    need_command nix-build
    if [ "$(id -u)" != 0 ]; then skip "a store without a daemon is tried as root"; fi
    new_store "$work/nix"
    hostpin redist emit "$lock" --for nix -o archives.nix
    call nix-build --no-out-link archives.nix --argstr mirror "file://$mirror/" -A linux-x86_64.cuda_cudart.src
    exits 0
    cmp "$(tail -n 1 "$out")" "$mirror/cuda_cudart/linux-x86_64/$cudart.tar.xz"
    call nix-instantiate --eval --strict --json archives.nix -A linux-sbsa.cuda_cudart.top
    exits 0
    same "$(cat "$out")" '"cuda_cudart-linux-sbsa-12.4.127-archive"'
    call nix-instantiate --eval archives.nix -A linux-x86_64.cudnn.src.url
    exits 0
    contains 'https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/linux-x86_64/cudnn-linux-x86_64-9.1.1.17_cuda12' <"$out"
    hostpin redist emit "$lock" --for nix -o - | cmp - archives.nix
    absent ./-
    cp -r "$mirror" other
    echo more >>"other/cuda_cudart/linux-sbsa/cuda_cudart-linux-sbsa-12.4.127-archive.tar.xz"
    call nix-build --no-out-link archives.nix --argstr mirror "file://$PWD/other" -A linux-sbsa.cuda_cudart.src
    [ "$status" -ne 0 ] || fail "another file was taken"
    says 'hash mismatch'
}
by_cmake() {
    need_command cmake
    hostpin redist emit "$lock" --for cmake -o redist.cmake
    # shellcheck disable=SC2016 # CMake's variables
    printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(p LANGUAGES NONE)' 'include(redist.cmake)' \
        'FetchContent_MakeAvailable(cuda_cudart_linux_x86_64 cudnn_cuda12_linux_x86_64)' \
        'file(STRINGS ${cuda_cudart_linux_x86_64_SOURCE_DIR}/include/cuda_cudart.h line)' 'message(STATUS "header: ${line}")' \
        'file(STRINGS ${cudnn_cuda12_linux_x86_64_SOURCE_DIR}/include/cudnn.h line)' 'message(STATUS "header: ${line}")' >CMakeLists.txt
    call cmake -S . -B build "-DHOSTPIN_REDIST_MIRROR=$mirror"
    exits 0
    contains 'header: #define VERSION "cuda_cudart 12.4.127 linux-x86_64 "' <"$out"
    contains 'header: #define VERSION "cudnn 9.1.1.17 linux-x86_64 cuda12"' <"$out"
    cp -r "$mirror" other
    echo more >>"other/cuda_cudart/linux-x86_64/$cudart.tar.xz"
    call cmake -S . -B build2 "-DHOSTPIN_REDIST_MIRROR=file://$PWD/other/"
    [ "$status" -ne 0 ] || fail "another file was taken"
    grep -qi 'hash' "$err" || { show_call && fail "the hash is not what it failed for"; }
}
# Starlark is a subset of Python as far as this file goes; `load` and the rule are replaced by what records their arguments.
by_bazel() {
    hostpin redist emit "$lock" --for bazel -o redist.bzl
    python redist.bzl "$mirror" <<'PY'
import ast, hashlib, sys, tarfile
text = open(sys.argv[1]).read()
for node in ast.walk(ast.parse(text)):  # what Starlark has not
    assert not isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.While, ast.Try, ast.With, ast.Lambda, ast.JoinedStr)), node
loads, archives = [], []
# https://bazel.build/rules/lib/repo/http: attributes of http_archive
known = {"name", "auth_patterns", "build_file", "build_file_content", "canonical_id", "integrity", "netrc", "patch_args", "patch_cmds",
         "patches", "sha256", "strip_prefix", "type", "url", "urls", "workspace_file", "workspace_file_content"}
def http_archive(**attributes):
    assert set(attributes) <= known, attributes
    archives.append(attributes)
scope = {"load": lambda *all: loads.append(all), "http_archive": http_archive}
exec(text, scope)
assert loads == [("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")], loads
scope["redist_archives"](mirrors=[sys.argv[2]])
assert len(archives) == 4 and len({one["name"] for one in archives}) == 4
for one in archives:
    assert one["urls"][1].startswith("https://developer.download.nvidia.com/compute/"), one
    assert hashlib.sha256(open(one["urls"][0], "rb").read()).hexdigest() == one["sha256"]
    names = tarfile.open(one["urls"][0]).getnames()
    assert all(name == one["strip_prefix"] or name.startswith(one["strip_prefix"] + "/") for name in names), names
PY
}
# conda-build drops lines whose selector does not apply; then it is YAML.
by_conda() {
    python3 -c 'import yaml' 2>/dev/null || skip 'no PyYAML (python3-yaml)'
    hostpin redist emit "$lock" --for conda -o meta.yaml
    python meta.yaml <<'PY'
import re, sys, yaml
def section(**names):
    kept = []
    for line in open(sys.argv[1]):
        selector = re.search(r"# \[(.*)\]$", line.rstrip())
        if not selector or eval(selector.group(1), {}, {"linux": True, **names}):
            kept.append(line)
    return yaml.safe_load("".join(kept))["source"]
off = dict(linux64=False, aarch64=False, ppc64le=False, win64=False, arm_variant_type="")
# conda-build's conda_build/metadata.py, FIELDS["source"], has these three, and its parse() takes a list of sources.
known = {"url", "sha256", "folder"}
for names, folders in (({"linux64": True}, ["cuda_cudart", "cudnn"]), ({"aarch64": True, "arm_variant_type": "sbsa"}, ["cuda_cudart"]),
                       ({"aarch64": True, "arm_variant_type": "tegra"}, ["cuda_compat"])):
    found = section(**{**off, **names})
    assert [one["folder"] for one in found] == folders, found
    for one in found:
        assert set(one) == known and re.fullmatch("[0-9a-f]{64}", one["sha256"]) and one["url"].startswith("https://"), one
PY
}
by_spack() {
    python3 -c 'import yaml' 2>/dev/null || skip 'no PyYAML (python3-yaml)'
    call hostpin redist emit "$lock" --for spack --prefix /opt/cuda
    exits 2
    says 'the lock is for several platforms' 'name one with --platform'
    hostpin redist emit "$lock" --for spack --prefix /opt/cuda --platform linux-x86_64 -o packages.yaml
    python packages.yaml <<'PY'
import sys, yaml
found = yaml.safe_load(open(sys.argv[1]))["packages"]
# Spack's lib/spack/spack/schema/packages.py: a package has "externals", a list of objects with "spec" (required) and "prefix", both
# strings, and "buildable", a boolean; no unknown keys of a package.
assert found == {
    "cuda": {"externals": [{"spec": "cuda@12.4.1", "prefix": "/opt/cuda"}], "buildable": False},
    "cudnn": {"externals": [{"spec": "cudnn@9.1.1.17-12", "prefix": "/opt/cuda"}], "buildable": False}}, found
PY
}
as_spdx() {
    hostpin redist emit "$lock" --for spdx -o one.json
    hostpin redist emit "$lock" --for spdx -o two.json
    cmp one.json two.json
    python one.json "$mirror" <<'PY'
import hashlib, json, re, sys
document = json.load(open(sys.argv[1]))
# spdx.github.io/spdx-spec/v2.3: fields that are mandatory in a document, a package, and a license of the document
for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
    assert document[field], field
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0" and "#" not in document["documentNamespace"]
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]) and document["creationInfo"]["creators"]
defined = {one["licenseId"] for one in document["hasExtractedLicensingInfos"] if one["extractedText"]}
ids = {document["SPDXID"]}
for one in document["packages"]:
    assert one["name"] and re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one["SPDXID"]) and one["SPDXID"] not in ids, one
    ids.add(one["SPDXID"])
    assert one["licenseDeclared"] in defined and one["filesAnalyzed"] is False
    path = sys.argv[2] + "/" + one["downloadLocation"].split("/redist/", 1)[1]
    assert one["checksums"] == [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(open(path, "rb").read()).hexdigest()}]
assert {one["relatedSpdxElement"] for one in document["relationships"]} == ids - {document["SPDXID"]}
assert len(document["packages"]) == 4
PY
}
for_nixpkgs() {
    call hostpin redist emit "$lock" --for nixpkgs
    exits 2
    says 'the lock has cuda 12\.4\.1, cudnn 9\.1\.1' 'name the product with --product'
    call hostpin redist emit "$lock" --for nixpkgs --product cutensor
    exits 2
    says 'no archive for cutensor' 'it has cuda, cudnn'
    mkdir -p reduced/cuda reduced/cudnn
    hostpin redist emit "$lock" --for nixpkgs --product cuda -o reduced/cuda/redistrib_12.4.1.json
    hostpin redist emit "$lock" --for nixpkgs --product cudnn -o reduced/cudnn/redistrib_9.1.1.json
    call hostpin redist check reduced --against "$lock"
    exits 0
    hostpin redist lock reduced/*/*.json "${wanted[@]}" -o again.lock
    call hostpin redist diff "$lock" again.lock
    exits 0
    python reduced/cuda/redistrib_12.4.1.json reduced/cudnn/redistrib_9.1.1.json "$work" <<'PY'
import hashlib, json, sys
cuda, cudnn = (json.load(open(path)) for path in sys.argv[1:3])
original = json.load(open(sys.argv[3] + "/cuda/redistrib_12.4.1.json"))
assert "cuda_nvcc" not in cuda and cuda["cuda_cudart"] == original["cuda_cudart"], cuda
assert list(cuda)[:3] == ["release_date", "release_label", "release_product"]
digest = hashlib.sha256(open(sys.argv[3] + "/cuda/redistrib_12.4.1.json", "rb").read()).hexdigest()
assert cuda["release_reduced_from"] == {"base": "https://developer.download.nvidia.com/compute/cuda/redist/", "sha256": digest}
# What Nixpkgs' buildRedist looks up: cuda_variant, and then the variant of each platform.
assert cudnn["cudnn"]["cuda_variant"] == ["12"] and list(cudnn["cudnn"]["linux-x86_64"]) == ["cuda12"]
assert set(cudnn["cudnn"]["linux-x86_64"]["cuda12"]) == {"relative_path", "sha256", "md5", "size"}
PY
    mkdir -p moved/cudnn
    sed 's/"release_product": "cuda"/"release_product": "cudnn"/' reduced/cuda/redistrib_12.4.1.json >moved/cudnn/redistrib_12.4.1.json
    call hostpin redist check reduced moved --against "$lock"
    exits 1
    contains "product-mismatch" <"$out"
    contains "claims to be a part of the locked manifest of cuda 12.4.1" <"$out"
    call hostpin redist lock moved/cudnn/redistrib_12.4.1.json --platforms linux-x86_64 -o moved.lock
    exits 2
    says "the manifest that this one claims to be a part of is of 'cuda'"
    [ ! -e moved.lock ] || fail 'a lock was made'
    sed -i '/linux-sbsa/,/}/s/"sha256": "..../"sha256": "0000/' reduced/cuda/redistrib_12.4.1.json
    call hostpin redist check reduced --against "$lock"
    exits 1
    contains 'replaced-manifest' <"$out"
    if command -v nix-instantiate >/dev/null && [ "$(id -u)" = 0 ]; then
        new_store "$work/nix"
        call nix-instantiate --eval --expr "(builtins.fromJSON (builtins.readFile ./reduced/cuda/redistrib_12.4.1.json)).cuda_cudart.version"
        exits 0
        same "$(cat "$out")" '"12.4.127"'
    fi
}
without_passwords() {
    sed 's|"base": "https://|&user:secret@|' "$lock" >edited
    contains 'user:secret@' <edited
    for form in bazel cmake conda nix spdx; do
        hostpin redist emit edited --for "$form" >of-edited
        cmp of-edited <(hostpin redist emit "$lock" --for "$form")
    done
    cmp <(hostpin redist emit edited --for nixpkgs --product cuda) <(hostpin redist emit "$lock" --for nixpkgs --product cuda)
}
unknown() {
    call hostpin redist emit "$lock" --for cmak
    exits 2
    says "no form 'cmak'" 'did you mean cmake'
    call hostpin redist emit "$lock" --for nix --platform linux-ppc64le
    exits 2
    says 'the lock has no archive for linux-ppc64le' 'linux-aarch64, linux-sbsa, linux-x86_64'
    sed 's/"sha256": "./"sha256": "g/' "$lock" >damaged
    call hostpin redist emit damaged --for nix -o made
    exits 2
    says 'damaged:[0-9]+:[0-9]+: ' 'make the lock again'
    absent made
}

it 'Nix fetches what is locked from a mirror, and refuses another file' by_nix
it 'CMake fetches and unpacks it, and refuses another file' by_cmake
it 'for Bazel each archive has its hash and its top directory' by_bazel
it 'conda-build finds the sources of each platform' by_conda
it 'Spack finds external packages' by_spack
it 'Nixpkgs gets a manifest of each product, which is locked to the same archives' for_nixpkgs
it 'the SPDX document has what is mandatory, and the same bytes each time' as_spdx
it 'passwords of a lock are not emitted' without_passwords
it 'an unknown form, an absent platform and a damaged lock are errors' unknown
finish
