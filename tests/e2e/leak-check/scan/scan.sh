#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scan.sh SCAN_DUMP [WORDS]: what a scan returns for files of real tools, and for files that change during the scan. Only the cases whose
# sentence contains WORDS.
scan=$1 only=${2:-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need_command readelf objcopy ar tar gzip xz c++ cmake

tells() { # LINE-PATTERN...: each an extended regular expression for a line of the output
    local pattern
    for pattern in "$@"; do
        grep -qE -e "$pattern" "$out" || { show_call; fail "nothing tells: $pattern"; }
    done
}

write_leaky() {
    cat >leaky.cpp <<'CPP'
#include <iostream>
const char* path = "/opt/gcc-11/lib64/libstdc++.so.6";
const char16_t* wide = u"/opt/gcc-11/wide";
int main() { std::cout << path << wide[0]; }
CPP
}

hits_of_real_tools() {
    write_leaky
    c++ -g -gz=zlib "-fdebug-prefix-map=$PWD=/opt/gcc-11/build" -c leaky.cpp
    c++ leaky.o -o leaky -Wl,-rpath,/opt/gcc-11/lib64 -Wl,--disable-new-dtags
    ar rcs leaky.a leaky.o
    ar rcsT thin.a leaky.o
    tar cf both.tar leaky leaky.a && gzip -k both.tar && xz -k both.tar
    cmake -E tar cf leaky.whl --format=zip leaky.a both.tar.gz
    call "$scan" --forbid /opt/gcc-11 "$PWD"
    exits 1
    tells '^elf	leaky	program	.*	rpath=/opt/gcc-11/lib64	runpath=-	' \
        '^found	leaky	\.dynstr	' '^found	leaky	\.rodata	.*utf16' '^found	leaky\.a\(leaky\.o\)	\.rodata	' \
        '^found	leaky\.o	\.debug_[a-z_]*str	' '^found	both\.tar\(leaky\)	\.dynstr	' \
        '^found	both\.tar\.gz\(leaky\.a\)\(leaky\.o\)	\.rodata	' '^found	both\.tar\.xz\(leaky\)	\.rodata	' \
        '^found	leaky\.whl\(both\.tar\.gz\)\(leaky\.a\)\(leaky\.o\)	\.rodata	'
    if grep -q ^unseen "$out"; then fail "something was not seen: $(grep ^unseen "$out")"; fi
}

debug_files() {
    write_leaky
    c++ -g "-fdebug-prefix-map=$PWD=/opt/gcc-11/build" leaky.cpp -o leaky
    mkdir tree
    objcopy --only-keep-debug leaky tree/leaky.debug
    call "$scan" --forbid /opt/gcc-11 tree
    exits 1
    tells '^found	leaky\.debug	\.debug_[a-z_]*str	'
}

self_extracting() {
    write_leaky
    c++ leaky.cpp -o leaky
    mkdir tree
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\ntail -n +4 "$0" | tar xz\nexit\n' >tree/install.sh
    tar cz leaky >>tree/install.sh
    cmake -E tar cf leaky.zip --format=zip leaky
    cat /bin/true leaky.zip >tree/with-zip
    tar cJ leaky | cat /bin/true - >tree/with-tar
    call "$scan" --forbid /opt/gcc-11 tree
    exits 1
    tells '^found	install\.sh\(leaky\)	\.rodata	' '^found	with-zip\(leaky\)	\.rodata	' '^found	with-tar\(leaky\)	\.rodata	'
}

hits_in_device_code() { # RELEASE
    need_cuda "$1"
    need_lab bin/g++-9
    cat >device.cu <<'CU'
__device__ const char where[] = "see /opt/gcc-11/lib64/libx.so";
__global__ void copy(char* out) { for (int i = 0; i < (int)sizeof where; ++i) out[i] = where[i]; }
CU
    local host=$lab/bin/g++-9
    if [ "${1%%.*}" -ge 13 ]; then host=$(command -v c++); fi
    "$(cuda "$1")/bin/nvcc" -ccbin "$host" -Xfatbin -compress-all -gencode arch=compute_75,code=sm_75 -c device.cu
    call "$scan" --forbid /opt/gcc-11 device.o
    tells '^found	device\.o\(sm_75 cubin [0-9]+\)	\.nv_fatbin	'
}

facts_as_readelf_tells() { # DIRECTORY
    local file expected told count=0
    "$scan" --facts "$1" >facts
    while IFS= read -r file; do
        expected=$({ readelf -dW "$file" 2>/dev/null || true; } | sed -nE 's/.*\((NEEDED|SONAME|RUNPATH|RPATH)\).*\[(.*)\]/\1 \2/p' | sort)
        told=$(awk -F'\t' -v name="${file#"$1"/}" '$1 == "elf" && $2 == name' facts | tr '\t' '\n' | awk -F= '
            $1 == "needed" { n = split($2, all, ","); for (i = 1; i < n; ++i) print "NEEDED", all[i] }
            $1 == "soname" && $2 != "" { print "SONAME", $2 }
            $1 == "runpath" && $2 != "-" { print "RUNPATH", $2 }
            $1 == "rpath" && $2 != "-" { print "RPATH", $2 }' | sort)
        [ "$told" = "$expected" ] || fail "of $file the scan tells: $told"$'\n'"readelf: $expected"
        [ -z "$expected" ] || count=$((count + 1))
    done < <(find "$1" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so*' \) | sort | awk 'NR % 12 == 1')
    echo "$count files with a dynamic section"
    [ "$count" -gt 10 ] || fail "too few to mean anything"
}

changes_are_told() {
    mkdir tree
    truncate -s 300M tree/changing
    ( for _ in $(seq 200); do truncate -s 1M tree/changing; truncate -s 300M tree/changing; done ) &
    local writer=$! told=0
    for _ in $(seq 12); do
        call "$scan" --forbid /opt/gcc-11 tree
        case $status in 0) ;; 2) told=$((told + 1)) ;; *) exits 2 ;; esac
    done
    kill "$writer" 2>/dev/null || true
    wait "$writer" 2>/dev/null || true
    [ "$told" -gt 0 ] || fail "twelve scans of a changing file, and none noticed"
}

closed_is_told() {
    mkdir -p tree/closed
    echo /opt/gcc-11 >tree/file
    chmod 0 tree/closed tree/file
    local -a as=()
    if [ "$(id -u)" = 0 ]; then
        need_command setpriv
        cp "$scan" "$PWD/scan" && chmod 755 "$PWD/scan"
        chmod 711 "$work" "$work/case"
        scan=$PWD/scan
        as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    fi
    call "${as[@]}" "$scan" --forbid /opt/gcc-11 tree
    exits 2
    tells '^unseen	closed	.*Permission denied' '^unseen	file	.*Permission denied'
}

it 'hits are found in files of compilers and archivers' hits_of_real_tools
it 'separate files of debug information are scanned, without damage' debug_files
it 'payloads of self-extracting scripts and programs are scanned' self_extracting
for release in 11.2 11.8 12.4 13.0; do
    it "compressed device code of CUDA $release is opened" hits_in_device_code "$release"
done
for directory in /usr/bin "$(dirname "$(realpath "$(c++ -print-file-name=libc.so.6)")")"; do
    it "the facts of $directory are those that readelf tells" facts_as_readelf_tells "$directory"
done
it 'a file that changes while it is read is reported, without a crash' changes_are_told
it 'a file that must not be read is reported' closed_is_told
finish
