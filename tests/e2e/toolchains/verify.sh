#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `hostpin doctor --verify` compiles with every candidate, including launchers that are not named like compilers; for each
# toolkit of the lab its verdicts must agree with the compilations.
#   verify.sh [TOOLKIT]
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"

agrees() { # TOOLKIT
    local toolkit=$1 driver index count names=() wrong=0 target
    need_cuda "$toolkit"
    stdenv=$lab/bin/g++-$(majors g++ | sed -n 1p)
    for driver in "$lab"/bin/*g++-*; do names+=("\"$driver\""); done
    echo "compilers = [$(IFS=, && echo "${names[*]}")]" >"$HOSTPIN_CONFIG"
    call "$hostpin" doctor --toolkit "$(cuda "$toolkit")" --stdenv "$stdenv" --verify --json
    cp "$out" doctor.json
    count=$(json doctor.json length candidates)
    # each driver is another compiler, and the machine's own may add to them
    [ "$count" -ge "${#names[@]}" ] || fail "$count candidates of ${#names[@]} drivers"
    target=$("$stdenv" -dumpmachine)
    for ((index = 0; index < count; ++index)); do
        # Cross compilers are not verified: nvcc would give them this machine's headers. tests/e2e/target does.
        [ "$(json doctor.json candidates "$index" target)" = "$target" ] || continue
        if [ "$(json doctor.json candidates "$index" verified agrees)" != ON ]; then
            wrong=1
            for key in driver verdict reason; do echo "$key: $(json doctor.json candidates "$index" "$key")"; done
            echo "compile: $(json doctor.json candidates "$index" verified first_error)"
        fi
    done
    [ "$wrong" = 0 ] || fail 'a verdict is not what the compile says'
    exits 0
}

need_hostpin
for toolkit in ${1:-11.2 11.8 12.4 13.0}; do
    it "CUDA $toolkit: every verdict agrees with the compilation" agrees "$toolkit"
done
finish
