#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A host compiler that the user names compiles, its links are pinned; one that does not fit is an error before nvcc starts.
#   named.sh [WORDS]   only the cases whose sentence contains WORDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

# CUDA TOOLKIT, a stdenv of GCC 16. Without a name GCC 13 (12.4) or 15 (13.0) would be selected; g++-12 fits as well.
ground() { # [TOOLKIT]
    need_cuda "${1:-12.4}"
    need_lab bin/g++-12 bin/g++-13 bin/g++-14 bin/g++-15 bin/g++-16 bin/clang++-16
    CUDA_HOME=$(cuda "${1:-12.4}")
    export CUDA_HOME CXX=$lab/bin/g++-16
    fitting=$lab/bin/g++-12 unfit=$lab/bin/g++-16
    write_source x.cu
    write_small_source small.cu
}

# by WAY COMPILER ARGUMENT...: calls our nvcc with the compiler named in that way.
by() {
    local way=$1 compiler=$2
    shift 2
    case $way in
    '-ccbin X') call "$our_nvcc" -ccbin "$compiler" "$@" ;;
    '-ccbin=X') call "$our_nvcc" "-ccbin=$compiler" "$@" ;;
    '--compiler-bindir X') call "$our_nvcc" --compiler-bindir "$compiler" "$@" ;;
    '--compiler-bindir=X') call "$our_nvcc" "$@" "--compiler-bindir=$compiler" ;;
    '-optf')
        echo "-ccbin $compiler" >options
        call "$our_nvcc" -optf options "$@"
        ;;
    '--options-file=')
        echo "--compiler-bindir=$compiler" >options
        call "$our_nvcc" "$@" --options-file=options
        ;;
    NVCC_PREPEND_FLAGS) NVCC_PREPEND_FLAGS="-ccbin $compiler" call "$our_nvcc" "$@" ;;
    NVCC_APPEND_FLAGS) NVCC_APPEND_FLAGS="-ccbin=$compiler" call "$our_nvcc" "$@" ;;
    'NVCC_PREPEND_FLAGS -optf')
        echo "-ccbin=$compiler" >options
        NVCC_PREPEND_FLAGS="-optf options" call "$our_nvcc" "$@"
        ;;
    NVCC_CCBIN) NVCC_CCBIN=$compiler call "$our_nvcc" "$@" ;;
    esac
}

