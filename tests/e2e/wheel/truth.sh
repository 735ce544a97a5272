#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# truth.sh: 150 wheels with what is wrong with real ones, and with nothing; each verdict compared with what import does on this machine. Some 10 s of
# processor. With a CUDA 12 toolkit in the lab, 220. HOSTPIN_FULL=1: also in the root directories of Debian 11, 12, 13 and sid, by debootstrap.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command gcc patchelf python3
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
here=$repository/tests/e2e/wheel

# runtime MAJOR: libcudart of a toolkit of that major, with its path in `runtime`
runtime() {
    local root
    for root in "$lab"/cuda-"$1".* "${machine_toolkits[@]}" /usr/local/cuda /usr/local/cuda-"$1"*; do
        if [ -e "$root/lib64/libcudart.so.$1" ]; then runtime=$(realpath "$root/lib64/libcudart.so.$1") && return 0; fi
    done
    return 1
}
roots() { # root directories with a Python; made once
    local release root
    for release in bullseye bookworm trixie sid; do
        root=/var/tmp/hostpin-python-roots/$release
        if [ ! -e "$root" ]; then
            rm -rf "$root.new"
            debootstrap --variant=minbase --include=python3,libstdc++6 "$release" "$root.new" >log 2>&1 || { tail log && fail "no root of $release"; }
            mv "$root.new" "$root"
        fi
        arguments+=(--root "$root")
    done
}
verdict_is_what_import_does() {
    runtime 13 || skip "no CUDA 13 runtime"
    local arguments=("$runtime") static
    static=$(dirname "$runtime")/libcudart_static.a
    [ ! -e "$static" ] || arguments+=(--static "$static")
    if runtime 12; then arguments+=(--runtime12 "$runtime"); fi
    if [ "$full" = 1 ]; then
        need_mounts
        need_command debootstrap
        roots
    fi
    python3 "$here/truth.py" "$prefix/libexec/hostpin/wheel" "$PWD" "${arguments[@]}"
}
it "each verdict is what import then does" verdict_is_what_import_does
finish
