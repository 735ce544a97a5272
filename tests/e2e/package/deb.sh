#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# deb.sh BUILD: packages made by cpack from a build directory. The Debian packages, one for each component, pass lintian (those of the core and
# of checks; with HOSTPIN_FULL=1 all), are installed by dpkg over this very system (in an overlay that is gone afterwards), work, and leave
# nothing behind; the tarball works where it is unpacked.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
build=$(realpath "$1")
need_hostpin
need_command cpack zstd

# cpack starts cmake for each of 400 files, to set a variable for a program: a shell does that in a tenth of the time.
cat >"$work/cmake" <<SH
#!/bin/sh
if [ "\$1 \$2" = '-E env' ]; then shift 2 && exec env "\$@"; fi
exec "$(command -v cmake)" "\$@"
SH
chmod +x "$work/cmake"
pack() { # GENERATOR PATTERN: the package's path; gzip because lintian does not know zstd
    DEBFULLNAME="A Packager" DEBEMAIL=packager@debian.org cpack --config "$build/CPackConfig.cmake" -G "$1" -B "$work/$1" \
        -D CMAKE_COMMAND="$work/cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/$1.log" 2>&1 || { cat "$work/$1.log" && return 1; }
    find "$work/$1" -maxdepth 1 -name "$2"
}
the_deb_passes_lintian() {
    need_command lintian dpkg-deb
    local checked=("${debs[@]}")
    if [ "$full" != 1 ]; then mapfile -t checked < <(printf '%s\n' "${debs[@]}" | grep -E '/hostpin(-checks)?_'); fi
    lintian --allow-root --fail-on error "${checked[@]}"
}
# Nothing of ours remains; what dpkg keeps about packages is its own.
installed_used_removed() {
    need_command dpkg
    need_mounts
    # of the system's compilers the GCCs, which are quicker to start
    local compilers
    compilers=$(compgen -G '/usr/bin/g++-[1-9]*' | sed 's/.*/"&"/' | paste -sd ,)
    echo "${compilers:+search = \"named\"$'\n'compilers = [$compilers]}" >system.toml
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare -m bash -eu -c '
        mount -t tmpfs tmpfs "$1" && mkdir "$1"/{upper,state,root}
        mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/state" "$1/root" 2>/dev/null || exit 77
        for part in dev proc sys; do mount --rbind "/$part" "$1/root/$part"; done
        mkdir "$1/root/root/debs"
        cp "${@:3}" "$1/root/root/debs"
        cat >"$1/root/root/x.cu" <<<"__global__ void nothing() {}"
        echo "int nothing;" >"$1/root/root/y.cpp"
        cp "$2" "$1/root/root/config.toml"
        chroot "$1/root" env -i PATH="/usr/bin:/bin:/usr/sbin:/sbin" HOME=/root HOSTPIN_CONFIG=/root/config.toml sh -eu -c "
            cd /root
            dpkg -i debs/hostpin_*.deb >/dev/null
            if hostpin wheel --help 2>said; then exit 1; fi
            grep -q \"install the package hostpin-wheel\" said
            dpkg -i debs/*.deb >/dev/null
            test -x /usr/bin/hostpin
            hostpin --version
            hostpin doctor >doctor.txt || test \$? = 1
            if [ -x /usr/local/cuda/bin/nvcc ]; then
                hostpin bind bound >/dev/null
                bound/nvcc -c x.cu -o x.o
                /usr/libexec/hostpin/nvcc -c y.cpp -o y.o
            fi
            man -w hostpin-bind >/dev/null 2>&1 || test ! -x /usr/bin/mandb
            dpkg -P \$(dpkg-query -W -f \"\\\${Package} \" \"hostpin*\") >/dev/null
            rm -r /root/.cache bound 2>/dev/null || :"
        if find "$1/upper/usr" "$1/upper/etc" "$1/upper/var/lib/dpkg/info" -iname "*hostpin*" ! -type c 2>/dev/null | grep .; then
            echo "left behind"
            exit 1
        fi
    ' bash "$(mktemp -d "$work/overlay.XXXX")" system.toml "${debs[@]}" || { [ $? = 77 ] && skip "no overlay file system here"; }
}
the_tarball_works_anywhere() {
    mkdir "a place"
    tar -xf "$tarball" -C "a place" --strip-components=1
    "a place/bin/hostpin" --version
    call "a place/bin/hostpin" lto-check --help
    exits 0
    if ! is_built checks; then return; fi
    call "a place/bin/hostpin" leak-check --no-binding "a place/share"
    exits 0
    call "a place/bin/hostpin" stdlib-probe facts c++
    exits 0
}
a_package_needs_a_maintainer() {
    call env -u DEBEMAIL cpack --config "$build/CPackConfig.cmake" -G DEB -B "$PWD/none"
    [ "$status" != 0 ] || fail "a package without a maintainer was made"
    says 'set DEBFULLNAME'
}
# The bill names what the programs themselves show to be in them.
the_bill_is_true() {
    local bill=$prefix/share/doc/hostpin/hostpin.spdx.json
    same "$(json "$bill" spdxVersion)" SPDX-2.3
    tr -d '\n' <"$bill" | grep -o '"name": "[^"]*"' | cut -d'"' -f4 | sort >names
    local name
    for name in nvcc hostpin leak-check lto-check stdlib-probe LLVM zlib libarchive "GNU C Library"; do
        contains -xF "$name" <names || fail "the bill does not name $name"
    done
    for name in stdlib-probe lto-check leak-check; do
        contains "SPDXRef-program-$name\", \"relationshipType\": \"STATIC_LINK" <"$bill" || fail "nothing in $name?"
    done
    name=$("$hostpin" --version | sed -n 's/^with LLVM \([0-9.]*\),.*/\1/p')
    [ -n "$name" ] || fail "--version does not tell the release of LLVM"
    ! command -v dpkg-query >/dev/null || contains -E "\"LLVM\", \"versionInfo\": \"([0-9]+:)?$name" <"$bill" || fail "--version says LLVM $name, the bill does not"
    ! grep 'licenseDeclared": "NOASSERTION' "$bill" || fail "give it a row in components.tsv"
    strings -n 8 "$prefix/libexec/hostpin/leak-check" | contains 'libarchive 3' || fail "no libarchive in leak-check"
}
mapfile -t debs < <(pack DEB '*.deb')
tarball=$(pack TZST '*.tar.zst')
it "the Debian packages pass lintian" the_deb_passes_lintian
it "they are installed, work and are removed cleanly, and the core works alone" installed_used_removed
it "the tarball works where it is unpacked" the_tarball_works_anywhere
it "a package needs somebody who answers for it" a_package_needs_a_maintainer
it "the bill of materials is true" of checks the_bill_is_true
finish
