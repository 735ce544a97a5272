#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each verdict beside what the real linker then does: no link that fails is let through, none that works is refused but for `risky`
# rows, and what a linker loses without a word is called so. With the lab over all its compilers, else over those of the machine.
#
#   truth.sh [-j N] [-v] gcc|llvm|mixed|archive|wanted|device
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"

jobs=2 verbose=no
while getopts j:v option; do
    case $option in j) jobs=$OPTARG ;; v) verbose=yes ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
lto_check=$prefix/libexec/hostpin/lto-check
[ -x "$lto_check" ] || fail "no lto-check in $prefix"
cd "$work"

# ---------------------------------------------------------------------------------------------- tools

if [ -d "$lab/bin" ]; then
    export PATH=$lab/bin:$PATH
elif [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then
    without_lab "no lab in $lab"
else
    echo "no lab in $lab: only this machine's tools"
fi
present() { # NAME VERSION...: those of NAME-VERSION that are on PATH
    local name=$1 version
    shift
    for version; do ! command -v "$name-$version" >/dev/null || echo "$version"; done
}
mapfile -t gccs < <(present gcc 9 10 11 12 13 14 15 16)
mapfile -t clangs < <(present clang 13 14 15 16 17 18 19 20 21 22)
mapfile -t llds < <(for dir in "$lab"/linkers/lld-*; do [ ! -d "$dir" ] || echo "${dir##*-}"; done | sort -n)
mapfile -t toolkits < <(for version in 11.2 11.8 12.4 13.0; do [ ! -x "$(cuda "$version")/bin/nvlink" ] || echo "$version"; done)
# lld VERSION: the program. Without the lab the machine's own counts.
if [ ${#llds[@]} -eq 0 ] && command -v ld.lld >/dev/null; then
    mapfile -t llds < <(ld.lld --version | sed -nE 's/.*LLD ([0-9]+)\..*/\1/p')
    lld() { command -v ld.lld; }
else
    lld() { echo "$lab/linkers/lld-$1/ld.lld"; }
fi
mold_directory=$lab/linkers/mold-1.10

# ---------------------------------------------------------------------------------------------- rows

: >rows
# row WHOLE NAME COMMAND...
row() {
    printf '%q ' "$lto_check" "$2" "$1" "${@:3}" >>rows
    echo >>rows
}
run_rows() {
    # Each line was quoted for a shell.
    # shellcheck disable=SC2016
    tr '\n' '\0' <rows | xargs -0 -P "$jobs" -n 1 bash -c 'eval "set -- $1"; exec "$0" "$@"' "$here/row.sh" >results
    [ "$verbose" = no ] || sort -t $'\t' -k 4 results
    echo "$(wc -l <rows) links:"
    cut -f 1-3 results | sort | uniq -c
    same "$(wc -l <results)" "$(wc -l <rows)"
    [ "$(wc -l <rows)" -gt 0 ] || skip "there are no compilers and linkers to compare"
    if grep -v '^agree' results; then fail "lto-check and the linkers do not agree"; fi
}

cat >f.c <<'C'
int f(int x) { return x + 1; }
C
cat >main.c <<'C'
int f(int);
int main(void) { return f(41) != 42; }
C
cat >unused.c <<'C'
int unused(void) { return 7; }
C
in_parallel() { xargs -P "$jobs" -d '\n' -I {} sh -c '{}'; }

gcc_objects() { # MAJOR...: f and main, slim and fat
    local version
    for version; do
        for source in f main unused; do
            echo "gcc-$version -O1 -flto -fno-fat-lto-objects -fPIC -c $source.c -o $source.gcc$version.slim.o"
            echo "gcc-$version -O1 -flto -ffat-lto-objects -fPIC -c $source.c -o $source.gcc$version.fat.o"
        done
    done | in_parallel
}
clang_objects() {
    local version
    for version; do
        for source in f main unused; do
            echo "clang-$version -O1 -flto -fPIC -c $source.c -o $source.clang$version.full.o"
            echo "clang-$version -O1 -flto=thin -fPIC -c $source.c -o $source.clang$version.thin.o"
            [ "$version" -lt 18 ] || echo "clang-$version -O1 -flto -ffat-lto-objects -fPIC -c $source.c -o $source.clang$version.fatlto.o"
        done
    done | in_parallel
}

# ---------------------------------------------------------------------------------------------- sections

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
        # Modes cost more than versions: one older, the same and one newer producer are enough for each.
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
                # Plugins of another suite may want a newer C library than this gold has loaded; then nothing links.
                row runs "$name by gold" "gcc-$driver" -fuse-ld=gold -flto "$main" "$f" -o out
                row exports:f "$name -shared -fno-lto by gold" "gcc-$driver" -fuse-ld=gold -shared -fno-lto "$f" -o out
                row exports:f "$name by ld itself" ld -shared "$f" -o out
            done
        done
    done
}
# GCC knows mold from 12 on. Plugins of another suite want a newer C library than this mold has loaded.
mold_rows() { # DRIVER NAME MAIN F
    [ -d "$mold_directory" ] || return 0
    row runs "$2 by mold" "$1" -fuse-ld=mold -B"$mold_directory" -flto "$3" "$4" -o out
    row exports:f "$2 -shared by mold" "$1" -fuse-ld=mold -B"$mold_directory" -shared "$4" -o out
    row exports:f "$2 -shared -fno-lto by mold" "$1" -fuse-ld=mold -B"$mold_directory" -shared -fno-lto "$4" -o out
}
# An input that is named for its symbols; -R with a directory, or by lld, is a run path.
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
        # Its own version fails too, for the plugin's object has been read as none.
        [[ $3 == *gcc12.* ]] || row runs "$1 by $linker -b binary with the plugin" gcc-12 -fuse-ld="$linker" "$work/main.gcc12.fat.o" "$4" -Wl,--format=binary "$3" -Wl,--format=default -o out
    done
    row runs "$1 by ld --just-symbols of a directory" gcc-12 -flto "$2" "$4" -Wl,--just-symbols="$work" -o out
    row runs "$1 by lld -R" gcc-12 -fuse-ld=lld -fno-lto "$work/main.gcc12.fat.o" "$work/f.gcc12.fat.o" -Wl,-R,"$3" -o out
}
# neighbours N ALL...: N, the one before and the one after.
neighbours() {
    local wanted=$1
    shift
    printf '%s\n' "$@" | grep -x -B 1 -A 1 -e "$wanted"
}

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
            # Plugins of another suite want a newer C library than these linkers have loaded; then nothing links.
            row runs "$name -fuse-ld=gold" "clang-$reader" -flto -fuse-ld=gold "$main" "$f" -o out
            [ ! -d "$mold_directory" ] || row runs "$name -fuse-ld=mold" "clang-$reader" -flto -fuse-ld=mold -B"$mold_directory" "$main" "$f" -o out
            for linker in "${llds[@]}"; do
                [ ! -d "$lab/linkers/lld-$linker" ] || row runs "$name -fuse-ld=lld of $linker" "clang-$reader" -flto -fuse-ld=lld -B"$lab/linkers/lld-$linker" "$main" "$f" -o out
            done
        done
    done
}