# The program loads what a plain program of the stdenv loads.
pinned() { # PROGRAM
    local plain=$work/plain.${CXX##*/}
    if [ ! -f "$plain" ]; then stdenv_program "$CXX" && mv plain "$plain"; fi
    same "$(loaded "$1" libstdc++)" "$(loaded "$plain" libstdc++)"
    same "$(readelf -l "$1" | grep interpreter)" "$(readelf -l "$plain" | grep interpreter)"
    same "$("$1")" 'hello from the host half'
}

obeyed() { # WAY TOOLKIT
    ground "$2"
    by "$1" "$fitting" -c x.cu -o x.o
    exits 0
    prints_nothing
    says_not 'hostpin: error'
    made_by x.o gcc 12
    by "$1" "$fitting" x.o -o x
    exits 0
    pinned ./x
}
refused() { # WAY TOOLKIT
    ground "$2"
    by "$1" "$unfit" -c x.cu -o x.o
    exits 1
    prints_nothing
    says '^hostpin: error: ' 'g\+\+-16' "CUDA $2" 'newer than|does not fit' '^hint: '
    says_not 'host_config\.h.*#error|unsupported GNU version' # nvcc never started
    absent x.o
}
refused_unless_allowed() {
    ground 12.4
    by '-ccbin X' "$lab/bin/g++-14" -allow-unsupported-compiler --dryrun -c x.cu
    exits 0
    says 'gnu_version=140'
    NVCC_APPEND_FLAGS=-allow-unsupported-compiler by '-ccbin=X' "$lab/bin/g++-14" --dryrun -c x.cu
    exits 0
    says 'gnu_version=140'
}
missing() {
    ground
    by '-ccbin X' "$PWD/no/such/g++" -c x.cu -o x.o
    [ "$status" -ne 0 ] || fail "a compiler that is not there was obeyed"
    prints_nothing
    says "$PWD/no/such/g\+\+"
    absent x.o
}
as_a_directory() {
    ground
    mkdir compilers
    ln -s "$lab/bin/gcc-12" compilers/gcc
    ln -s "$lab/bin/g++-12" compilers/g++
    by '-ccbin X' "$PWD/compilers" -c x.cu -o x.o
    exits 0
    made_by x.o gcc 12
    by '-ccbin X' "$PWD/compilers" x.cu -o x
    exits 0
    pinned ./x
}
by_relative_path_and_name() {
    ground
    ln -s "$fitting" mine
    by '-ccbin X' ./mine -c small.cu -o x.o
    exits 0
    made_by x.o gcc 12
    rm x.o
    by '-ccbin X' g++-12 -c small.cu -o x.o # looked up on PATH
    exits 0
    made_by x.o gcc 12
}
c_driver() {
    ground
    # a plain nvcc compiles with gcc-12 and then fails to link; asked for that compiler, we link as C++
    by '-ccbin X' "$lab/bin/gcc-12" x.cu -o x
    exits 0
    pinned ./x
}
other_family() {
    ground
    export CXX=$lab/bin/g++-12
    by '-ccbin X' "$lab/bin/clang++-16" -c x.cu -o x.o
    exits 0
    made_by x.o clang 16
    by '-ccbin X' "$lab/bin/clang++-16" x.cu -o x
    exits 0
    pinned ./x
}
# Programs of that Clang start by the machine's loader, those of this stdenv by a newer one of its own.
other_family_other_loader() {
    ground
    by '-ccbin X' "$lab/bin/clang++-16" x.cu -o x
    exits 0
    pinned ./x
}

# Who wins among several is nvcc's own rule.
append_wins() {
    ground
    NVCC_PREPEND_FLAGS="-ccbin $lab/bin/g++-15" NVCC_APPEND_FLAGS="-ccbin $fitting" \
        call "$our_nvcc" -ccbin "$lab/bin/g++-14" -c small.cu -o x.o
    exits 0
    made_by x.o gcc 12
}
line_beats_prepend() {
    ground
    NVCC_PREPEND_FLAGS="-ccbin $lab/bin/g++-15" call "$our_nvcc" -ccbin "$fitting" -c small.cu -o x.o
    exits 0
    made_by x.o gcc 12
}
last_on_the_line_wins() {
    ground
    call "$our_nvcc" -ccbin "$lab/bin/g++-15" -ccbin "$fitting" -c small.cu -o x.o
    exits 0
    made_by x.o gcc 12
}
prepend_beats_variable() {
    ground 13.0
    NVCC_CCBIN=$lab/bin/g++-14 NVCC_PREPEND_FLAGS="-ccbin $fitting" call "$our_nvcc" -c small.cu -o x.o
    exits 0
    made_by x.o gcc 12
}
variable_unknown_before_12_5() {
    ground 12.4
    NVCC_CCBIN=$fitting call "$our_nvcc" -c small.cu -o x.o
    exits 0
    made_by x.o gcc 13 # the selection: this nvcc does not read the variable, so nobody was named
}

# CMake turns CMAKE_CUDA_HOST_COMPILER into -ccbin= on each call, ours or not.
through_cmake() { # VARIABLE-OR-ENVIRONMENT
    local program
    ground
    case $1 in
    variable) cmake -S "$repository/samples/saxpy" -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$our_nvcc" \
        "-DCMAKE_CUDA_HOST_COMPILER=$fitting" ;;
    environment) CUDAHOSTCXX=$fitting CUDACXX=$our_nvcc cmake -S "$repository/samples/saxpy" -B build -G Ninja ;;
    esac
    cmake --build build
    ctest --test-dir build --output-on-failure
    made_by build/CMakeFiles/saxpy_cuda.dir/saxpy_cuda.cu.o gcc 12
    stdenv_program "$CXX"
    for program in saxpy_cuda saxpy_mixed; do
        same "$(loaded build/$program libstdc++)" "$(loaded plain libstdc++)"
    done
}
through_cmake_refused() {
    ground
    call cmake -S "$repository/samples/saxpy" -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$our_nvcc" \
        "-DCMAKE_CUDA_HOST_COMPILER=$unfit"
    [ "$status" -ne 0 ] || fail "configured with a compiler that does not fit"
    grep -rq 'hostpin: error: .*g++-16' build "$err" "$out" || { show_call; fail "CMake does not show why"; }
}
named_to_bind() {
    ground
    "$hostpin" bind --host "$fitting" bound
    call bound/nvcc x.cu -o x
    exits 0
    pinned ./x
    call bound/nvcc -c x.cu -o x.o
    made_by x.o gcc 12
    call "$hostpin" bind --host "$unfit" unfit
    exits 1
    says 'g\+\+-16' 'CUDA 12\.4'
    absent unfit
}
named_over_a_binding() {
    ground
    "$hostpin" bind bound
    call bound/nvcc -ccbin "$fitting" x.cu -o x
    exits 0
    pinned ./x
    call bound/nvcc -ccbin "$unfit" -c x.cu -o x.o
    exits 1
    absent x.o
}

