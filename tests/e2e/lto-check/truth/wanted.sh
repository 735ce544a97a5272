#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Members of archives that are needed, or not, because of an option, an index that omits them, or a lazy object that is a plain input
# too.
#   wanted.sh [-j N] [-v]
# Each option and statement with ld.bfd and lld, and with other linkers the first and the last of them; HOSTPIN_FULL=1: with each.
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# is_edge NAME: what is true of its linker is shown by the first and the last row.
is_edge() { [ "$full" != 1 ] && [[ $1 = *gold || $1 = *mold ]]; }

# wanted_rows NAME MAIN OWN-F UNUSED LINK...: an option asks for a symbol of an archive, by its value or in a file.
wanted_rows() {
    local name=$1 main=$2 own=$3 unused=$4 option options=(--defsym=other=unused --defsym=other=unused+4 --defsym=other=0x10 -uunused
        --undefined=unused --require-defined=unused -eunused --entry=unused -init=unused -fini=unused --export-dynamic-symbol=unused)
    shift 4
    archive "$unused.a" "$ar" "$unused"
    ! is_edge "$name" || options=("${options[0]}" "${options[-1]}")
    for option in "${options[@]}"; do
        # unknown to earlier releases of lld, which is unrelated to link-time code
        if [[ $name == *lld-1[345] && $option == --require-defined=* ]]; then continue; fi
        row exists "$name: $option" "$@" -Wl,"$option" "$main" "$own" "$unused.a" -o out
    done
}

# script_rows NAME MAIN OWN-F UNUSED LINK...: a script asks for a symbol of an archive after or before it
script_rows() {
    local name=$1 main=$2 own=$3 unused=$4 script file scripts=('other = unused;' 'other = unused + 4;' 'other = 4;' 'EXTERN(unused)'
        'PROVIDE(other = unused);' 'HIDDEN(other = unused);' 'ENTRY(unused)' 'ASSERT(unused != 0, "none")'
        'other = DEFINED(unused) ? unused : 0;')
    shift 4
    ! is_edge "$name" || scripts=("${scripts[0]}" "${scripts[-1]}")
    for script in "${scripts[@]}"; do
        file=$work/script_$(tr -c 'a-zA-Z0-9\n' _ <<<"$script").ld
        echo "$script" >"$file"
        row exists "$name: $script before" "$@" "$main" "$own" "$file" "$unused.a" -o out
        row exists "$name: $script behind" "$@" "$main" "$own" "$unused.a" "$file" -o out
    done
    echo 'EXTERN(unused)' >"$work/script_EXTERN_unused_.ld"
    row exists "$name: EXTERN by -T" "$@" "$main" "$own" "$unused.a" -Wl,-T,"$work/script_EXTERN_unused_.ld" -o out
}

# renamed_rows NAME OWN-COMPILER OTHER-COMPILER MAIN OWN-F LINK...: --wrap and --defsym lead to other symbols than objects name
renamed_rows() {
    local name=$1 own=$2 other=$3 main=$4 own_f=$5 source file
    shift 5
    file=$work/renamed_$(tr -c 'a-z0-9\n' _ <<<"$name")
    for source in wrap f g; do
        $own -c "$source.c" -o "$file.own.$source.o"
        $other -c "$source.c" -o "$file.$source.o"
        archive "$file.$source.a" "$ar" "$file.$source.o"
    done
    row exists "$name: --wrap, the wrapper in an archive" "$@" -Wl,--wrap=f "$main" "$own_f" "$file.wrap.a" -o out
    row exists "$name: --wrap, the original in an archive" "$@" -Wl,--wrap=f "$main" "$file.own.wrap.o" "$file.f.a" -o out
    row exists "$name: --wrap of what nothing has" "$@" -Wl,--wrap=nothing "$main" "$own_f" "$file.wrap.a" -o out
    row exists "$name: --defsym of what is in an archive" "$@" -Wl,--defsym=f=g "$main" "$file.own.g.o" "$file.f.a" -o out
    row exists "$name: --defsym to what is in an archive" "$@" -Wl,--defsym=f=g "$main" "$file.g.a" -o out
}

# stale_rows NAME MAIN F FOREIGN-AR LINK...: an index that omits some symbols, and another archive that has them
stale_rows() {
    local name=$1 main=$2 f=$3 foreign=$4 file
    shift 4
    command -v "$foreign" >/dev/null || return 0
    file=$work/stale_$(tr -c 'a-z0-9\n' _ <<<"$name")
    archive "$file.a" "$foreign" "$work/plain.o" "$f"
    archive "$file.good.a" gcc-ar-12 "$work/f.gcc12.slim.o"
    row runs "$name: a good archive behind one with a stale index" "$@" "$main" "$file.a" "$file.good.a" -o out
    row runs "$name: a good archive before one with a stale index" "$@" "$main" "$file.good.a" "$file.a" -o out
    row runs "$name: a stale index alone" "$@" "$main" "$file.a" -o out
    row exports:f "$name: a good archive behind one with a stale index, -shared" "$@" -shared -Wl,-u,f "$file.a" "$file.good.a" -o out
    # With these, missing symbols cause no error before the program runs.
    row exports:f "$name: a stale index alone, -shared" "$@" -shared "$work/use.o" "$file.a" -o out
    row exports:f "$name: a stale index alone, -shared -z defs" "$@" -shared -Wl,-z,defs "$work/use.o" "$file.a" -o out
    row exports:f "$name: a stale index alone, -shared --no-undefined -z undefs" "$@" -shared -Wl,--no-undefined,-z,undefs "$work/use.o" "$file.a" -o out
    row runs "$name: a stale index alone, undefined ones ignored" "$@" -Wl,--unresolved-symbols=ignore-all "$main" "$file.a" -o out
    row runs "$name: a stale index alone, undefined ones warned of" "$@" -Wl,--warn-unresolved-symbols "$main" "$file.a" -o out
    row defines:f "$name: a stale index alone, -r" "$@" -r -nostdlib -flinker-output=nolto-rel "$work/use.o" "$file.a" -o out
}