# A family's objects before the other's linkers.
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

# archive NAME AR OBJECT...
archive() { rm -f "$1" && "$2" "${ar_mode:-rcs}" "$1" "${@:3}"; }

# start_lib_rows NAME MAIN OWN-F OTHER-F OTHER-UNUSED LINK...: objects that wait as members of an archive do
start_lib_rows() {
    local name=$1 main=$2 own=$3 other=$4 unused=$5
    shift 5
    row runs "$name: --start-lib, not needed" "$@" "$main" "$own" -Wl,--start-lib "$unused" -Wl,--end-lib -o out
    row runs "$name: --start-lib, needed" "$@" "$main" -Wl,--start-lib "$other" "$unused" -Wl,--end-lib -o out
    row runs "$name: --start-lib before it is needed" "$@" -Wl,--start-lib "$own" "$unused" -Wl,--end-lib "$main" -o out
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

# index_rows NAME MAIN F OTHER-AR LINK...: an archive by an ar that does not know what is in its members
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

# common_rows NAME AR OWN OTHER LINK...: an archive with what is a tentative definition so far, for good or tentatively. OWN and OTHER
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
    local ar driver other linker file
    gcc_objects 11 12 "${gccs[0]}" "${gccs[-1]}"
    clang_objects 14 "${clangs[-1]}"
    for other in 11 "${gccs[0]}" "${gccs[-1]}"; do
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
    ar=$(command -v llvm-ar-22 llvm-ar-21 llvm-ar-19 llvm-ar-14 llvm-ar | head -n 1)
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

# The newest GCC of the lab that each toolkit takes.
declare -A host_of=([11.2]=10 [11.8]=11 [12.4]=13 [13.0]=14)
device_objects() {
    local version
    cat >kernel.cu <<'CU'
__device__ int device_f(int);
__global__ void kernel(int *x) { *x = device_f(*x); }
int main() { return 0; }
CU
    cat >device.cu <<'CU'
__device__ int device_f(int x) { return x + 1; }
CU
    cat >other.cu <<'CU'
__device__ int device_unused(int x) { return x + 2; }
CU
    for version; do
        nvcc="$(cuda "$version")/bin/nvcc -ccbin $(host_compiler "$version")"
        for source in kernel device other; do
            echo "$nvcc -dc -gencode arch=compute_80,code=lto_80 $source.cu -o $source.$version.lto.o"
            echo "$nvcc -dc -gencode arch=compute_80,code=sm_80 $source.cu -o $source.$version.sm.o"
        done
        echo "$nvcc -dc -gencode arch=compute_80,code=[lto_80,sm_80] device.cu -o device.$version.both.o"
        echo "$nvcc -dc -gencode arch=compute_80,code=[lto_80,compute_80] device.cu -o device.$version.ptx.o"
    done | in_parallel
}
host_compiler() {
    if [ -d "$lab/bin" ]; then echo "$lab/bin/g++-${host_of[$1]}"; else command -v g++; fi
}

# nvlink wants libnvvm in a place of its own; some installations of the toolkit have it elsewhere.
nvvm_of() { # TOOLKIT
    local root
    root=$(cuda "$1")
    if [ -e "$root/nvvm/lib64/libnvvm.so" ]; then
        echo "$root/nvvm"
    else
        mkdir -p "$work/nvvm-$1/lib64"
        ln -sfn "$root/nvvm/libdevice" "$work/nvvm-$1/libdevice"
        ln -sfn "$root/lib64/libnvvm.so" "$work/nvvm-$1/lib64/libnvvm.so"
        echo "$work/nvvm-$1"
    fi
}

truth_device() {
    local a b linker name root nvlink nvcc lto
    [ ${#toolkits[@]} -gt 0 ] || skip "there is no CUDA toolkit"
    device_objects "${toolkits[@]}"
    for linker in "${toolkits[@]}"; do
        root=$(cuda "$linker")
        lto=-dlto
        [ "$linker" != 11.2 ] || lto=-lto
        nvlink=("$root/bin/nvlink" -arch=sm_80 -m64 -cpu-arch=X86_64 "-L$root/lib64" -lcudadevrt -o out.cubin)
        for a in "${toolkits[@]}"; do
            for b in "${toolkits[@]}"; do
                row kernel:kernel "CUDA $a and $b by nvlink $linker" "${nvlink[@]}" "$lto" "-nvvmpath=$(nvvm_of "$linker")" "$work/kernel.$a.lto.o" "$work/device.$b.lto.o"
            done
            row kernel:kernel "CUDA $a by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
            row kernel:kernel "CUDA $a with machine code by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$linker.sm.o" "$work/device.$a.both.o"
            row kernel:kernel "CUDA $a with PTX by nvlink $linker without -dlto" "${nvlink[@]}" "$work/kernel.$linker.sm.o" "$work/device.$a.ptx.o"
            name=$work/lib.$a.$linker
            archive "$name.a" ar "$work/device.$linker.lto.o" "$work/other.$a.lto.o"
            row kernel:kernel "CUDA $a not needed in an archive by nvlink $linker" "${nvlink[@]}" "$lto" "-nvvmpath=$(nvvm_of "$linker")" "$work/kernel.$linker.lto.o" "$name.a"
            [ -e "$root/nvvm/lib64/libnvvm.so" ] || continue
            nvcc=("$root/bin/nvcc" -ccbin "$(host_compiler "$linker")" -dlto -arch=sm_80 -keep -o out)
            row kernel:kernel "CUDA $a by nvcc $linker -dlink" "${nvcc[@]}" -dlink "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
            row kernel:kernel "CUDA $a by nvcc $linker -dlto" "${nvcc[@]}" "$work/kernel.$a.lto.o" "$work/device.$a.lto.o"
        done
    done
}

# shellcheck source=tests/e2e/lto-check/truth/wanted.sh
. "$here/wanted.sh"

[ $# -eq 1 ] || fail "usage: truth.sh [-j N] [-v] gcc|llvm|mixed|archive|wanted|device"
"truth_$1"
run_rows
