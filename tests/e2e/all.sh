#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# all.sh 'SCRIPT [ARGUMENT...]'...: scripts of this directory as one test, which is skipped where all of them are.
status=77
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
