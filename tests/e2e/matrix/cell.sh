#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a cell of matrix.sh runs in its build directory.
#
#   cell.sh build GENERATOR-WAY     configures and builds, as a user does who has that; `turns`: another way for each pair
#   cell.sh check                   what was built, and what was installed: who compiled, who linked, and what is loaded
set -euo pipefail
release=$("$BINDING/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
stdenv=$CXX ways=({ninja,make}-{compiler,cudacxx,path,hostcxx})

build() { # GENERATOR-WAY
    local root way=$1 generator=Ninja arguments=()
    root=$(sed -n '/^\[toolkit\]/,/^$/ s/^root = "\(.*\)"/\1/p' "$BINDING/binding.toml")
    if [ "$way" = turns ]; then way=${ways[$(((3 * ${release%.*} + ${stdenv##*-}) % 8))]}; fi
    if [[ $way = make-* ]]; then generator='Unix Makefiles'; fi
    # Each way starts from what its user has: a bound directory, or the installed wrapper and an environment.
    if [[ $way != *-cudacxx ]]; then unset CUDACXX; fi # hostpin matrix sets it
    case $way in
    *-compiler) arguments=("-DCMAKE_CUDA_COMPILER=$BINDING/nvcc") ;;
    *-path) export CUDA_HOME=$root PATH=${HOSTPIN_PREFIX:-$SOURCE/../../out}/libexec/hostpin:$PATH ;;
    *-hostcxx)
        arguments=("-DCMAKE_CUDA_COMPILER=$root/bin/nvcc")
        export CUDAHOSTCXX=$BINDING/c++
        ;;
    esac
    cmake -S "$SOURCE" -B . -G "$generator" "${arguments[@]}"
    cmake --build . --parallel 2 --verbose | tee build.log
}
if [ "$1" = build ]; then
    build "$2"
    exit
fi

# shellcheck source=tests/e2e/matrix/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
host=$lab/bin/$(expected "$release" "$stdenv") stdenv=$lab/bin/$stdenv

family_of() { if [[ $1 = *clang* ]]; then echo clang; else echo gcc; fi; }
check_objects() {
    local object
    for object in CMakeFiles/saxpy_cuda.dir/saxpy_cuda.cu.o CMakeFiles/saxpy_mixed.dir/device.cu.o; do
        made_by "$object" "$(family_of "$host")" "${host##*-}"
    done
    made_by CMakeFiles/report.dir/report.cpp.o "$(family_of "$stdenv")" "${stdenv##*-}"
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
traces_of_host() {
    { library_directories "$host" && names_of "$host"; } | sort -u |
        grep -vxFf <(library_directories "$stdenv" && names_of "$stdenv") || true
}
# How the sample's programs and library were linked.
link_lines() {
    grep -E -- ' -o "?(saxpy_cuda|saxpy_mixed|libreport\.so)"? ' build.log | grep -v -- ' -c '
}
link_driver() { "$1" '-###' plain.cpp.o 2>&1 | grep -E '(gcc|clang) version'; }
check_links() {
    local file library
    [ "$(link_lines | wc -l)" -ge 3 ] || fail "build.log does not show three links"
    traces_of_host >traces
    { link_lines; for file in saxpy_cuda saxpy_mixed libreport.so; do
        needed "$file"; runpath "$file"; done; } >links
    ! grep -nFf traces links || fail "the above name $(basename "$host"), which only compiles"
    # must load what a plain program of the stdenv loads
    stdenv_program "$stdenv"
    same "links by: $(link_driver "$BINDING/c++")" "links by: $(link_driver "$stdenv")"
    for file in saxpy_cuda saxpy_mixed; do
        for library in libstdc++ libgcc_s libc.so; do
            same "$file loads $(loaded "$file" "$library")" "$file loads $(loaded plain "$library")"
        done
        same "$(readelf -l "$file" | grep interpreter)" "$(readelf -l plain | grep interpreter)"
    done
}

check_objects
check_links
# shellcheck disable=SC2153 # hostpin matrix sets it
for program in saxpy_cuda saxpy_mixed; do "$PREFIX/bin/$program" host || fail "the installed $program does not run"; done
