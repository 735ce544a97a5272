#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The saxpy sample through the wrapper: toolkits x stdenvs x ways. See README.md.
#
#   matrix.sh [-j N] --ci [TOOLKIT]     pairs at the edges of what a toolkit takes, one way each (the ways in turn); with TOOLKIT, its
#                                       pairs only; with HOSTPIN_FULL=1 every pair
#   matrix.sh [-j N] --full [TOOLKIT]   every pair every way
#   matrix.sh [-j N] --ways TOOLKIT STDENV     one pair every way
#   matrix.sh --pair TOOLKIT STDENV GENERATOR WAY     one pair one way
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"

toolkits=(11.2 11.8 12.4 13.0)
stdenvs=(g++-9 g++-10 g++-11 g++-12 g++-13 g++-14 g++-15 g++-16
    clang++-13 clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19 clang++-21 clang++-22)
generators=(ninja make)
ways=(compiler cudacxx path hostcxx)
jobs=2

# ---------------------------------------------------------------------------------------------- what is right

# newest_that_fits TOOLKIT FAMILY: the major version, as documented.
newest_that_fits() { awk -v toolkit="$1" -v family="$2" '$1 == toolkit { print family == "g++" ? $2 : $3 }' "$here/limits.tsv"; }

# expected TOOLKIT STDENV: the documented selection; nothing if no lab compiler of that family fits.
expected() {
    local family=${2%-*} number=${2##*-} limit best='' candidate
    limit=$(newest_that_fits "$1" "$family")
    for candidate in "${stdenvs[@]}"; do
        if [ "${candidate%-*}" != "$family" ] || [ ! -e "$lab/bin/$candidate" ]; then continue; fi
        # never newer than the limit, never newer than the stdenv
        if [ "${candidate##*-}" -le "$limit" ] && [ "${candidate##*-}" -le "$number" ]; then best=$candidate; fi
    done
    echo "$best"
}

# library_directories DRIVER: its library search path, symlinks resolved, without what all compilers share.
library_directories() {
    { "$1" -print-search-dirs | sed -n 's/^libraries: =//p' | tr ':' '\n'
        dirname "$("$1" -print-libgcc-file-name)"; } |
        xargs -r realpath -mq | sort -u | grep -vxE '(/usr)?/lib(64|/x86_64-linux-gnu)?' || true
}

# What must not appear in a link: the host compiler's name and its own directories.
# The real path is not shortened, because its last component may be just `clang`.
names_of() { basename "$1" && realpath "$1"; }
traces_of() { # HOST STDENV
    { library_directories "$1" && names_of "$1"; } | sort -u | grep -vxFf <(library_directories "$2" && names_of "$2") || true
}

# ---------------------------------------------------------------------------------------------- one pair

# link_lines LOG: how the sample's programs and library were linked.
link_lines() {
    grep -E -- ' -o "?(saxpy_cuda|saxpy_mixed|libreport\.so)"? ' "$1" | grep -v -- ' -c '
}

# build TOOLKIT STDENV GENERATOR WAY: configures, builds and tests the sample in build/, log in build.log.
build() {
    local root=$1 stdenv=$2 generator=Ninja verbose=-v arguments=()
    if [ "$3" = make ]; then generator='Unix Makefiles' verbose=VERBOSE=1; fi
    # Each way starts from what its user has: a bound directory, or the installed wrapper and an environment.
    "$hostpin" bind --toolkit "$root" --stdenv "$stdenv" bound || fail "bind"
    export CXX=$stdenv
    case $4 in
    compiler) arguments=("-DCMAKE_CUDA_COMPILER=$PWD/bound/nvcc") ;;
    cudacxx) export CUDACXX=$PWD/bound/nvcc ;;
    path) export CUDA_HOME=$root PATH=$prefix/libexec/hostpin:$PATH ;;
    hostcxx)
        arguments=("-DCMAKE_CUDA_COMPILER=$root/bin/nvcc")
        export CUDAHOSTCXX=$PWD/bound/c++
        ;;
    esac
    logged cmake -S "$repository/samples/saxpy" -B build -G "$generator" "${arguments[@]}"
    logged cmake --build build --parallel 2 -- "$verbose"
    logged ctest --test-dir build --output-on-failure
}
logged() {
    if "$@" >>build.log 2>&1; then return; fi
    tail -n 60 build.log
    fail "$*"
}

