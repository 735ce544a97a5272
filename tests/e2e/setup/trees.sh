#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# trees.sh MADE-TREE: a compiler that is made of packages runs from where it is, with the libraries of those packages alone. The packages
# are the machine's own g++, repacked as .deb, .rpm and .pkg.tar.zst.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/setup/programs.sh
. "$(dirname "$0")/programs.sh"
made_tree=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
need_command python3 xz zstd dpkg-query readelf
major=$(PATH=$plain_path g++ -dumpversion)
major=${major%%.*}
dpkg-query -W "g++-$major" >/dev/null 2>&1 || skip "g++ $major is no package of Debian's"
stdenv=$(PATH=$plain_path command -v g++)
mkdir "$work/packages"
python3 "$here/repack.py" "$work/packages" "g++-$major" >"$work/list"
mapfile -t packages <"$work/list"
place="$work/a directory/gcc-$major"
mkdir "$work/a directory"
"$made_tree" gcc "$major" machine "$stdenv" "$place" "${packages[@]}"
compiler=$place/bin/g++-$major

of_all_formats() {
    local suffix
    for suffix in deb rpm pkg.tar.zst; do [ "$(grep -c "\.$suffix\$" "$work/list")" -gt 5 ]; done
}
it "the packages are of all three formats" of_all_formats

