#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The part of leak-check's budget that does not depend on the machine: instructions per library, per byte, per needle.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../e2e/lib.sh"

need_hostpin
need_command valgrind c++
check=$prefix/libexec/hostpin/leak-check
mkdir "$work/none" "$work/libraries" "$work/bytes"
: >"$work/none/empty"
echo 'int one() { return 1; }' | c++ -x c++ -shared -fPIC -Wl,--no-as-needed - -o "$work/libraries/000.so"
for ((i = 1; i < 100; ++i)); do cp "$work/libraries/000.so" "$(printf '%s/libraries/%03d.so' "$work" "$i")"; done
yes 'c++ -I/usr/include/boost -c ../src/main.cpp -o src/main.o' | head -c 4194304 >"$work/bytes/log" || true
awk 'BEGIN { for (i = 0; i < 10000; ++i) printf "/opt/gcc-%d/lib/gcc/x86_64-linux-gnu/%06d\n", i % 17, i }' >"$work/10000"
head -n 10 "$work/10000" >"$work/10"
mkdir "$work/alike"
seq -f '/data/versions/prefix-%06.0f/lib' 10000 >"$work/alike-10000"
seq -f '/data/versions/prefix-%06.0f/lib' 10001 13000 >"$work/alike/log"

# executed NEEDLES ARGUMENT...: instructions of leak-check itself, without the loaders that it runs.
executed() {
    local process
    valgrind -q --tool=callgrind --callgrind-out-file="$work/counts.%p" "$check" --no-binding --no-unpack \
        --forbid-file "$work/$1" "${@:2}" >/dev/null 2>"$work/valgrind" &
    process=$!
    wait "$process" || true
    awk '/^totals:/ { print $2 }' "$work/counts.$process"
}
# within MOST COUNT WHAT
within() {
    echo "$2 instructions for $3"
    if [ "$2" -le 0 ] || [ "$2" -gt "$1" ]; then fail "more than $1, or none at all: $(cat "$work/valgrind")"; fi
}

least=$(executed 10 "$work/none")
few_for_a_library() { within 175000 $((($(executed 10 --metadata "$work/libraries") - least) / 100)) 'a library, without content'; }
few_for_a_byte() { within 3000 $((($(executed 10 "$work/bytes") - least) * 1000 / 4194304)) '1,000 bytes of text'; }
few_for_a_needle() { within 6100 $((($(executed 10000 "$work/none") - least) / 9990)) 'a needle'; }
few_for_needles_alike() {
    local set many
    set=$(executed alike-10000 "$work/none")
    many=$(executed alike-10000 "$work/alike")
    within 200000 $(((many - set) * 1000 / $(wc -c <"$work/alike/log"))) '1,000 bytes of text that begin like every needle'
}
it 'a library costs at most 175,000 instructions besides its content' few_for_a_library
it 'a byte of text with many paths costs at most three instructions' few_for_a_byte
it 'a needle costs at most 6,100 instructions, however long the scan' few_for_a_needle
it 'text that begins like 10,000 needles costs at most 200 instructions a byte, not one for each needle' few_for_needles_alike
finish
