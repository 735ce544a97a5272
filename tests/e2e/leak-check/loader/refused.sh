#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What leak-check reports of damaged libraries, compared with this machine's loader.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
need_hostpin
need_command gcc python3
if [ $# -gt 0 ]; then only=$1; fi

library() {
    cat >f.c <<'EOF'
#include <stdio.h>
static int calls;
__thread int value = 1;
int (*const table[])(const char *) = {puts};
__attribute__((constructor)) static void start(void) { ++calls; }
int f(void) { return puts("f") + value + calls; }
EOF
    echo 'V_1 { global: f; value; table; local: *; };' >f.map
    gcc -shared -fPIC f.c -o libf.so -Wl,--version-script=f.map,--hash-style=both,-soname,libf.so,-z,relro
}
every_refusal_is_reported() {
    library
    python3 "$here/damage.py" "$hostpin" libf.so damaged >report 2>&1 || fail "$(cat report)"
    cat report
}
it 'a library that the loader refuses is reported, and none that it opens is an error' every_refusal_is_reported
finish
