#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# each.sh [--work DIR] [COMPONENT...]: builds each component alone with the core, in a build directory of its own in DIR (default: build-each),
# installs it, and runs its tests and those of the core with this machine's compilers; first the core alone. Prints a table of what each takes.
# All of them take hours without a compiler cache: it is run at night.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$repository/build-each
if [ "${1-}" = --work ]; then work=$(realpath -m "$2") && shift 2; fi
components=("$@")
if [ $# -eq 0 ]; then components=(core checks devicecode redist setup wheel matrix report); fi
export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1
settings=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DHOSTPIN_WERROR=ON)
if command -v ccache >/dev/null; then settings+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
mkdir -p "$work"

# timed NAME COMMAND...: its output is in $work/NAME.log, its minutes of processor in $took.
timed() {
    local status=0
    /usr/bin/time -o "$work/time" -f '%U %S' "${@:2}" >"$work/$1.log" 2>&1 </dev/null || status=$?
    took=$(tail -n 1 "$work/time" | awk '{ printf "%.1f", ($1 + $2) / 60 }')
    return "$status"
}
failed=0
printf '%-12s %10s %10s %12s\n' component build tests 'installed MB'
for component in "${components[@]}"; do
    build=$work/$component
    cmake -S "$repository" -B "$build" -G Ninja "${settings[@]}" "-DHOSTPIN_COMPONENTS=core;$component" >"$work/$component.configure.log" 2>&1 ||
        { tail -n 20 "$work/$component.configure.log" && echo "FAILED  $component: configuring" && failed=1 && continue; }
    timed "$component.build" ninja -C "$build" ||
        { tail -n 40 "$work/$component.build.log" && echo "FAILED  $component: building" && failed=1 && continue; }
    built=$took
    timed "$component.tests" ctest --test-dir "$build" --output-on-failure --timeout 3600 --no-tests=error -j "$(nproc)" -LE '^(sanitize|full|lint)$' ||
        { sed -n '/tests passed/,$p' "$work/$component.tests.log" && echo "FAILED  $component: tests" && failed=1; }
    printf '%-12s %10s %10s %12s\n' "$component" "$built" "$took" "$(du -sm "$build/prefix" 2>/dev/null | cut -f1)"
done
exit "$failed"
