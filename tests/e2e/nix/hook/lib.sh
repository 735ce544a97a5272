# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # from ../../lib.sh
# Sourced after ../../lib.sh by tests of the setup hook without Nix: a package of it, and builders of every kind.
need_hostpin


# hook_package: as built by bind.nix, with a binding written by hand: its content does not matter here.
hook_package() {
    mkdir -p hook/nix-support hook/bound hook/bin toolkit/include toolkit/lib64 gcc-11/lib64 good
    : >toolkit/include/cuda_runtime_api.h
    echo '#!/bin/sh' >hook/bound/nvcc && chmod +x hook/bound/nvcc
    ln -sf ../bound/nvcc hook/bin/nvcc
    cat >hook/bound/binding.toml <<BINDING
format = 1

[toolkit]
version = "12.4.131"
root = "$PWD/toolkit"
nvcc = "$PWD/toolkit/bin/nvcc"

[host]
family = "gcc"
front-end = "$PWD/gcc-11/libexec/cc1plus"
gcc-install = "$PWD/gcc-11/lib/gcc/x86_64-linux-gnu/11"

[stdenv]
family = "gcc"
BINDING
    sed -e "s,@binding@,$PWD/hook/bound," -e "s,@hostpin@,$hostpin," -e "s,@driverDir@,${driver:-}," -e "s,@compatDir@,${compat:-}," \
        -e "s,@path@,," -e "s,@forbid@,$PWD/gcc-11," "$prefix/share/hostpin/setup-hook.sh" >hook/nix-support/setup-hook
}
# build [ATTRIBUTE=VALUE...]: by the tests' stdenv, in a clean environment, as Nix runs builders.
build() {
    rm -rf top result result-dev
    mkdir -p top
    call env -i PATH="$PATH" NIX_BUILD_TOP="$PWD/top" NIX_STORE="$PWD/store" out="$PWD/result" outputs="out" \
        nativeBuildInputs="$PWD/hook" buildInputs="$PWD/toolkit" installPhase="mkdir -p $PWD/result; echo fine >$PWD/result/file" "$@" \
        bash "$repository/tests/e2e/nix/stdenv/setup.sh"
}
# tells [ATTRIBUTE=VALUE...]: the environment of the configure phase, in ./seen.
tells() {
    build "configurePhase=env >$PWD/seen" "$@"
    exits 0
}
seen() { contains -xE -e "$(literally "$1")" <seen || fail "not exported: $1, but: $(grep -E 'CUDA|NVCC' seen)"; }
unseen() { ! contains -E -e "^$1=" <seen || fail "exported: $(grep "^$1=" seen)"; }
