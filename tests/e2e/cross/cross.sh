#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Host compiler and stdenv of different families. A pair either links and runs with the very libraries of the stdenv, or is
# refused, and then a link forced by hand must fail or run with other libraries: the real tools decide, no list does.
#   cross.sh [WORDS]          only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1 cross.sh   every pair of the lab, otherwise those compilers that differ in what the pairs depend on
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

gccs=(9 10 11 12 13 14 15 16 13-newglibc 14-newglibc 15-newglibc 16-newglibc)
clangs=(13 14 15 16 17 18 19 21 22) newest=clang++-19
if [ "$stands_in" = yes ]; then
    mapfile -t gccs < <(majors g++)
    mapfile -t clangs < <(majors clang++)
    newest=clang++-${clangs[0]:-19}
    full=1
fi
if [ "$full" != 1 ]; then
    gccs=(9 12 13-newglibc 16) # 12 links with Clang's stdenvs, which the others are refused for
    clangs=(13 16 22) # --gcc-install-dir is since 16
fi
shared=$work/shared
mkdir "$shared"

# What the host compiler makes: strings, streams, exceptions, a thread, and a pointer that asks glibc for threads.
cat >"$shared/main.cpp" <<'CPP'
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
std::string newest(const std::string& text);
void throws(int number);
int main() {
  auto text = std::make_shared<std::string>("across");
  std::thread thread([text] { *text += " families"; });
  thread.join();
  std::optional<std::string> caught;
  try {
    throws(42);
  } catch (const std::exception& error) {
    caught = error.what();
  }
  std::cout << newest(*text) << ' ' << caught.value_or("nothing") << std::endl;
}
CPP
# What the stdenv makes: it needs the newest symbols of its libstdc++ (string's constructors in 15, ends_with in 16, the start of
# streams in 13), and of its glibc (strtol) where its headers are new.
cat >"$shared/newest.cpp" <<'CPP'
#include <iostream>
#include <stdexcept>
#include <string>
std::string newest(const std::string& text) {
  std::string copy(text);
  copy.replace(0, 0, std::to_string(std::stoi("7"))).insert(1, ": ");
  std::cout << "from the stdenv: ";
  return copy.ends_with("families") ? copy : "?";
}
void throws(int number) { throw std::runtime_error(std::to_string(number)); }
CPP

# The smaller source of a link line that compiles as well.
cat >"$shared/line.cpp" <<'CPP'
#include <cstdio>
#include <string>
std::string newest(const std::string& text);
int main() { std::puts((newest("across families") + " 42").c_str()); }
CPP

# ---------------------------------------------------------------------------------------------- one pair

# shown DRIVER: the linker's words, as the driver shows them.
shown() { "$1" '-###' -x c++ /dev/null -o x 2>&1 | grep -E '^ .*(collect2|/ld)"? ' | tail -n 1 | tr -d '"' | tr ' ' '\n'; }
# The same link as by hand: everything that the stdenv tells its linker about places, told to the host compiler's driver.
forced() { # HOST STDENV OBJECT...
    local host=$1 stdenv=$2 words=() loader run_paths=() path
    shift 2
    shown "$stdenv" >words
    words+=("--sysroot=$(sed -n 's/^--sysroot=//p' words | grep . || echo /)")
    if [[ $(basename "$host") =~ clang\+\+-(1[6-9]|2) ]]; then
        words+=("--gcc-install-dir=$(dirname "$(grep -E '/crtbegin(S|T)?\.o$' words)")")
    fi
    while read -r path; do words+=("$path"); done < <(grep '^-L' words)
    loader=$(sed -n -e 's/^--dynamic-linker=//p' -e '/^-dynamic-linker$/{n;p}' words | tail -n 1)
    mapfile -t run_paths < <(sed -n '/^-rpath$/{n;p}' words)
    for path in "${run_paths[@]}" "$(dirname "$(loaded plain libstdc++)")"; do words+=("-Wl,-rpath,$path"); done
    "$host" "${words[@]}" "-Wl,--dynamic-linker=$loader" -pthread "$@" -o forced
}
libraries() { echo "$(loaded "$1" libstdc++) $(loaded "$1" libc.so)"; }
works_like_the_stdenvs() { # PROGRAM
    same "$("$1")" 'from the stdenv: 7: across families 42' && same "$(libraries "$1")" "$(libraries plain)" &&
        same "$(readelf -l "$1" | grep interpreter)" "$(readelf -l plain | grep interpreter)"
}
headers_of() { tr -d '\134' <"$1" | tr ' ' '\n' | grep /include/ | xargs -r realpath | sort -u; }

