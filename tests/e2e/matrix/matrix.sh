#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The saxpy sample with toolkits x stdenvs x ways of use, run by hostpin matrix; cell.sh checks each cell. See ../README.md.
#
#   matrix.sh [OPTION]... [TOOLKIT [STDENV]]     cells where the decision changes and at both ends, one way each (the ways in turn);
#                                                with HOSTPIN_FULL=1 every pair; of one pair every way
#     --full           every pair every way
#     -j N             cells at a time: 2
#     --results DIR    stores results there: the next call runs only cells that read what has changed
# shellcheck source=tests/e2e/matrix/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
toolkits=(11.2 11.8 12.4 13.0)
# 11.8, 12.4 and the first four stdenvs only with every pair: no kind of decision is theirs alone.
stdenvs=(g++-9 clang++-13 clang++-16 clang++-22 g++-{16,15,14,13,12,11,10} clang++-{14,15,17,18,19,21})
projects=(turns) every_way=({ninja,make}-{compiler,cudacxx,path,hostcxx}) cover=edges jobs=2 place=$work
if [ "$full" = 1 ]; then cover=all; fi
while [ $# -gt 0 ]; do
    case $1 in
    --full) projects=("${every_way[@]}") cover=all ;;
    -j) jobs=$2 && shift ;;
    --results) mkdir -p "$2" && place=$(realpath "$2") && shift ;;
    -*) sed -n 's/^#   //p' "${BASH_SOURCE[0]}" && exit 2 ;;
    *) break ;;
    esac
    shift
done
need_hostpin
need_command python3 make
if [ $# = 2 ]; then
    projects=("${every_way[@]}")
    # with this machine's compilers, the newest of the family that its toolkit accepts, as CMake's compiler and as its host compiler
    if [ "$stands_in" = yes ]; then
        [ "${2%-*}" = g++ ] || skip 'every way is taken with GCC; with Clang too with the lab (./bootstrap test --lab)'
        need_toolkit
        projects=(ninja-compiler ninja-hostcxx)
        set -- "$release" "g++-$gcc"
    fi
fi
if [ "$cover" = edges ]; then toolkits=(11.2 13.0) stdenvs=("${stdenvs[@]:4}"); fi
excluded=()
case $cover-$# in
# ends of axes, and the newest Clang that fits, which compiles for itself as that GCC does; of the newest toolkit it is a cell
edges-0) excluded=(11.2 g++-16) ;;
*-1) toolkits=("$1") ;;
*-2) toolkits=("$1") stdenvs=("$2") ;;
esac
roots=()
for each in "${toolkits[@]}"; do need_cuda "$each" && roots+=("$(cuda "$each")"); done
need_lab "${stdenvs[@]/#/bin/}"
echo "toolkits = [$(quoted "${roots[@]}")]" >"$HOSTPIN_CONFIG"
export HOSTPIN_PREFIX=$prefix HOSTPIN_LAB=$lab # of the cells

write_matrix() {
    local project
    cat <<TOML
name = "saxpy"
[axes]
toolkit = [$(quoted "${toolkits[@]}")]
stdenv = [$(quoted "${stdenvs[@]}")]
TOML
    [ ${#excluded[@]} = 0 ] || printf '[[exclude]]\ntoolkit = "%s"\nstdenv = "%s"\n' "${excluded[@]}"
    for project in "${projects[@]}"; do
        cat <<TOML
[project.$project]
source = "$repository/samples/saxpy"
build = "\$SOURCE/../../tests/e2e/matrix/cell.sh build $project"
install = "cmake --install . --prefix \$PREFIX"
test = "ctest --output-on-failure --output-junit tests.xml && \$SOURCE/../../tests/e2e/matrix/cell.sh check"
junit = "tests.xml"
environment = ["HOSTPIN_PREFIX", "HOSTPIN_LAB"]
TOML
    done
}
# Of each toolkit and family the newest stdenv that is documented to compile for itself, and the next one, are cells or excluded.
edges_are_taken() {
    local toolkit stdenv fits=''
    { cells plan toolkit stdenv && printf '%s %s\n' "${excluded[@]}"; } >taken
    for toolkit in "${toolkits[@]}"; do
        for stdenv in $(printf '%s\n' "${stdenvs[@]}" | sort -V); do
            if [ "$(expected "$toolkit" "$stdenv")" = "$stdenv" ]; then
                fits=$stdenv
            elif [ "${fits%-*}" = "${stdenv%-*}" ]; then
                same "$(grep -cxF -e "$toolkit $fits" -e "$toolkit $stdenv" taken) of $fits, $stdenv" "2 of $fits, $stdenv"
                fits=
            fi
        done
    done
}
decided() {
    local kept=()
    cd "$place"
    write_matrix >matrix.toml
    if [ -d results ]; then kept=(--from-results results); fi
    plan plan --cover "$cover" "${kept[@]}"
    cat "$out" >&3
    decides_as_documented plan
    edges_are_taken
}
refused() {
    local toolkit stdenv
    read -r toolkit stdenv < <(cells "$place/plan" decision toolkit stdenv | sed -n 's/^- //p')
    call "$hostpin" bind --toolkit "$(cuda "$toolkit")" --stdenv "$stdenv" bound
    exits 1
    prints_nothing
    says "no host compiler fits CUDA $toolkit" "$(literally "$stdenv") .*newer than" 'hint: '
    absent bound
}
run() {
    cd "$place"
    "$hostpin" matrix emit plan --for make >Makefile
    make -s -j "$jobs" >&3 && return
    grep -l '"state": "failed"' results/*.json | sed 's/json$/log/' | xargs -r tail -n 60
    fail 'a cell did not pass'
}

exec 3>&1
it 'hostpin selects what is documented' decided
if cells "$place/plan" decision | contains -x -e -; then it 'a stdenv without a host compiler is refused' refused; fi
it 'every cell passes' run
finish
