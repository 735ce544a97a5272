#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin bind --policy: after a link, c++ compares what a shared library needs with a manylinux policy.
#   policy.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources

# bound POLICY [OPTION...]: one GCC that compiles and links, in ./bound: the machine's own if it fits, because those of the lab
# link with run paths to libraries of the lab.
bound() {
    local own
    need_toolkit
    own=$(PATH=$plain_path command -v g++) && [ "$(g++ -dumpversion | cut -d. -f1)" -le "$gcc" ] && host=$own
    "$hostpin" bind bound --toolkit "$toolkit" --host "$host" --stdenv "$host" --policy "$@" >bind.log
    cxx=$PWD/bound/c++
}
# Sources that need a new version: of libstdc++ (std::from_chars for double: GCC 11, the condition variable: GCC 12), of glibc
# (pthread_mutexattr_setkind and the like moved into libc.so.6 with 2.34), and none.
write_sources() {
    cat >new_cxx.cpp <<'CPP'
#include <condition_variable>
#include <mutex>
void wait_for(std::condition_variable& event, std::unique_lock<std::mutex>& lock) {
  event.wait(lock); // line 4
}
CPP
    cat >new_libc.cpp <<'CPP'
#include <pthread.h>
int start(pthread_t* thread, void* (*run)(void*)) {
  return pthread_create(thread, nullptr, run, nullptr); // line 3
}
CPP
    cat >old.cpp <<'CPP'
#include <cmath>
#include <stdexcept>
double root(double x) {
  if (x < 0) throw std::domain_error("negative");
  return std::sqrt(x);
}
CPP
}
# lines PATTERN: of the message that shows source lines, or, without the program that finds them, how to get it.
lines() { if is_built checks; then echo "$1"; else echo "install hostpin's component checks to see the source lines"; fi; }
refuses() { # OUTPUT PATTERN...
    exits 1
    prints_nothing
    says '^hostpin: error: ' '^hint: .' "${@:2}"
    absent "$1"
}
# What the library of this machine's loader has of those.
needs_new_cxx() { readelf -V --wide "$1" | contains -E 'GLIBCXX_3\.4\.30' || skip "this libstdc++ defines no GLIBCXX_3.4.30"; }
needs_new_libc() { readelf -V --wide "$1" | contains -E 'GLIBC_2\.34' || skip "this glibc is older than 2.34"; }

