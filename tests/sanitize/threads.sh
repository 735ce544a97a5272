#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# threads.sh BUILD: code with threads, built by Clang under the thread sanitizer: its unit tests, and its programs on trees of many
# files. Any report fails. HOSTPIN_FULL=1: all of leak-check too, on the libraries of this machine.
build=$1
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
clang_with thread
configured "$build" -DHOSTPIN_SANITIZE=thread
tests=(unit_leak_scan unit_headers unit_lto_command)
programs=(scan_dump lto-check)
if [ "$full" = 1 ]; then tests+=(unit_leak_command) programs+=(leak-check); fi
cmake --build "$build" --target "${tests[@]}" "${programs[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v strace >/dev/null || { echo "skipped: no strace" && exit 77; }
# The sanitizer assumes one descriptor table for all threads; lto-check's threads have separate ones, unless unshare fails.
# Without TZ glibc reads the time zone again for each date in an archive, under an internal lock that the sanitizer does not see.
# Clang's releases before 18 do not start if the kernel randomizes addresses more than they expect.
quiet=(strace -f --seccomp-bpf -qq -o /dev/null -e trace=unshare -e inject=unshare:error=EPERM setarch "$(uname -m)" -R env TZ=UTC0
    "TSAN_OPTIONS=exitcode=66 halt_on_error=1" "HOSTPIN_CACHE_DIR=$work/cache")
for test in "${tests[@]}"; do
    "${quiet[@]}" "$(find "$build/tests" -type f -name "$test")"
done

# run CODE PROGRAM ARGUMENT...: ends with that exit code and no report; its output is in $work/out.
run() {
    local code=0
    echo "== ${*:2}" | cut -c 1-120
    "${quiet[@]}" "$(find "$build" -type f -name "$2" -perm /111)" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
    if [ "$code" -ne "$1" ] || grep -q 'WARNING: ThreadSanitizer' "$work/err"; then
        echo "FAIL: exit code $code instead of $1" && head -n 80 "$work/err" "$work/out"
        exit 1
    fi
}
mkdir "$work/tree"
# A file of several segments among many small ones, an archive, compressed files, a file named twice, a loop of links.
head -c 40000000 /dev/zero | tr '\0' 'x' >"$work/tree/large"
for i in $(seq 400); do echo "prefix=/opt/gcc-$i/lib" >"$work/tree/$i.pc"; done
echo 'int f(int x) { return x; }' >"$work/f.cpp"
"$clang" -shared -fPIC "$work/f.cpp" -o "$work/tree/libf.so"
"$clang" -c "$work/f.cpp" -o "$work/f.o"
ar rcs "$work/tree/libf.a" "$work/f.o"
tar -czf "$work/tree/all.tar.gz" -C "$work/tree" libf.so libf.a 1.pc
ln "$work/tree/libf.so" "$work/tree/libf.so.1"
ln -s ../tree "$work/tree/loop"
run 1 scan_dump --threads 5 --forbid /opt/gcc-7 "$work/tree"
grep -q '7\.pc' "$work/out"
if [ "$full" = 1 ]; then
    run 1 leak-check --no-binding --forbid /opt/gcc-7 "$work/tree"
    grep -q '7\.pc' "$work/out"
    run 0 leak-check --no-binding --metadata --forbid /opt/nowhere --fail-on never "$(dirname "$(c++ -print-file-name=libc.so)")"
fi
# Enough of them that several threads share the work.
c++ -flto -c "$work/f.cpp" -o "$work/f.o"
mkdir "$work/objects"
for i in $(seq 1200); do cp "$work/f.o" "$work/objects/$i.o"; done
run 0 lto-check --linker c++ "$work/objects/"*.o
