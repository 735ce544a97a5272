#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Planted edits (edits.py): a cell that is left out makes the same as before. 5 edits, with HOSTPIN_FULL=1 1,000.
#   edits.sh [NUMBER [SEED]]
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_command python3
need_toolkit
number=5
if [ "$full" = 1 ]; then number=1000; fi
it "no cell is left out that an edit changes, and few run in vain" \
    "$repository/tests/e2e/matrix/edits.py" "$hostpin" "$toolkit" "$host" "${1:-$number}" "${2:-1}"
finish