the_library_is_named() {
    bound manylinux_2_28
    write_sources
    "$cxx" -g -O2 -fPIC -c new_cxx.cpp
    "$host" -shared new_cxx.o -o plain.so
    needs_new_cxx plain.so
    call "$cxx" -shared new_cxx.o -o new.so
    refuses new.so 'new\.so needs what systems of manylinux_2_28_x86_64 do not have' 'GLIBCXX_3\.4\.30 of libstdc\+\+\.so\.6, where the newest is GLIBCXX_3\.4\.24' \
        'std::condition_variable::wait\(.*, from new_cxx\.o' "$(lines '^ *new_cxx\.cpp:4$')" '^hint: .*-static-libstdc\+\+'
    # the fix works, and so does an older library
    call "$cxx" -shared new_cxx.o -static-libstdc++ -static-libgcc -o fixed.so
    says_not 'GLIBCXX_' # a static libstdc++ may need a newer glibc
}
glibc_is_named() {
    bound manylinux2014
    write_sources
    "$cxx" -g -fPIC -c new_libc.cpp
    ar rcs libnew.a new_libc.o
    "$host" -shared new_libc.o -o plain.so
    needs_new_libc plain.so
    call "$cxx" -shared -Wl,--whole-archive libnew.a -Wl,--no-whole-archive -o new.so
    refuses new.so 'manylinux_2_17_x86_64' 'GLIBC_2\.34 of libc\.so\.6, where the newest is GLIBC_2\.17' 'pthread_create, from libnew\.a\(new_libc\.o\)' \
        "$(lines '^ *new_libc\.cpp:3$')" '^hint: .*--sysroot'
    # without debug information the object is named
    call "$cxx" -shared -fPIC new_libc.cpp -o new.so
    refuses new.so 'pthread_create, from ' "$(lines '-g to see')"
}
nothing_beyond_is_silent() {
    bound manylinux_2_28
    write_sources
    call "$cxx" -shared -fPIC -O2 old.cpp -o old.so
    exits 0
    says_not '^hostpin:'
    # what the oldest systems lack is allowed by a newer policy
    "$hostpin" bind --refresh --policy manylinux_2_39 bound >bind.log
    call "$cxx" -shared -fPIC new_cxx.cpp new_libc.cpp -o new.so
    exits 0
    says_not '^hostpin:'
}
device_code_too() {
    bound manylinux_2_28 --allow-library libcudart.so.0
    write_sources
    sed 's/^void wait_for/__global__ void kernel() {}\n&/' new_cxx.cpp >k.cu
    "$host" -shared -fPIC new_cxx.cpp -o plain.so
    needs_new_cxx plain.so
    call bound/nvcc -arch=sm_80 -g -shared -Xcompiler -fPIC k.cu -cudart none -o k.so
    exits 1
    says 'GLIBCXX_3\.4\.30 of libstdc' 'std::condition_variable::wait' "$(lines 'k\.cu:5$')"
    absent k.so
}
system_libraries_are_refused() {
    bound manylinux_2_28
    write_sources
    : >empty.c
    local library runtime
    library=$("$host" -print-file-name=libmpfr.so.6)
    [ -e "$library" ] || library=$("$host" -print-file-name=libncurses.so.6)
    [ -e "$library" ] || skip 'no library that no policy has'
    call "$cxx" -shared -fPIC old.cpp "$library" -Wl,--no-as-needed -o system.so
    exits 0 # not needed: --no-as-needed came late
    call "$cxx" -shared -fPIC -Wl,--no-as-needed old.cpp "$library" -o system.so
    refuses system.so "$(literally "${library##*/}"), a library that they need not have" '^hint: .*--allow-library'
    "$hostpin" bind --refresh --allow-library "${library##*/}" bound >bind.log
    call "$cxx" -shared -fPIC -Wl,--no-as-needed old.cpp "$library" -o system.so
    exits 0
    # one that comes with the wheel, and NVIDIA's
    "$host" -shared -x c empty.c -Wl,-soname,libown.so.1 -o libown.so
    runtime=$(readelf -d "$toolkit/lib64/libcudart.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    "$host" -shared -x c empty.c "-Wl,-soname,$runtime" -o libcudart.so
    call "$cxx" -shared -fPIC -Wl,--no-as-needed old.cpp -L. -lown -lcudart -o own.so
    exits 0
    says_not '^hostpin:'
}
executable_stacks_are_refused() {
    bound manylinux_2_28
    echo text >kernel.ptx
    ld -r -b binary kernel.ptx -o kernel.o # without a note for the stack
    echo 'extern "C" int f() { return 0; }' >f.cpp
    call "$cxx" -shared -fPIC f.cpp kernel.o -o embeds.so
    refuses embeds.so 'embeds\.so requests an executable stack' '^hint: .*noexecstack'
    call "$cxx" -shared -fPIC f.cpp kernel.o -Wl,-z,noexecstack -o fixed.so
    exits 0
}
programs_cause_a_note() {
    bound manylinux_2_28
    echo 'int main() { return 0; }' >main.cpp
    "$host" main.cpp -o plain
    needs_new_libc plain
    call "$cxx" main.cpp -o program
    exits 0
    says '^hostpin: note: program needs what systems of manylinux_2_28' 'GLIBC_2\.34'
    ./program
}
a_binding_shows_it() {
    bound manylinux_2_28
    contains -E '^ *policy +manylinux_2_28_x86_64 +.*GLIBC_2\.28, GLIBCXX_3\.4\.24, CXXABI_1\.3\.11, GCC_7' <bind.log
    contains -E '^policy = "manylinux_2_28"' <bound/binding.toml
    "$hostpin" explain --bound bound -- c++ a.o -o x >explained
    contains -E 'compares what x needs with manylinux_2_28_x86_64' <explained
    contains -E '^ *policy +manylinux_2_28_x86_64' <explained
    "$hostpin" bind --refresh bound >bind.log
    contains -E 'policy +manylinux_2_28' <bind.log
    "$hostpin" bind --refresh --policy '' bound >bind.log
    ! contains policy <bind.log || fail 'the policy is still there'
    write_sources
    call "$cxx" -shared -fPIC new_cxx.cpp -o new.so
    exits 0
}
wrong_names_are_refused() {
    need_toolkit
    call "$hostpin" bind wrong --toolkit "$toolkit" --host "$host" --stdenv "$host" --policy manylinux_3
    exits 1
    says 'there is no policy .manylinux_3. for x86_64' '^hint: .*manylinux_2_28'
    absent wrong
    echo 'link-proof = "off"' >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml call "$hostpin" bind wrong --toolkit "$toolkit" --host "$host" --stdenv "$host" --policy manylinux_2_28
    exits 1
    says 'link-proof'
}
named_compilers_obey() {
    bound manylinux_2_28
    write_sources
    "$host" -shared -fPIC new_cxx.cpp -o plain.so
    needs_new_cxx plain.so
    cp new_cxx.cpp a.cu
    call bound/nvcc -ccbin "$host" -shared -Xcompiler -fPIC a.cu -cudart none -o a.so
    exits 1
    says 'manylinux_2_28_x86_64'
    absent a.so
}
# The verdict is that of `wheel check` on the wheel that has the library.
wheels_agree() {
    need_command python3
    bound manylinux_2_28
    write_sources
    cat >>old.cpp <<'CPP'
extern "C" void* PyInit__C() { return nullptr; }
CPP
    "$cxx" -shared -fPIC -O2 old.cpp -o _C.so
    PYTHONPATH=$repository/tests/e2e/wheel python3 - <<'PY'
from shapes import Wheel
Wheel("pkg", "manylinux_2_28_x86_64").add("pkg/__init__.py", b"").add("pkg/_C.so", "_C.so").write(".")
PY
    call "$hostpin" wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    exits 0
    "$host" -shared -fPIC new_cxx.cpp old.cpp -o _C.so
    needs_new_cxx _C.so
    PYTHONPATH=$repository/tests/e2e/wheel python3 - <<'PY'
from shapes import Wheel
Wheel("pkg", "manylinux_2_28_x86_64").add("pkg/__init__.py", b"").add("pkg/_C.so", "_C.so").write(".")
PY
    call "$hostpin" wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    exits 1
    contains -E 'policy-version' <"$out"
    call "$cxx" -shared -fPIC new_cxx.cpp old.cpp -o _C2.so
    refuses _C2.so
}
# aarch64 has its own versions: GLIBC_2.18 in manylinux2014, and no policy before.
other_machines_have_their_own() {
    need_cross
    [ "$triple" = aarch64-linux-gnu ] || skip 'this machine is aarch64'
    call "$hostpin" bind bound --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --policy manylinux2010
    exits 1
    says 'there is no policy .manylinux2010. for aarch64'
    "$hostpin" bind bound --toolkit "$cross_toolkit" --stdenv "$cross" --host "$cross" --policy manylinux2014 >bind.log
    contains -E 'manylinux_2_17_aarch64 .*GLIBC_2\.18' <bind.log
    "$hostpin" bind --refresh --policy manylinux_2_24 bound >bind.log
    write_sources
    call bound/c++ -shared -fPIC old.cpp -o old.so
    exits 0
    call bound/c++ -g -shared -fPIC new_cxx.cpp -o new.so
    refuses new.so 'manylinux_2_24_aarch64' "$(lines 'new_cxx\.cpp:4')"
}

need_hostpin
it 'a newer libstdc++ is refused with symbol, object, line and fix' the_library_is_named
it 'a newer glibc is refused likewise, from an archive too' glibc_is_named
it 'what stays within the policy is silent' nothing_beyond_is_silent
it 'libraries with device code are judged, with lines of the .cu file' device_code_too
it 'a library of the system that the policy lacks is refused, one of the wheel or of NVIDIA is not' system_libraries_are_refused
it 'a library that requests an executable stack is refused' executable_stacks_are_refused
it 'a program causes a note' programs_cause_a_note
it 'bind, explain and binding.toml show the policy, and a refresh preserves it' a_binding_shows_it
it 'a name that is no policy, and a proof that is off, are refused' wrong_names_are_refused
it 'a compiler that a call names obeys the policy as well' named_compilers_obey
it 'wheel check comes to the same verdict' of wheel wheels_agree
it 'another machine has its own versions' other_machines_have_their_own
finish
