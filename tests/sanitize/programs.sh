#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# programs.sh BUILD [REGEX]: runs the end-to-end tests whose names match REGEX with sanitize.sh's build instead of the ordinary one,
# including the launcher, which is otherwise static. Any report of a sanitizer fails, even one that a test would not notice. Without
# REGEX all but those that measure memory or system calls, inspect a static program, or make packages.
build=$(realpath -m "$1")
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
clang_with fuzzer,address,undefined -DFUZZED

reports=$build/reports
rm -rf "$reports"
mkdir -p "$reports"
chmod 1777 "$reports" # some run as other users
# The leak check at the end of a process traces it, which fails if something else traces it; unit tests check for leaks.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:exitcode=99:log_exe_name=1:log_path=$reports/address
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99:log_exe_name=1:log_path=$reports/undefined
# Tests that clear the environment remove these, so they are compiled into the programs too.
for name in ASAN UBSAN; do
    options=${name}_OPTIONS
    echo "const char* __${name,,}_default_options(void) { return \"${!options}\"; }"
done | "${clang%++*}${clang##*++}" -x c -c - -o "$build/options.o"
configured "$build" -DHOSTPIN_FUZZ=ON -DCMAKE_EXE_LINKER_FLAGS="$build/options.o" >/dev/null
cmake --build "$build"
export HOSTPIN_LAB=$lab
unset CCACHE_BASEDIR CCACHE_NOHASHDIR # for the build only

failed=0
which=(-R '^e2e\.' -E '^e2e\.(fault|nix|package|lto-check\.truth)')
if [ $# -gt 1 ]; then which=(-R "$2"); fi
ctest --test-dir "$build" --output-on-failure --timeout 7200 -j "$(nproc)" "${which[@]}" || failed=1
for report in "$reports"/*; do
    case $report in
    */\* | */*.program.*) ;; # none, or from programs that tests compile with sanitizers and deliberate errors
    *) failed=1 && head -n 60 "$report" ;;
    esac
done
exit "$failed"
