# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # from ../lib.sh
# Sourced after ../lib.sh by tests of hostpin leak-check: how to call it, what it must print.

check() { call "$hostpin" leak-check --no-binding "$@"; }
# Each argument is an extended regular expression that some line of stdout must match.
prints() {
    local pattern
    for pattern in "$@"; do
        grep -qE -e "$pattern" "$out" || { show_call; fail "stdout does not say: $pattern"; }
    done
}
prints_no() { ! grep -qE -e "$1" "$out" || { show_call; fail "stdout says: $1"; }; }
# finds RULE SEVERITY / passes RULE: in the last call, which had --notes.
finds() { prints "^$2: $1: "; }
passes() { prints_no "^(error|warning|note): $1: "; }
# graded RULE FILE SEVERITY / ungraded RULE FILE: what the last call, which had --json, reported of one rule in one file; the
# severities of several findings are one per line.
grades() {
    tr -d '\n' <"$out" | sed 's/"rule"/\n&/g' |
        sed -nE "s/^\"rule\": *\"$1\", *\"severity\": *\"([a-z]*)\", *\"path\": *\"$(literally "$2" | sed 's,/,\\/,g')\".*/\1/p" | sort -u
}
graded() { same "$2 has $1: $(grades "$1" "$2")" "$2 has $1: $3"; }
ungraded() { graded "$1" "$2" ""; }

# tree: in tree/, a program that loads a library next to it, by $ORIGIN.
tree() {
    mkdir -p tree/bin tree/lib
    echo 'int f() { return 0; }' >f.cpp
    echo 'int f(); int main() { return f(); }' >main.cpp
    g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so.1
    ln -s libf.so tree/lib/libf.so.1
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    g++ main.cpp tree/lib/libf.so -o tree/bin/main -Wl,-rpath,'$ORIGIN/../lib'
}
