#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where the output of a link is, how the check of it is disabled, and how build systems react to a refusal.
#   switches.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/proof/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"
tab=$'\t'

# ---------------------------------------------------------------------------------------------- where the output is

finds_the_output() {
    misled ''
    local output
    call "$cxx" main.o greet.o "$old"
    refuses a.out
    call "$cxx" main.o greet.o "$old" -oprogram
    refuses program
    call "$cxx" main.o greet.o "$old" --output program
    refuses program
    call "$cxx" main.o greet.o "$old" --output=program
    refuses program
    call "$cxx" "$old" -o other main.o greet.o -o 'the program'
    refuses 'the program'
    printf -- '-o "the %s" greet.o\n' program >inner.rsp
    echo "main.o @inner.rsp" >outer.rsp
    call "$cxx" @outer.rsp "$old"
    refuses 'the program' 'greet\.o'
    mkdir there
    call "$cxx" main.o greet.o "$old" -o there/../there/program
    refuses there/program
    call "$cxx" main.cpp greet.cpp "$old" -o program
    refuses program
    for output in main.o greet.o; do [ -f "$output" ] || fail "$output is gone"; done
}
an_older_output_is_gone() {
    misled ''
    echo older >program
    call "$cxx" main.o greet.o "$old" -o program
    refuses program
}
a_failed_link_is_the_linkers() {
    misled ''
    call "$cxx" main.o absent.o "$old" -o program
    exits 1
    says_not '^hostpin:'
}

# ---------------------------------------------------------------------------------------------- switches

warns() {
    misled 'link-proof = "warn"'
    call "$cxx" main.o greet.o "$old" -o program
    exits 0
    says '^hostpin: (note|warning): ' "$(literally "$version")" 'greet\.o'
    [ -x program ] || fail 'no program'
}
is_off() {
    need_command strace
    misled 'link-proof = "off"'
    call "$cxx" main.o greet.o "$old" -o program
    accepts program
    # and then there is no process between the caller and the driver
    call strace -f --seccomp-bpf -qq -e trace=fork,vfork,clone,clone3,execve -o trace "$cxx" main.o greet.o "$old" -o program
    same "$(grep -m 2 execve trace | cut -d' ' -f1 | sort -u | wc -l)" 1
    awk '/execve/ && ++n == 2 { exit } /clone|fork/ { exit 1 }' trace || fail 'it started a child'
}
knows_no_other_word() {
    bound
    echo 'link-proof = "sometimes"' >config.toml
    call env HOSTPIN_CONFIG="$PWD/config.toml" "$hostpin" bind other --toolkit "$toolkit"
    [ "$status" -ne 0 ] || fail 'bound'
    says 'config.toml:1:' 'link-proof.*error.*warn.*off.*sometimes'
}

explains() {
    bound
    "$hostpin" explain --bound bound -- c++ a.o -o program >explained
    grep -E 'then +compares program with what .*/ld-linux[^ ]* will load +link-proof = "error"' explained || fail "$(cat explained)"
    "$hostpin" explain --bound bound -- c++ --sysroot=/x a.o >explained
    grep -E 'then +nothing is verified +--sysroot' explained || fail "$(cat explained)"
    "$hostpin" explain --bound bound -- c++ -c a.cpp >explained
    ! grep '^then' explained || fail "$(cat explained)"
}

# ---------------------------------------------------------------------------------------------- build systems

# shellcheck disable=SC2016 # make, ninja and their shells expand
rebuilds() { # make|ninja
    need_command "$1"
    misled ''
    if [ "$1" = make ]; then
        printf 'program: main.o greet.o flags\n%s%s main.o greet.o `cat flags` -o $@\n' "$tab" "$cxx" >Makefile
    else
        printf 'rule link\n  command = %s main.o greet.o `cat flags` -o $out\nbuild program: link main.o greet.o | flags\n' "$cxx" >build.ninja
    fi
    echo "$old" >flags
    call "$1"
    [ "$status" -ne 0 ] || fail 'built'
    absent program
    call "$1"
    [ "$status" -ne 0 ] || fail "$1 takes the program for done"
    echo "-Wl,-rpath,$PWD/new $old" >flags
    call "$1"
    exits 0
    same "$(./program)" hello
}
fails_cmake_links() {
    need_command ninja
    misled ''
    cp -r "$repository/samples/saxpy" project
    CXX=$bin/bare cmake -S project -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc" "-DCMAKE_CUDA_HOST_COMPILER=$cxx" \
        "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath,$PWD/new:$PWD/libc" >cmake.log 2>&1 || { tail -n 40 cmake.log; fail 'not configured'; }
    cmake --build build >build.log
    cmake build "-DCMAKE_EXE_LINKER_FLAGS=$old" >/dev/null
    call cmake --build build
    [ "$status" -ne 0 ] || fail 'built'
    cat "$out" >>"$err"
    says 'hostpin: error: .*saxpy' "$(literally "$version")"
}
serves_nvcc() {
    misled ''
    echo '__global__ void nothing() {} int greet(); int main() { return greet(); }' >x.cu
    call "$toolkit/bin/nvcc" -ccbin "$cxx" x.cu greet.o -o program -Xlinker "-rpath,$PWD/old:$PWD/libc" -Xlinker "-rpath=$PWD/old:$PWD/libc"
    [ "$status" -ne 0 ] || fail 'linked'
    says '^hostpin: error: ' "$(literally "$version")"
    absent program
}

need_hostpin
it 'the output is found however it is named' finds_the_output
it 'an output of an earlier link does not stay' an_older_output_is_gone
it 'a link that fails is the linker'"'"'s word alone' a_failed_link_is_the_linkers
it 'link-proof = "warn" lets the program stand' warns
it 'link-proof = "off" executes the driver as before' is_off
it 'link-proof knows no other word' knows_no_other_word
it 'explain says what a link will be held against' explains
it 'make builds again after an error' rebuilds make
it 'ninja builds again after an error' rebuilds ninja
it 'links that CMake launches are proven' fails_cmake_links
it 'links of nvcc are proven' serves_nvcc
finish
