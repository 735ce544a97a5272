#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# all.sh 'SCRIPT [ARGUMENT...]'...: scripts of this directory as one test, which is skipped where all of them are. They share $E2E_MADE, a
# directory for what they compile.
status=77
E2E_MADE=$(mktemp -d "${TMPDIR:-/tmp}/hostpin-e2e.XXXXXX")
export E2E_MADE
trap 'rm -rf "$E2E_MADE"' EXIT
for each; do
    read -ra words <<<"$each"
    echo "== $each"
    code=0
    "$(dirname "$0")/${words[0]}" "${words[@]:1}" || code=$?
    case $code in
    77) ;;
    0) if [ "$status" = 77 ]; then status=0; fi ;;
    *) status=1 ;;
    esac
done
exit "$status"
