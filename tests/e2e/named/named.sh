#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A host compiler that the user names compiles, its links are pinned; one that does not fit is an error before nvcc starts.
#   named.sh [WORDS]   only the cases whose sentence contains WORDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

# CUDA TOOLKIT, a stdenv of GCC 16. Without a name GCC 13 (12.4) or 15 (13.0) would be selected; g++-12 fits as well.
# With the machine's own toolkit and stdenv: the stdenv is selected if it fits, and the GCC before it is named.
ground() { # [TOOLKIT]
    if [ "$stands_in" = yes ]; then
        need_split
        strict=$toolkit fits=$older selected=$gcc others=("$stdenv" "$stdenv") clang=clang++-$(majors clang++ | sed -n 1p)
        only_compilers "$lab"/bin/*++-*
    else
        need_lab bin/g++-13 bin/g++-14 bin/g++-15
        need_split "${1:-12.4}" 12 16
        strict=$toolkit fits=12 selected=13 others=("$lab/bin/g++-14" "$lab/bin/g++-15") clang=clang++-16
        only_compilers "$lab"/bin/{g++-{10,12,13,14,15,16},clang++-16}
    fi
    CUDA_HOME=$(cuda "$release")
    export CUDA_HOME CXX=$stdenv
    fitting=$host unfit=$stdenv
    write_source x.cu
    write_host_source x.cpp
}

# need_another: what is named is not what would be selected.
need_another() { [ "$fits" != "$selected" ] || without_lab "no second GCC that fits CUDA $release $where"; }

# stricter: from here on the toolkit does not accept $unfit.
stricter() { CUDA_HOME=$strict; }

# reads WAY: whether this nvcc supports that way.
reads() {
    if [ "$1" = NVCC_CCBIN ]; then need_release 12.5 NVCC_CCBIN; fi
}

# by WAY COMPILER ARGUMENT...: calls hostpin's nvcc with the compiler named in that way.
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

obeyed() { # WAY TOOLKIT; one way with device code, which takes a second
    local source=x.cpp
    if [ "$1" = '-ccbin X' ]; then source=x.cu; fi
    ground "$2"
    reads "$1"
    by "$1" "$fitting" -c "$source" -o x.o
    exits 0
    prints_nothing
    says_not 'hostpin: error'
    made_by x.o gcc "$fits"
    by "$1" "$fitting" x.o -o x
    exits 0
    pinned ./x
}
refused() { # WAY TOOLKIT
    ground "$2"
    reads "$1"
    stricter
    by "$1" "$unfit" -c x.cu -o x.o
    exits 1
    prints_nothing
    says '^hostpin: error: ' "g\+\+-$newer" "CUDA $release" 'newer than|does not fit' '^hint: '
    says_not 'host_config\.h.*#error|unsupported GNU version' # nvcc never started
    absent x.o
}
refused_unless_allowed() {
    ground 12.4
    stricter
    by '-ccbin X' "$unfit" -allow-unsupported-compiler --dryrun -c x.cu
    exits 0
    says "gnu_version=${newer}0"
    NVCC_APPEND_FLAGS=-allow-unsupported-compiler by '-ccbin=X' "$unfit" --dryrun -c x.cu
    exits 0
    says "gnu_version=${newer}0"
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
    ln -s "$lab/bin/gcc-$fits" compilers/gcc
    ln -s "$fitting" compilers/g++
    by '-ccbin X' "$PWD/compilers" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
    by '-ccbin X' "$PWD/compilers" x.o -o x
    exits 0
    pinned ./x
}
by_relative_path_and_name() {
    ground
    ln -s "$fitting" mine
    by '-ccbin X' ./mine -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
    rm x.o
    by '-ccbin X' "g++-$fits" -c x.cpp -o x.o # searched on PATH
    exits 0
    made_by x.o gcc "$fits"
}
# Of x.cu, with our nvcc: configure_project [OPTION...]; build_project configures too.
configure_project() {
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(x CUDA)\nadd_executable(x x.cu)\n' >CMakeLists.txt
    CUDACXX=$our_nvcc cmake -B build -DCMAKE_CUDA_ARCHITECTURES=75 "$@"
}
build_project() {
    configure_project "$@"
    cmake --build build
}
# compiles_with_it COMMAND...: an nvcc and what comes before it.
compiles_with_it() {
    rm -f x.o
    call "$@" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
}
by_a_path_with_a_blank() {
    ground
    mkdir 'sp c'
    ln -s "$fitting" 'sp c/g++'
    ln -s "$lab/bin/gcc-$fits" 'sp c/gcc'
    local mine="$PWD/sp c/g++"
    by '-ccbin=X' "$mine" x.cpp -o x
    exits 0
    pinned ./x
    compiles_with_it "$our_nvcc" -ccbin "$PWD/sp c"
    echo "-ccbin \"$mine\"" >options
    compiles_with_it "$our_nvcc" -optf options
    "$hostpin" bind host --host "$mine"
    compiles_with_it host/nvcc
    "$hostpin" bind stdenv --stdenv "$mine" # which fits, and so compiles
    compiles_with_it stdenv/nvcc
    "$hostpin" bind --refresh stdenv
    compiles_with_it env CXX="$mine -O1" "$our_nvcc"
    printf 'host = "%s"\nstdenv = "\\"%s\\" -O1"\n' "$mine" "$mine" >blank.toml
    compiles_with_it env HOSTPIN_CONFIG="$PWD/blank.toml" "$our_nvcc"
    [ ! -d "$(cuda 13.0)" ] || compiles_with_it env CUDA_HOME="$(cuda 13.0)" NVCC_CCBIN="$mine" "$our_nvcc"
    CXX=$mine CUDAHOSTCXX=$mine build_project "${identified_only[@]}"
    made_by build/CMakeFiles/x.dir/x.cu.o gcc "$fits"
    gcc -c -x c /dev/null -o empty.o
    lto-check() { "$hostpin" lto-check "$@"; }
    CXX=$mine lto-check empty.o
    lto-check --linker "$mine -O1" empty.o
}
c_driver() {
    ground
    # a plain nvcc compiles with gcc and then fails to link; with that compiler named, hostpin links as C++
    by '-ccbin X' "$lab/bin/gcc-$fits" x.cpp -o x
    exits 0
    pinned ./x
}
# With any name: clang, cc, with a version or a triple. nvcc itself knows gcc alone.
c_driver_of_another_family() {
    local name
    ground
    need_lab "bin/${clang/++/}" "bin/gcc-$fits"
    ln -s "$lab/bin/${clang/++/}" cc
    ln -s "$lab/bin/${clang/++/}" x86_64-linux-gnu-clang-1
    export CXX=$fitting
    for name in "$lab/bin/${clang/++/}" ./cc "$PWD/x86_64-linux-gnu-clang-1"; do
        by '-ccbin X' "$name" -c x.cpp -o x.o
        exits 0
        made_by x.o clang "${clang#*-}"
        by '-ccbin X' "$name" x.o -o x
        exits 0
        pinned ./x
    done
    export CXX=$lab/bin/$clang
    by '-ccbin X' "$lab/bin/gcc-$fits" x.cpp -o x
    exits 0
    pinned ./x
}
other_family() {
    ground
    need_lab "bin/$clang"
    export CXX=$fitting
    by '-ccbin X' "$lab/bin/$clang" -c x.cu -o x.o
    exits 0
    made_by x.o clang "${clang#*-}"
    by '-ccbin X' "$lab/bin/$clang" x.o -o x
    exits 0
    pinned ./x
}
# Programs of that Clang start with the machine's loader, those of this stdenv with its own newer one.
other_family_other_loader() {
    ground
    need_lab bin/g++-16 bin/clang++-16
    by '-ccbin X' "$lab/bin/clang++-16" x.cpp -o x
    exits 0
    pinned ./x
}

# nvcc's own rule decides between several.
append_wins() {
    ground
    NVCC_PREPEND_FLAGS="-ccbin ${others[1]}" NVCC_APPEND_FLAGS="-ccbin $fitting" \
        call "$our_nvcc" -ccbin "${others[0]}" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
}
line_beats_prepend() {
    ground
    NVCC_PREPEND_FLAGS="-ccbin ${others[1]}" call "$our_nvcc" -ccbin "$fitting" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
}
last_on_the_line_wins() {
    ground
    call "$our_nvcc" -ccbin "${others[1]}" -ccbin "$fitting" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
}
prepend_beats_variable() {
    ground 13.0
    reads NVCC_CCBIN
    NVCC_CCBIN=${others[0]} NVCC_PREPEND_FLAGS="-ccbin $fitting" call "$our_nvcc" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
}
variable_unknown_before_12_5() {
    ground 12.4
    need_another
    if since 12.5; then skip "CUDA $release is no earlier one (./bootstrap lab provides one)"; fi
    NVCC_CCBIN=$fitting call "$our_nvcc" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$selected" # the selection: this nvcc does not read the variable, so no compiler was named
}

# CMake turns CMAKE_CUDA_HOST_COMPILER into -ccbin= on each call, with any nvcc.
through_environment() {
    ground
    CUDAHOSTCXX=$fitting build_project
    made_by build/CMakeFiles/x.dir/x.cu.o gcc "$fits"
    pinned build/x
}
through_cmake() {
    ground
    build_project "-DCMAKE_CUDA_HOST_COMPILER=$fitting" "${identified_only[@]}"
    made_by build/CMakeFiles/x.dir/x.cu.o gcc "$fits"
    pinned build/x
}
through_cmake_refused() {
    ground
    stricter
    call configure_project "-DCMAKE_CUDA_HOST_COMPILER=$unfit"
    [ "$status" -ne 0 ] || fail "configured with a compiler that does not fit"
    grep -rq "hostpin: error: .*g++-$newer" build "$err" "$out" || { show_call; fail "CMake does not show why"; }
}
named_to_bind() {
    ground
    "$hostpin" bind --host "$fitting" bound
    call bound/nvcc -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
    call bound/nvcc x.o -o x
    exits 0
    pinned ./x
    stricter
    call "$hostpin" bind --host "$unfit" unfit
    exits 1
    says "g\+\+-$newer" "CUDA $release"
    absent unfit
}
named_over_a_binding() {
    ground
    stricter
    "$hostpin" bind bound
    call bound/nvcc -ccbin "$fitting" x.cpp -o x
    exits 0
    pinned ./x
    call bound/nvcc -ccbin "$unfit" -c x.cu -o x.o
    exits 1
    absent x.o
    # a build that has to name a compiler, as Kokkos' nvcc_wrapper does, gets the name of one that fits
    says "^hint: .*where a build has to name one, $(literally "$PWD/bound/c++")(,|\$)"
    call "$hostpin" explain --bound bound -- nvcc -ccbin "$unfit" -c x.cu
    says "^hint: .*where a build has to name one, $(literally "$PWD/bound/c++")(,|\$)"
    call bound/nvcc -ccbin "$PWD/bound/c++" -c x.cpp -o x.o
    exits 0
    # and without a binding
    call "$our_nvcc" -ccbin "$unfit" -c x.cu -o y.o
    exits 1
    says "^hint: .*where a build has to name one, $(literally "$our_cxx")(,|\$)"
}

# with_path_alone COMMAND...: as Bazel's rules_cuda, cron and sandboxes run nvcc.
with_path_alone() { call env -i PATH="$lab/bin:$PATH" TMPDIR="$PWD/temporary" "$@"; }
without_a_home() {
    local own
    ground
    need_another
    mkdir -m 700 temporary
    "$hostpin" bind bound >/dev/null
    for own in "$lab/bin/g++-$selected" "g++-$selected" "$lab/bin/../bin/g++-$selected"; do # the binding's: nothing to decide
        with_path_alone bound/nvcc -ccbin "$own" x.cpp -o x
        exits 0
        says_not hostpin:
        with_path_alone bound/nvcc -ccbin "$own" -c x.cpp -o x.o
        made_by x.o gcc "$selected"
        same "made: $(ls temporary)" 'made: '
    done
    with_path_alone env HOME=/proc NVCC_PREPEND_FLAGS="-ccbin $fitting" bound/nvcc -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$fits"
    says '^hostpin: note: the decision cannot be stored in the cache: cannot create /proc/.cache: ' \
        "; it is in $(literally "$PWD")/temporary/hostpin-[0-9]* for now; to store it permanently: "
    with_path_alone bound/nvcc -ccbin "$fitting" --version
    exits 0
    says '^hostpin: note: the decision cannot be stored in the cache: none of '
    with_path_alone bound/nvcc -ccbin "$fitting" -c x.cpp -o x.o
    exits 0
    says_not hostpin:
    with_path_alone bound/nvcc -ccbin "$fitting" x.o -o x # decided once
    exits 0
    says_not hostpin:
    pinned ./x
    with_path_alone bound/nvcc -ccbin "$unfit" -allow-unsupported-compiler --dryrun -c x.cu
    exits 0
    says "gnu_version=${newer}0"
}
# A directory from which no program is run cannot hold a c++.
without_a_home_or_programs() {
    ground
    need_another
    need_mounts
    mkdir -m 700 temporary
    "$hostpin" bind bound >/dev/null
    # shellcheck disable=SC2016
    with_path_alone unshare -m sh -c 'mount -t tmpfs -o noexec none temporary && "$@"' sh bound/nvcc -ccbin "$fitting" -c x.cpp -o x.o
    exits 2
    says '^hostpin: error: the decision about .* cannot be stored' '^hint: .*HOSTPIN_CACHE_DIR'
    absent x.o
}

# As conda-forge's activation names the compiler of the stdenv.
named_by_the_environment() {
    local instead
    ground
    need_another
    stricter
    instead="unset NVCC_PREPEND_FLAGS or, where .* has to name (one|a host compiler), (name )?$(literally "$PWD/bound/c++")(,|\$)"
    export NVCC_PREPEND_FLAGS=" -ccbin=$unfit"
    call "$hostpin" bind bound
    exits 0
    says "^hostpin: note: calls in this environment are refused: GCC $newer\..* does not fit CUDA $release" \
        '^  named by NVCC_PREPEND_FLAGS' "^hint: .*$instead"
    call bound/nvcc -c x.cu -o x.o
    exits 1
    says "^hint: .*$instead"
    call env PATH="$PWD/bound:$PATH" "$hostpin" doctor
    exits 1
    grep -qE "^next: .*$instead" "$out" || { show_call && fail 'doctor does not say it'; }
    call "$hostpin" env --bound bound
    exits 0
    says "^hostpin: note: NVCC_PREPEND_FLAGS names $(literally "$unfit"), which takes precedence over the binding: $instead"
    CUDA_HOME=$(cuda "$release") # where it is not the selection
    export NVCC_PREPEND_FLAGS="-ccbin=$fitting"
    call "$hostpin" bind bound
    exits 0
    says "^hostpin: note: NVCC_PREPEND_FLAGS names GCC $fits\..*, which compiles in this environment: unset NVCC_PREPEND_FLAGS"
    for instead in "$PWD/bound/c++" "$lab/bin/g++-$selected"; do # what calls do without it
        export NVCC_PREPEND_FLAGS="-ccbin $instead"
        call "$hostpin" bind bound
        exits 0
        says_not NVCC_PREPEND_FLAGS
    done
}
# GCC 11 added std::to_chars(double).
newer_than_the_stdenv() {
    ground
    need_lab bin/g++-10
    export CXX=$lab/bin/g++-10
    cat >x.cpp <<'CPP'
#include <charconv>
#include <cstdio>
int main() { char text[99] = {}; std::to_chars(text, text + 98, 0.5); std::puts(text); }
CPP
    call "$our_nvcc" -std=c++17 -ccbin "$fitting" x.cpp -o x
    exits 1
    says 'undefined reference to .*to_chars' '^hostpin: note: the libstdc\+\+ of this link, .* is older than the libstdc\+\+ of GCC 12' \
        '^  std::to_chars\(char\*, char\*, double\), from ' "^hint: name a stdenv .*, such as $(literally "$fitting"), or set named-host"
    echo 'int missing(); int main() { return missing(); }' >other.cpp
    call "$our_nvcc" -ccbin "$fitting" other.cpp -o other
    exits 1
    says_not '^hostpin: '
    CXX=$fitting "$our_nvcc" -std=c++17 -ccbin "$fitting" x.cpp -o x
    same "$(./x)" 0.5
    echo 'named-host = "as-is"' >as-is.toml
    export HOSTPIN_CONFIG=$PWD/as-is.toml
    "$our_nvcc" -std=c++17 -ccbin "$fitting" x.cpp -o x
    same "$(./x)" 0.5
}
# Such as the usual -L$CONDA_PREFIX/lib. GCC 14 added __cxa_call_terminate.
older_library_by_directory() {
    ground
    if [ "$stands_in" = yes ]; then without_lab 'no libstdc++ of another release'; fi
    mkdir old none
    ln -s "$(realpath "$("$lab/bin/g++-12" -print-file-name=libstdc++.so.6)")" old/libstdc++.so
    echo 'void g(); void f() noexcept { try { g(); } catch (int) {} }' >new.cpp
    echo 'void f(); void g() { throw 1; } int main() { f(); }' >main.cpp
    "$stdenv" -c new.cpp main.cpp
    call "$our_nvcc" main.o new.o -Lnone -Lold -o x
    exits 1
    says 'undefined reference to .*__cxa_call_terminate' \
        '^hostpin: note: this link takes old/libstdc\+\+\.so, because of -Lold, instead of .*, and that libstdc\+\+ does not define:' \
        '^  __cxa_call_terminate, from new\.o' '^hint: leave out -Lold, or put another directory before it: -L/'
    "$our_nvcc" main.o new.o "$(sed -n 's/^hint: .*before it: //p' "$err")" -Lnone -Lold -o x
    "$hostpin" bind bound --host "$stdenv" --allow-unsupported >/dev/null # in one compiler
    call bound/nvcc main.o new.o -Lold -o x
    exits 1
    says '^hostpin: note: this link takes old/libstdc\+\+\.so, because of -Lold'
    echo 'int missing(); int main() { return missing(); }' >other.cpp
    call "$our_nvcc" other.cpp -Lold -o other
    exits 1
    says_not '^hostpin: '
}
# Under `as-is` the real nvcc gets what the user wrote.
as_is() { # WAY TOOLKIT
    ground "$2"
    reads "$1"
    echo 'named-host = "as-is"' >as-is.toml
    export HOSTPIN_CONFIG=$PWD/as-is.toml
    by "$1" "$fitting" --dryrun x.cu -o x
    exits 0
    normalise <"$err" >ours
    (
        our_nvcc=$CUDA_HOME/bin/nvcc
        by "$1" "$fitting" --dryrun x.cu -o x
        exits 0
    )
    normalise <"$err" | diff - ours || fail "the real nvcc was told something else"
    grep -q -- "$fitting" ours
}
# The configuration at the time of bind applies until the directory is refreshed.
bound_configuration() {
    ground
    need_another
    echo 'int main() { throw 1; }' >x.cu
    "$hostpin" bind bound >/dev/null
    echo 'named-host = "as-is"' >as-is.toml
    export HOSTPIN_CONFIG=$PWD/as-is.toml
    links() { call bound/nvcc -ccbin "$fitting" x.cu -o x --dryrun && exits 0 && grep -c bindings/ "$err"; }
    [ "$(links)" -gt 0 ] || fail 'the call followed the configuration of the moment'
    call "$hostpin" explain --bound bound -- -ccbin "$fitting" x.cu -o x
    exits 0
    ! grep 'with the arguments as they are' "$out" || fail 'explain followed the configuration of the moment'
    export HOSTPIN_CONFIG=$PWD/missing.toml # nor is it read
    [ "$(links)" -gt 0 ] || fail 'the call read the configuration of the moment'
    HOSTPIN_CONFIG=$PWD/as-is.toml "$hostpin" bind --refresh bound >/dev/null
    same "$(links)" 0
}
as_is_unfit() {
    ground
    stricter
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
    case $way in '-ccbin X' | -optf | NVCC_APPEND_FLAGS) usually=it ;; *) usually=seldom ;; esac # how it is read is the same
    $usually "named by $way, one that does not fit is an error" refused "$way" 12.4
    $usually "named by $way under as-is, nothing is touched" as_is "$way" 12.4
done
it 'named by NVCC_CCBIN, a fitting compiler compiles and the link is pinned' obeyed NVCC_CCBIN 13.0
it 'named by NVCC_CCBIN, one that does not fit is an error' refused NVCC_CCBIN 13.0
it 'named by NVCC_CCBIN under as-is, nothing is touched' as_is NVCC_CCBIN 13.0
it 'NVCC_CCBIN names nobody before CUDA 12.5' variable_unknown_before_12_5
it 'one that does not fit goes on when the user allows unsupported compilers' refused_unless_allowed
it 'one that does not fit is refused under as-is too' as_is_unfit
it 'a bound directory goes by the configuration that it was bound with' bound_configuration
it 'one that is not there is an error that names it' missing
it 'a directory means the g++ in it' as_a_directory
it 'a relative path and a bare name are what nvcc takes them for' by_relative_path_and_name
it 'a path with a blank is one name, wherever it is given' by_a_path_with_a_blank
it 'a C driver links as C++' c_driver
it 'a C driver of another family links as C++' c_driver_of_another_family
it 'one of another family compiles and its link is pinned' other_family
it 'one of another family whose programs have another loader links with the loader of the stdenv' other_family_other_loader
it 'NVCC_APPEND_FLAGS outranks the line and NVCC_PREPEND_FLAGS' append_wins
it 'the line outranks NVCC_PREPEND_FLAGS' line_beats_prepend
it 'the last one on the line wins' last_on_the_line_wins
it 'NVCC_PREPEND_FLAGS outranks NVCC_CCBIN' prepend_beats_variable
it 'CMAKE_CUDA_HOST_COMPILER through our nvcc compiles and the link is pinned' through_cmake
it 'CUDAHOSTCXX through our nvcc compiles and the link is pinned' through_environment
it 'CMAKE_CUDA_HOST_COMPILER that does not fit stops the configuration with the reason' through_cmake_refused
it 'one newer than the stdenv: a link that lacks what its libstdc++ has is explained, and both ways out work' newer_than_the_stdenv
it 'a libstdc++ in a directory of -L that lacks what the link needs is named' older_library_by_directory
it 'bind --host compiles with it or refuses it' named_to_bind
it 'bind, env and doctor report a compiler that variables name for each call' named_by_the_environment
it 'a name on a bound call outranks the binding' named_over_a_binding
it 'a name on a bound call needs no HOME, and no decision if it is the host compiler of the binding' without_a_home
it 'without a HOME, a name on a bound call is refused where no program of a temporary directory runs' without_a_home_or_programs
finish
