#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The installed schemas, judged by Python's jsonschema: examples and changes of each, and what the program writes. Another
# validator runs the same cases in unit.redist_schema. Two seconds of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
need_hostpin
need_command python3
python=python3
$python -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
$python -c 'import jsonschema' 2>/dev/null || skip "no jsonschema for Python (./bootstrap test installs it)"
schemas=$prefix/share/hostpin/schema
cases=$repository/tests/unit/toolchains/redist/schema/cases
program=$prefix/libexec/hostpin/redist

schemas_py() { "$python" "$repository/tests/e2e/redist/check/schemas.py" "$@"; }
# example NAME TITLE FILE: an example of the cases, as a file of its own.
example() {
    mkdir -p "$(dirname "$3")"
    "$python" -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["examples"][sys.argv[2]], open(sys.argv[3], "w"))' \
        "$cases/$1.json" "$2" "$3"
}
valid() { schemas_py "$schemas/$1.schema.json" --valid "$2" || fail "$2 is not valid"; }

each_schema_has_cases() {
    local name
    for name in "$schemas"/*.schema.json; do
        name=${name##*/}
        [ -e "$cases/${name%.schema.json}.json" ] || fail "no cases for $name"
    done
    schemas_py "$schemas" "$cases"/*.json
}
locks_are_valid() {
    example redistrib cuda cuda/redistrib_12.4.1.json
    example redistrib variants cudnn/redistrib_9.10.2.json
    call "$program" lock cuda/redistrib_12.4.1.json cudnn/redistrib_9.10.2.json --platforms windows-x86_64 -o redist.lock
    exits 0
    valid redist-lock redist.lock
}
reports_are_valid() {
    example redistrib cuda cuda/redistrib_12.4.1.json
    example redistrib 'without a label' cuda/redistrib_11.8.0.json
    example redist-releases cudnn cudnn.json
    sed -i 's/"linux-sbsa"/"linux-ppc64le"/' cuda/redistrib_12.4.1.json
    call "$program" check --json --fail-on note .
    exits 1
    valid redist-check "$out"
    echo 'no JSON' >cuda/redistrib_1.json
    call "$program" check --json cuda/redistrib_1.json
    exits 2
    valid redist-check "$out"
}
feature_manifests_are_valid() {
    need_command cc xz
    local top=cuda_nvcc-linux-x86_64-12.4.131-archive
    mkdir -p "$top/lib"
    echo 'int found(void) { return 1; }' >found.c
    cc -shared -fPIC found.c -o "$top/lib/libfound.so.1" -Wl,-soname,libfound.so.1
    tar -cJf "$top.tar.xz" "$top"
    cat >redistrib_12.4.1.json <<JSON
{"release_date": "2024-04-03", "release_label": "12.4.1", "release_product": "cuda",
 "cuda_nvcc": {"name": "CUDA NVCC", "license": "CUDA Toolkit", "license_path": "cuda_nvcc/LICENSE.txt", "version": "12.4.131",
  "linux-x86_64": {"relative_path": "cuda_nvcc/linux-x86_64/$top.tar.xz", "sha256": "$(sha256sum <"$top.tar.xz" | cut -d ' ' -f 1)",
   "md5": "$(md5sum <"$top.tar.xz" | cut -d ' ' -f 1)", "size": "$(stat -c %s "$top.tar.xz")"}}}
JSON
    call "$program" features redistrib_12.4.1.json --platform linux-x86_64 --archives . -o features.json
    exits 0
    valid redist-features features.json
    call "$program" check --fail-on note features.json
    exits 0
    # The same archive as a composed toolkit.
    call "$program" lock redistrib_12.4.1.json --platforms linux-x86_64
    exits 0
    mkdir -p mirror/cuda_nvcc/linux-x86_64
    mv "$top.tar.xz" mirror/cuda_nvcc/linux-x86_64
    call "$program" fetch redist.lock --store store --mirror mirror
    exits 0
    call "$program" compose redist.lock toolkit --store store --host linux-x86_64
    exits 0
    valid redist-origin toolkit/origin.json
}
it "each schema accepts its examples, and refuses each change of them" each_schema_has_cases
it "locks that are written are valid" locks_are_valid
it "reports of check are valid" reports_are_valid
it "feature manifests and the origin of a toolkit that are written are valid" feature_manifests_are_valid
finish
