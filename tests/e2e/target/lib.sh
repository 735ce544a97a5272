# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after tests/e2e/lib.sh and tests/e2e/redist/lib.sh by the scripts of this folder.
: "${work:?}" "${lab:?}" "${hostpin:?}"

# need_target RELEASE TRIPLE GCC...: a toolkit with files for x86_64, sbsa and ppc64le as $toolkit, composed of the archives of that release by
# hostpin itself; cross compilers of those majors; and for TRIPLE $processor, $directory (in the toolkit) and $machine (readelf's word for it).
# shellcheck disable=SC2034,SC2154 # the scripts' own, and those of redist/lib.sh
need_target() {
    local release=$1 store=$lab/.cross each
    triple=$2
    shift 2
    case $triple in
    aarch64-*) processor=aarch64 directory=sbsa-linux machine=AArch64 ;;
    powerpc64le-*) processor=ppc64le directory=ppc64le-linux machine=PowerPC64 ;;
    esac
    need_command "qemu-$processor-static"
    for each; do need_lab "bin/$triple-g++-$each"; done
    need_archives "$release" --toolkit
    toolkit=$work/cuda-$release
    if [ -d "$toolkit" ]; then return; fi
    "$hostpin" redist lock "$manifest" --platforms linux-x86_64,linux-sbsa,linux-ppc64le --packages cuda_cccl,cuda_cudart,cuda_nvcc \
        -o "$work/$release.lock" 2>/dev/null
    "$hostpin" redist fetch "$work/$release.lock" --store "$store" --mirror "$archives" >"$work/fetch.log" 2>&1 ||
        { cat "$work/fetch.log" && fail 'fetch'; }
    "$hostpin" redist compose "$work/$release.lock" "$toolkit" --store "$store" --host linux-x86_64 --target linux-x86_64 \
        --target linux-sbsa --target linux-ppc64le >"$work/compose.log" 2>&1 || { cat "$work/compose.log" && fail 'compose'; }
}
cross() { echo "$lab/bin/$triple-g++-$1"; }

# emulated CXX PROGRAM ARGUMENT...: run with the loader and the libraries of that cross compiler, the toolkit's for the target, and those next to
# the program.
emulated() {
    local libc
    libc=$(realpath "$("$1" -print-file-name=libc.so.6)")
    shift
    "qemu-$processor-static" -L "${libc%/lib/*}" -E "LD_LIBRARY_PATH=$toolkit/targets/$directory/lib:${1%/*}" "$@"
}
# commands_without PATTERN: ./commands, links to all programs of the machine except those.
commands_without() {
    mkdir commands
    find /usr/bin -maxdepth 1 ! -xtype d ! -name "$1" -exec ln -st commands {} +
}
logged() {
    if "$@" >>log 2>&1; then return; fi
    tail -n 40 log
    fail "$*"
}
# As readelf prints them: `libc.so.6 GLIBC_2.34` for each version that a file needs; those that a library defines.
versions_needed() {
    readelf -VW "$1" | awk '/^Version / { needs = $2 == "needs" }
        needs { for (i = 1; i < NF; ++i) if ($i == "File:") file = $(i + 1); else if ($i == "Name:") print file, $(i + 1) }'
}
versions_defined() { # what readelf prints
    awk '/^Version / { defines = $2 == "definition" }
        defines { for (i = 1; i < NF; ++i) if ($i == "Name:") print $(i + 1) }'
}
# described FILE: what readelf prints of it, kept, unless a case made it: the same libraries are looked at for each program.
described() {
    local kept=$work/described${1//\//_}
    case $1 in "$work/case"/*) rm -f "$kept" ;; esac
    [ -e "$kept" ] || readelf -hVW "$1" >"$kept" 2>/dev/null
    cat "$kept"
}
# Each version that the file needs is defined by the library of that name: next to it, of the toolkit, or of that compiler.
versions_are_of_target() { # CXX FILE
    local name provider missing
    versions_needed "$2" >versions
    while read -r name; do
        for provider in "$(realpath -s "$(dirname "$2")")/$name" "$toolkit/targets/$directory/lib/$name" "$("$1" "-print-file-name=$name")"; do
            if [ -e "$provider" ]; then break; fi
        done
        described "$provider" >library
        contains "Machine:.*$machine" <library || fail "$provider, which $2 needs, is not for $machine"
        versions_defined <library >defined
        missing=$(awk -v name="$name" '$1 == name { print $2 }' versions | grep -vxFf defined || true)
        [ -z "$missing" ] || fail "$2 needs $missing of $name, which $provider does not define"
    done < <(cut -d' ' -f1 versions | sort -u)
    cut -d' ' -f2 versions
}
# is_of_target CXX FILE...: programs and libraries of the target only, with the loader of that compiler's programs, search paths without
# files of another machine, and no version that the target's libraries lack.
is_of_target() {
    local cxx=$1 file directory_of other versions loader=$work/loader${1//\//_}
    shift
    if [ ! -e "$loader" ]; then
        echo 'int main() {}' >plain.c
        "$cxx" plain.c -o plain
        readelf -l plain | grep 'program interpreter' >"$loader"
    fi
    for file; do
        readelf -hldW "$file" >elf
        contains "Machine:.*$machine" <elf || fail "$file is for $(grep Machine elf)"
        if contains 'program interpreter' <elf; then same "$(grep 'program interpreter' elf)" "$(<"$loader")"; fi
        sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' elf >needed
        ! grep / needed || fail "a path that $file needs"
        versions=$(versions_are_of_target "$cxx" "$file") || fail "$versions"
        if contains 'libc\.so' <needed; then contains GLIBC_ <<<"$versions" || fail "$file needs no version of libc"; fi
        if contains 'libstdc++' <needed; then contains GLIBCXX_ <<<"$versions" || fail "$file needs no version of libstdc++"; fi
        while read -rd : directory_of; do
            case $directory_of in '' | "\$ORIGIN"*) continue ;; esac
            other=$(find "$directory_of/" -maxdepth 1 -name 'lib*.so*' -type f -exec readelf -h {} + 2>/dev/null | grep Machine | grep -v "$machine" || true)
            [ -z "$other" ] || fail "$file has $directory_of in its RUNPATH, where libraries are for $other"
        done <<<"$(runpath "$file"):"
    done
}
