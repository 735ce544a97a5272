#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The linker of a compiler driver is the one that collect2 finds in the environment that the driver makes, as plain links show.
#   linker.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# driver NAME COMMAND: a script that runs COMMAND, in which the shell expands variables, with its own arguments appended.
driver() {
    printf '#!/bin/sh\n%s "$@"\n' "$2" >"$1"
    chmod +x "$1"
}
# link_time_pair CXX: m.o without and f.o with link-time code.
link_time_pair() {
    echo 'int f(); int main() { return f(); }' >m.cpp
    echo 'int f() { return 0; }' >f.cpp
    "$1" -c m.cpp
    "$1" -flto -c f.cpp
}
# logged_linker: own/ld, a script that logs its calls.
logged_linker() {
    mkdir -p own
    printf '#!/bin/sh\necho >>%q/log\nexec %q "$@"\n' "$PWD" "$(command -v ld)" >own/ld
    chmod +x own/ld
}
# as_plain DRIVER: lto-check accepts what plain links and refuses what plain does not, and reports the linker in own/.
as_plain() {
    rm -f log
    local plain=0
    "$1" -flto m.o f.o -o plain || plain=1
    [ -s log ] || fail "plain does not run own/ld"
    call "$hostpin" lto-check --json -- "$1" -flto m.o f.o -o app
    exits "$plain"
    grep -q "\"$PWD/own/ld\"" "$out" || { show_call; fail "lto-check does not name own/ld"; }
    call "$hostpin" lto-check --json --linker "$1" f.o
    exits "$plain"
    grep -q "\"$PWD/own/ld\"" "$out" || { show_call; fail "lto-check --linker does not name own/ld"; }
    absent hostpin-output
}

from_path() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    logged_linker
    driver cxx "PATH=$PWD/own:\$PATH exec $cxx"
    link_time_pair "$cxx"
    as_plain "$PWD/cxx"
}
from_compiler_path() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    logged_linker
    driver cxx "COMPILER_PATH=$PWD/own exec $cxx"
    link_time_pair "$cxx"
    as_plain "$PWD/cxx"
}
from_an_option() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    logged_linker
    driver cxx "exec $cxx -B$PWD/own"
    link_time_pair "$cxx"
    as_plain "$PWD/cxx"
}
# All arguments reach the compiler in a response file.
from_a_response_file() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    logged_linker
    link_time_pair "$cxx"
    driver cxx "printf '%s\\n' -B$PWD/own \"\$@\" >words; exec $cxx @words; :"
    as_plain "$PWD/cxx"
}
# A linker that needs a variable which the script sets, and fails without it.
in_its_environment() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    mkdir own
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/sh\n[ "$LINKER_HOME" = here ] || exit 3\necho >>%q/log\nexec %q "$@"\n' "$PWD" "$(command -v ld)" >own/ld
    chmod +x own/ld
    driver cxx "LINKER_HOME=here; export LINKER_HOME; PATH=$PWD/own:\$PATH exec $cxx"
    link_time_pair "$cxx"
    as_plain "$PWD/cxx"
}
# relocated VERSION DIRECTORY: cxx, a script as the lab's for that GCC, which finds its linker by PATH, in DIRECTORY first.
relocated() {
    need_lab "bin/g++-$1"
    grep -q '^COMPILER_PATH=' "$lab/bin/g++-$1" || skip "g++-$1 of the lab is no script"
    root=$(sed -n 's/^COMPILER_PATH=\([^ ]*\) .*/\1/p' "$lab/bin/g++-$1")
    sed "s,^COMPILER_PATH=[^ ]*,PATH=$2:\$PATH," "$lab/bin/g++-$1" >cxx
    chmod +x cxx
}
of_a_newer_system() {
    mkdir own
    relocated 14 "$PWD/own"
    printf '#!/bin/sh\necho >>%q/log\nexec %q "$@"\n' "$PWD" "$root/x86_64-linux-gnu-ld" >own/ld
    chmod +x own/ld
    link_time_pair "$lab/bin/g++-14"
    as_plain "$PWD/cxx"
    CXX=$PWD/cxx call "$hostpin" bind bound --toolkit "$(cuda 12.4)" --host g++-12
    exits 0
    call bound/c++ -flto m.o f.o -o app
    exits 0
    ./app
}
too_old_for_the_plugin() {
    mkdir own
    relocated 14 "$PWD/own"
    logged_linker
    link_time_pair "$lab/bin/g++-14"
    # The caller's PATH has one that loads the plugin.
    PATH=$root:$PATH
    as_plain "$PWD/cxx"
    [ ! -e plain ] || skip 'this machine'\''s ld loads the plugin of GCC 14'
}
# What was stored is forgotten when the script searches elsewhere.
another_linker_appears() {
    need_lab
    local cxx
    cxx=$(command -v g++)
    mkdir first
    logged_linker
    driver cxx "PATH=$PWD/first:$PWD/own:\$PATH exec $cxx"
    link_time_pair "$cxx"
    settle
    as_plain "$PWD/cxx"
    mv own/ld first/
    settle
    call "$hostpin" lto-check --json -- ./cxx -flto m.o f.o -o app
    exits 0
    grep -q "\"$PWD/first/ld\"" "$out" || { show_call; fail "lto-check does not name first/ld"; }
}
# The driver is run for the question: it compiles nothing, and leaves nothing.
nothing_is_made() {
    need_lab
    local cxx before
    cxx=$(command -v g++)
    logged_linker
    driver cxx "PATH=$PWD/own:\$PATH exec $cxx"
    link_time_pair "$cxx"
    echo kept >app
    before=$(find . | sort)
    call "$hostpin" lto-check -- ./cxx -flto m.cpp f.o -MD -o app
    exits 0
    same "$(find . ! -name log | sort)" "$before"
    same "$(cat app)" kept
}

it "the linker that a script's PATH leads to is the one that counts" from_path
it "so is the one of its COMPILER_PATH" from_compiler_path
it "and of its -B" from_an_option
it 'and one that gets its words in a response file' from_a_response_file
it "a linker is run in the environment that the script makes" in_its_environment
it "a newer system's GCC and linker, which PATH alone leads to, link as without hostpin" of_a_newer_system
it "a script whose own linker cannot load the plugin is refused, whatever the caller's PATH has" too_old_for_the_plugin
it "a linker that appears earlier in the script's PATH is used" another_linker_appears
it "a driver that is queried compiles nothing and leaves no file" nothing_is_made
finish