pair() { # HOST STDENV
    need_lab "bin/$1" "bin/$2"
    need_toolkit 12.4 12
    local host=$lab/bin/$1 stdenv=$lab/bin/$2 source
    export PATH=$plain_path
    [ -f "$shared/$2.o" ] || "$stdenv" -std=c++2a -O1 -fPIC -c "$shared/newest.cpp" -o "$shared/$2.o"
    echo 'int main() { throw 1; }' >plain.cpp
    "$stdenv" plain.cpp -o plain -Wl,--no-as-needed -lgcc_s
    call "$hostpin" bind bound --toolkit "$toolkit" --host "$host" --stdenv "$stdenv" --allow-unsupported
    if [ "$status" -ne 0 ]; then
        echo "$1 $2 refused: $(sed -n '1s/.*libraries of [^:]*: //p' "$err")" >>"$shared/verdicts"
        says "^hostpin: error: objects of $(literally "$host") cannot be linked .*: .+" '^hint: '
        "$host" -std=c++17 -fPIC -c "$shared/main.cpp" -o main.o
        if (forced "$host" "$stdenv" main.o "$shared/$2.o" && works_like_the_stdenvs ./forced); then
            fail "refused, yet a link by hand works: $(head -n 1 "$err")"
        fi
        return
    fi
    # Both the object and a source on a link line are compiled with the host compiler's own headers.
    for source in main line; do
        [ -f "$shared/$1.$source.d" ] || "$host" -std=c++17 -M "$shared/$source.cpp" >"$shared/$1.$source.d"
    done
    bound/c++ -std=c++17 -fPIC -MD -MF object.d -c "$shared/main.cpp" -o main.o
    same "$(headers_of object.d)" "$(headers_of "$shared/$1.main.d")"
    bound/c++ -pthread main.o "$shared/$2.o" -o program 2>link.err
    [ ! -s link.err ] || fail "the link said: $(cat link.err)"
    works_like_the_stdenvs ./program
    bound/c++ -std=c++17 -pthread -MD -MF source.d "$shared/line.cpp" "$shared/$2.o" -o program2
    same "$(headers_of source.d)" "$(headers_of "$shared/$1.line.d")"
    works_like_the_stdenvs ./program2
    bound/c++ -shared main.o "$shared/$2.o" -o libboth.so
    echo "$1 $2 links and runs" >>"$shared/verdicts"
}

# Without HOSTPIN_FULL each of these compilers is a host and a stdenv at least once; the full form takes minutes.
pairs() {
    local gcc clang
    for gcc in "${!gccs[@]}"; do
        for clang in "${!clangs[@]}"; do
            if [ "$full" = 1 ] || [ "$(((gcc + clang) % 3))" = 0 ]; then echo "clang++-${clangs[clang]} g++-${gccs[gcc]}"; fi
            if [ "$full" = 1 ] || [ "$(((gcc + clang) % 3))" = 1 ]; then echo "g++-${gccs[gcc]} clang++-${clangs[clang]}"; fi
        done
    done
}

# ---------------------------------------------------------------------------------------------- around a pair