check_objects() { # HOST STDENV
    local object
    for object in build/CMakeFiles/saxpy_cuda.dir/saxpy_cuda.cu.o build/CMakeFiles/saxpy_mixed.dir/device.cu.o; do
        made_by "$object" "$(family_of "$1")" "${1##*-}"
    done
    made_by build/CMakeFiles/report.dir/report.cpp.o "$(family_of "$2")" "${2##*-}"
}
family_of() { if [[ $1 = *clang* ]]; then echo clang; else echo gcc; fi; }

link_driver() { "$1" '-###' plain.cpp.o 2>&1 | grep -E '(gcc|clang) version'; }
check_links() { # HOST STDENV
    local file library
    [ "$(link_lines build.log | wc -l)" -ge 3 ] || fail "build.log does not show three links"
    traces_of "$1" "$2" >traces
    { link_lines build.log; for file in build/saxpy_cuda build/saxpy_mixed build/libreport.so; do
        needed "$file"; runpath "$file"; done; } >links
    ! grep -nFf traces links || fail "the above name $(basename "$1"), which only compiles"
    # must load what a plain program of the stdenv loads
    stdenv_program "$2"
    same "links by: $(link_driver bound/c++)" "links by: $(link_driver "$2")"
    for file in build/saxpy_cuda build/saxpy_mixed; do
        for library in libstdc++ libgcc_s libc.so; do
            same "$file loads $(loaded "$file" "$library")" "$file loads $(loaded plain "$library")"
        done
        same "$(readelf -l "$file" | grep interpreter)" "$(readelf -l plain | grep interpreter)"
    done
}

check_runs() {
    local program
    for program in saxpy_cuda saxpy_mixed; do
        grep -q "$program.host \.* *Passed" build.log || fail "$program: the host half did not run"
    done
}

# Installed files refer to nothing of the host compiler, the toolkit's programs or the build, and load the stdenv's library.
check_leaks() {
    logged cmake --install build --prefix "$PWD/installed"
    call "$hostpin" leak-check --binding bound --build-dir "$PWD/build" "$PWD/installed"
    exits 0
    for program in saxpy_cuda saxpy_mixed; do
        installed/bin/$program host >/dev/null || [ $? = 77 ] || fail "the installed $program does not run"
    done
}

check_refusal() { # TOOLKIT ROOT STDENV
    call "$hostpin" bind --toolkit "$2" --stdenv "$3" bound
    exits 1
    prints_nothing
    says "no host compiler fits CUDA $1" "$(literally "$(basename "$3")") .*newer than" 'hint: '
    absent bound
    echo '__global__ void k() {}' >refused.cu
    CXX=$3 CUDA_HOME=$2 call "$our_nvcc" -c refused.cu -o refused.o
    exits 1
    says "no host compiler fits CUDA $1"
    absent refused.o
}

# pair TOOLKIT STDENV GENERATOR WAY
pair() {
    local root host stdenv=$lab/bin/$2 chosen
    need_cuda "$1"
    need_lab "bin/$2"
    root=$(cuda "$1")
    host=$(expected "$1" "$2")
    if [ -z "$host" ]; then
        check_refusal "$1" "$root" "$stdenv"
        return
    fi
    "$hostpin" doctor --json --toolkit "$root" --stdenv "$stdenv" >doctor.json
    chosen=$(json doctor.json selection driver)
    same "selected $(realpath "$chosen")" "selected $(realpath "$lab/bin/$host")"
    build "$root" "$stdenv" "$3" "$4"
    check_objects "$lab/bin/$host" "$stdenv"
    check_links "$lab/bin/$host" "$stdenv"
    check_runs
    check_leaks
}

