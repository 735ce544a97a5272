#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `native` finds, on a machine with a GPU. Needs hostpin and the driver alone, and a toolkit for one case.
libraries=${LD_LIBRARY_PATH:-} # where some containers have the driver's
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_hostpin
if [ -n "$libraries" ]; then export LD_LIBRARY_PATH=$libraries; fi
if ! ldconfig -p | contains -F libcuda.so.1 && ! command -v nvidia-smi >/dev/null; then skip "no NVIDIA driver on this machine"; fi

# Each capability once, from what the driver's own program says.
found() { nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -uV; }
# A directory for PATH in which everything is but nvidia-smi.
hide_nvidia_smi() {
    local directory program
    mkdir hidden
    while read -r -d : directory; do
        for program in "$directory"/*; do
            [ "${program##*/}" = nvidia-smi ] || ln -s "$program" hidden/ 2>/dev/null || true
        done
    done <<<"$PATH:"
    # shellcheck disable=SC2123 # it is meant
    PATH=$PWD/hidden
    if command -v nvidia-smi >/dev/null; then fail "nvidia-smi is still on PATH"; fi
}
# bytes HEXADECIMAL...
# shellcheck disable=SC2059 # the format is what is to be written
bytes() { printf "$(printf '\\x%s' "$@")"; }
# write_fatbin FILE CAPABILITY...: one fatbin with a cubin for each, and nothing in them.
write_fatbin() {
    local capability number
    {
        bytes 50 ed 55 ba 01 00 10 00 "$(printf %02x $((72 * ($# - 1))))" 00 00 00 00 00 00 00
        for capability in "${@:2}"; do
            number=${capability/./}
            bytes 02 00 01 01 40 00 00 00 08 00 00 00 00 00 00 00
            bytes 00 00 00 00 00 00 00 00 07 00 01 00 "$(printf %02x "$number")" 00 00 00
            head -c 40 /dev/zero
        done
    } >"$1"
}

the_library_says_what_nvidia_smi_does() {
    need_command nvidia-smi
    [ -z "${CUDA_VISIBLE_DEVICES+set}" ] || skip "CUDA_VISIBLE_DEVICES hides GPUs from the library alone"
    same "$("$hostpin" capabilities --ask-driver | sort -uV)" "$(found)"
}
files_are_held_against_this_machine() {
    local own
    mapfile -t own < <("$hostpin" capabilities --ask-driver | sort -uV)
    [ "${#own[@]}" -gt 0 ]
    write_fatbin own.fatbin "${own[@]}"
    call "$hostpin" fatbin own.fatbin --no-forward-compatibility --expect native
    exits 0
    write_fatbin other.fatbin 3.5
    call "$hostpin" fatbin other.fatbin --no-forward-compatibility --expect native
    exits 1
    says "missing: ${own[0]} machine code"
}
without_nvidia_smi_it_is_the_same() {
    hide_nvidia_smi
    files_are_held_against_this_machine
}
lists_expand_to_this_machines_gpus() {
    "$hostpin" capabilities >toolkit 2>/dev/null || skip "no CUDA toolkit on this machine"
    "$hostpin" capabilities --format torch --no-forward-compatibility native | tr ';' '\n' >got
    "$hostpin" capabilities --ask-driver | sort -uV >expected
    diff expected got
}

it "the driver's library says what nvidia-smi does" the_library_says_what_nvidia_smi_does
it "files are held against this machine's GPUs" files_are_held_against_this_machine
it "without nvidia-smi it is the same" without_nvidia_smi_it_is_the_same
it "lists expand to this machine's GPUs" lists_expand_to_this_machines_gpus
finish
