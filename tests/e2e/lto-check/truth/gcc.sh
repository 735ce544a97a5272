#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GCC against GCC: slim and fat objects of each by the driver of each, in every mode and by every linker.
#   gcc.sh [-j N] [-v]
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

truth_gcc() {
    local producer driver form
    gcc_objects "${gccs[@]}"
    for driver in "${gccs[@]}"; do
        main=$work/main.gcc$driver.slim.o
        main_fat=$work/main.gcc$driver.fat.o
        for producer in "${gccs[@]}"; do
            for form in slim fat; do
                f=$work/f.gcc$producer.$form.o
                name="gcc-$producer $form by gcc-$driver"
                row runs "$name" "gcc-$driver" -flto "$main" "$f" -o out
                row runs "$name, no option" "gcc-$driver" "$main_fat" "$f" -o out
                row runs "$name -fno-lto" "gcc-$driver" -fno-lto "$main_fat" "$f" -o out
                row exports:f "$name -shared" "gcc-$driver" -shared "$f" -o out
                row exports:f "$name -shared -fno-lto" "gcc-$driver" -shared -fno-lto "$f" -o out
            done
        done
        # Modes take longer than versions: one older, the same and one newer producer are enough for each.
        for producer in $(neighbours "$driver" "${gccs[@]}"); do
            for form in slim fat; do
                f=$work/f.gcc$producer.$form.o
                name="gcc-$producer $form by gcc-$driver"
                row exists "$name -r" "gcc-$driver" -r -flto "$main" "$f" -o out
                row exists "$name -r, no option" "gcc-$driver" -r "$f" -o out
                row exists "$name -r -flinker-output=nolto-rel" "gcc-$driver" -r -flto -flinker-output=nolto-rel -nostdlib "$main" "$f" -o out
                row exists "$name -r -fno-lto" "gcc-$driver" -r -fno-lto "$f" -o out
                row runs "$name -flto-partition=none" "gcc-$driver" -flto -flto-partition=none "$main" "$f" -o out
                row runs "$name without plugin" "gcc-$driver" -flto -fno-use-linker-plugin "$main" "$f" -o out
                row runs "$name without plugin, fat" "gcc-$driver" -flto -fno-use-linker-plugin "$main_fat" "$f" -o out
                row exports:f "$name -shared without plugin" "gcc-$driver" -shared -fno-use-linker-plugin "$f" -o out
                row exports:f "$name -shared by lld" "gcc-$driver" -shared -fuse-ld=lld "$f" -o out
                row runs "$name by lld" "gcc-$driver" -fuse-ld=lld "$main_fat" "$f" -o out
                [ "$driver" -lt 12 ] || mold_rows "gcc-$driver" "$name" "$main" "$f"
                [ "$driver" != 12 ] || symbol_rows "$name" "$main" "$f" "$work/f.gcc12.slim.o"
                # Plugins of another suite may need a newer C library than this gold has loaded; then nothing links.
                row runs "$name by gold" "gcc-$driver" -fuse-ld=gold -flto "$main" "$f" -o out
                row exports:f "$name -shared -fno-lto by gold" "gcc-$driver" -fuse-ld=gold -shared -fno-lto "$f" -o out
                row exports:f "$name by ld itself" ld -shared "$f" -o out
            done
        done
    done
}
# An input for its symbols only; -R with a directory, or for lld, is a run path.
symbol_rows() { # NAME MAIN F ANSWER
    local linker option
    for linker in bfd gold mold; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        for option in "-R,$3" "-R$3" "--just-symbols=$3" "-R,$work"; do
            # mold knows the run path only.
            [ "$linker" != mold ] || [ "$option" = "-R,$work" ] || continue
            row runs "$1 by $linker ${option%%[,=/]*}" gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory" "$2" "$4" -Wl,"$option" -o out
        done
    done
    for linker in bfd gold lld; do
        row runs "$1 by $linker -b binary" gcc-12 -fuse-ld="$linker" -fno-lto "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" -Wl,--format=binary "$3" -Wl,--format=default -o out
        row exists "$1 by $linker -r -b binary" gcc-12 -fuse-ld="$linker" -fno-lto -r -nostdlib -Wl,--format=binary "$3" -Wl,--format=default -o out
        # Its own version fails too, because the object was not read by the plugin.
        [[ $3 == *gcc12.* ]] || row runs "$1 by $linker -b binary with the plugin" gcc-12 -fuse-ld="$linker" "$work/main.gcc12.fat.o" "$4" -Wl,--format=binary "$3" -Wl,--format=default -o out
    done
    row runs "$1 by ld --just-symbols of a directory" gcc-12 -flto "$2" "$4" -Wl,--just-symbols="$work" -o out
    row runs "$1 by lld -R" gcc-12 -fuse-ld=lld -fno-lto "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" -Wl,-R,"$3" -o out
}

truth_gcc
run_rows
