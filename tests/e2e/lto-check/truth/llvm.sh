#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM against LLVM: full, thin and fat objects of each Clang by each lld, and by the driver of each.
#   llvm.sh [-j N] [-v]
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

truth_llvm() {
    local producer reader form
    clang_objects "${clangs[@]}"
    for reader in "${llds[@]}"; do
        for producer in "${clangs[@]}"; do
            for form in full thin; do
                f=$work/f.clang$producer.$form.o
                row exports:f "clang-$producer $form by lld-$reader -shared" "$(lld "$reader")" -shared "$f" -o out
            done
            f=$work/f.clang$producer.fatlto.o
            [ -f "$f" ] || continue
            row exports:f "clang-$producer fatlto by lld-$reader" "$(lld "$reader")" -shared "$f" -o out
            # lld knows the option from 18 on.
            [ "$reader" -lt 18 ] || row exports:f "clang-$producer fatlto by lld-$reader --fat-lto-objects" "$(lld "$reader")" -shared --fat-lto-objects "$f" -o out
        done
    done
    for reader in "${clangs[@]}"; do
        for producer in $(neighbours "$reader" "${clangs[@]}"); do
            f=$work/f.clang$producer.full.o
            main=$work/main.clang$reader.full.o
            name="clang-$producer by clang-$reader"
            row runs "$name" "clang-$reader" -flto "$main" "$f" -o out
            row runs "$name, no option" "clang-$reader" "$main" "$f" -o out
            row runs "$name -fuse-ld=lld" "clang-$reader" -flto -fuse-ld=lld "$main" "$f" -o out
            # Plugins of another suite need a newer C library than these linkers have loaded; then nothing links.
            row runs "$name -fuse-ld=gold" "clang-$reader" -flto -fuse-ld=gold "$main" "$f" -o out
            [ ! -d "$mold_directory" ] || row runs "$name -fuse-ld=mold" "clang-$reader" -flto -fuse-ld=mold -B"$mold_directory" "$main" "$f" -o out
            for linker in "${llds[@]}"; do
                [ ! -d "$lab/linkers/lld-$linker" ] || row runs "$name -fuse-ld=lld of $linker" "clang-$reader" -flto -fuse-ld=lld -B"$lab/linkers/lld-$linker" "$main" "$f" -o out
            done
        done
    done
}

truth_llvm
run_rows
