#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The progress line of hostpin leak-check on a terminal.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command script gcc

# A disk that takes longer than the second in which nothing is shown, however fast the machine is.
cat >"$work/slow.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
extern char* program_invocation_short_name;
ssize_t pread64(int fd, void* to, size_t size, off64_t at) {
    static int waited;
    ssize_t (*real)(int, void*, size_t, off64_t) = (ssize_t (*)(int, void*, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    if (strcmp(program_invocation_short_name, "leak-check") == 0 && at >= (off64_t)60 << 20 && !waited++) usleep(1500000);
    return real(fd, to, size, at);
}
ssize_t pread(int fd, void* to, size_t size, off_t at) { return pread64(fd, to, size, at); }
C
gcc -shared -fPIC -D_LARGEFILE64_SOURCE "$work/slow.c" -o "$work/slow.so" -ldl
slow() { # FILE
    mkdir -p tree
    truncate -s 64M "tree/$1" # of which the last few are slow
    slowly=("LD_PRELOAD=$work/slow.so")
}
slowly=()
# on_terminal [NAME=VALUE]... PATH: the output to a terminal, in $out with each carriage return as a new line; stdout goes to a
# file, as if the report were stored.
on_terminal() {
    local -a set=("${slowly[@]}" "${@:1:$#-1}")
    env -u CI -u NO_COLOR TERM=xterm "${set[@]}" script -qec \
        "'$hostpin' leak-check --no-binding --forbid /opt/gcc-11 '${!#}' >report" typescript >/dev/null </dev/null
    sed -e '1d' -e '/^Script done on/d' typescript | tr '\r' '\n' >"$out"
    grep -q '0 errors' report || fail "no report: $(cat report)"
}

drawn_and_erased() {
    slow lib.so
    on_terminal tree
    prints '^0 files, [0-9.]+ MB: lib\.so$'
    if grep -q $'\033' "$out"; then fail "it writes escape sequences"; fi
    # Finally the line is overwritten with blanks.
    same "$(grep -v '^$' "$out" | tail -n 1 | tr -d ' ')" ""
    grep -qE '^ {10,}$' "$out" || { show_call; fail "the line is left on the terminal"; }
}
names_cannot_drive_it() {
    slow $'x\e[31m.so'
    on_terminal tree
    prints '^0 files, .*: x\?\[31m\.so$'
}
not_when_short() {
    mkdir tree
    echo x >tree/file
    on_terminal tree
    same "$(tr -d '\n' <"$out")" ""
}
not_where_it_stays() {
    slow lib.so
    local setting
    for setting in TERM=dumb TERM= CI=true; do
        on_terminal "$setting" tree
        same "$setting: $(tr -d '\n' <"$out")" "$setting: "
    done
    call "$hostpin" leak-check --no-binding --forbid /opt/gcc-11 tree
    exits 0
    same "$(cat "$err")" ""
}
without_colour() {
    slow lib.so
    on_terminal NO_COLOR=1 tree
    prints '^0 files, [0-9.]+ MB: lib\.so$'
    if grep -q $'\033' "$out"; then fail "it writes escape sequences"; fi
}

it 'a long scan shows files, bytes and path on a terminal, and erases the line' drawn_and_erased
it 'file names cannot control the terminal' names_cannot_drive_it
it 'a short scan shows nothing' not_when_short
it 'nothing is shown in CI, in a pipe, or on a terminal that cannot erase it' not_where_it_stays
it 'with NO_COLOR the line has no escape sequences' without_colour
finish
