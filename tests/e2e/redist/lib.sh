# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after tests/e2e/lib.sh by the scripts of this folder.

# need_archives [RELEASE]: archives in NVIDIA's form, see archives/README.md, as $archives, with their manifest as $manifest. Where there is
# no lab, or its archives cannot be made here, the case is skipped.
# shellcheck disable=SC2034,SC2154 # the scripts' own, and those of lib.sh
need_archives() {
    local release=${1:-12.4.1} log=$work/archives.log
    archives=$lab/redist/$release manifest=$lab/redist/$release/redistrib_$release.json
    if [ "$full" = 1 ] && [ -e "$lab/redist-full/$release" ]; then
        archives=$lab/redist-full/$release manifest=$lab/redist-full/$release/redistrib_$release.json
    fi
    if [ -e "$manifest" ]; then return; fi
    if [ "$stands_in" = yes ]; then without_lab "no archives of CUDA $release"; fi
    HOSTPIN_LAB=$lab HOSTPIN_FULL=0 "$repository/tests/e2e/redist/archives/provide" "$release" >"$log" 2>&1 ||
        { cat "$log" && without_lab "no archives of CUDA $release"; }
}
