#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Members of archives, needed and not: thin, whole, in groups, without an index, and with one of another ar.
#   archive.sh [-j N] [-v]
# shellcheck source=tests/e2e/lto-check/truth/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# start_lib_rows NAME MAIN OWN-F OTHER-F OTHER-UNUSED LINK...: lazy objects, taken like members of an archive
start_lib_rows() {
    local name=$1 main=$2 own=$3 other=$4 unused=$5 wanted=()
    shift 5
    # gold searches them in turn, as it does archives: it takes none that only a later input needs, even of machine code.
    case " $* " in *' -fuse-ld=gold '*) wanted=(-u f) ;; esac
    row runs "$name: --start-lib, not needed" "$@" "$main" "$own" -Wl,--start-lib "$unused" -Wl,--end-lib -o out
    row runs "$name: --start-lib, needed" "$@" "$main" -Wl,--start-lib "$other" "$unused" -Wl,--end-lib -o out
    row runs "$name: --start-lib before it is needed" "$@" "${wanted[@]}" -Wl,--start-lib "$own" "$unused" -Wl,--end-lib "$main" -o out
}

# archive_rows NAME MAIN OWN-F OTHER-F OTHER-UNUSED AR LINK...: one linker and an archive with members of another version
archive_rows() {
    local name=$1 main=$2 own=$3 other=$4 unused=$5 ar=$6 file
    shift 6
    file=$work/$(tr -c 'a-z0-9\n' _ <<<"$name")
    archive "$file.unused.a" "$ar" "$own" "$unused"
    archive "$file.used.a" "$ar" "$other" "$unused"
    ar_mode=rcsT archive "$file.thin.a" "$ar" "$own" "$unused"
    ar_mode=rcsT archive "$file.thinused.a" "$ar" "$other"
    cp "$file.used.a" "$work/lib$(basename "$file").a"
    printf 'GROUP ( %s AS_NEEDED ( -lm ) )\n' "$file.used.a" >"$work/lib$(basename "$file")script.so"
    printf '%s\n' "$main $file.used.a" >"$file.response"
    row runs "$name: member not needed" "$@" "$main" "$file.unused.a" -o out
    row runs "$name: member needed" "$@" "$main" "$file.used.a" -o out
    row runs "$name: member not needed, thin" "$@" "$main" "$file.thin.a" -o out
    row runs "$name: member needed, thin" "$@" "$main" "$file.thinused.a" -o out
    row runs "$name: whole archive" "$@" "$main" -Wl,--whole-archive "$file.unused.a" -Wl,--no-whole-archive -o out
    row runs "$name: group" "$@" -Wl,--start-group "$file.unused.a" "$main" -Wl,--end-group -o out
    row runs "$name: asked for by -u" "$@" -Wl,-u,unused "$main" "$file.unused.a" -o out
    row runs "$name: by -l" "$@" "$main" -L"$work" "-l$(basename "$file")" -o out
    row runs "$name: by a script" "$@" "$main" -L"$work" "-l$(basename "$file")script" -o out
    row runs "$name: by @file" "$@" "@$file.response" -o out
    row runs "$name: after an object that has it" "$@" "$main" "$own" "$file.used.a" -o out
}

# index_rows NAME MAIN F OTHER-AR LINK...: an archive by an ar that does not know the symbols of its members
index_rows() {
    local name=$1 main=$2 f=$3 ar=$4 file
    shift 4
    command -v "$ar" >/dev/null || return 0
    file=$work/index_$(tr -c 'a-z0-9\n' _ <<<"$name").a
    archive "$file" "$ar" "$f"
    row runs "$name: index of another ar" "$@" "$main" "$file" -o out
    row runs "$name: index of another ar, whole archive" "$@" "$main" -Wl,--whole-archive "$file" -Wl,--no-whole-archive -o out
}

# unindexed_rows NAME MAIN OWN-F UNUSED AR LINK...: an archive without any index, needed, not needed, and taken whole
unindexed_rows() {
    local name=$1 main=$2 own=$3 unused=$4 ar=$5 file
    shift 5
    file=$work/unindexed_$(tr -c 'a-z0-9\n' _ <<<"$name")
    ar_mode=rcS archive "$file.unused.a" "$ar" "$unused"
    ar_mode=rcS archive "$file.used.a" "$ar" "$own" "$unused"
    row runs "$name: no index, not needed" "$@" "$main" "$own" "$file.unused.a" -o out
    row runs "$name: no index, needed" "$@" "$main" "$file.used.a" -o out
    row runs "$name: no index, whole archive" "$@" "$main" "$own" -Wl,--whole-archive "$file.unused.a" -Wl,--no-whole-archive -o out
}

