#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is no manifest: exit code 2 and a clear message, in little memory. Three seconds of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
need_hostpin
program=$prefix/libexec/hostpin/redist

# prints PATTERN: the report, which is on standard output.
prints() { grep -qE -e "$1" "$out" || { show_call; fail "stdout has no: $1"; }; }
manifest() { # FILE [LABEL]
    mkdir -p "$(dirname "$1")"
    cat >"$1" <<JSON
{"release_date": "2024-04-03", "release_label": "${2:-12.4.1}", "release_product": "cuda",
 "cuda_nvcc": {"name": "CUDA NVCC", "license": "CUDA Toolkit", "license_path": "cuda_nvcc/LICENSE.txt", "version": "12.4.131",
  "linux-x86_64": {"relative_path": "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz",
   "sha256": "$(printf 'a%.0s' {1..64})", "md5": "$(printf 'b%.0s' {1..32})", "size": "1234"}}}
JSON
}

a_clean_manifest_has_no_finding() {
    manifest cuda/redistrib_12.4.1.json
    call "$program" check --fail-on note cuda/redistrib_12.4.1.json
    exits 0
    prints '^1 file, 0 errors, 0 warnings, 0 notes$'
}
a_gigabyte_is_refused() {
    truncate -s 1G redistrib_1.json
    call_within 100000 "$program" check redistrib_1.json
    exits 2
    says 'redistrib_1.json.*(large|limit|MB|bytes)'
}
deep_nesting_is_a_finding() {
    python3 -c 'print("{\"a\":" * 10000 + "1" + "}" * 10000)' >redistrib_1.json
    call_within 50000 "$program" check redistrib_1.json
    exits 2
    prints 'redistrib_1.json:1:[0-9]+: error: .*nested more than 64 levels deep.*\[not-json\]'
}
what_is_not_json_is_a_finding() {
    { printf '\357\273\277' && echo '{}'; } >redistrib_1.json
    call "$program" check redistrib_1.json
    exits 2
    prints 'redistrib_1.json:1:1: error: .*byte order mark.*\[not-json\]'
    cp "$program" redistrib_2.json
    call_within 100000 "$program" check redistrib_2.json
    exits 2
    prints 'redistrib_2.json:1:1: error: .*\[not-json\]'
    : >redistrib_3.json
    call "$program" check redistrib_3.json
    exits 2
    prints 'redistrib_3.json:.*\[not-json\]'
    printf '{"a": "\001\033[31m"}' >redistrib_4.json
    call "$program" check redistrib_4.json
    exits 2
    ! grep -q "$(printf '\033')" "$out" || fail 'a control character of the file was printed'
}
directories_without_manifests_are_errors() {
    mkdir -p empty other
    echo '{"name": "x"}' >other/package.json
    call "$program" check empty
    exits 2
    says 'empty: there is no'
    call "$program" check other
    exits 2
    says 'other: none of the files below it'
    call "$program" check absent.json
    exits 2
    says 'absent.json: there is no such file'
}
unreadable_files_are_errors() {
    local as=()
    if [ "$(id -u)" = 0 ]; then # root reads every file, unless it has no such capability
        need_command setpriv
        as=(setpriv --bounding-set '-dac_override,-dac_read_search')
    fi
    manifest cuda/redistrib_12.4.1.json
    chmod 0 cuda/redistrib_12.4.1.json
    call "${as[@]}" "$program" check cuda
    exits 2
    says 'redistrib_12.4.1.json'
}
names_that_differ_in_case_are_two_files() {
    manifest cuda/redistrib_12.4.1.json
    manifest CUDA/redistrib_12.4.1.json
    sed -i s/aaaaaaaa/cccccccc/ CUDA/redistrib_12.4.1.json
    call "$program" check .
    exits 1
    prints '^2 files'
    prints '\[mistaken-hash\]'
}
it "a clean manifest has no finding" a_clean_manifest_has_no_finding
it "a gigabyte is refused before it is read whole" a_gigabyte_is_refused
it "deep nesting is a finding" deep_nesting_is_a_finding
it "what is not JSON is a finding" what_is_not_json_is_a_finding
it "directories without manifests are errors" directories_without_manifests_are_errors
it "unreadable files are errors" unreadable_files_are_errors
it "names that differ in case are two files" names_that_differ_in_case_are_two_files
finish
