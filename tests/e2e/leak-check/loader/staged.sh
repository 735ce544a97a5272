#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check --root: its report of a staged tree, compared with the loader in a root where that tree was installed.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command g++ cmake ldconfig
if [ $# -gt 0 ]; then only=$1; fi

loader=$(readelf -lW "$(command -v bash)" | sed -nE 's/.*program interpreter: (.*)\]/\1/p')
# system DIR: what this machine's loader needs to load a C++ program, and its settings.
system() {
    local file
    for file in "$loader" /etc/ld.so.conf $(ldd "$1.probe" | sed -nE 's/.*=> (\/[^ ]*) .*/\1/p'); do
        mkdir -p "$1$(dirname "$file")"
        cp -L "$file" "$1$file"
    done
    cp -r --parents /etc/ld.so.conf.d "$1" 2>/dev/null || true
}
# installed STAGE: in root/, a system with that stage installed.
installed() {
    echo 'int main() { throw 1; }' | g++ -x c++ - -o root.probe
    mkdir -p root
    system root
    cp -a "$1/." root/
    ldconfig -r root
    chroot root "$loader" --list "$loader" >/dev/null 2>&1 || skip "chroot is not allowed here"
}
# lacks FILE: the libraries that the loader does not find for it in root/, a line each.
lacks() {
    chroot root "$loader" --list "$1" 2>&1 |
        sed -nE 's/^[[:space:]]*([^ ]*) => not found$/\1/p; s/.*error while loading shared libraries: ([^:]*): cannot open.*/\1/p' | sort -u
}
missing_of() { # FILE: the same of the last report
    tr -d '\n' <"$out" | sed 's/"rule"/\n&/g' |
        sed -nE "s|^\"rule\": *\"missing-library\", *\"severity\": *\"error\", *\"path\": *\"${1#/}\".*\"reference\": *\"([^\"]*)\".*|\1|p" | sort -u
}
agree() { # FILE...
    local file
    for file in "$@"; do same "$file lacks: $(missing_of "$file")" "$file lacks: $(lacks "$file")"; done
}
library() { # FILE SONAME [WORD...]
    mkdir -p "$(dirname "$1")"
    echo 'int f() { return 0; }' >f.cpp
    g++ -shared -fPIC f.cpp -o "$1" -Wl,-soname,"$2" "${@:3}"
}
program() { # FILE LIBRARY [WORD...]
    mkdir -p "$(dirname "$1")"
    echo 'int f(); int main() { return f(); }' >main.cpp
    g++ main.cpp "$2" -o "$1" "${@:3}"
}

cmake_install() {
    mkdir project
    cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(p CXX)
add_library(f SHARED f.cpp)
add_executable(p main.cpp)
target_link_libraries(p f)
install(TARGETS f DESTINATION lib)
install(TARGETS p DESTINATION bin)
CMAKE
    echo 'int f() { return 0; }' >project/f.cpp
    echo 'int f(); int main() { return f(); }' >project/main.cpp
    cmake -S project -B build -DCMAKE_INSTALL_PREFIX=/usr/local && cmake --build build
    DESTDIR=$PWD/stage cmake --install build
    installed stage
    check --json --root stage
    exits 0
    agree /usr/local/bin/p
    same "$(lacks /usr/local/bin/p)" ""
    # without its library it is missing before and after
    rm stage/usr/local/lib/libf.so root/usr/local/lib/libf.so
    ldconfig -r root
    check --json --root stage
    exits 1
    agree /usr/local/bin/p
    same "$(lacks /usr/local/bin/p)" libf.so
}
# shellcheck disable=SC2016 # $ORIGIN is the loader's
run_paths() {
    library stage/opt/app/lib/libf.so.1 libf.so.1
    library stage/opt/own/lib64/libg.so.1.2 libg.so.1
    mkdir -p stage/usr/lib stage/opt/other
    ln -s /opt/own/lib64/libg.so.1.2 stage/usr/lib/libg.so.1        # valid only in the root
    ln -s ../app/lib stage/opt/other/lib                            # a directory
    ln -s nowhere.so stage/opt/other/libf.so.1
    program stage/opt/app/bin/absolute stage/opt/app/lib/libf.so.1 -Wl,-rpath,/opt/app/lib
    program stage/opt/app/bin/origin stage/opt/app/lib/libf.so.1 -Wl,-rpath,'$ORIGIN/../lib'
    program stage/opt/app/bin/linked stage/opt/app/lib/libf.so.1 -Wl,-rpath,/opt/other/lib
    program stage/opt/app/bin/plain stage/opt/app/lib/libf.so.1
    program stage/opt/app/bin/wrong stage/opt/app/lib/libf.so.1 -Wl,-rpath,/opt/other
    program stage/opt/app/bin/stage stage/opt/app/lib/libf.so.1 -Wl,-rpath,"$PWD/stage/opt/app/lib"
    program stage/usr/bin/default stage/opt/own/lib64/libg.so.1.2
    mkdir -p stage/srv
    ln -s /opt/app/bin stage/srv/bin
    installed stage
    check --json --notes --root stage
    exits 1
    agree /opt/app/bin/{absolute,origin,linked,plain,wrong,stage} /usr/bin/default
    ungraded missing-library opt/app/bin/absolute
    graded missing-library opt/app/bin/plain error
    graded build-directory opt/app/bin/stage error # the stage will not exist
    ungraded dangling-runpath opt/app/bin/absolute
    # without --root the running system's directories count
    check --json stage
    graded dangling-runpath opt/app/bin/absolute warning
}
configured_directories() {
    library stage/opt/conf/libf.so.1 libf.so.1
    program stage/usr/bin/p stage/opt/conf/libf.so.1
    mkdir -p stage/etc/ld.so.conf.d ld.so.conf.d
    printf 'include\tld.so.conf.d/*.conf # as in Fedora\n' >stage/etc/ld.so.conf
    echo '/opt/conf # where it lies' >stage/etc/ld.so.conf.d/conf.conf
    echo /opt/wrong >ld.so.conf.d/conf.conf # of the current directory
    installed stage
    check --json --root stage
    exits 0
    agree /usr/bin/p
    same "$(lacks /usr/bin/p)" ""
}
unwanted() {
    mkdir -p stage/usr/lib/pkgconfig stage/opt stage/usr/share
    ln -s /opt/gcc-11/lib64 stage/usr/lib/toolchain
    library stage/usr/lib/libf.so.1 libf.so.1 -Wl,-rpath,/usr/lib/toolchain
    library stage/usr/lib/libg.so.1 libg.so.1 -Wl,-rpath,/usr/lib/tools
    mkdir -p stage/opt/gcc-11/lib64 stage/usr/lib/tools
    printf 'libdir=%s\nLibs: -lf\n' "$PWD/stage/usr/lib" >stage/usr/lib/pkgconfig/f.pc
    check --json --forbid /opt/gcc-11 --root stage
    exits 1
    graded forbidden-runpath usr/lib/libf.so.1 error
    ungraded forbidden-runpath usr/lib/libg.so.1
    graded forbidden-reference usr/lib/toolchain error
    graded build-directory usr/lib/pkgconfig/f.pc error
    same "$(lacks_nothing)" ""
    check --json --forbid /opt/gcc-11 --vendor stage/usr/lib/pkgconfig --root stage
    graded build-directory usr/lib/pkgconfig/f.pc note
    check --json --forbid /opt/gcc-11 --vendor /usr/lib/pkgconfig --root stage
    graded build-directory usr/lib/pkgconfig/f.pc note
}
lacks_nothing() { tr -d '\n' <"$out" | grep -o '"rule": *"missing-library"' || true; }
whole_system() {
    # zlib is this machine's, and not the root's
    library libf.so.1 libf.so.1
    echo 'extern "C" const char* zlibVersion(); int f(); int main() { return zlibVersion()[0] == 0 || f(); }' >z.cpp
    mkdir -p stage/usr/bin stage/usr/lib
    g++ z.cpp libf.so.1 -lz -o stage/usr/bin/z || skip "no zlib to link with"
    cp libf.so.1 stage/usr/lib/
    check --json --root stage
    exits 0
    installed stage
    check --json --root root
    exits 1
    agree /usr/bin/z
    same "$(missing_of /usr/bin/z)" libz.so.1
}
# What --fix must not change, whatever a tree contains.
outside() { (cd victim && find . -printf '%p %m %i %l\n' | sort && find . -type f -exec sha256sum {} + | sort); }
mended() {
    need_command patchelf
    library stage/usr/lib/x/libf.so libf.so
    # by its path after the install; nothing may name /opt/gcc-11 or the stage
    program stage/usr/bin/p stage/usr/lib/x/libf.so -Wl,-rpath,/opt/gcc-11/lib:/usr/lib/x:"$PWD/stage/usr/lib"
    mkdir -p stage/usr/lib/pkgconfig stage/opt/gcc-11/lib
    printf 'Name: x\nLibs: -L%s -L/usr/lib/x -lf\n' "$PWD/stage/usr/lib" >stage/usr/lib/pkgconfig/x.pc
    # symlinks within the tree, absolute ones too, and out of it
    mkdir -p victim/lib
    cp stage/usr/bin/p victim/lib/libv.so
    cp stage/usr/lib/pkgconfig/x.pc victim/lib/v.pc
    ln -s "$PWD/victim/lib/libv.so" stage/usr/lib/absolute.so
    ln -s ../../../victim/lib/v.pc stage/usr/lib/relative.pc
    ln -s "$PWD/victim/lib" stage/usr/lib/out
    ln -s / stage/top
    cp stage/usr/lib/pkgconfig/x.pc stage/usr/lib/target.pc
    ln -s /usr/lib/target.pc stage/usr/lib/inner.pc
    local before
    before=$(outside)
    local named
    for named in absolute.so relative.pc; do # named, so they are followed
        check --fix --root stage --forbid /opt/gcc-11 "stage/usr/lib/$named"
        exits 1
        says "^left as it is: .*$named: it is outside --root " '^    hint: name it separately, without --root$'
        same "$(outside)" "$before"
    done
    check --fix --root stage stage/usr/lib/out/v.pc
    exits 2
    says 'is not in --root stage'
    check --fix --root stage --forbid /opt/gcc-11
    exits 1 # the texts
    says '^to change: usr/lib/pkgconfig/x\.pc, line 2$' '^    \+ Libs: -L/usr/lib/x -lf$' '^to change: usr/lib/target\.pc, line 2$'
    same "$(outside)" "$before"
    same "$(readelf -d stage/usr/bin/p | sed -nE 's/.*\(RUNPATH\).*\[(.*)\]/\1/p')" /usr/lib/x
    same "$(tail -n 1 stage/usr/lib/pkgconfig/x.pc)" "Libs: -L$PWD/stage/usr/lib -L/usr/lib/x -lf"
}
refusals() {
    mkdir -p stage other
    check --root absent
    exits 2
    says '--root absent is not a directory'
    check --root stage other
    exits 2
    says 'other is not in --root stage' '^hint: use the current names of files and directories in the staged tree$'
    mkdir -p stage/usr/lib
    local path
    for path in usr/lib /usr/lib; do
        check --root stage "$path"
        exits 2
        says '^hint: use its current name: stage/usr/lib$'
    done
    says '/usr/lib is not in --root stage'
    check --root stage usr/lib
    says 'there is no usr/lib here, but there is one in --root stage'
    # symlinks in circles, and out of the tree
    ln -s b stage/a && ln -s a stage/b && ln -s ../../../../../etc/../etc stage/out && ln -s / stage/top
    library stage/libf.so libf.so -Wl,-rpath,/a:/out:/top/top/top
    check --root stage
    exits 0
    prints '^warning: dangling-runpath: /a$'
}

it "a DESTDIR install is judged as its loader finds it once installed" cmake_install
it "run paths and symlinks are resolved as after the install, and the stage itself is unwanted" run_paths
it "directories of ld.so.conf count, and of the files that it includes relative to itself" configured_directories
it "unwanted paths are found by the tree's own symlinks, and --vendor matches either spelling" unwanted
it "a root with its own loader uses nothing of this machine" whole_system
it "--fix changes a staged tree for its installed paths, and nothing outside of it" mended
it "what is not a staged tree is refused, and symlinks do not lead out of it" refusals
finish
