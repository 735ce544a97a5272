#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Edits of what strace shows that a cell resolves, and of the fields of matrix.toml (observed.py): 40; with HOSTPIN_FULL=1 150.
#   observed.sh [--number N] [--seed N] [--all-truths]
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_component matrix
need_command python3 strace
need_toolkit
only_compilers "$host"
number=40
if [ "$full" = 1 ]; then number=150; fi
observed() {
    PYTHONDONTWRITEBYTECODE=1 "$repository/tests/e2e/matrix/observed.py" --hostpin "$hostpin" --toolkit "$toolkit" --cxx "$host" \
        --number "$number" "$@" | tee "$work/figures"
}
it "no cell is left out that ends differently after an edit of what it was observed to use" observed "$@"
cat "$work/figures"
finish
