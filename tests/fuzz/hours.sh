#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hours.sh BUILD SECONDS [NAME...]: lets libFuzzer search with each target of BUILD, which is configured with HOSTPIN_FUZZ=ON, for so long
# by the clock, as many at a time as there are processors, from the corpus that is kept of it; then keeps what reaches
# most of the code. Prints a row for each. A finding fails, and its input is left in BUILD/corpora.
set -euo pipefail
room=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
export room build seconds=$2
export ASAN_OPTIONS=allow_user_poisoning=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

search() {
    local name=$1 code=0 program work=$build/corpora/$1 kept=$room/corpora/$1.tar.xz inputs
    program=$(find "$build/tests/fuzz" -name "fuzz_$name" -type f)
    mkdir -p "$work/all" && rm -rf "$work/least" && mkdir "$work/least"
    if [ -e "$kept" ]; then tar -xf "$kept" -C "$work/all"; fi
    "$program" "-max_total_time=$seconds" -print_final_stats=1 "-artifact_prefix=$work/" "$work/all" >"$work/log" 2>&1 || code=$?
    inputs=$(awk '/stat::number_of_executed_units/ { print $2 }' "$work/log")
    if [ "$code" -ne 0 ]; then
        echo "| \`$name\` | found something after ${inputs:-?} inputs: $work/log |"
        return 1
    fi
    "$program" -merge=1 "$work/least" "$work/all" >"$work/merge-log" 2>&1
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$work/least" -cf - . | xz -9 >"$kept.new"
    mv "$kept.new" "$kept"
    echo "| \`$name\` | $seconds | $inputs | $(find "$work/least" -type f | wc -l) |"
}
export -f search

mkdir -p "$room/corpora"
if [ $# -gt 2 ]; then
    names=("${@:3}")
else
    mapfile -t names < <(find "$build/tests/fuzz" -name 'fuzz_*' -type f -perm /111 | sed 's/.*fuzz_//' | sort)
fi
printf '| target | seconds | inputs | kept |\n|---|--:|--:|--:|\n'
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "${HOSTPIN_JOBS:-$(nproc)}" bash -c 'search "$1"' bash