# ---------------------------------------------------------------------------------------------- many pairs

# every_pair [TOOLKIT]: lines of `toolkit stdenv`.
every_pair() {
    local toolkit stdenv
    for toolkit in "${toolkits[@]}"; do
        if [ -n "${1:-}" ] && [ "$1" != "$toolkit" ]; then continue; fi
        for stdenv in "${stdenvs[@]}"; do echo "$toolkit $stdenv"; done
    done
}
# For each toolkit and family, where the decision changes: the oldest stdenv, the newest that fits, and the next one.
edges() {
    local toolkit stdenv fits
    while read -r toolkit stdenv; do
        fits=$((${stdenv##*-} <= $(newest_that_fits "$toolkit" "${stdenv%-*}")))
        echo "$toolkit ${stdenv%-*} $fits ${stdenv##*-}"
    done | sort -k 1,3 -k 4,4n | awk '
        function end_group() { if (fits && last != first) print toolkit, last }
        $1 " " $2 " " $3 != group { end_group(); group = $1 " " $2 " " $3; toolkit = $1; fits = $3; first = $2 "-" $4; print toolkit, first }
        { last = $2 "-" $4 }
        END { end_group() }'
}
# A different way for each pair, and for each toolkit's first, so that every way is used with every kind of pair.
one_way_each() {
    local toolkit stdenv first='' count=0
    while read -r toolkit stdenv; do
        if [ -z "$first" ]; then
            first=$toolkit
            until [ "${toolkits[count / 2]}" = "$first" ]; do count=$((count + 2)); done
        fi
        echo "$toolkit $stdenv ${generators[count % 2]} ${ways[count / 2 % 4]}"
        count=$((count + 1))
    done
}
every_way() {
    local toolkit stdenv generator way
    while read -r toolkit stdenv; do
        for generator in "${generators[@]}"; do
            for way in "${ways[@]}"; do echo "$toolkit $stdenv $generator $way"; done
        done
    done
}
# Runs its input's lines as pairs, $jobs at a time, each in a separate process and directory.
run_pairs() {
    local lines=$work/lines results=$work/results
    cat >"$lines"
    HOSTPIN_PREFIX=$prefix HOSTPIN_LAB=$lab PATH=$plain_path \
        xargs -P "$jobs" -L 1 "$here/matrix.sh" --pair <"$lines" 2>&1 | tee "$results" || true
    passed=$(grep -c '^ok ' "$results") || true
    failed=$(grep -c '^FAILED ' "$results") || true
    skipped=$(grep -c '^skip ' "$results") || true
    # a pair without any output has not passed
    failed=$((failed + $(wc -l <"$lines") - passed - failed - skipped))
    finish
}

if [ "${1:-}" = -j ]; then jobs=$2 && shift 2; fi
mode=${1:-}
shift || true
need_hostpin
case $mode in
--pair)
    started=$SECONDS
    it "CUDA $1, $2, $3, by $4" pair "$@" >"$work/result"
    # one write, so that parallel pairs do not mix their lines
    result=$(sed "1s/\$/  ($((SECONDS - started)) s)/" "$work/result")
    echo "$result"
    if [ "$failed" -gt 0 ]; then exit 1; fi
    ;;
--ci) every_pair "$@" | if [ "$full" = 1 ]; then cat; else edges; fi | one_way_each | run_pairs ;;
--ways)
    # with this machine's compilers, the newest of the family that its toolkit accepts, with Ninja
    if [ "$stands_in" = yes ]; then
        [ "${2%-*}" = g++ ] || skip 'every way is taken with GCC; with Clang too with the lab (./bootstrap test --lab)'
        need_toolkit
        set -- "$release" "${2%-*}-$(majors "${2%-*}" "$(limit "${2%-*}" "$toolkit")" | sed -n 1p)"
        generators=(ninja)
    fi
    echo "$1 $2" | every_way | run_pairs
    ;;
--full) every_pair "$@" | every_way | run_pairs ;;
*)
    sed -n 's/^#   //p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