truth_wanted() {
    need_command gcc-11 gcc-12 clang-14 ld.gold
    local ar driver linker other=${clangs[-1]} form unused
    gcc_objects 11 12
    clang_objects 14 "$other"
    ar='gcc-ar-12'
    echo 'int plain(void) { return 3; }' >plain.c
    echo 'int __wrap_f(int x) { return x + 1; }' >wrap.c
    echo 'int g(int x) { return x + 1; }' >g.c
    echo 'int f(int); int use(void) { return f(1); }' >use.c
    gcc-12 -c plain.c -o plain.o
    gcc-12 -fPIC -c use.c -o use.o
    gcc-12 -c main.c -o main.plain.o
    gcc-12 -c f.c -o f.plain.o
    for linker in bfd gold mold; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        driver=(gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory")
        wanted_rows "gcc-11 by $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$work/unused.gcc11.slim.o" "${driver[@]}"
        script_rows "gcc-11 by $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$work/unused.gcc11.slim.o" "${driver[@]}"
        renamed_rows "gcc-11 by $linker" "gcc-12 -flto" "gcc-11 -flto" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "${driver[@]}"
        renamed_rows "gcc-11 beside machine code by $linker" gcc-12 "gcc-11 -flto" "$work/main.plain.o" "$work/f.plain.o" "${driver[@]}"
        for form in 11 12; do
            stale_rows "gcc-$form by $linker" "$work/main.gcc12.slim.o" "$work/f.gcc$form.slim.o" "$(command -v llvm-ar-19 llvm-ar-14 llvm-ar | sed -n 1p)" "${driver[@]}"
        done
        # An object of its own version that is linked twice fails for other reasons.
        unused=$work/unused.gcc11.slim.o
        row runs "gcc-11 by $linker: waits, and is named plainly behind" "${driver[@]}" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" -Wl,--start-lib "$unused" -Wl,--end-lib "$unused" -o out
        row runs "gcc-11 by $linker: waits, and is named plainly before" "${driver[@]}" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$unused" -Wl,--start-lib "$unused" -Wl,--end-lib -o out
        row runs "gcc-11 by $linker: waits and is wanted, and is named plainly" "${driver[@]}" "$work/main.gcc12.slim.o" "$work/f.gcc11.slim.o" -Wl,--start-lib "$work/f.gcc11.slim.o" -Wl,--end-lib -o out
    done
    ar=$(command -v llvm-ar-19 llvm-ar-14 llvm-ar | sed -n 1p)
    [ -n "$ar" ] || return 0
    for linker in "${llds[@]}"; do
        just_symbols_rows "$linker"
        [ "$linker" = 14 ] || [ "$linker" = 17 ] || [ "$linker" = 19 ] || continue
        driver=(clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")")
        wanted_rows "clang-$other by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/unused.clang$other.full.o" "${driver[@]}"
        script_rows "clang-$other by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/unused.clang$other.full.o" "${driver[@]}"
        [ "$linker" != 14 ] || continue
        renamed_rows "clang-$other by lld-$linker" "clang-14 -flto" "clang-$other -flto" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "${driver[@]}"
        renamed_rows "clang-$other beside machine code by lld-$linker" clang-14 "clang-$other -flto" "$work/main.plain.o" "$work/f.plain.o" "${driver[@]}"
    done
}

# just_symbols_rows LLD: lld finds symbols in machine code only, and up to 14 takes bitcode as any other input
just_symbols_rows() {
    local object
    for object in f.clang14.full f.clang"$other".full f.clang14.thin f.gcc11.slim f.gcc12.slim f.gcc11.fat f.plain; do
        row exists "$object by lld-$1 --just-symbols, not needed" "$(lld "$1")" -shared "$work/plain.o" --just-symbols="$work/$object.o" -o out
        row exists "$object by lld-$1 --just-symbols, needed" "$(lld "$1")" -e main "$work/main.plain.o" --just-symbols="$work/$object.o" -o out
        row exists "$object by lld-$1 -R" "$(lld "$1")" -shared "$work/plain.o" -R "$work/$object.o" -o out
    done
}

truth_wanted
run_rows
