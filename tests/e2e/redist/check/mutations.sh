#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Damages of manifests, lists of releases and feature manifests, each found by `redist check`: mutations.py. A third of two thousand;
# all with HOSTPIN_FULL=1.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
need_hostpin
need_command python3

each_damage_is_found() {
    python3 "$repository/tests/e2e/redist/check/mutations.py" "$prefix/libexec/hostpin/redist" \
        "$repository/tests/unit/toolchains/redist/schema/cases" "$PWD" "$((full == 1 ? 1 : 3))" | tee "$work/mutations"
}
it "each damage is found" each_damage_is_found
sed -n 's/^ *\([0-9]* damages, .*\);.*;.*/        \1/p' "$work/mutations"
finish
