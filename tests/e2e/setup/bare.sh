#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bare.sh TARBALL [SUITE...]: `hostpin setup DIR --yes --accept-eula` of the portable tarball in bare systems by debootstrap without any
# compiler, as a user without rights. It is killed in three stages, goes on, and ends in a saxpy whose host half runs, and in a stdenv that
# builds C, C++, OpenMP and AddressSanitizer; programs run with the system's C library and libstdc++. By hand, HOSTPIN_FULL=1, as root: it
# fetches gigabytes from the mirror. SUITE: bookworm, trixie. The systems stay in /var/tmp/hostpin-roots.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/package/roots_lib.sh
. "$(dirname "$0")/../package/roots_lib.sh"
# shellcheck source=tests/e2e/setup/programs.sh
. "$(dirname "$0")/programs.sh"
[ "$full" = 1 ] || skip "makes two systems of packages and fetches gigabytes; HOSTPIN_FULL=1 runs it"
need_roots
unpack_tarball "$1"
shift
chosen=" ${*:-bookworm trixie} "
place='/home/user/my toolchain'

# In the system, as root.
# shellcheck disable=SC2016 # expanded in the system
script='
! command -v c++ gcc g++ cc clang ld as
useradd -m user && install -d -o user /home/user/work /home/user/.cache
as_user() { setpriv --reuid=user --regid=user --clear-groups --no-new-privs env -i COLUMNS=1000 HOME=/home/user PATH=/hostpin/bin:/usr/bin:/bin "$@"; }
set_up() { as_user sh -c "cd && exec hostpin setup \"\$0\" --yes --accept-eula" "$place"; }
killed_at() { # PATTERN: once there is such a file in DIR
    setsid setpriv --reuid=user --regid=user --clear-groups --no-new-privs env -i COLUMNS=1000 HOME=/home/user PATH=/hostpin/bin:/usr/bin:/bin \
        hostpin setup "$place" --yes --accept-eula >/out/killed 2>&1 &
    pid=$!
    until ls "$place"/$1 >/dev/null 2>&1; do kill -0 "$pid" || exit 1; sleep 0.05; done
    kill -9 "-$pid"
    wait "$pid" || test "$?" = 137
    test ! -e "$place/setup.toml" && test ! -e "$place/toolchain"
    echo "$1" >>/out/stages
}
killed_at ".work/files/stdenv/*.deb"
killed_at ".work/made-stdenv/usr/bin"
killed_at ".work/made-cuda/include"
set_up >/out/page 2>/out/progress
as_user sh -euc "cd && exec hostpin setup \"\$0\"" "$place" >/out/again
cp /out/*.c /out/*.cpp /out/programs.sh /home/user/work/
as_user sh -euc "cd ~/work; t=\$0/toolchain
    \"\$t/c++\" -std=c++17 -I/saxpy -O2 -fPIC -shared -o libreport.so /saxpy/report.cpp
    \"\$t/nvcc\" -I/saxpy -c -o saxpy.o /saxpy/saxpy_cuda.cu
    \"\$t/nvcc\" -o saxpy saxpy.o -L. -lreport -Xlinker -rpath,\\\$ORIGIN
    ./saxpy || test \$? = 77
    hostpin leak-check --binding \"\$t\" ./saxpy ./libreport.so" "$place" >/out/saxpy
as_user sh -euc "cd ~/work; . ./programs.sh; build_programs \"\$0/stdenv/bin\"" "$place" >/out/programs
for each in saxpy libreport.so c cxx openmp address; do as_user ldd "/home/user/work/$each" >"/out/ldd.$each"; done
as_user rm -r "$place" </dev/null
test ! -e "$place"'

sets_up() { # SUITE WORDS...
    local words each
    [[ $chosen == *" $1 "* ]] || skip 'not chosen'
    provide_root "$1" ca-certificates "$1-bare"
    write_programs "$PWD"
    cp "$repository/tests/e2e/setup/programs.sh" .
    call in_root "$1-bare" "$tree" "$PWD" "place='$place'; $script"
    [ "$status" = 0 ] || { cat page progress && show_call && fail "exit code $status"; }
    same "$(wc -l <stages)" 3
    contains -E 'check +a program was built with it: its host half ran' <page
    contains 'host half: 1048576 elements, all as expected' <saxpy
    for words in 'C 2' 'C++ ok' 'OpenMP 200' 'AddressSanitizer 0'; do contains -F "$words" <programs; done
    for words in "${@:2}"; do contains -E "$words" <page; done
    contains -E 'runs with +this machine.s C library +/usr/lib/.*/libstdc\+\+\.so\.6\.0\.' <page
    contains 'is set up' <again
    # What the system has is loaded from there, and what it lacks from DIR.
    for each in saxpy libreport.so c cxx; do ! grep -F "$place" "ldd.$each" || fail "$each loads libraries of DIR"; done
    contains -F "libgomp.so.1 => $place/stdenv/runtime/libgomp.so.1" <ldd.openmp
    same "$(grep -cF "$place" ldd.openmp)" 1
    contains -F "$place/stdenv/runtime/libasan.so" <ldd.address
    same "$(grep -cF "$place" ldd.address)" 1
    # For whom runs it by hand.
    { echo "$1: $(sed -n 's/ fetched, .*//p' page) fetched" && grep -E '^  (stdenv|fetch|links|runs with|run path)' page; } >>"$work/figures"
}

it 'Debian 12, without any compiler' sets_up bookworm 'stdenv +none' 'fetch +GCC 12' 'fetch +CUDA 11\.8' 'fetch +GCC 11'
it 'Debian 13, without any compiler' sets_up trixie 'stdenv +none' 'fetch +GCC 14' 'fetch +CUDA 12\.4' 'fetch +GCC 13' 'C library headers of glibc 2\.36'
cat "$work/figures" 2>/dev/null || true
finish
