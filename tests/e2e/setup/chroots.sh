#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# chroots.sh TARBALL [ROOT...]: one `hostpin setup DIR --yes --accept-eula` of the portable tarball in bare systems by debootstrap: Debian 12
# and 13 with their g++, and sid with g++-16 alone. It runs as a user without rights, and ends in a saxpy whose host half runs; outside of DIR
# nothing has changed, and rm -r removes DIR. By hand, HOSTPIN_FULL=1, as root: it fetches gigabytes from the mirror.
# ROOT: bookworm, trixie, sid. The systems stay in /var/tmp/hostpin-roots.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/package/roots_lib.sh
. "$(dirname "$0")/../package/roots_lib.sh"
[ "$full" = 1 ] || skip "makes three systems of packages and fetches gigabytes; HOSTPIN_FULL=1 runs it"
need_roots
unpack_tarball "$1"
shift
chosen=" ${*:-bookworm trixie sid} "
place='/home/user/my toolchain'

# In the system, as root: everything but DIR and the cache that every command of hostpin has, with sizes and times.
# shellcheck disable=SC2016 # expanded in the system
listed='find / -xdev \( -path "$0" -o -path /out -o -path /home/user/work -o -path /home/user/.cache/hostpin \) -prune -o \( -type d -printf "%p %m %u\n" -o -printf "%p %m %u %s %T@ %l\n" \) | sort'
# shellcheck disable=SC2016
script='
useradd -m user && install -d -o user /home/user/work /home/user/.cache
list() { sh -c "$1" "$place"; }
list "$listed" >/out/before
run() { setpriv --reuid=user --regid=user --clear-groups --no-new-privs env -i HOME=/home/user PATH=/hostpin/bin:/usr/bin:/bin CXX="$compiler" "$@"; }
begin=$(date +%s%N)
run sh -c "cd && exec hostpin setup \"\$0\" --yes --accept-eula" "$place" >/out/page 2>/out/progress
end=$(date +%s%N)
run sh -euc "cd && exec hostpin setup \"\$0\"" "$place" >/out/again
echo "$(((end - begin) / 1000000)) $((($(date +%s%N) - end) / 1000000))" >/out/took
du -sk "$place" | cut -f1 >/out/kilobytes
run sh -euc "cd ~/work; t=\$0/toolchain
    \"\$t/c++\" -std=c++17 -I/saxpy -O2 -fPIC -shared -o libreport.so /saxpy/report.cpp
    \"\$t/nvcc\" -I/saxpy -c -o saxpy.o /saxpy/saxpy_cuda.cu
    \"\$t/nvcc\" -o saxpy saxpy.o -L. -lreport -Xlinker -rpath,\\\$ORIGIN
    ./saxpy || test \$? = 77" "$place" >/out/saxpy
list "$listed" >/out/after
run rm -r "$place" </dev/null
test ! -e "$place"'

sets_up() { # SUITE PACKAGE WORDS...
    local root=$1 words milliseconds again
    [ "$2" = g++ ] || root+=-$2
    [[ $chosen == *" $1 "* ]] || skip 'not chosen'
    provide_root "$1" "$2" "$root"
    call in_root "$root" "$tree" "$PWD" "compiler=$2; place='$place'; listed='$listed'; $script"
    [ "$status" = 0 ] || { cat page progress && show_call && fail "exit code $status"; }
    contains -E 'check +a program was built with it: its host half ran' <page
    contains 'host half: 1048576 elements, all as expected' <saxpy
    contains -E 'MB of .* (fetching|unpacking) (CUDA|GCC)' <progress
    diff before after
    for words in "${@:3}"; do contains -E "$words" <page; done
    read -r milliseconds again <took
    # For whom runs it by hand.
    { echo "$root: $((milliseconds / 1000)) s, again $again ms, $(sed -n 's/ fetched, .*//p' page) fetched, $(($(cat kilobytes) / 1000)) MB on disk"; grep -E '^  (stdenv|fetch)' page; } >>"$work/figures"
}

it 'Debian 12, with its g++' sets_up bookworm g++ 'fetch +CUDA 11\.8' 'fetch +GCC 11'
it 'Debian 13, with its g++' sets_up trixie g++ 'fetch +CUDA 12\.4' 'fetch +GCC 13' 'C library headers of glibc 2\.36'
it 'sid, with g++-16 alone' sets_up sid g++-16 'stdenv +GCC 16' 'fetch +CUDA 12\.4' 'fetch +GCC 13'
cat "$work/figures" 2>/dev/null || true
finish
