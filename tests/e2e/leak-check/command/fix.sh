#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check --fix on output of real compilers: what is certain is fixed, the program still runs, and
# everything else is unchanged, byte for byte.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
need_command patchelf
if [ $# -gt 0 ]; then only=$1; fi

# leaking NAME LINKER-WORD...: tree/bin/NAME, which loads tree/lib/libf.so.1
leaking() { g++ main.cpp tree/lib/libf.so -o "tree/bin/$1" "${@:2}"; }
# untouched COMMAND...: fails if it changes a byte or a name of tree/.
sums() { (cd tree && find . -printf '%p %m %i\n' | sort && find . -type f -exec sha256sum {} + | sort); }
untouched() {
    local before
    before=$(sums)
    "$@"
    same "$(sums)" "$before"
}

repaired() {
    tree
    mkdir -p stubs/cuda/stubs build
    touch stubs/cuda/stubs/libcuda.so
    leaking forbidden "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib:$PWD/gcc-11/lib"
    leaking rpath "-Wl,--disable-new-dtags,-rpath,$PWD/build/x:\$ORIGIN/../lib"
    leaking stubs "-Wl,-rpath,\$ORIGIN/../lib:$PWD/stubs/cuda/stubs"
    leaking names "-Wl,-rpath,$PWD/tree/lib/libf.so"
    leaking compat "-Wl,-rpath,\$ORIGIN/../lib:/run/opengl-driver/lib:/opt/cuda_compat"
    g++ -shared -fPIC f.cpp -o tree/lib/libalone.so "-Wl,-rpath,$PWD/gcc-11/lib64"
    chmod 555 tree/bin/forbidden
    local main
    main=$(sha256sum tree/bin/main)
    check --forbid "$PWD/gcc-11" --build-dir "$PWD/build" --fix tree
    exits 0
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    says '^fixed: bin/forbidden, RUNPATH$' "^    - $(literally "$PWD")/gcc-11/lib64:" '^    \+ \$ORIGIN/\.\./lib$' \
        '^fixed: bin/rpath, RPATH$'
    same "$(runpath tree/bin/forbidden)" "\$ORIGIN/../lib"
    same "$(stat -c %a tree/bin/forbidden)" 555
    same "$(runpath tree/bin/rpath)" "\$ORIGIN/../lib"
    readelf -d tree/bin/rpath | contains '(RPATH)' || fail "RPATH became RUNPATH"
    same "$(runpath tree/bin/stubs)" "\$ORIGIN/../lib"
    same "$(runpath tree/bin/names)" "$PWD/tree/lib"
    same "$(runpath tree/bin/compat)" "/opt/cuda_compat:\$ORIGIN/../lib:/run/opengl-driver/lib"
    same "$(runpath tree/lib/libalone.so)" ""
    same "$(sha256sum tree/bin/main)" "$main"
    # neither remains among the bytes, where it would keep a store's package alive
    prints_no 'libalone'
    local program
    for program in forbidden rpath stubs names compat; do "tree/bin/$program" || fail "$program runs no more"; done
    # nothing remains to do
    untouched check --forbid "$PWD/gcc-11" --build-dir "$PWD/build" --fix tree
    exits 0
    says_not .
    [ -z "$(find tree -name '*.hostpin-*')" ] || fail "copies are left"
}
# bin/main needs lib/liba.so, which needs lib/deep/libb.so.1, a symlink, and none has a run path.
led_to_library() {
    mkdir -p tree/bin tree/lib/deep
    echo 'int b() { return 0; }' >b.cpp
    echo 'int b(); int a() { return b(); }' >a.cpp
    echo 'int a(); int main() { return a(); }' >main.cpp
    g++ -shared -fPIC b.cpp -o tree/lib/deep/libb.so.1.2 -Wl,-soname,libb.so.1
    ln -s libb.so.1.2 tree/lib/deep/libb.so.1
    g++ -shared -fPIC a.cpp -o tree/lib/liba.so -Wl,-soname,liba.so tree/lib/deep/libb.so.1
    g++ main.cpp -o tree/bin/main tree/lib/liba.so -Wl,-rpath-link,tree/lib/deep
    g++ main.cpp -o tree/bin/old tree/lib/liba.so -Wl,-rpath-link,tree/lib/deep -Wl,--disable-new-dtags,-rpath,/opt/none
    call tree/bin/main
    exits 127
    check tree
    exits 1
    prints '^error: missing-library: liba\.so' "fix: Add \\\$ORIGIN/\\.\\./lib to the run path of bin/main: patchelf --add-rpath '\\\$ORIGIN/\\.\\./lib', or hostpin leak-check --fix"
    check --fix tree
    exits 0
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    says '^fixed: bin/main, RUNPATH$' '^    \+ \$ORIGIN/\.\./lib$' '^fixed: lib/liba\.so, RUNPATH$' '^    \+ \$ORIGIN/deep$'
    same "$(runpath tree/bin/old)" "/opt/none:\$ORIGIN/../lib"
    readelf -d tree/bin/old | contains '(RPATH)' || fail "RPATH became RUNPATH"
    mv tree moved
    moved/bin/main
    moved/bin/old
    untouched_moved=$(cat moved/bin/main moved/lib/liba.so | sha256sum)
    check --fix moved
    exits 0
    same "$(cat moved/bin/main moved/lib/liba.so | sha256sum)" "$untouched_moved"
    # with two libraries of the name the right one is not known
    mkdir -p tree/lib/one tree/lib/two tree/bin
    cp moved/lib/liba.so tree/lib/one/
    cp moved/lib/liba.so tree/lib/two/
    g++ main.cpp -o tree/bin/main moved/lib/liba.so
    untouched check --fix tree
    exits 1
    prints 'missing-library: liba\.so'
}
left() {
    tree
    mkdir -p gcc-11/lib64
    cp tree/lib/libf.so gcc-11/lib64/libf.so.1
    leaking needs "-Wl,-rpath,$PWD/gcc-11/lib64"
    leaking absent "-Wl,-rpath,\$ORIGIN/../lib:/opt/absent"
    leaking setid "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    cp tree/bin/setid tree/bin/hard
    cp tree/bin/setid tree/bin/vendor
    cp tree/bin/setid tree/bin/accepted
    chmod u+s tree/bin/setid
    ln tree/bin/hard tree/bin/link
    echo "const char* where = \"$PWD/gcc-11/lib64\";" >where.cpp
    g++ -c where.cpp -o tree/lib/where.o
    tar -C tree/bin -cf tree/lib/x.tar vendor
    cat >known.toml <<'TOML'
[[exception]]
path = "bin/accepted"
reason = "its plugins are there"
TOML
    untouched check --forbid "$PWD/gcc-11" --exceptions known.toml --vendor tree/bin/vendor --fix tree
    exits 1
    says '^left as it is: bin/needs: without that entry the loader would not find libf\.so\.1$' \
        '^left as it is: bin/setid: it has set-id bits$' '^    hint: rebuild it$' '^left as it is: bin/hard: it has several names' \
        '^left as it is: bin/vendor: it is a vendor file'
    says_not '^fixed' 'bin/accepted' 'bin/absent' 'where\.o'
    tree/bin/needs
    # each of two trees with that path is fixed separately
    mkdir -p one/bin one/lib other/bin other/lib
    cp tree/lib/libf.so one/lib/libf.so.1
    cp tree/lib/libf.so other/lib/libf.so.1
    cp tree/bin/accepted one/bin/two
    cp tree/bin/accepted other/bin/two
    check --forbid "$PWD/gcc-11" --fix one other
    exits 0
    says '^fixed: one/bin/two, RUNPATH$' '^fixed: other/bin/two, RUNPATH$'
    same "$(runpath one/bin/two) $(runpath other/bin/two)" "\$ORIGIN/../lib \$ORIGIN/../lib"
    # without --fix nothing is changed
    untouched check --forbid "$PWD/gcc-11" tree
    exits 1
}
# Without the unwanted directory the loader would take the system's libstdc++; the stdenv's is in another one.
stdenv_in_its_place() {
    mkdir -p tree/bin gcc-11/lib64 stdenv/lib bound
    cp "$(realpath "$(g++ -print-file-name=libstdc++.so.6)")" stdenv/lib/libstdc++.so.6
    cp stdenv/lib/libstdc++.so.6 gcc-11/lib64/
    printf '[host]\n[toolkit]\n[stdenv.libstdcxx]\npath = "%s"\n' "$PWD/stdenv/lib/libstdc++.so.6" >bound/binding.toml
    echo 'int main() { try { throw 1; } catch (int) { return 0; } }' >main.cpp
    g++ main.cpp -o tree/bin/main -Wl,-rpath,"$PWD/gcc-11/lib64"
    call "$hostpin" leak-check --binding bound --forbid "$PWD/gcc-11" --fix tree
    exits 0
    says '^fixed: bin/main, RUNPATH$' "^    \\+ $(literally "$PWD/stdenv/lib")$"
    same "$(runpath tree/bin/main)" "$PWD/stdenv/lib"
    tree/bin/main
}
# The name of the file has the same end as that of the library that is needed, so the linker stores one string for both:
# patchelf 0.14.3 destroys one by changing the other.
shared_string() {
    tree
    leaking shares "-Wl,-rpath,$PWD/tree/lib/libf.so.1"
    cp tree/bin/shares shares
    call env "LD_LIBRARY_PATH=$PWD/tree/lib" tree/bin/shares
    exits 0
    check --fix tree
    if cmp -s shares tree/bin/shares; then
        exits 1
        says '^left as it is: bin/shares: patchelf changed more than its run path$'
    else
        same "$(runpath tree/bin/shares)" "$PWD/tree/lib"
    fi
    call env "LD_LIBRARY_PATH=$PWD/tree/lib" tree/bin/shares
    exits 0
}
shared_symbol() {
    mkdir -p tree
    echo 'extern "C" int lib64() { return 7; }' >lib64.cpp
    echo 'extern "C" int lib64(); int main() { return lib64(); }' >main.cpp
    g++ -shared -fPIC lib64.cpp -o tree/libx.so -Wl,-rpath,"$PWD/gcc-11/lib64"
    g++ main.cpp tree/libx.so -o main "-Wl,-rpath,$PWD/tree"
    cp tree/libx.so before
    check --forbid "$PWD/gcc-11" --fix tree
    if cmp -s before tree/libx.so; then
        exits 1
        says '^left as it is: libx\.so: patchelf changed more than its run path$'
    fi
    call ./main
    exits 7
}
# No failure of patchelf may change the tree.
bad_patchelf() {
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    local does
    # shellcheck disable=SC2016 # of the other script
    for does in 'exit 1' 'exit 0' 'kill -9 $$' ': >"${!#}"' 'shift 2; strip "$1"; exec /usr/bin/env -i PATH=/usr/bin:/bin patchelf --set-rpath /opt/other "$1"'; do
        mkdir -p programs
        printf '#!/bin/bash\n%s\n' "$does" >programs/patchelf
        chmod +x programs/patchelf
        untouched call env "PATH=$PWD/programs:$PATH" "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix tree
        exits 1
        says '^left as it is: bin/leaks: patchelf '
        says_not '^fixed'
    done
}
# patchelf_does TEXT: a patchelf on PATH that does this first, then runs the real one.
patchelf_does() {
    mkdir -p programs
    printf '#!/bin/bash\n%s\nexec %q "$@"\n' "$1" "$(command -v patchelf)" >programs/patchelf
    chmod +x programs/patchelf
}
fix_with_it() { call env "PATH=$PWD/programs:$PATH" "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix tree; }
# Another user who may write the directory puts a symlink wherever a copy may be.
symlinked() {
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    cp tree/bin/leaks victim
    cp victim before
    patchelf_does "for copy in $PWD/tree/bin/*.hostpin-*; do [ ! -e \"\$copy\" ] || ln -sf $PWD/victim \"\$copy\"; done"
    fix_with_it
    exits 0
    cmp victim before
    [ ! -L tree/bin/leaks ] || fail "a symlink took its place"
    same "$(runpath tree/bin/leaks)" "\$ORIGIN/../lib"
    cp before tree/bin/leaks
    chmod o+w tree/bin
    untouched fix_with_it
    exits 1
    says '^left as it is: bin/leaks: all users may replace files in its directory$' '^    hint: .*chmod o-w$'
}
interrupted() {
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    local signal
    for signal in INT TERM KILL; do
        # shellcheck disable=SC2016 # of the other script
        patchelf_does "kill -$signal"' $PPID; sleep 1'
        untouched fix_with_it
        [ "$status" -gt 128 ] || { show_call; fail "SIG$signal did not end it"; }
    done
}
without_patchelf() {
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    mkdir -p programs
    untouched call env "PATH=$PWD/programs" "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix tree
    exits 1
    says '^left as it is: bin/leaks: patchelf was not found' '^    hint: install patchelf$'
    patchelf_does 'exit 1'
    untouched fix_with_it
    says '^left as it is: bin/leaks: patchelf exited with 1$' '^    hint: fix it by hand'
    says_not 'install patchelf'
}
# Some file systems do not support unnamed files: NFS, FAT, older overlays.
named_files_only() {
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    chmod 751 tree/bin/leaks
    cat >refuse.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
typedef int opening(int, const char*, int, ...);
static int other(const char* name, int directory, const char* path, int flags, int mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return ((opening*)dlsym(RTLD_NEXT, name))(directory, path, flags, mode);
}
#define REFUSING(NAME)                                        \
  int NAME(int directory, const char* path, int flags, ...) { \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    const int mode = va_arg(rest, int);                       \
    va_end(rest);                                             \
    return other(#NAME, directory, path, flags, mode);        \
  }
REFUSING(openat)
REFUSING(openat64)
C
    gcc -shared -fPIC refuse.c -o refuse.so -ldl
    call env "LD_PRELOAD=$PWD/refuse.so" "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix tree
    exits 0
    says '^fixed: bin/leaks, RUNPATH$'
    same "$(runpath tree/bin/leaks) $(stat -c %a tree/bin/leaks)" "\$ORIGIN/../lib 751"
    same "$(find tree/bin -type f | sort | tr '\n' ' ')" "tree/bin/leaks tree/bin/main "
}
not_writable() {
    need_mounts
    tree
    leaking leaks "-Wl,-rpath,$PWD/gcc-11/lib64:\$ORIGIN/../lib"
    # shellcheck disable=SC2016
    untouched call unshare -m sh -c 'mount --bind tree tree && mount -o remount,ro,bind tree && exec "$@"' sh \
        "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix "$PWD/tree"
    exits 1
    says '^left as it is: bin/leaks: a copy cannot be created next to it: '
}

it "what is certain is fixed, and the programs run" repaired
it "a program that lacks a library of the tree gets a run path to it" led_to_library
it "what is not certain is not changed, with a reason" left
it "an unwanted libstdc++ is replaced by the stdenv's, not by the system's" stdenv_in_its_place
it "a string that is shared with a name is not destroyed" shared_string
it "a string that is shared with a symbol is not destroyed" shared_symbol
it "a patchelf that fails or does something else changes nothing" bad_patchelf
it "symlinks in place of a copy are not followed" symlinked
it "no signal leaves a file in the tree" interrupted
it "the hint to install patchelf is printed only if it is missing" without_patchelf
it "a file system without unnamed files works too" named_files_only
it "a tree that cannot be written is reported" not_writable
finish
