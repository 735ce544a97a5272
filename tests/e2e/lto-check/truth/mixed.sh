#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each family's objects with the other's linkers.
#   mixed.sh [-j N] [-v]
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

truth_mixed() {
    local producer driver linker form f
    gcc_objects "${gccs[@]}"
    clang_objects "${clangs[@]}"
    for driver in "${gccs[@]}"; do
        main=$work/main.gcc$driver.fat.o
        for producer in "${clangs[@]}"; do
            f=$work/f.clang$producer.full.o
            name="clang-$producer by gcc-$driver"
            row runs "$name" "gcc-$driver" -flto "$main" "$f" -o out
            row exports:f "$name -shared -fno-lto" "gcc-$driver" -shared -fno-lto "$f" -o out
            [ "$producer" -ne 14 ] || {
                row runs "$name by gold" "gcc-$driver" -fuse-ld=gold -fno-lto "$main" "$f" -o out
                row exists "$name -r" "gcc-$driver" -r "$f" -o out
                row runs "$name by lld" "gcc-$driver" -fuse-ld=lld "$main" "$f" -o out
            }
            [ "$driver" != 12 ] || mold_rows gcc-12 "$name" "$main" "$f"
            [ ! -f "$work/f.clang$producer.fatlto.o" ] || row runs "clang-$producer fatlto by gcc-$driver" "gcc-$driver" "$main" "$work/f.clang$producer.fatlto.o" -o out
        done
    done
    for producer in "${gccs[@]}"; do
        for form in slim fat; do
            f=$work/f.gcc$producer.$form.o
            for linker in "${llds[@]}"; do
                row exports:f "gcc-$producer $form by lld-$linker -shared" "$(lld "$linker")" -shared "$f" -o out
            done
            for driver in "${clangs[@]}"; do
                main=$work/main.clang$driver.full.o
                name="gcc-$producer $form by clang-$driver"
                row exports:f "$name -shared" "clang-$driver" -shared "$f" -o out
                row runs "$name -flto" "clang-$driver" -flto "$main" "$f" -o out
            done
        done
    done
}

truth_mixed
run_rows
