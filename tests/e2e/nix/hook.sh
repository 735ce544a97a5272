#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../lib.sh
# The setup hook in builders of every kind, without Nix: what it exports, what it repairs, what it obeys. The real thing: store.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$repository/tests/e2e/leak-check/lib.sh"
need_hostpin
need_command g++ patchelf readelf

# hook_package: as bind.nix makes it, around a binding written by hand: what it binds does not matter here.
hook_package() {
    mkdir -p hook/nix-support hook/bound hook/bin toolkit/include toolkit/lib64 gcc-11/lib64 good
    : >toolkit/include/cuda_runtime_api.h
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
# tells [ATTRIBUTE=VALUE...]: the environment that the configure phase sees, in ./seen.
tells() {
    build "configurePhase=env >$PWD/seen" "$@"
    exits 0
}
seen() { contains -xE -e "$(literally "$1")" <seen || fail "not exported: $1, but: $(grep -E 'CUDA|NVCC' seen)"; }
unseen() { ! contains -E -e "^$1=" <seen || fail "exported: $(grep "^$1=" seen)"; }

exports() {
    hook_package
    tells
    seen "CUDACXX=$PWD/hook/bound/nvcc"
    seen "NVCC=$PWD/hook/bound/nvcc"
    seen "CUDAHOSTCXX=$PWD/hook/bound/c++"
    seen "CUDAToolkit_ROOT=$PWD/toolkit"
    seen "CUDA_PATH=$PWD/toolkit"
    seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all"
}
inputs() {
    hook_package
    mkdir -p cublas/nix-support plain nvcc/include
    : >cublas/nix-support/include-in-cudatoolkit-root
    : >nvcc/include/cuda_runtime_api.h
    mkdir -p plain/nix-support
    echo "$PWD/cublas" >plain/nix-support/propagated-build-inputs
    local strict
    for strict in 0 1; do
        tells strictDeps=$strict "nativeBuildInputs=$PWD/hook $PWD/nvcc" "buildInputs=$PWD/plain $PWD/toolkit"
        seen "CUDAToolkit_ROOT=$PWD/nvcc;$PWD/cublas;$PWD/toolkit"
        # a hook that came as a library, and one that came twice
        tells strictDeps=$strict "nativeBuildInputs=" "buildInputs=$PWD/hook $PWD/cublas"
        seen "CUDAToolkit_ROOT=$PWD/toolkit;$PWD/cublas"
        tells strictDeps=$strict "nativeBuildInputs=$PWD/hook" "buildInputs=$PWD/hook $PWD/cublas"
        seen "CUDAToolkit_ROOT=$PWD/toolkit;$PWD/cublas"
        seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all"
    done
}
named() {
    hook_package
    tells CUDACXX=/mine/nvcc CUDAHOSTCXX=/mine/c++ CUDAToolkit_ROOT=/mine CUDA_HOME=/mine NVCC=/mine/nvcc NVCC_PREPEND_FLAGS=-G
    seen CUDACXX=/mine/nvcc
    seen CUDAHOSTCXX=/mine/c++
    seen CUDAToolkit_ROOT=/mine
    seen CUDA_HOME=/mine
    seen NVCC=/mine/nvcc
    seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all -G"
    tells CUDAHOSTCXX=
    seen CUDAHOSTCXX=
    tells NVCC_CCBIN=/mine/g++
    seen NVCC_CCBIN=/mine/g++
    unseen CUDAHOSTCXX
    local naming
    for naming in NVCC_PREPEND_FLAGS=-ccbin=g++-11 "NVCC_APPEND_FLAGS=-O2 --compiler-bindir g++-11" "CUDAFLAGS=-ccbin g++" \
        cmakeFlags=-DCMAKE_CUDA_HOST_COMPILER=g++ "cmakeFlags=-GNinja -DCMAKE_CUDA_HOST_COMPILER:PATH=g++"; do
        tells "$naming"
        unseen CUDAHOSTCXX
    done
}
switches() {
    hook_package
    tells dontCompressCudaFatbin=1
    unseen NVCC_PREPEND_FLAGS
    tells dontCompressCudaFatbin=
    seen NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all
    tells dontCompressCudaFatbin=0
    seen NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all
    tells "NVCC_APPEND_FLAGS=-Xfatbin -compress=false"
    unseen NVCC_PREPEND_FLAGS
    tells dontHostpinSetup=1
    unseen CUDACXX
    unseen CUDAHOSTCXX
}
# Attributes as Nix writes them with __structuredAttrs: booleans are 1 and nothing, lists are arrays, outputs a map.
structured() {
    hook_package
    mkdir -p top2
    cat >attrs.sh <<ATTRIBUTES
declare name='x'
declare __structuredAttrs=1
declare strictDeps=1
declare -a nativeBuildInputs=('$PWD/hook' )
declare -a buildInputs=('$PWD/toolkit' )
declare -A outputs=(['out']='$PWD/result' ['dev']='$PWD/result-dev' )
declare installPhase='mkdir -p $PWD/result $PWD/result-dev; ln -s $PWD/gcc-11 $PWD/result-dev/link'
declare configurePhase='env >$PWD/seen'
ATTRIBUTES
    run() { rm -rf result result-dev && call env -i PATH="$PATH" NIX_ATTRS_SH_FILE="$PWD/attrs.sh" NIX_BUILD_TOP="$PWD/top2" bash "$repository/tests/e2e/nix/stdenv/setup.sh"; }
    run
    exits 1
    says "output dev \($PWD/result-dev\) did not pass" 'dontHostpinLeakCheck'
    prints 'output out, ' '^error: forbidden-reference: .*gcc-11' '^ *link, symlink'
    seen "CUDAHOSTCXX=$PWD/hook/bound/c++"
    cat >>attrs.sh <<'ATTRIBUTES'
declare dontCompressCudaFatbin=
declare -a NVCC_PREPEND_FLAGS=('-G' '-O2' )
declare CUDAHOSTCXX='/mine/c++'
declare -a hostpinLeakCheckFlags=('--fail-on' 'never' )
ATTRIBUTES
    run
    exits 0
    seen 'NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all -G -O2'
    seen 'CUDAHOSTCXX=/mine/c++'
    printf '%s\n' 'declare dontHostpinLeakCheck=1' 'declare hostpinLeakCheckFlags=' >>attrs.sh
    run
    exits 0
    prints_no 'hostpin leak-check'
}

# leaky RUNPATH: builds a program with that run path as the output.
leaky() {
    echo 'extern "C" void* dlopen(const char*, int); int main() { return dlopen("libcuda.so.1", 2) == nullptr; }' >opens.cpp
    g++ opens.cpp -o program ${1:+-Wl,-rpath,"$1"}
    install="mkdir -p $PWD/result/bin; cp $PWD/program $PWD/result/bin/"
}
path_is() { same "$(runpath result/bin/program)" "$1"; }
repairs() {
    driver=/run/opengl-driver/lib
    compat=$PWD/compat
    hook_package
    mkdir -p cuda/stubs compat
    : >cuda/stubs/libcuda.so
    leaky "$PWD/gcc-11/lib64:$PWD/good:$PWD/cuda/stubs"
    build "installPhase=$install"
    exits 0
    path_is "$compat:$PWD/good:$driver"
    # once more over its own work
    cp result/bin/program program
    build "installPhase=$install"
    exits 0
    path_is "$compat:$PWD/good:$driver"
    says_not fixed:
    # each one alone
    leaky "$PWD/good:$PWD/cuda/stubs"
    build "installPhase=$install" dontUseAutoAddDriverRunpath=1
    path_is "$compat:$PWD/good"
    build "installPhase=$install" dontAutoAddCudaCompatRunpath=1
    path_is "$PWD/good:$driver"
    build "installPhase=$install" dontRemoveStubsFromRunpath=1
    path_is "$compat:$PWD/good:$PWD/cuda/stubs:$driver"
    build "installPhase=$install" dontHostpinFix=1
    path_is "$PWD/good:$PWD/cuda/stubs"
    leaky "$PWD/gcc-11/lib64"
    build "installPhase=$install" dontNvccRunpathFixup=1
    exits 1
    path_is "$compat:$PWD/gcc-11/lib64:$driver"
    prints "^error: forbidden-runpath: $PWD/gcc-11/lib64" '^ *bin/program, '
    build "installPhase=$install" dontNvccRunpathFixup=1 dontHostpinLeakCheck=1
    exits 0
    path_is "$PWD/gcc-11/lib64"
    # one that has none yet, and one of a library that opens no driver
    leaky ''
    build "installPhase=$install"
    path_is "$compat:$driver"
    tree
    build "installPhase=cp -R $PWD/tree $PWD/result"
    # shellcheck disable=SC2016 # the loader's
    same "$(runpath result/bin/main)" '$ORIGIN/../lib'
    same "$(runpath result/lib/libf.so)" ''
}
last() {
    hook_package
    leaky "$PWD/good"
    # a hook that is sourced behind ours, and the derivation's own
    mkdir -p later/nix-support
    echo "postFixupHooks+=('patchelf --set-rpath $PWD/gcc-11/lib64 $PWD/result/bin/program')" >later/nix-support/setup-hook
    build "installPhase=$install" "nativeBuildInputs=$PWD/hook $PWD/later" dontNvccRunpathFixup=1
    exits 1
    build "installPhase=$install" "postFixup=patchelf --set-rpath $PWD/gcc-11/lib64 $PWD/result/bin/program" dontNvccRunpathFixup=1
    exits 1
    # without fixup, install checks look; with neither nothing runs, as is asked
    leaky "$PWD/gcc-11/lib64"
    build "installPhase=$install" dontFixup=1 doInstallCheck=1 dontNvccRunpathFixup=1
    exits 1
    build "installPhase=$install" doInstallCheck=1
    exits 0
    same "$(grep -c 'hostpin leak-check: output' "$out")" 1
    build "installPhase=$install" dontFixup=1
    exits 0
}
odd_outputs() {
    hook_package
    build "outputs=out dev lib" "dev=$PWD/result-dev" "lib=$PWD/result-lib" "installPhase=mkdir $PWD/result; echo '#!$PWD/gcc-11/x' >$PWD/result-dev"
    exits 1
    says "output dev \($PWD/result-dev\)"
    says_not 'output lib'
    build "installPhase=ln -s $PWD/gcc-11 $PWD/result"
    exits 1
    prints 'forbidden-reference: '
    mkdir -p theirs
    echo "$PWD/gcc-11/x" >theirs/x.pc
    build "installPhase=ln -s $PWD/theirs $PWD/result"
    exits 0 # another output's affair
    build "outputs=out dev" "dev=$PWD/absent" "installPhase=mkdir -p $PWD/result/nothing"
    exits 0
}
newlines() {
    hook_package
    build "installPhase=mkdir $PWD/result; echo $PWD/gcc-11/x | tee $PWD/result/\$'a\\nb.pc' $PWD/result/-rf $PWD/result/\$'\\e[31m'"
    exits 1
    prints '^ *a\\nb\.pc, ' '^ *-rf ' '^ *.x1b.31m '
    # shellcheck disable=SC2016 # the builder's own
    build 'installPhase=mkdir $out; for i in {1..10000}; do echo "$i" >"$out/$i"; done'
    exits 0
}
options_stay() {
    hook_package
    local caller
    for caller in 'set -eu' 'set +eu' 'set -euo pipefail; shopt -s nullglob extglob'; do
        cat >builder.sh <<BUILDER
$caller
before=\$(set +o; shopt -p)
. $PWD/hook/nix-support/setup-hook
. $PWD/hook/nix-support/setup-hook
out=$PWD/result
for hook in "\${preConfigureHooks[@]}" "\${preFixupHooks[@]}" "\${postFixupHooks[@]}" "\${postInstallCheckHooks[@]}"; do "\$hook" || exit; done
[ "\$before" = "\$(set +o; shopt -p)" ] || exit 99
[ "\${#postFixupHooks[@]} \$NVCC_PREPEND_FLAGS" = "1 -Xfatbin=-compress-all" ] || exit 98
BUILDER
        mkdir -p result
        call env -i PATH="$PATH" bash builder.sh
        exits 0
    done
    leaky "$PWD/gcc-11/lib64"
    build lenient=1 "installPhase=$install" dontNvccRunpathFixup=1
    exits 1
}
# Bad words end the build and say why; nothing passes for want of a check.
misuse() {
    hook_package
    build hostpinLeakCheckFlags=--no-such-option
    exits 2
    says 'leak-check has no option --no-such-option' 'dontHostpinLeakCheck'
    build hostpinCommand=/nonexistent/hostpin
    exits 127
    build hostpinBinding="$PWD/nowhere" dontConfigure=1
    exits 2
    says 'nowhere is not a bound directory'
    build hostpinBinding="$PWD/nowhere"
    [ "$status" -ne 0 ] || fail "a binding that is not there passes"
}
# What every derivation pays for the hook: the processor time that it adds to a build of nothing, the best of five. The clock on
# the wall tells more of what else the machine does.
cheap() {
    hook_package
    tree
    elapsed() {
        local TIMEFORMAT='%U %S' best=999999 took
        for _ in 1 2 3 4 5; do
            { time build "installPhase=cp -R $PWD/tree $PWD/result" "$@"; } 2>time.log
            took=$(tail -n 1 time.log | awk '{ print int(($1 + $2) * 1000) }')
            if [ "$took" -lt "$best" ]; then best=$took; fi
        done
        exits 0
        echo "$best"
    }
    local with without
    with=$(elapsed)
    without=$(elapsed nativeBuildInputs=)
    echo "with the hook $with ms, without $without ms"
    [ "$with" -gt "$without" ] || fail "it was not measured"
    [ $((with - without)) -lt 50 ] || fail "it costs $((with - without)) ms"
}

# An attribute that is there and empty means nothing, and not the package's own.
empty_words() {
    hook_package
    local phase="mkdir -p $PWD/result; echo fine >$PWD/result/file; echo \"[\$hostpinForbid]\" >$PWD/word"
    build "installPhase=$phase"
    exits 0
    same "$(cat word)" "[$PWD/gcc-11]"
    build "installPhase=$phase" hostpinForbid=
    exits 0
    same "$(cat word)" "[]"
}

it "CMake, Meson and make are told of the bound toolchain" exports
it "every CUDA input is found, with and without strictDeps, by mark or by header, and once" inputs
it "what a derivation names stays, also a host compiler in flags" named
it "an empty attribute is the derivation's word too" empty_words
it "the switches before configure are obeyed" switches
it "structured attributes are read, obeyed and exported" structured
it "run paths are repaired once, and each repair has its switch" repairs
it "the check comes behind every other hook, and without fixup with install checks" last
it "outputs that are files, symlinks, empty or absent" odd_outputs
it "names with newlines, options and escapes, and 10,000 files" newlines
it "a caller's shell options stay, and sourcing it twice changes nothing" options_stay
it "a wrong option, no hostpin and no binding end the build" misuse
it "a derivation without CUDA pays less than 50 ms" cheap
finish
