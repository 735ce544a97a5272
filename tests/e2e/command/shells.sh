#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# In differently configured shells, doctor and explain print what a call then runs, as strace records it. Where device code makes no
# difference, the call has a .cpp file.
#   shells.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_command strace
need_cuda 12.4
need_lab bin/g++-15 bin/g++-14 bin/g++-13 bin/g++-12 bin/g++-11 bin/clang++-17
old=$(cuda 12.4) new=$(cuda 13.0)
need_new() { need_cuda 13.0; }
# With the whole lab on PATH, a search for compilers takes most of a call: only cases that are about it have one.
only_compilers g++-{15,14,13,12,11} clang++-17
searches() {
    : >searched.toml
    export HOSTPIN_CONFIG=$PWD/searched.toml
}

# The executed programs: `PROGRAM ARGUMENTS` a line.
executed() { grep -v ' = -1 ' trace | sed -nE 's/^[0-9]+ +execve\("[^"]*", \["(.*)"\], 0x.*/\1/p' | sed 's/", "/ /g'; }
# The drivers that compiled this program. During a decision, in a directory of hostpin's, others are only queried, also by nvcc. The lab's
# launchers run another program each.
drivers() { executed | grep tmpxft | grep -v '/hostpin\.[^/ ]*/tmpxft' | sed 's/ .*//' | grep -E '/[^/]*(g|clang|c)\+\+[^/]*$' | grep -vxF -f ours | grep -v "^$lab/roots/"; }
words_of() { tr -d "'" <<<"$1"; }

# truth PROGRAM: compiles and links a program with it in the current shell, and compares doctor and explain with that.
truth() {
    local program=$1 source=${2:-a.cpp} doctor=0 real
    echo 'int main() {}' >"$source"
    "$hostpin" doctor --json >doctor.json 2>doctor.err || doctor=$?
    call "$hostpin" explain -- nvcc -arch=sm_75 "$source" -o a
    same "$status" "$doctor"
    [ -n "${CUDACXX-}" ] || ! grep -F CUDACXX "$out" || fail 'CUDACXX is not set'
    sed -n 's/^runs *//p' "$out" | sed 's/ *with the arguments as they are$//' >runs
    call strace -f --seccomp-bpf -qq -s 9999 -e trace=execve -o trace "$program" -arch=sm_75 "$source" -o a
    exits "$doctor"
    [ "$doctor" = 0 ] || return 0
    executed | sed 's/ .*//' | grep -E '(hostpin|bindings/[0-9a-f]+|/bound)/c\+\+$' | sort -u >ours || true
    real=$(executed | grep -E "^($old|$new)/bin/nvcc .*$source -o a$")
    same "$(words_of "$(cat runs)")" "$real"
    same "$(sort -u <(drivers))" "$({ json doctor.json selection driver && json doctor.json selection link; } | sed 's/ .*//' | sort -u)"
    same "${real%%/bin/nvcc *}" "$(json doctor.json toolkit)"
}
bind() { "$hostpin" bind "$@" >/dev/null; }
says_call() { same "$(json doctor.json call "$1")" "$2"; }