# CUDA in both directions, chosen by family or named, and what is built runs.
builds_cuda() { # TOOLKIT STDENV FAMILY HOST MAJOR
    need_cuda "$1"
    need_lab "bin/$2" "bin/$4"
    local stdenv=$lab/bin/$2
    echo "family = \"$3\"" >config.toml
    PATH=$lab/bin:$plain_path HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind bound --toolkit "$(cuda "$1")" --stdenv "$stdenv" >bound.txt
    unset HOSTPIN_CONFIG
    export PATH=$plain_path
    write_source x.cu
    bound/nvcc -Xcompiler -fPIC -c x.cu -o x.o
    made_by x.o "$3" "$5"
    echo 'int main() { throw 1; }' >plain.cpp
    "$stdenv" plain.cpp -o plain -Wl,--no-as-needed -lgcc_s
    bound/nvcc x.o -o x
    same "$(./x)" 'hello from the host half'
    same "$(libraries ./x)" "$(libraries plain)"
    bound/nvcc -shared x.o -o libx.so
}
# A GCC in a prefix of its own, with its library where no loader looks: what users of clusters have.
own_prefix() { # HOST
    need_toolkit 12.4 12
    need_lab "bin/$1"
    local lib=$PWD/opt/lib64
    mkdir -p "$lib"
    cp "$(realpath "$(g++-12 -print-file-name=libstdc++.so)")" "$lib/libstdc++.so.6.0.99"
    ln -s libstdc++.so.6.0.99 "$lib/libstdc++.so.6"
    ln -s libstdc++.so.6 "$lib/libstdc++.so"
    compiler g++-own /usr/bin/g++-12 "-B$lib/"
    "$hostpin" bind bound --toolkit "$toolkit" --host "$lab/bin/$1" --stdenv "$bin/g++-own"
    write_host_source x.cpp
    bound/nvcc x.cpp -o x
    same "$(./x)" 'hello from the host half'
    same "$(loaded ./x libstdc++)" "$lib/libstdc++.so.6.0.99"
}
# A wrapper that names its loader and run path itself, without any sysroot, as the wrappers of Nix do.
wrapped() { # HOST
    need_cuda 12.4
    need_lab "bin/$1" bin/g++-16
    local root=$lab/roots/sid lib
    lib=$root/usr/lib/x86_64-linux-gnu
    [ -d "$lib" ] || skip "the lab's g++-16 does not lie in a root of its own"
    compiler g++-store "$lab/bin/g++-16" "-Wl,-rpath,$lib" "-L$lib"
    "$hostpin" bind bound --toolkit "$(cuda 12.4)" --host "$lab/bin/$1" --stdenv "$bin/g++-store"
    write_host_source x.cpp
    bound/nvcc x.cpp -o x
    same "$(./x)" 'hello from the host half'
    same "$(loaded ./x libstdc++)" "$(realpath "$lib/libstdc++.so.6")"
}
# A Clang that a configuration file has told to use libc++: here headers that say so are enough.
refuses_libcxx() {
    need_toolkit 12.4 12
    need_lab "bin/$newest"
    mkdir libcxx
    printf '#define _LIBCPP_VERSION 190107\n#include <stddef.h>\n' >libcxx/cstddef
    echo "-nostdinc++ -isystem $PWD/libcxx" >libcxx.cfg
    compiler clang++-cfg "$lab/bin/$newest" --config "$PWD/libcxx.cfg"
    call "$hostpin" bind bound --toolkit "$toolkit" --host "$bin/clang++-cfg" --stdenv /usr/bin/g++-12 --allow-unsupported
    exits 1
    says 'they use different standard libraries: libc\+\+ and libstdc\+\+' '^hint: '
    absent bound
}
# The trial catches what the drivers do not show: a linker that fails, or takes another file than it is told.
tries_the_link() {
    need_toolkit 12.4 12
    need_lab "bin/$newest"
    mkdir broken
    printf '#!/bin/sh\necho "ld: cannot find -lnothing" >&2\nexit 1\n' >broken/ld
    chmod +x broken/ld
    compiler clang++-broken "$lab/bin/$newest" "--ld-path=$PWD/broken/ld"
    call "$hostpin" bind bound --toolkit "$toolkit" --host "$bin/clang++-broken" --stdenv /usr/bin/g++-12 --allow-unsupported
    exits 1
    says 'a small program could not be linked: .*cannot find -lnothing' '^hint: '
    absent bound
}

need_hostpin
while read -r host stdenv; do
    it "$host with $stdenv: links and runs as the stdenv's own programs, or cannot" pair "$host" "$stdenv"
done < <(pairs)
it 'CUDA 12.4, Clang 17 chosen by family, stdenv GCC 15' builds_cuda 12.4 g++-15 clang clang++-17 17
seldom 'CUDA 13.0, Clang 19 chosen by family, stdenv GCC 16' builds_cuda 13.0 g++-16 clang clang++-19 19
seldom 'CUDA 11.8, Clang 14 chosen by family, stdenv GCC 14 with a newer glibc' builds_cuda 11.8 g++-14-newglibc clang clang++-14 14
it 'CUDA 12.4, GCC 12 chosen by family, stdenv Clang 19' builds_cuda 12.4 clang++-19 gcc g++-12 12
for host in clang++-14 clang++-17; do
    if [ $host = clang++-17 ]; then usually=it; else usually=seldom; fi # without and with --gcc-install-dir
    $usually "$host with a GCC in a prefix of its own" own_prefix "$host"
    $usually "$host with a wrapped GCC of another root" wrapped "$host"
done
it 'a Clang with libc++ is refused beside a stdenv with libstdc++' refuses_libcxx
it 'a plan is tried once, and its failure is a refusal' tries_the_link
echo
sort -V "$shared/verdicts" 2>/dev/null || true
finish