# Under `as-is` the real nvcc gets what the user wrote.
as_is() { # WAY TOOLKIT COMPILER
    local compiler
    ground "$2"
    compiler=$lab/bin/$3
    echo 'named-host = "as-is"' >as-is.toml
    export HOSTPIN_CONFIG=$PWD/as-is.toml
    by "$1" "$compiler" --dryrun x.cu -o x
    exits 0
    normalise <"$err" >ours
    (
        our_nvcc=$CUDA_HOME/bin/nvcc
        by "$1" "$compiler" --dryrun x.cu -o x
        exits 0
    )
    normalise <"$err" | diff - ours || fail "the real nvcc was told something else"
    grep -q -- "$compiler" ours
}
as_is_unfit() {
    ground
    echo 'named-host = "as-is"' >as-is.toml
    export HOSTPIN_CONFIG=$PWD/as-is.toml
    by '-ccbin X' "$unfit" -c x.cu -o x.o
    exits 1
    absent x.o
}

need_hostpin
for way in '-ccbin X' '-ccbin=X' '--compiler-bindir X' '--compiler-bindir=X' -optf --options-file= \
    NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS 'NVCC_PREPEND_FLAGS -optf'; do
    it "named by $way, a fitting compiler compiles and the link is pinned" obeyed "$way" 12.4
    it "named by $way, one that does not fit is an error" refused "$way" 12.4
    it "named by $way under as-is, nothing is touched" as_is "$way" 12.4 g++-12
done
it 'named by NVCC_CCBIN, a fitting compiler compiles and the link is pinned' obeyed NVCC_CCBIN 13.0
it 'named by NVCC_CCBIN, one that does not fit is an error' refused NVCC_CCBIN 13.0
it 'named by NVCC_CCBIN under as-is, nothing is touched' as_is NVCC_CCBIN 13.0 g++-12
it 'NVCC_CCBIN names nobody before CUDA 12.5' variable_unknown_before_12_5
it 'one that does not fit goes on when the user allows unsupported compilers' refused_unless_allowed
it 'one that does not fit is refused under as-is too' as_is_unfit
it 'one that is not there is an error that names it' missing
it 'a directory means the g++ in it' as_a_directory
it 'a relative path and a bare name are what nvcc takes them for' by_relative_path_and_name
it 'a C driver links as C++' c_driver
it 'one of another family compiles and its link is pinned' other_family
it 'one of another family whose programs have another loader links with the loader of the stdenv' other_family_other_loader
it 'NVCC_APPEND_FLAGS outranks the line and NVCC_PREPEND_FLAGS' append_wins
it 'the line outranks NVCC_PREPEND_FLAGS' line_beats_prepend
it 'the last one on the line wins' last_on_the_line_wins
it 'NVCC_PREPEND_FLAGS outranks NVCC_CCBIN' prepend_beats_variable
it 'CMAKE_CUDA_HOST_COMPILER through our nvcc compiles and the link is pinned' through_cmake variable
it 'CUDAHOSTCXX through our nvcc compiles and the link is pinned' through_cmake environment
it 'CMAKE_CUDA_HOST_COMPILER that does not fit stops the configuration with the reason' through_cmake_refused
it 'bind --host compiles with it or refuses it' named_to_bind
it 'a name on a bound call outranks the binding' named_over_a_binding
finish
