#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `hostpin doctor --verify` compiles with every candidate, including launchers that are not named like compilers; for each
# toolkit of the lab its verdicts must agree with the compilations.
#   verify.sh [TOOLKIT]   with the compilers at the limits of the toolkit; HOSTPIN_FULL=1: with all of the lab
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"

# compilers TOOLKIT: the oldest and the newest of each family, the newest that its header takes and the next one, and two with a newer glibc.
compilers() {
    local family
    if [ "$full" = 1 ]; then
        printf '%s\n' "$lab"/bin/*g++-* # cross compilers too
        return
    fi
    for family in g++ clang++; do
        majors "$family" | awk -v name="$lab/bin/$family-" -v most="$(limit "$family" "$(cuda "$1")")" '
            { oldest = $1 } NR == 1 || $1 == most || $1 == most + 1 { print name $1 } END { print name oldest }'
    done | sort -u
    printf '%s\n' "$lab"/bin/{g++-14-newglibc,g++-16-newglibc,aarch64-linux-gnu-g++-12}
}
agrees() { # TOOLKIT
    local toolkit=$1 names
    need_cuda "$toolkit"
    stdenv=$lab/bin/g++-$(majors g++ | sed -n 1p)
    mapfile -t names < <(compilers "$toolkit")
    only_compilers "${names[@]}"
    call "$hostpin" doctor --toolkit "$(cuda "$toolkit")" --stdenv "$stdenv" --verify --json
    # Each driver is another compiler. Cross compilers are not verified: nvcc would give them this
    # machine's headers. tests/e2e/target does.
    python3 - "$out" "${#names[@]}" "$("$stdenv" -dumpmachine)" <<'PY'
import json, sys
candidates = json.load(open(sys.argv[1]))["candidates"]
assert len(candidates) >= int(sys.argv[2]), f"{len(candidates)} candidates of {sys.argv[2]} drivers"
wrong = [each for each in candidates if each["target"] == sys.argv[3] and not each["verified"]["agrees"]]
for each in wrong:
    print("a verdict is not what the compile says:", each["driver"], each["verdict"], each["reason"], each["verified"]["first_error"])
sys.exit(bool(wrong))
PY
    exits 0
}

need_hostpin
need_command python3
for toolkit in ${1:-11.2 13.0 $([ "$full" = 0 ] || echo 11.8 12.4)}; do
    it "CUDA $toolkit: every verdict agrees with the compilation" agrees "$toolkit"
done
finish
