#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An install of the core alone: what needs another component says which one to install, and nothing is left behind.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
only=${1:-}

# The core's programs of the install under test, whatever else it has.
programs=$work/core/libexec/hostpin
mkdir -p "$work/core/bin" "$programs"
cp "$hostpin" "$work/core/bin"
for name in nvcc c++ lto-check pack stdlib-probe clang; do cp -r "$prefix/libexec/hostpin/$name" "$programs"; done
cp -r "$prefix/share" "$work/core"
core=$work/core/bin/hostpin

# needs COMPONENT ARGUMENT...: exits with 2, names the component and its package, and prints nothing else.
needs() {
    call "$core" "${@:2}"
    exits 2
    says "^hostpin: error: hostpin .* is in the component $1, which is not installed\$" "^hint: install the package hostpin-$1, or build it"
    same "$(wc -l <"$err")" 2
    same "$(cat "$out")" ''
}
each_command_names_its_component() {
    needs checks leak-check .
    needs checks stdlib-probe facts c++
    needs checks stdlib-probe why a.cpp
    needs devicecode fatbin --help
    needs devicecode fatbin slim a --keep 9.0 -o b
    needs devicecode slices store
    needs redist redist check .
    needs setup setup directory
    needs wheel help wheel
    needs matrix matrix plan matrix.toml -o plan
    needs report report -o report.html
    if compgen -G '*' >/dev/null; then fail "left behind: $(echo *)"; fi
}
an_unknown_command_is_not_one() {
    call "$core" wheels
    exits 2
    says "has no command 'wheels'" 'did you mean wheel'
}
doctor_says_so_of_files() {
    need_toolkit
    only_compilers "$host"
    needs devicecode doctor --toolkit "$toolkit" --stdenv "$host" "$hostpin"
}
bind_says_so_of_slices() {
    need_toolkit
    only_compilers "$host"
    needs devicecode bind bound --slices store --toolkit "$toolkit" --stdenv "$host"
    if [ -e bound ] || [ -e store ]; then fail 'something was written'; fi
}
setup_says_so_of_redist() {
    cp "$prefix/libexec/hostpin/setup" "$programs"
    needs redist setup directory --cuda 12.4 --from redist
    rm "$programs/setup"
    [ ! -e directory ] || fail 'something was written'
}
the_core_works_alone() {
    need_toolkit
    only_compilers "$host"
    call "$core" bind bound --toolkit "$toolkit" --stdenv "$host"
    exits 0
    write_source a.cu
    bound/nvcc -arch=sm_75 a.cu -o a
    same "$(./a)" 'hello from the host half'
    for arguments in "doctor --toolkit $toolkit --stdenv $host" 'explain --bound bound -- -c a.cu' 'env --bound bound' "capabilities --toolkit $toolkit 9.0" 'stdlib-probe --help' "stdlib-probe gate $toolkit" 'lto-check --help'; do
        # shellcheck disable=SC2086 # split into arguments
        call "$core" $arguments
        exits 0
    done
}
it 'each command names the component that it is in' each_command_names_its_component
it 'a misspelt one is no component' an_unknown_command_is_not_one
it 'doctor FILE names the component that reads device code' doctor_says_so_of_files
it 'bind --slices names the component that has the tasks, and writes nothing' bind_says_so_of_slices
it 'setup --from redist names the component that fetches archives' of setup setup_says_so_of_redist
it 'the core works alone' the_core_works_alone
finish
