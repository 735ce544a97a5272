#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# machines.sh [WORDS]: the sources that differ by processor, compiled for aarch64, and their unit tests under qemu. Everything for aarch64 takes
# as long as a build of the whole program, by hand: wrapper/package/portable/build --machine aarch64 --test.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"
only=${1:-}
compiler=aarch64-linux-gnu-g++-12
need_command "$compiler" qemu-aarch64-static
warnings=(-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$repository" -isystem "$work/headers")
# Headers without a library are the same on all machines; the cross compiler does not look for them in /usr/include.
mkdir "$work/headers"
ln -s /usr/include/tl /usr/include/doctest /usr/include/fmt "$work/headers/"

# Those of the libraries that need nothing but these headers.
differ_by_processor() {
    git -C "$repository" grep -lE 'defined ?\(?__(x86_64|aarch64)__' -- 'toolchains/*.cpp' 'hooks/*.cpp'
}
compiles_for_aarch64() {
    differ_by_processor >sources
    contains '^toolchains/binary/machine.cpp$' <sources
    contains '^hooks/leak-check/scan/elf.cpp$' <sources
    while read -r source; do "$compiler" "${warnings[@]}" -O1 -c "$repository/$source" -o /dev/null; done <sources
}
unit_tests_pass() {
    "$compiler" "${warnings[@]}" -O1 -static -o tests "$repository"/{tests/unit/main.cpp,toolchains/binary/{machine,blob}.cpp} \
        "$repository"/hooks/leak-check/needles/slashes.cpp "$repository"/tests/unit/hooks/leak-check/needles/slashes_test.cpp \
        "$repository"/tests/unit/toolchains/binary/machine_test.cpp
    call qemu-aarch64-static ./tests
    exits 0
    contains 'test cases: *[1-9][0-9]* *| *[1-9][0-9]* passed *| *0 failed' <"$out"
}

it 'what differs by processor compiles without warnings for aarch64' compiles_for_aarch64
it 'its unit tests pass there' unit_tests_pass
finish
