#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each Clang of the lab, and rustc, write bitcode; hostpin's reader must agree with llvm-bcanalyzer.
#   llvm.sh LTO_STREAMS LTO_CUTS
# shellcheck source=tests/e2e/lto-check/bitstream/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

clangs() { for driver in "$lab"/bin/clang-*; do echo "${driver##*-}"; done | sort -n; }

# identified FILE: the producers according to llvm-bcanalyzer, each once. It prints them as letters only if they are packed.
identified() {
    llvm-bcanalyzer-19 --dump --disable-histogram "$1" | awk '
        /<STRING / {
            for (i = 2; i <= NF; ++i) if (match($i, /^op[0-9]+=/)) printf "%c", substr($i, RLENGTH + 1) + 0
            print ""
        }' | uniq
}
reference_llvm() { # FILE BITCODE FORMAT SLIM
    local producer
    while read -r producer; do
        line "$1" "$3" "$(sed -E 's/^LLVM([0-9]+\.[0-9]+).*/\1/' <<<"$producer")" "$4" 0 "$producer"
    done < <(identified "$2")
}
agree_on_llvm() { # MAJOR
    local file flags name
    need_lab "bin/clang-$1"
    need_command llvm-bcanalyzer-19 objcopy
    write_code
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$lab/bin/clang++-$1" $flags -c "$file" -o "$name.o"
        [ -n "$(identified "$name.o")" ] || fail "llvm-bcanalyzer sees no producer in $name.o"
        same "$(told "$name.o")" "$(reference_llvm "$name.o" "$name.o" llvm-bitcode slim)"
    done <<'ROWS'
full large.cpp -O2 -flto
thin large.cpp -O2 -flto=thin
split large.cpp -O2 -flto=thin -fsplit-lto-unit -fwhole-program-vtables -fvisibility=hidden
debug large.cpp -O0 -g -flto
nothing empty.c -x c -flto
other small.c -x c -flto --target=aarch64-linux-gnu
module small.c -x c -emit-llvm
apple small.c -x c -emit-llvm --target=x86_64-apple-macosx12
ROWS
    same "$(head -c 4 apple.o | od -An -tx1)" ' de c0 17 0b' # the wrapper, or this tests nothing
    same "$("$streams" --present full.o apple.o)" "$(printf 'full.o\napple.o')"
    "$lab/bin/clang++-$1" -O2 -c large.cpp -o plain.o
    same "$(told plain.o)" "$(line plain.o none)"
    "$cuts" full.o thin.o apple.o nothing.o
    if "$lab/bin/clang-$1" -fembed-bitcode -c small.c -o embedded.o 2>/dev/null; then
        case $(readelf -SW embedded.o) in *.llvmbc*) ;; *) fail "no .llvmbc in embedded.o" ;; esac
        same "$(told embedded.o)" "$(line embedded.o none)"
        same "$("$streams" --present embedded.o)" ""
    fi
    if [ "$1" -ge 18 ]; then
        "$lab/bin/clang++-$1" -O2 -flto=thin -ffat-lto-objects -c large.cpp -o fat.o
        objcopy -O binary --only-section=.llvm.lto --set-section-flags .llvm.lto=alloc fat.o fat.bc
        same "$(told fat.o)" "$(reference_llvm fat.o fat.bc llvm-fat fat)"
        "$cuts" fat.o
    fi
}
# Two compilers' modules one after the other, as ld -r joins those of fat objects in one section.
joined_modules_count() {
    need_lab bin/clang-18 bin/clang-19
    need_command ld
    write_code
    "$lab/bin/clang-18" -flto -ffat-lto-objects -c small.c -o old.o
    sed 's/next/other/; s/counter/number/' small.c >other.c
    "$lab/bin/clang-19" -flto -ffat-lto-objects -c other.c -o new.o
    ld -r old.o new.o -o joined.o
    same "$(told joined.o | cut -f 2-4)" "$(told old.o new.o | cut -f 2-4)"
}
rust_is_llvm() {
    need_command rustc llvm-bcanalyzer-19
    rustc --version >/dev/null 2>&1 || skip "this rustc has no toolchain (rustup default stable)"
    echo 'pub fn twice(x: u32) -> u32 { x * 2 }' >code.rs
    rustc --crate-type lib -O -Clinker-plugin-lto -Ccodegen-units=1 --emit obj=code.o code.rs
    same "$(told code.o)" "$(reference_llvm code.o code.o llvm-bitcode slim)"
    case $(told code.o) in *LLVM*-rust-*) ;; *) fail "no Rust in $(told code.o)" ;; esac
    rustc --crate-type rlib -O code.rs -o plain.rlib # embeds bitcode for rustc's own use
    same "$(told plain.rlib | cut -f 2 | sort -u)" none
}

for major in 13 14 15 16 17 18 19 21 22; do it "Clang $major's code is what llvm-bcanalyzer says" agree_on_llvm "$major"; done
it 'fat objects of two Clangs that ld -r joined have both their modules' joined_modules_count
it "Rust's code for a linker is LLVM's" rust_is_llvm
finish
