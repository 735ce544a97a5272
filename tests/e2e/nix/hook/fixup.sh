#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../../lib.sh
# The setup hook after fixup: its repairs, findings and switches. In a real store: ../store.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$repository/tests/e2e/leak-check/lib.sh"
# shellcheck source=tests/e2e/nix/hook/lib.sh
. "$repository/tests/e2e/nix/hook/lib.sh"
need_command g++ patchelf readelf strace objcopy

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
    # a second run
    cp result/bin/program program
    build "installPhase=$install"
    exits 0
    path_is "$compat:$PWD/good:$driver"
    says_not fixed:
    # each alone
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
    # a file without a run path, and a library that does not open the driver
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
    # a hook that is sourced after this one, and the derivation's own
    mkdir -p later/nix-support
    echo "postFixupHooks+=('patchelf --set-rpath $PWD/gcc-11/lib64 $PWD/result/bin/program')" >later/nix-support/setup-hook
    build "installPhase=$install" "nativeBuildInputs=$PWD/hook $PWD/later" dontNvccRunpathFixup=1
    exits 1
    build "installPhase=$install" "postFixup=patchelf --set-rpath $PWD/gcc-11/lib64 $PWD/result/bin/program" dontNvccRunpathFixup=1
    exits 1
    # without fixup too, and then nothing is changed
    leaky "$PWD/gcc-11/lib64"
    build "installPhase=$install" dontFixup=1
    exits 1
    path_is "$PWD/gcc-11/lib64"
    build "installPhase=$install" dontFixup=1 doInstallCheck=1 dontHostpinLeakCheck=1
    exits 0
    # and if only an install check follows the install
    build "installPhase=$install" dontInstall=1 dontFixup=1 doInstallCheck=1 "preInstallCheck=$install"
    exits 1
    build "installPhase=$install" doInstallCheck=1
    exits 0
    same "$(grep -c 'hostpin leak-check: output' "$out")" 1
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
    exits 0 # belongs to another output
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
    for caller in 'set -eu' 'set +eu' 'set -euo pipefail; shopt -s nullglob extglob' 'set -f; IFS=:'; do
        cat >builder.sh <<BUILDER
