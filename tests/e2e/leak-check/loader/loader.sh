#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# loader.sh LEAK_TRUTH [WORDS]: what leak-check reports that the loader would load, compared with what it loads.
truth=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command gcc g++ patchelf
if [ $# -gt 1 ]; then only=$2; fi

# Nothing loads this copy, so wrong-libstdcxx reports for each file which libstdc++ and libgcc_s it would load.
witness=$work/witness
mkdir -p "$witness" "$work/bound"
for library in libstdc++.so.6 libgcc_s.so.1; do cp "$(realpath "$(g++ -print-file-name=$library)")" "$witness/$library"; done

# bound [GCC-DIRECTORY]: its prefix is the one whose loaders may be run.
bound() {
    cat >"$work/bound/binding.toml" <<TOML
[host]
family = "gcc"
gcc-install = "${1:-}"
front-end = "/nonexistent/host/cc1plus"
command = ["/nonexistent/host/c++"]
[stdenv]
gcc-install = "/nonexistent/stdenv"
front-end = "/nonexistent/stdenv/cc1plus"
libstdcxx = { path = "$witness/libstdc++.so.6", release = 99 }
[toolkit]
root = "/nonexistent/cuda"
nvcc = "/nonexistent/cuda/bin/nvcc"
TOML
}
bound
report() { # TREE; without searching its bytes, which shows nothing about the loader
    call "$hostpin" leak-check --json --metadata --binding "$work/bound" "$1"
    [ "$status" -le 1 ] || { show_call; fail "leak-check could not scan $1"; }
}
agrees() { # TREE
    report "$1"
    cp "$out" report.json
    "$truth" report.json "$1" >compared || { cat compared; fail "the loader and leak-check differ"; }
    tail -n 1 compared | sed "s|^tree: |made: |" >>"$work/compared"
}
# takes FILE LIBRARY-PATH: in the last report; an empty path for no file of the tree.
takes() {
    local taken
    taken=$(tr -d '\n' <report.json | sed 's/"rule"/\n&/g' | sed -nE \
        "s|^\"rule\": *\"wrong-libstdcxx\".*\"path\": *\"$1\".*\"reference\": *\"libstdc[+]{2}.so.6\", *\"resolved\": *\"([^\"]*)\".*|\1|p")
    same "$1 takes ${taken#"$PWD/"}" "$1 takes ${2:-$(realpath "$(g++ -print-file-name=libstdc++.so.6)")}"
}

# ---------------------------------------------------------------------------------------------- real trees

# A root's programs have its own loader, which is run because the binding's compiler is in that root.
root() { # NAME GCC
    local gcc
    need_lab "roots/$1"
    gcc=$(dirname "$(find "$lab/roots/$1/usr" -path "*/$2/cc1plus" -print -quit)")
    bound "${gcc/libexec/lib}"
    agrees "$lab/roots/$1"
}
notices() { # TREE: that a difference is one
    report "$1"
    mv "$out" right.json
    sed '0,/"resolved": "[^"]*libstdc/s//&X/' right.json >wrong.json
    call "$truth" wrong.json "$1"
    exits 1
    prints 'libstdc\+\+\.so\.6: the loader says ' ': 1 differences$'
    sed 's/"wrong-libstdcxx"/"other"/' right.json >nothing.json
    call "$truth" nothing.json "$1"
    exits 1
    prints 'leak-check nothing$'
}

# ---------------------------------------------------------------------------------------------- made for it

# shellcheck disable=SC2016 # $ORIGIN and its like are the loader's
{
copies() {
    local directory
    for directory; do mkdir -p "tree/$directory" && cp "$witness/libstdc++.so.6" "tree/$directory/"; done
}
# library DIRECTORY NAME LINKER-OPTION...: one that needs libstdc++.
library() {
    mkdir -p "tree/$1"
    echo "#include <new>
int $2() { return *new int; }" >"$2.cpp"
    g++ -shared -fPIC "$2.cpp" -o "tree/$1/lib$2.so" -Wl,-soname,"lib$2.so" "${@:3}"
}
# program NAME LIBRARY... -- LINKER-OPTION...: needs those, in that order, and libstdc++ only through them.
program() {
    local name=$1 libraries=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do libraries+=("$1") && shift; done
    mkdir -p tree/bin
    echo 'int main() { return 0; }' >main.c
    gcc main.c -o "tree/bin/$name" -Wl,--no-as-needed,--allow-shlib-undefined "${libraries[@]}" "${@:2}"
}
notices_in_a_library() {
    copies x
    library lib a "$runpath"'$ORIGIN/../x'
    notices tree
}
rpath=-Wl,--disable-new-dtags,-rpath, runpath=-Wl,--enable-new-dtags,-rpath,

inheritance() {
    copies x
    library lib a
    library own b "$runpath"'$ORIGIN/../absent'
    program inherits tree/lib/liba.so -- "$rpath"'$ORIGIN/../lib:$ORIGIN/../x'
    program lacks tree/lib/liba.so -- "$runpath"'$ORIGIN/../lib:$ORIGIN/../x'
    program hidden tree/own/libb.so -- "$rpath"'$ORIGIN/../own:$ORIGIN/../x'
    program nowhere tree/lib/liba.so --
    agrees tree
    takes bin/inherits tree/x/libstdc++.so.6
    takes bin/lacks ''
    takes bin/hidden ''
    graded missing-library bin/nowhere error
}
order() {
    copies x y
    library lib a "$runpath"'$ORIGIN/../x'
    library lib b "$runpath"'$ORIGIN/../y'
    program first tree/lib/liba.so tree/lib/libb.so -- "$runpath"'$ORIGIN/../lib'
    program second tree/lib/libb.so tree/lib/liba.so -- "$runpath"'$ORIGIN/../lib'
    # the program's own NEEDED entries come before those of its libraries, whatever their order
    program direct tree/lib/libb.so tree/x/libstdc++.so.6 -- "$runpath"'$ORIGIN/../lib:$ORIGIN/../x'
    agrees tree
    takes bin/first tree/x/libstdc++.so.6
    takes bin/second tree/y/libstdc++.so.6
    takes bin/direct tree/x/libstdc++.so.6
}
tokens() {
    copies lib64 lib lib/x86_64-linux-gnu for/x86_64/x for/haswell/x for/xeon_phi/x deep/x
    library deep/lib a
    program origin "$witness/libstdc++.so.6" -- "$runpath"'${ORIGIN}/../deep/lib/../x'
    program lib "$witness/libstdc++.so.6" -- "$runpath$PWD/tree/"'$LIB'
    program platform "$witness/libstdc++.so.6" -- "$runpath$PWD/tree/for/"'${PLATFORM}/x'
    program unknown "$witness/libstdc++.so.6" -- "$runpath"'$ORIGINAL/x:${ORIGIN/../x:$NOTHING/x'
    agrees tree
    takes bin/origin tree/deep/x/libstdc++.so.6
    ln -s tree/bin linked
    ln tree/bin/origin tree/deep/hard
    agrees linked
    agrees tree
}
places() {
    copies x x/glibc-hwcaps/x86-64-v2 x/glibc-hwcaps/x86-64-v3 x/glibc-hwcaps/x86-64-v4 y
    mkdir -p tree/narrow tree/far
    # a file that is not a library ends the search, and a library for another machine does not
    mkdir -p tree/text tree/directory/libstdc++.so.6
    echo text >tree/text/libstdc++.so.6
    program text "$witness/libstdc++.so.6" -- "$runpath"'$ORIGIN/../text:$ORIGIN/../y'
    program directory "$witness/libstdc++.so.6" -- "$runpath"'$ORIGIN/../directory:$ORIGIN/../y'
    echo | as --32 -o narrow.o && ld -m elf_i386 -shared narrow.o -soname libstdc++.so.6 -o tree/narrow/libstdc++.so.6
    program narrow "$witness/libstdc++.so.6" -- "$runpath"'$ORIGIN/../narrow:$ORIGIN/../y'
    program capable "$witness/libstdc++.so.6" -- "$runpath"'$ORIGIN/../x'
    program dangling "$witness/libstdc++.so.6" -- "$runpath"'$ORIGIN/../absent:/absent:$ORIGIN/../y'
    program relative "$witness/libstdc++.so.6" -- "$runpath"'tree/y'
    program empty "$witness/libstdc++.so.6" -- "$runpath"':$ORIGIN/../y'
    program no-defaults "$witness/libstdc++.so.6" -- -Wl,-z,nodefaultlib
    library y c -Wl,-z,nodefaultlib
    program library-without-defaults tree/y/libc.so -- "$runpath"'$ORIGIN/../y'
    agrees tree
    takes bin/narrow tree/y/libstdc++.so.6
    takes bin/dangling tree/y/libstdc++.so.6
    takes bin/relative tree/y/libstdc++.so.6
    graded missing-library bin/no-defaults error
    graded missing-library bin/text error
    graded missing-library bin/directory error
    graded missing-library bin/library-without-defaults error
    LD_LIBRARY_PATH=$PWD/tree/y report tree
    cmp "$out" report.json || fail "LD_LIBRARY_PATH changes the report"
}
names() {
    copies x y
    library lib a "$runpath"'$ORIGIN/../x'
    # needed by its path, and under another name than its own
    cp tree/y/libstdc++.so.6 tree/y/libstdc++-y.so
    program by-path tree/lib/liba.so -- "$runpath"'$ORIGIN/../lib'
    cp tree/bin/by-path tree/bin/renamed
    cp tree/bin/by-path tree/bin/absent
    patchelf --add-needed "$PWD/tree/y/libstdc++.so.6" tree/bin/by-path
    patchelf --set-rpath '$ORIGIN/../lib:$ORIGIN/../y' --add-needed libstdc++-y.so tree/bin/renamed
    patchelf --add-needed "$PWD/tree/absent/libx.so" tree/bin/absent
    agrees tree
    graded missing-library bin/absent error
}
cache() {
    need_mounts
    need_command ldconfig
    copies x
    library lib a
    program main tree/lib/liba.so --
    program run-path tree/lib/liba.so -- "$runpath"'$ORIGIN/../lib'
    printf '%s\n' "$PWD/tree/x" "$PWD/tree/lib" /usr/local/lib /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu >conf
    ldconfig -X -C cache -f conf
    export -f agrees report call takes same fail graded grades literally exits show_call
    export work hostpin truth out err
    unshare -m bash -euc 'mount --bind cache /etc/ld.so.cache; agrees tree; takes bin/main tree/x/libstdc++.so.6
        takes bin/run-path tree/x/libstdc++.so.6'
    agrees tree
    takes bin/run-path ''
    graded missing-library bin/main error
}
}

it "DT_RPATH is inherited, DT_RUNPATH is not and hides it" inheritance
it "the library that is loaded first satisfies all that need it" order
it "tokens are expanded as by the loader" tokens
it "other machines' libraries, processors, dangling and missing directories: as in the loader" places
it "libraries needed by path or under another name are those that the loader loads" names
it "a changed ld.so.cache is used" cache
for directory in /usr/bin /usr/lib/x86_64-linux-gnu /usr/lib/llvm-* /usr/local/cuda-*; do
    if [ -d "$directory" ]; then it "$directory as its loader resolves it" agrees "$directory"; fi
done
it "a difference in a program is noticed" notices /usr/bin
it "a difference in a library is noticed" notices_in_a_library
for toolkit in 11.2 11.8 12.4; do
    if [ -d "$lab/cuda-$toolkit" ]; then it "the lab's CUDA $toolkit as its loader resolves it" agrees "$lab/cuda-$toolkit"; fi
done
it "the lab's bullseye as its own loader resolves it" root bullseye 9
it "the lab's trixie as its own loader resolves it" root trixie 14
it "the lab's sid as its own loader resolves it" root sid 16
cat "$work/compared"
finish
