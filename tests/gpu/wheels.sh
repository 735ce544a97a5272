#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wheels.sh [SITE [NAME...]]: real CUDA wheels, as they are installed in SITE (default: that of python3), checked, and each verdict compared with what
# dlopen and import do. Needs as much space in TMPDIR as the largest of them. No part of CTest: see README.md.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
[ -x "$hostpin" ] || { echo "FAIL: no hostpin in $prefix" && exit 1; }
need_command python3 nm
export PYTHONDONTWRITEBYTECODE=1
site=${1:-$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')}
python3 "$repository/tests/gpu/wheels/wheels.py" "$hostpin" "$site" "${@:2}"