$caller
before=\$(set +o; shopt -p)
. $PWD/hook/nix-support/setup-hook
. $PWD/hook/nix-support/setup-hook
out=$PWD/result cmakeFlags="-GNinja -DCMAKE_CUDA_HOST_COMPILER=g++"
for hook in "\${preConfigureHooks[@]}" "\${preFixupHooks[@]}" "\${postFixupHooks[@]}" "\${postInstallCheckHooks[@]}"; do "\$hook" || exit; done
[ "\$before" = "\$(set +o; shopt -p)" ] || exit 99
[ "\${#postFixupHooks[@]} \$NVCC_PREPEND_FLAGS" = "1 -Xfatbin=-compress-all" ] || exit 98
[ -z "\${CUDAHOSTCXX+x}" ] || exit 97
BUILDER
        mkdir -p result
        call env -i PATH="$PATH" bash builder.sh
        exits 0
    done
    leaky "$PWD/gcc-11/lib64"
    build lenient=1 "installPhase=$install" dontNvccRunpathFixup=1
    exits 1
}
# Wrong options end the build with a reason; nothing passes unchecked.
misuse() {
    hook_package
    build hostpinLeakCheckFlags=--no-such-option
    exits 2
    says 'leak-check has no option --no-such-option' 'dontHostpinLeakCheck'
    build hostpinCommand=/nonexistent/hostpin
    exits 127
    build hostpinBinding="$PWD/nowhere" dontHostpinSetup=1
    exits 2
    says 'nowhere is not a bound directory'
    build hostpinBinding="$PWD/nowhere"
    exits 1
    says 'hostpin: error: .*nowhere is not a bound directory'
}
# The cost of the hook for every derivation: the programs that it starts for a small C++ program, including two runs of
# the loader for its search path.
cheap() {
    hook_package
    tree
    started() { # [ATTRIBUTE=VALUE...]
        rm -rf calls && mkdir calls # one file for each process, so that no line is cut by another's
        strace -ff --seccomp-bpf -qq -e trace=execve -e status=successful -e signal=none -o calls/of \
            env -i PATH="$PATH" NIX_BUILD_TOP="$PWD" out="$PWD/result" outputs=out "installPhase=cp -R $PWD/tree $PWD/result" "$@" \
            bash "$repository/tests/e2e/nix/stdenv/setup.sh" >build.log 2>&1 || fail "$(cat build.log)"
        rm -rf result
        sed -nE 's/.*execve\("([^"]*\/)?([^"]*)".*/\2/p' calls/of.* | sed 's/^ld-linux.*/loader/' | sort
    }
    started >without
    started "nativeBuildInputs=$PWD/hook" >with
    same "$(comm -13 without with | tr '\n' ' ')" "find hostpin leak-check loader loader "
    same "$(comm -23 without with)" ""
}
# leaky_outputs OUTPUT: a derivation of three outputs, one of which has a forbidden reference.
leaky_outputs() {
    echo "mkdir -p $PWD/{bin/bin,lib/lib,dev/include}; echo fine | tee $PWD/bin/bin/a $PWD/lib/lib/b >$PWD/dev/include/c.h; echo $PWD/gcc-11/x >$PWD/$1/leak.pc"
}
one_output() {
    hook_package
    local leaky attributes=("outputs=bin lib dev")
    for leaky in bin lib dev; do
        rm -rf bin lib dev
        build "${attributes[@]}" "bin=$PWD/bin" "lib=$PWD/lib" "dev=$PWD/dev" "installPhase=$(leaky_outputs $leaky)"
        exits 1
        says "output $leaky \($(literally "$PWD/$leaky")\) did not pass"
        same "$(grep -c 'did not pass' "$err")" 1
        same "$(grep -c '^error: ' "$out")" 1
    done
}
# Packages with separate debugging symbols have an output whose files are named after build ids.
debug_output() {
    hook_package
    echo 'int main() { return 0; }' >main.cpp
    g++ -g -fdebug-prefix-map="$PWD=." main.cpp -o program -Wl,--build-id
    build "outputs=out debug" "debug=$PWD/debug" "installPhase=mkdir -p $PWD/result/bin $PWD/debug/lib/debug/.build-id/ab; \
        objcopy --only-keep-debug $PWD/program $PWD/debug/lib/debug/.build-id/ab/cd.debug; strip -o $PWD/result/bin/program $PWD/program"
    exits 0
    prints 'output debug, '
}
# The result of fixup is checked.
removed() {
    hook_package
    build "installPhase=mkdir $PWD/result; echo $PWD/gcc-11 >$PWD/result/a.pc; echo fine >$PWD/result/b" "preFixup=rm $PWD/result/a.pc"
    exits 0
    build "installPhase=mkdir $PWD/result; echo fine >$PWD/result/b" "postFixup=rm -r $PWD/result"
    exits 0
    build "installPhase=:"
    exits 0
    # a hook without a binding checks too
    build hostpinBinding= "installPhase=mkdir $PWD/result; echo $PWD/gcc-11 >$PWD/result/a.pc"
    exits 1
    build hostpinBinding= "configurePhase=env >$PWD/seen"
    exits 0
    unseen CUDACXX
}

it "structured attributes are read, obeyed and exported" structured
it "run paths are repaired once, and each repair has its switch" repairs
it "the check runs after every other hook, and without fixup after the install" last
it "outputs that are files, symlinks, empty or absent" odd_outputs
it "names with newlines, options and escapes, and 10,000 files" newlines
it "a caller's shell options are preserved, and sourcing it twice changes nothing" options_stay
it "a wrong option, no hostpin and no binding end the build" misuse
it "a leak in one of several outputs fails once, and names that output" one_output
it "an output of debugging symbols is checked like others" debug_output
it "files that fixup removes are not checked, and a hook without a binding checks too" removed
it "for a derivation without CUDA three programs are started, and the loader twice" cheap
finish