runs_from_there() {
    local cc1plus
    cc1plus=$("$compiler" -print-prog-name=cc1plus)
    [[ $cc1plus == "$place"/usr/* ]]
    [[ $("$compiler" -print-prog-name=as) == "$place"/usr/bin/*as ]]
    readelf -lW "$cc1plus" | contains -F "interpreter: $place/usr/"
    readelf -dW "$cc1plus" | contains -F "RPATH"
    # What the loader would take, with none of it from the machine.
    [ "$(LD_TRACE_LOADED_OBJECTS=1 "$cc1plus" | grep -cF '=> /')" -gt 4 ]
    ! LD_TRACE_LOADED_OBJECTS=1 "$cc1plus" | grep -F '=> /' | grep -vF "$place/"
}
it "programs of the compiler load its own libraries alone" runs_from_there

sanitized() { # its libtsan has thread-local symbols whose values look like addresses of what had to move
    cat >"$work/s.cpp" <<'CODE'
#include <iostream>
#include <thread>
int main() { std::thread([] { std::cout << "ok\n"; }).join(); }
CODE
    local kind
    for kind in address thread undefined; do
        "$compiler" -fsanitize=$kind "$work/s.cpp" -o "$work/s-$kind"
        [ "$("$work/s-$kind")" = ok ]
    done
    "$compiler" -O2 -flto "$work/s.cpp" -o "$work/s-lto"
    [ "$("$work/s-lto")" = ok ]
    "$compiler" -static "$work/s.cpp" -o "$work/s-static"
    [ "$("$work/s-static")" = ok ]
}
it "it makes programs with sanitizers, LTO and static libraries" sanitized

owned() {
    [ -s "$place/licenses/g++-$major" ] || [ -s "$place/licenses/gcc-$major-base" ]
    [ -z "$(find "$place" -type f ! -perm -u=w)" ]
    rm -r "$place"
}

refused() { # WORDS COMMAND...
    local words=$1 status=0
    shift
    "$@" >"$work/said" 2>&1 || status=$?
    cat "$work/said"
    [ "$status" = 1 ]
    grep -qF "$words" "$work/said"
}
colon() { refused "its path contains the character :" "$made_tree" gcc "$major" machine "$stdenv" "$work/a:b" "${packages[@]}"; }
it "a directory whose path loaders split is refused" colon

cut() {
    local damaged=$work/damaged.deb
    head -c 2000 "$(grep -m 1 '\.deb$' "$work/list")" >"$damaged"
    refused "cannot unpack $damaged: it is damaged: a member reaches past its end" "$made_tree" gcc "$major" machine "$stdenv" "$work/cut" "$damaged"
}
it "a package that is cut short is named" cut

lacking() {
    refused "have no C library, libc.so.6" "$made_tree" gcc "$major" machine "$stdenv" "$work/lacking" "$(grep -m 1 "/g++-$major\." "$work/list")"
}
it "packages without a C library make no compiler" lacking

noexec() {
    need_mounts
    mkdir -p "$work/noexec"
    # shellcheck disable=SC2016 # the inner shell's
    refused "its file system is mounted noexec" unshare -m sh -c 'mount -t tmpfs -o noexec none "$1" && shift && exec "$@"' - "$work/noexec" \
        "$made_tree" gcc "$major" machine "$stdenv" "$work/noexec/gcc" "$(grep -m 1 'libc6\.' "$work/list")"
}
it "a file system that is mounted noexec is refused" noexec

other_headers() {
    local clang version="" headers=$work/headers place=$work/clang
    clang=$(realpath -q "$(PATH=$plain_path command -v clang++)") || skip "no Clang on this machine"
    version=$("$clang" -dumpversion)
    version=${version%%.*}
    dpkg-query -W "clang-$version" >/dev/null || skip "Clang $version is no package of Debian's"
    mkdir "$work/more"
    python3 "$here/repack.py" "$work/more" "clang-$version" >"$work/more.list"
    local dev=()
    mapfile -t dev < <(grep -E '/(libc6-dev|linux-libc-dev|libcrypt-dev)\.' "$work/list")
    "$made_tree" headers "$headers" "${dev[@]}"
    mapfile -t packages <"$work/more.list"
    "$made_tree" clang "$version" "$headers" "$stdenv" "$place" "${packages[@]}"
    "$place/bin/clang++-$version" -H -c "$work/s.cpp" -o s.o 2>included
    grep -qF " $headers/usr/include/stdlib.h" included
    if grep -F " /usr/include/stdlib.h" included; then fail "it read the machine's"; fi
    "$place/bin/clang++-$version" -pthread "$work/s.cpp" -o s 2>warnings
    [ ! -s warnings ]
    [ "$(./s)" = ok ]
}
it "Clang reads the C library's headers from another tree" other_headers

full() {
    need_mounts
    mkdir -p "$work/full"
    # shellcheck disable=SC2016 # the inner shell's
    refused "hint: free space on the file system of $work/full/gcc" unshare -m sh -c 'mount -t tmpfs -o size=1m none "$1" && shift && exec "$@"' - "$work/full" \
        "$made_tree" gcc "$major" machine "$stdenv" "$work/full/gcc" "$(grep -m 1 'libc6\.' "$work/list")"
    grep -qF 'No space left on device' "$work/said"
}
it "a full disk is named, with the directory to free" full

# Where no other compiler is: cc, c++, as and ld are not on PATH, and what is compiled and linked is of the stdenv.
alone() {
    local place="$work/a directory/stdenv" each traced
    mkdir programs none
    ln -s /usr/bin/{basename,cat,dirname,env,grep,ldd,mktemp,rm,sh,bash,uname,file} programs/ 2>/dev/null || true
    write_programs "$PWD"
    PATH=$PWD/programs "$made_tree" stdenv "$major" "$place" "${packages[@]}"
    [ "$(PATH=$PWD/programs build_programs "$place/bin")" = 'C 2
C++ ok
OpenMP 200
AddressSanitizer 0
C++ ok
C++ ok' ]
    PATH=$PWD/programs "$place/bin/c++" -H -fsyntax-only cxx.cpp 2>headers
    contains -E '^\.+ ' <headers
    ! grep -E '^\.+ ' headers | grep -vF "$place/" || fail 'a header is not of the stdenv'
    traced=$(PATH=$PWD/programs "$place/bin/c++" cxx.cpp -o traced -Wl,--trace)
    ! grep -vF -e "$place/" -e "${TMPDIR:-/tmp}/" <<<"$traced" || fail 'a file of the link is not of the stdenv'
    for each in c cxx openmp address; do
        readelf -lW "$each" | contains -F 'interpreter: /lib64/ld-linux'
        ! ldd "$each" | grep -F "$place/" || fail "$each loads what the machine has from the stdenv"
        same "$(runpath "$each")" ''
    done
    # It is called without files as every driver is.
    "$place/bin/g++" -v >said 2>&1
    contains -F "gcc version $major" <said
    "$place/bin/ar" --version | contains ar
}
it "a stdenv builds programs that run with the machine's own libraries, without any other compiler" alone

it "it has its licence texts, and rm -r asks nothing" owned
finish
