#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# refused.sh [WORDS]: targets, sysroots and toolkits that do not go together are refused with the reason; verdicts on cross compilers are what
# nvcc itself does with them (HOSTPIN_FULL=1: all compilers with both toolkits). 30 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/../redist/lib.sh"
# shellcheck source=tests/e2e/target/lib.sh
. "$(dirname "$0")/lib.sh"
only=${1:-}
need_hostpin
arm=aarch64-linux-gnu power=powerpc64le-linux-gnu

refused() { # OPTION...
    call "$hostpin" bind bound --toolkit "$toolkit" "$@"
    exits 1
    absent bound/nvcc
}
no_such_target() {
    need_target 12.4.1 "$arm" 12
    refused --target riscv64-linux-gnu
    says 'error: .*riscv64' 'hint: .*aarch64-linux-gnu'
}
no_compiler_serves() {
    need_target 12.4.1 "$arm" 12
    commands_without '*-linux-gnu*'
    PATH=$PWD/commands refused --target "$power"
    says "error: no C\+\+ compiler makes programs for $power" 'hint: '
}
windows() {
    need_target 12.4.1 "$arm" 12
    refused --target windows-x86_64
    says 'error: .*Windows.*cl\.exe'
}
stdenv_of_another_target() {
    need_target 12.4.1 "$arm" 12
    refused --target "$arm" --stdenv /usr/bin/g++
    says "error: .*g\+\+.* makes programs for x86_64-linux-gnu, not for $arm"
}
toolkit_without_target() {
    need_target 12.4.1 "$arm" 12
    toolkit=$lab/cuda-12.4
    refused --target "$arm"
    says "error: .*has no headers and libraries for $arm" 'hint: .*hostpin redist'
}
toolkit_of_another_machine() {
    need_target 12.4.1 "$arm" 12
    mkdir -p mixed/targets
    cp -al "$toolkit/bin" "$toolkit/nvvm" mixed/
    cp -al "$toolkit/targets/x86_64-linux" mixed/targets/x86_64-linux
    cp -al "$toolkit/targets/x86_64-linux" mixed/targets/sbsa-linux
    toolkit=$PWD/mixed
    refused --target "$arm"
    says 'error: .*libcudart.* is a library for x86-64, not for aarch64' 'hint: '
}
missing_sysroot() {
    need_target 12.4.1 "$arm" 12
    refused --target "$arm" --stdenv "$(cross 12)" --sysroot "$PWD/missing"
    says 'error: --sysroot .*/missing: not a directory' 'hint: '
    refused --target "$arm" --sysroot "$PWD/missing"
    says 'error: --sysroot .*/missing: not a directory' 'hint: '
}
without_cxx_library() { # as a compiler whose sysroot has none
    need_target 12.4.1 "$arm" 12
    compiler "$arm-g++-bare" "$(cross 12)" -nodefaultlibs -lc
    refused --target "$arm" --stdenv "$bin/$arm-g++-bare"
    says "error: .*$arm-g\\+\\+-bare"
}
# sysroot DIRECTORY: what a 64-bit Arm machine with Debian's GCC 12 has, of the files of the cross compiler.
sysroot() {
    local libraries=$1/usr/lib/$arm gcc=/usr/lib/gcc-cross/$arm/12 each
    mkdir -p "$1/usr/include" "$libraries" "$1/usr/lib/gcc/$arm/12"
    cp -a "/usr/$arm/include/." "$1/usr/include/"
    cp -a "/usr/$arm/lib/." "$libraries/"
    for each in "$gcc"/{include,*.o,libgcc.a,libgcc_eh.a,libgcc_s.so}; do cp -a "$each" "$1/usr/lib/gcc/$arm/12/"; done
    ln -s libstdc++.so.6 "$libraries/libstdc++.so"
    ln -s "usr/lib/$arm" "$1/lib" # where programs have their loader
    sed -i "s,/usr/$arm/lib/,/usr/lib/$arm/,g" "$libraries"/lib{c,m}.so
}
sysroots_with_clang() {
    local clang="$lab/bin/clang++-17 --target=$arm"
    need_target 12.4.1 "$arm" 12
    need_lab bin/clang++-17
    sysroot root
    call "$hostpin" bind bound --toolkit "$toolkit" --target "$arm" --stdenv "$clang" --sysroot root
    exits 0
    contains "target .*qemu-aarch64-static -L $PWD/root\$" <"$out"
    write_host_source x.cu
    bound/nvcc -arch=sm_75 x.cu -o x
    readelf -h x | contains 'Machine:.*AArch64'
    same "$(qemu-aarch64-static -L root ./x)" 'hello from the host half'

    # no C++ library, then another machine's
    rm root/usr/lib/"$arm"/libstdc++*
    rm -r bound
    refused --target "$arm" --stdenv "$clang" --sysroot root
    says "error: .*clang\+\+-17.* cannot link a C\+\+ program: the sysroot .*/root has no C\+\+ library for it" 'hint: install the target.s libstdc'
    refused --target "$power" --stdenv "$lab/bin/clang++-17 --target=$power" --sysroot root
    says 'error: .*clang\+\+-17.* cannot link a C\+\+ program' 'hint: '
    # a compiler that ignores it
    refused --target "$arm" --stdenv "$(cross 12)" --sysroot root
    says "error: --sysroot .*/root: .*$arm-g\+\+-12 .*takes the C library's headers from /usr/$arm/include instead" 'hint: .*usr/include.*clang'
}
passes_over_cxx() {
    local note="note: .CXX .*/g\+\+.* makes programs for x86_64-linux-gnu, not for $arm: .*/$arm-g\+\+(-[0-9]+)? is the stdenv instead; unset CXX"
    need_target 12.4.1 "$arm" 12
    CXX=g++ call "$hostpin" bind bound --toolkit "$toolkit" --target "$arm"
    exits 0
    says "$note"
    CXX=g++ call "$hostpin" doctor --toolkit "$toolkit" --target "$arm"
    tr -s ' \n' ' ' <"$out" | contains -E "${note#*: }"
    contains "next.*hostpin bind toolchain --toolkit .* --target $arm$" <"$out"
    CXX=$(cross 12) call "$hostpin" bind bound --toolkit "$toolkit" --target "$arm"
    exits 0
    says_not 'is the stdenv instead'
}
two_sysroots() {
    need_target 12.4.1 "$arm" 12
    mkdir one two
    refused --target "$arm" --stdenv "$(cross 12) --sysroot=$PWD/one" --sysroot "$PWD/two"
    says 'error: .*already has --sysroot=.*one.* and --sysroot names .*two' 'hint: name one sysroot'
    CXX="$(cross 12) --sysroot=$PWD/one" refused --target "$arm" --sysroot "$PWD/two"
    says 'error: .*already has --sysroot=.*one.* and --sysroot names .*two' 'hint: name one sysroot'
}
no_emulator() {
    need_target 12.4.1 "$arm" 12
    commands_without 'qemu-*'
    PATH=$lab/bin:$PWD/commands call "$hostpin" bind bound --toolkit "$toolkit" --target "$arm" --stdenv "$(cross 12)"
    exits 0
    contains 'nothing here runs its programs' <"$out"
    ! grep -q EMULATOR bound/toolchain.cmake || fail 'an emulator that is not there'
}
# What nvcc does with that compiler, without and with the check of its header.
verdict_is_true() { # RELEASE TRIPLE NAME...
    local release=$1 each truth
    need_target "$1" "$2" 12
    export HOSTPIN_CONFIG=$PWD/config.toml
    only_compilers "$(cross 12)" # besides the named one
    write_host_source x.cpp
    cp x.cpp x.cu
    for each in "${@:3}"; do
        truth=fits
        if ! "$toolkit/bin/nvcc" -ccbin "$(cross "$each")" -arch=sm_75 x.cu -o "x-$each" >nvcc.log 2>&1; then truth=refused; fi
        call "$hostpin" bind "bound-$each" --toolkit "$toolkit" --stdenv "$(cross "$each")" --host "$(cross "$each")"
        if [ "$status" -eq 0 ]; then verdict=fits; else verdict=refused; fi
        same "$each with CUDA $release: $verdict ($(tail -n 2 "$err" | tr '\n' ' '))" \
            "$each with CUDA $release: $truth ($(tail -n 2 "$err" | tr '\n' ' '))"
        [ "$truth" = refused ] || same "$(emulated "$(cross "$each")" "x-$each")" 'hello from the host half'
    done
}

