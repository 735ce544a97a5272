#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# with_compilers.sh PROGRAM [ARGUMENT...]: a test program that reads HOSTPIN_LAB, with what stands in for the lab where there is none.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
HOSTPIN_LAB=$lab HOSTPIN_FULL=$full "$@"
