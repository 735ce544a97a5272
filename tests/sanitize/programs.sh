#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# programs.sh BUILD PREFIX [SCRIPT...]: end-to-end scripts, given by their paths below tests/e2e, against the install in PREFIX with the
# programs of sanitize.sh's build in place of its own: the hot path, which is static otherwise, too. Any report of a sanitizer fails,
# also one that a script would not notice. Without scripts some short ones; HOSTPIN_FULL=1: all that do not measure.
build=$1 installed=$2
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
clang_with fuzzer,address,undefined -DFUZZED
configured "$build" -DHOSTPIN_FUZZ=ON >/dev/null
cmake --build "$build" --target hostpin_driver hostpin leak-check lto-check stdlib-probe
rm -rf "$build/prefix"
cp -a "$installed" "$build/prefix"
cp "$build/bin/hostpin" "$build/prefix/bin/"
cp "$build"/libexec/hostpin/{nvcc,leak-check,lto-check,stdlib-probe} "$build/prefix/libexec/hostpin/"
cp "$build/libexec/hostpin/nvcc" "$build/prefix/libexec/hostpin/c++"

export reports
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
# Leaks are looked for at the end of a process by tracing it, which fails where something else traces it; unit tests look for them.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99
export HOSTPIN_PREFIX=$build/prefix HOSTPIN_LAB=$lab

scripts=("${@:3}")
if [ ${#scripts[@]} -eq 0 ]; then
    scripts=(command/command.sh command/c_driver.sh command/next.sh leak-check/command/found.sh leak-check/command/fix_text.sh
        lto-check/check.sh fatbin/bad_input.sh named/named.sh)
    if [ "$full" = 1 ]; then
        # not those that measure memory, take a static program apart, build packages, or run their own builds of this repository
        mapfile -t scripts < <(cd "$repository/tests/e2e" && find . -name '*.sh' -perm /111 ! -path '*/fault/*' ! -path '*/nix/*' \
            ! -path '*/package/*' ! -path '*/truth/*' | sort)
    fi
fi
export repository
# run_script SCRIPT: what it says at once, when it has ended, as others run beside it.
run_script() {
    local script=$1 own code=0 failed=0 report
    own=$(mktemp -d -p "$reports")
    chmod 711 "$reports" && chmod 1777 "$own" # some run as other users
    SECONDS=0
    ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$own/address UBSAN_OPTIONS=$UBSAN_OPTIONS:log_path=$own/undefined \
        "$repository/tests/e2e/$script" >"$own/output" 2>&1 || code=$?
    {
        echo "== $script: exit code $code, $SECONDS s"
        if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then failed=1 && grep -v '^ok ' "$own/output"; fi
        for report in "$own"/address.* "$own"/undefined.*; do
            if [ -e "$report" ]; then failed=1 && head -n 60 "$report"; fi
        done
    } >"$own/said"
    cat "$own/said"
    return "$failed"
}
export -f run_script
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\0' "${scripts[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_script "$1"' bash