it 'a target for which NVIDIA publishes nothing is refused with those that there are' no_such_target
it 'a target that no compiler here serves is refused with the package to install' no_compiler_serves
it 'Windows is refused with the reason' windows
it 'a stdenv of another target than the one that is named is refused' stdenv_of_another_target
it 'a toolkit without files for the target is refused with what brings them' toolkit_without_target
it "a toolkit whose directory for sbsa has another machine's libraries is refused" toolkit_of_another_machine
it 'a sysroot that is not there is refused' missing_sysroot
it 'a stdenv whose links have no C++ library is refused' without_cxx_library
it 'a sysroot is used with Clang; one without a C++ library or for another machine is refused, and one that the compiler ignores' sysroots_with_clang
it 'two sysroots are refused' two_sysroots
it "a compiler for another machine in CXX is passed over with a note" passes_over_cxx
it 'without an emulator a binding is made, and says that nothing here runs the programs' no_emulator
if [ "$full" = 1 ]; then
    for release in 11.8.0 12.4.1; do
        for triple in "$arm" "$power"; do
            it "verdicts on cross compilers for $triple and CUDA $release are what nvcc does" verdict_is_true "$release" "$triple" \
                11 12 12-newglibc 13 13-newglibc 14 14-newglibc
        done
    done
else
    it 'verdicts on cross compilers for aarch64 and CUDA 12.4 are what nvcc does' verdict_is_true 12.4.1 "$arm" 12-newglibc 13 14
    it 'verdicts on cross compilers for ppc64le and CUDA 12.4 are what nvcc does' verdict_is_true 12.4.1 "$power" 13 14-newglibc
fi
finish