stale_cuda_home() {
    searches
    export CUDA_HOME=/opt/cuda-9 PATH=$old/bin:$PATH CXX=g++-15
    truth "$our_nvcc" a.cu
}
options_in_cxx() {
    export CUDA_HOME=$old CXX='g++-14 -O2 -Wall'
    truth "$our_nvcc"
}
flags_name_a_compiler() {
    export CUDA_HOME=$old CXX=g++-15 NVCC_PREPEND_FLAGS=-ccbin=g++-12
    truth "$our_nvcc"
    says_call named g++-12
    says_call named_by NVCC_PREPEND_FLAGS
    export NVCC_APPEND_FLAGS="-ccbin $lab/bin/g++-11"
    truth "$our_nvcc"
    says_call named_by NVCC_APPEND_FLAGS
}
flags_name_one_that_does_not_fit() {
    export CUDA_HOME=$old CXX=g++-15 NVCC_APPEND_FLAGS=-ccbin=g++-15
    truth "$our_nvcc"
    same "$(json doctor.json call exit_code)" 1
}
the_variable_is_read_by_new_releases() {
    need_new
    export CUDA_HOME=$new CXX=g++-15 NVCC_CCBIN=$lab/bin/g++-12
    truth "$our_nvcc"
    says_call named_by NVCC_CCBIN
    export CUDA_HOME=$old
    truth "$our_nvcc"
    contains g++-13 <<<"$(json doctor.json selection driver)"
}
bound_first_on_path() {
    bind bound --toolkit "$old" --stdenv g++-15
    export PATH=$PWD/bound:$PATH
    [ ! -d "$new" ] || export CUDA_HOME=$new
    export HOSTPIN_CONFIG=$PWD/config.toml
    echo 'family = "clang"' >"$HOSTPIN_CONFIG" # does not affect what is bound
    truth nvcc
    says_call bound "$PWD/bound"
    "$hostpin" doctor | contains "bound in $PWD/bound"
    "$hostpin" capabilities | contains "CUDA 12.4.*bound in $PWD/bound"
    "$hostpin" env 2>&1 >/dev/null | contains -F "hostpin env --bound $PWD/bound"
    export NVCC_PREPEND_FLAGS=-ccbin=g++-12
    : >"$HOSTPIN_CONFIG"
    truth nvcc
    says_call named g++-12
    # names on the command line are for unbound calls
    "$hostpin" doctor --json --stdenv g++-12 --toolkit "$old" >doctor.json
    same "$(json doctor.json call nvcc)" "$our_nvcc"
    # its own c++ is left in place
    NVCC_PREPEND_FLAGS=-ccbin=$PWD/bound/c++ truth nvcc
}
# A c++ that another toolkit's nvcc runs uses that toolkit, bound or not, and its bound host compiler if that was named.
bound_to_another_toolkit() {
    need_new
    bind bound --toolkit "$new" --stdenv g++-15
    export CUDA_HOME=$old CXX=g++-14 NVCC_PREPEND_FLAGS="-ccbin $PWD/bound/c++"
    truth "$our_nvcc"
    contains g++-13 <<<"$(json doctor.json selection driver)"
    contains g++-15 <<<"$(json doctor.json selection link)"
    export NVCC_PREPEND_FLAGS="-ccbin $our_cxx"
    bind other/bound --toolkit "$old" --host g++-12
    PATH=$PWD/other/bound:$PATH truth nvcc
    NVCC_PREPEND_FLAGS="-ccbin $PWD/other/bound/c++" truth "$our_nvcc"
    contains g++-12 <<<"$(json doctor.json selection driver)"
    # one that does not fit is refused
    bind third --toolkit "$new" --host g++-15
    NVCC_PREPEND_FLAGS="-ccbin $PWD/third/c++" call "$hostpin" explain -- "$our_nvcc" -c a.cu
    exits 1
    says 'g\+\+-15.* does not fit CUDA 12\.4'
}
# foreign PATTERN ARGUMENT...: the answer for a call of the toolkit's own nvcc, which runs a compiler that matches.
foreign() {
    local pattern=$1
    shift
    call "$hostpin" explain -- "$old/bin/nvcc" "$@"
    exits 0
    grep -qE "^calls +$old/bin/nvcc +not hostpin's" "$out" || { show_call && fail 'it is not said to be another nvcc'; }
    grep -qE "^compiles +$pattern" "$out" || { show_call && fail "it does not compile by $pattern"; }
    sed -n 's/^runs *//p' "$out" | contains -x "$old/bin/nvcc $* *with the arguments as they are"
}
not_ours() {
    export CXX=g++-15 CUDA_HOME=/nowhere
    compiler gcc "$lab/bin/gcc-12" && compiler g++ "$lab/bin/g++-12"
    bind bound --toolkit "$old" --stdenv g++-14 --host g++-11
    foreign 'GCC 13.* named by -ccbin$' -ccbin g++-13 -c a.cu
    PATH=$bin:$PATH foreign 'GCC 12.* named by nvcc itself$' -c a.cu
    NVCC_APPEND_FLAGS='-ccbin g++-13' foreign 'GCC 13.* NVCC_APPEND_FLAGS$' -c a.cu
    NVCC_CCBIN=g++-13 PATH=$bin:$PATH foreign 'GCC 12' -c a.cu # that release does not read it
    foreign 'GCC 13.*newest' -ccbin "$our_cxx" -c a.cu
    foreign 'GCC 11.*named by --host' -ccbin "$PWD/bound/c++" -c a.cu
}
view_first_on_path() {
    bind --view view --toolkit "$old" --stdenv g++-15
    export PATH=$PWD/view/bin:$PATH
    write_small_source a.cu
    "$hostpin" doctor --json >doctor.json
    says_call bound "$PWD/view"
    call strace -f --seccomp-bpf -qq -s 9999 -e trace=execve -o trace nvcc -arch=sm_75 -c a.cu -o a.o
    exits 0
    : >ours
    drivers | contains -Fx "$(json doctor.json selection driver)"
}
bound_by_cudacxx() {
    bind bound --toolkit "$old" --stdenv g++-15
    export CUDACXX=$PWD/bound/nvcc CUDA_HOME=/nowhere
    truth "$CUDACXX"
    # shellcheck disable=SC2016 # it is the variable's name
    says_call origin '$CUDACXX'
}
kept_by_a_build_directory() {
    need_new
    need_command cmake ninja
    mkdir source
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CUDA)\n' >source/CMakeLists.txt
    CUDAToolkit_ROOT=$old CXX=$lab/bin/g++-14 cmake -S source -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$our_nvcc" "${identified_only[@]}" >log
    export CUDA_HOME=$new CXX=g++-15
    cd build
    truth "$our_nvcc"
    says_call build "$PWD"
    same "$(json doctor.json toolkit)" "$old"
    "$hostpin" capabilities | contains "CUDA 12.4.*stored for $PWD"
    cd ..
    truth "$our_nvcc"
    same "$(json doctor.json toolkit)" "$new"
}
bound_and_changed() {
    compiler g++-mine "$lab/bin/g++-13"
    bind bound --toolkit "$old" --stdenv g++-15 --host "$bin/g++-mine"
    compiler g++-mine "$lab/bin/g++-12"
    export PATH=$PWD/bound:$PATH
    truth nvcc
    same "$(json doctor.json call exit_code)" 2
    says 'depends on .*/g\+\+-mine, which has changed'
    call "$hostpin" doctor
    exits 2
    contains -F "bind --refresh $PWD/bound" <"$out"
}
without_home() {
    export CUDA_HOME=$old CXX=g++-15
    unset HOME HOSTPIN_CACHE_DIR XDG_CACHE_HOME HOSTPIN_CONFIG
    truth "$our_nvcc"
}
modules() {
    searches
    mkdir -p sw/gcc/bin
    ln -s "$lab/bin/g++-12" sw/gcc/bin/g++
    ln -s "$lab/bin/g++-12" sw/gcc/bin/c++
    export LOADEDMODULES=gcc/12:cuda/12.4 CUDA_PATH=$old CUDA_HOME=$old CPATH=$PWD/sw/gcc/include PATH=$PWD/sw/gcc/bin:$old/bin:$PATH
    truth "$our_nvcc"
}
conda() {
    searches
    mkdir -p conda/bin
    ln -s "$lab/bin/g++-13" conda/bin/x86_64-conda-linux-gnu-c++
    export CONDA_PREFIX=$PWD/conda CXX=$PWD/conda/bin/x86_64-conda-linux-gnu-c++ CUDA_HOME=$old PATH=$PWD/conda/bin:$PATH
    truth "$our_nvcc"
}
configured() {
    export HOSTPIN_CONFIG=$PWD/config.toml
    printf 'toolkit = "%s"\nstdenv = "g++-15"\nhost = "g++-12"\n' "$old" >"$HOSTPIN_CONFIG"
    [ ! -d "$new" ] || export CUDA_HOME=$new
    truth "$our_nvcc"
    same "$(json doctor.json selection origin)" 'named by configuration'
    echo 'named-host = "as-is"' >>"$HOSTPIN_CONFIG"
    NVCC_APPEND_FLAGS="-ccbin $lab/bin/g++-11" truth "$our_nvcc"
    same "$(json doctor.json selection link)" "$lab/bin/g++-11"
}
wrong_policy() {
    export CUDA_HOME=$old CXX=g++-15 HOSTPIN_LTO=on
    truth "$our_nvcc"
    same "$(json doctor.json call exit_code)" 2
    contains 'HOSTPIN_LTO=on is not a policy' <<<"$(json doctor.json selection error)"
    HOSTPIN_LTO=off bind bound
    PATH=$PWD/bound:$PATH truth nvcc
    same "$(json doctor.json call exit_code)" 2
}

it "in a shell with a stale CUDA_HOME" stale_cuda_home
it "in a shell whose CXX carries options" options_in_cxx
it "where nvcc's flags variables name a compiler" flags_name_a_compiler
it "where they name one that does not fit" flags_name_one_that_does_not_fit
it "NVCC_CCBIN counts where the toolkit reads it" the_variable_is_read_by_new_releases
it "with a bound directory first on PATH" bound_first_on_path
it "where a bound c++ is named to another toolkit's nvcc" bound_to_another_toolkit
it "an nvcc that is not hostpin's" not_ours
it "with a toolkit view first on PATH" view_first_on_path
it "where CUDACXX names a bound directory" bound_by_cudacxx
it "below a build directory that was configured elsewise" kept_by_a_build_directory
it "a bound directory whose compiler changed is refused by both" bound_and_changed
it "without HOME" without_home
it "after modules were loaded" modules
it "in a prefix as of conda" conda
it "by a configuration" configured
it "a policy that is none is an error of both" wrong_policy
finish
