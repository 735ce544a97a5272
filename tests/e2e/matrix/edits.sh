#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Planted edits (edits.py): a cell that is left out makes the same as before. 30 edits, of each matrix some; with HOSTPIN_FULL=1 1,000.
#   edits.sh [-j JOBS] [--number N] [--seed N] [MATRIX...]   such as: edits.sh -j 16 --number 1000 --seed 1 links roots
# What a machine lacks, such as a second GCC, is named, and its edits are left out; with HOSTPIN_LAB_REQUIRED=1 that is a failure.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_command python3
need_toolkit
only_compilers "$host"
number=30
if [ "$full" = 1 ]; then number=1000; fi
planted() {
    PYTHONDONTWRITEBYTECODE=1 "$repository/tests/e2e/matrix/edits.py" --hostpin "$hostpin" --toolkit "$toolkit" --cxx "$host" \
        --samples "$repository/samples" --number "$number" "$@" | tee "$work/figures"
}
it "no cell is left out that an edit changes, and few run in vain" planted "$@"
cat "$work/figures"
finish