# glance_rows LLD: newer members that nothing needs, with and without what that lld does not know
glance_rows() {
    local producer source form
    for producer in "${clangs[@]}"; do
        [ "$producer" -gt "$1" ] || continue
        for source in plain rich; do
            for form in "-O0 -flto" "-O1 -flto" "-O2 -flto=thin"; do
                file=$work/$source.$producer.${form//[^a-z0-9A-Z]/}
                # shellcheck disable=SC2086 # words
                [ -f "$file.a" ] || { "clang-$producer" $form -c "$source.c" -o "$file.o" && archive "$file.a" "$ar" "$file.o" 2>/dev/null; }
                row runs "clang-$producer $source $form not needed by lld-$1" clang-14 -fuse-ld=lld -B"$(dirname "$(lld "$1")")" "$work/both.o" "$file.a" -o out
            done
        done
    done
}

# common_rows NAME AR OWN OTHER LINK...: an archive with a symbol that is tentative so far, really defined or tentative. OWN and OTHER
# compile link-time code.
common_rows() {
    local name=$1 ar=$2 own=$3 other=$4 file form main member
    shift 4
    file=$work/common_$(tr -c 'a-z0-9\n' _ <<<"$name")
    for form in "" -flto; do
        main=$file.main$form.o
        # shellcheck disable=SC2086 # the form may be no word
        ${own%% *} -fcommon $form -c common_main.c -o "$main"
        for member in real common; do
            $other -fcommon -c "common_$member.c" -o "$file.$member.o"
            archive "$file.$member.a" "$ar" "$file.$member.o"
            row runs "$name: tentative${form:+ in link-time code}, $member in an archive" "$@" "$main" "$file.$member.a" -o out
        done
        $own -fcommon -c common_real.c -o "$file.own.o"
        row runs "$name: tentative${form:+ in link-time code}, defined before the archive" "$@" "$main" "$file.own.o" "$file.real.a" -o out
    done
}

truth_archive() {
    local ar other linker file
    need_command gcc-11 gcc-12 clang-14 ld.gold
    gcc_objects 11 12 "${gccs[0]}" "${gccs[-1]}"
    clang_objects 14 "${clangs[-1]}"
    for other in $([ "$full" = 0 ] || echo 11) "${gccs[0]}" "${gccs[-1]}"; do
        for linker in bfd gold mold; do
            [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
            # GNU ld 2.40 has no such option.
            [ "$linker" = bfd ] || start_lib_rows "gcc-$other by gcc-12 $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$work/f.gcc$other.slim.o" \
                "$work/unused.gcc$other.slim.o" gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
            archive_rows "gcc-$other by gcc-12 $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$work/f.gcc$other.slim.o" \
                "$work/unused.gcc$other.slim.o" gcc-ar-12 gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
        done
        archive_rows "gcc-$other fat by gcc-12" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.gcc$other.fat.o" \
            "$work/unused.gcc$other.fat.o" gcc-ar-12 gcc-12
        archive_rows "gcc-$other fat by gcc-12 -fno-lto" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.gcc$other.fat.o" \
            "$work/unused.gcc$other.fat.o" gcc-ar-12 gcc-12 -fno-lto
        archive_rows "gcc-$other fat by collect2 of gcc-12" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.gcc$other.fat.o" \
            "$work/unused.gcc$other.fat.o" gcc-ar-12 gcc-12 -flto -fno-use-linker-plugin
    done
    archive "$work/collect2.a" gcc-ar-12 "$work/f.gcc12.slim.o"
    row exports:f "gcc-12 slim by collect2 of gcc-12: whole archive, -shared" gcc-12 -flto -fno-use-linker-plugin -shared \
        "$work/unused.gcc12.fat.o" -Wl,--whole-archive "$work/collect2.a" -Wl,--no-whole-archive -o out
    ar=$(command -v llvm-ar-22 llvm-ar-21 llvm-ar-19 llvm-ar-14 llvm-ar | sed -n 1p)
    [ -n "$ar" ] || return 0
    other=${clangs[-1]}
    for linker in "${llds[@]}"; do
        if [ "$linker" -ge "$other" ] || [ "$linker" -lt 14 ]; then continue; fi
        start_lib_rows "clang-$other by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/f.clang$other.full.o" \
            "$work/unused.clang$other.full.o" clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
        start_lib_rows "gcc-11 by lld-$linker" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.gcc11.slim.o" \
            "$work/unused.gcc11.slim.o" clang-14 -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
        archive_rows "clang-$other by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/f.clang$other.full.o" \
            "$work/unused.clang$other.full.o" "$ar" clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
    done
    echo 'int unused(void) { return 7; }' >plain.c
    echo 'void *unused(int *to, const int *from) { for (int i = 0; i < 9; ++i) to[i] = from[i] * i; return to; }' >rich.c
    cat main.c f.c >both.c
    clang-14 -c both.c -o both.o
    for linker in "${llds[@]}"; do
        [ "$linker" -lt 15 ] || glance_rows "$linker"
        unindexed_rows "clang-14 by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/unused.clang14.full.o" "$ar" \
            clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
        unindexed_rows "clang-$other by lld-$linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/unused.clang$other.full.o" "$ar" \
            clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
    done
    for linker in bfd gold mold lld; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        unindexed_rows "gcc-12 by $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$work/unused.gcc12.slim.o" gcc-ar-12 \
            gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
        unindexed_rows "gcc-12 fat by $linker" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/unused.gcc12.fat.o" gcc-ar-12 \
            gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
    done
    echo 'int common_data; int main(void) { return common_data != 0 && common_data != 42; }' >common_main.c
    echo 'int common_data = 42;' >common_real.c
    echo 'int common_data; int common_more(void) { return 1; }' >common_common.c
    for linker in bfd gold mold; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        common_rows "gcc-11 by gcc-12 $linker" gcc-ar-12 "gcc-12 -flto" "gcc-11 -flto" gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
        common_rows "gcc-11 fat by gcc-12 $linker" gcc-ar-12 "gcc-12 -flto" "gcc-11 -flto -ffat-lto-objects" gcc-12 -fuse-ld="$linker" -B"$mold_directory"
        common_rows "clang-$other by clang-14 $linker" "$ar" "clang-14 -flto" "clang-$other -flto" clang-14 -flto -fuse-ld="$linker" -B"$mold_directory"
    done
    for linker in "${llds[@]}"; do
        [ "$linker" -ge "$other" ] || [ "$linker" -lt 14 ] ||
            common_rows "clang-$other by lld-$linker" "$ar" "clang-14 -flto" "clang-$other -flto" clang-14 -flto -fuse-ld=lld -B"$(dirname "$(lld "$linker")")"
    done
    for linker in bfd gold mold lld; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        index_rows "gcc-12 by $linker" "$work/main.gcc12.slim.o" "$work/f.gcc12.slim.o" "$ar" gcc-12 -flto -fuse-ld="$linker" -B"$mold_directory"
        index_rows "clang-14 by $linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" gcc-ar-12 clang-14 -flto -fuse-ld="$linker" -B"$mold_directory"
    done
    for linker in bfd gold mold; do
        [ "$linker" != mold ] || [ -d "$mold_directory" ] || continue
        archive_rows "clang-$other by clang-14 $linker" "$work/main.clang14.full.o" "$work/f.clang14.full.o" "$work/f.clang$other.full.o" \
            "$work/unused.clang$other.full.o" "$ar" clang-14 -flto -fuse-ld="$linker" -B"$mold_directory"
    done
    [ -d "$mold_directory" ] || return 0
    archive_rows "clang-14 by gcc-12 mold" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.clang14.full.o" \
        "$work/unused.clang14.full.o" "$ar" gcc-12 -flto -fuse-ld=mold -B"$mold_directory"
    archive_rows "gcc-12 by mold without plugin" "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" "$work/f.gcc12.slim.o" \
        "$work/unused.gcc12.slim.o" "$ar" gcc-12 -fno-lto -fuse-ld=mold -B"$mold_directory"
}

truth_archive
run_rows
