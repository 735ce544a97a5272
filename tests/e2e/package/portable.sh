#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# portable.sh [WORDS]: the tree of the portable tarball: what its programs need, and that they run with glibc 2.31 and no other file. They are
# linked of the objects in build/, which the same commands made, so that nothing is compiled again. HOSTPIN_FULL=1 compiles them as a release
# does, and makes all programs and the archive twice.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0}
callers_locale=${LC_ALL-}
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_command ninja apt-get
need_component checks devicecode redist setup wheel matrix report # which the tarball has
room=$repository/wrapper/package/portable built=$repository/build

# shellcheck source=/dev/null
case $(. /etc/os-release && echo "$ID-$VERSION_ID")-$(c++ -dumpversion) in
debian-12-12*) ;;
*) skip "portable programs are linked on Debian 12 with its GCC 12" ;;
esac
# Warnings are errors in the same builds as in the checkout's.
if grep -q '^HOSTPIN_WERROR:.*=ON' "$built/CMakeCache.txt" 2>/dev/null; then export CI=true; else unset CI; fi
export SOURCE_DATE_EPOCH=1700000000
# ccache compares the locale, which lib.sh has changed.
portable() ( # ARGUMENT...
    if [ -n "$callers_locale" ]; then export LC_ALL=$callers_locale; else unset LC_ALL; fi
    "$room/build" "$@"
)
# A compiler cache that consists of the objects in build/: for a command of that build its object, and otherwise the command is run. The
# script that builds uses what is called ccache.
objects_of_the_build() {
    place=$built/tarball
    [ -f "$built/build.ninja" ] || skip "there is no $built whose objects could be linked (./bootstrap build; HOSTPIN_FULL=1 compiles)"
    ninja -C "$built" -t commands | tr -d '\\"' | tr -s ' ' | sed -n 's#^.*\(/c++ .* -c .*\)#\1#p' >"$work/commands"
    mkdir -p "$bin" "$place"
    find "$place" -path '*/CMakeFiles/*' -name '*.o' -delete # of the build as it was
    cat >"$bin/ccache" <<SH
#!/bin/bash
command=\$(tr -d '\\\\"' <<<"/\${1##*/} \${*:2}" | tr -s ' ')
if grep -qxF -e "\${command//"$place"/"$built"}" "$work/commands"; then
    for ((n = 1; n < \$#; n++)); do case \${!n} in -o) n=\$((n + 1)) && output=\${!n} ;; esac; done
    exec cp "$built/\$output" "\$output"
fi
echo "\${*: -1}" >>"$work/compiled"
exec "\$@"
SH
    chmod +x "$bin/ccache"
    export PATH=$bin:$PATH
}
if [ "$full" = 1 ]; then
    need_command ccache
    place=$repository/build-portable-$(uname -m) # next to build/, so that ccache sees the same relative paths
else
    objects_of_the_build
fi
portable --work "$place" --tree >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
tree=$(echo "$place"/hostpin-*-linux-*/)
tree=${tree%/}

compiled_once() {
    [ "$full" != 1 ] || skip 'HOSTPIN_FULL=1 compiles everything'
    sort -u "$work/compiled" >compiled
    same "compiled: $(sed "s#^$repository/##" compiled | grep -v '^wrapper/package/portable/' | tr '\n' ' ')" 'compiled: '
}
needs_only_glibc() {
    # checked when it was installed
    contains -E '^[0-9]+ programs: glibc 2.28, no other library$' <"$work/log"
    mkdir -p installed/bin
    cp "$hostpin" installed/bin/
    call "$room/check" installed
    exits 1
    says 'bin/hostpin: needs lib' 'bin/hostpin: needs GLIBC_2\.3' 'needs GLIBCXX_'
    same "$(grep -rlF "$repository" "$tree" || true)" ''
}
same_bytes_again() {
    local again=(bin/hostpin libexec/hostpin/nvcc) each # all are linked by the same rule
    if [ "$full" != 1 ]; then
        rm "${again[@]/#/$place/}"
        ninja -C "$place" "${again[@]}"
        for each in "${again[@]}"; do cmp "$place/$each" "$tree/$each"; done
        return
    fi
    cp -a "$tree" first
    find "$place"/{bin,libexec} -type f -delete
    portable --work "$place" --output "$PWD/a" --offline
    portable --work "$place" --output "$PWD/b" --offline
    cmp a/hostpin-*.tar.xz b/hostpin-*.tar.xz
    (cd a && sha256sum --check SHA256SUMS)
    diff -r first "$tree"
}
# bare COMMAND...: in a root with Debian 11's C library, the tree in /hostpin, and a toolkit's headers in /cuda.
bare() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    call unshare -m bash -eu -c '
        root=$1 && shift
        mount -t tmpfs tmpfs "$root" && mkdir "$root"/{proc,dev,hostpin,cuda,tmp,usr}
        mount --bind "$1/usr" "$root/usr" && ln -s usr/lib "$root/lib" && cp -a "$1/lib64" "$root/lib64"
        mount --bind "$2" "$root/hostpin" && mount --bind "$3" "$root/cuda" && mount -t proc proc "$root/proc"
        shift 3
        exec env -i PATH=/hostpin/bin HOME=/tmp CUDA_HOME=/cuda COLUMNS=1000 "$(command -v chroot)" "$root" "$@"' bash "$(mktemp -d "$work/root.XXXX")" \
        "$place/sysroot" "$tree" "$toolkit_root" "$@"
}
runs_with_nothing_else() {
    need_toolkit
    need_mounts
    toolkit_root=$(realpath "$toolkit")
    local command
    bare hostpin --version
    exits 0
    same "$(sed -n 1p "$out")" "$("$hostpin" --version | sed -n 1p)"
    bare hostpin leak-check --rules
    exits 0
    same "$(cat "$out")" "$("$hostpin" leak-check --rules)"
    bare hostpin doctor # there is no compiler
    exits 1
    contains 'there is no C++ compiler' <"$out"
    bare hostpin stdlib-probe gate /cuda/include/crt/host_config.h
    exits 0
    same "$(sed "s#/cuda/#$toolkit_root/#g" "$out")" "$("$hostpin" stdlib-probe gate "$toolkit_root/include/crt/host_config.h")"
    bare hostpin redist lock --help
    exits 0
    bare /hostpin/libexec/hostpin/lto-check --help
    exits 0
    bare /hostpin/libexec/hostpin/redist-fetch --document https://example.org/x
    exits 2
    says "the system's libcurl is needed to download" '^hint: install libcurl 7\.66'
}
downloads_by_the_systems_libcurl() {
    echo '{"release_date": "2024-01-01"}' >document.json
    call "$tree/libexec/hostpin/redist-fetch" --document "file://$PWD/document.json"
    exits 0
    same "$(cat "$out")" "$(cat document.json)"
}

it 'the programs are compiled by the commands of every other build' compiled_once
it 'programs need glibc 2.28 at most, and no other library' needs_only_glibc
it 'they run where there is nothing but glibc 2.31' runs_with_nothing_else
it 'they download by the libcurl of the system' downloads_by_the_systems_libcurl
it 'two links give the same bytes' same_bytes_again
finish
