#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each release of CMake with each way to name a bound toolchain, while PATH leads to another toolkit: what a project of CUDA gets, and what one
# of C++ alone. docs/build-systems.md has the results as tables; each result here is compared with its cell there.
#   cmake_releases.sh [WORDS]   only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1              every release (tests/lab/provide --cmakes), and the tables of the page are those that this prints
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_command ninja
need_lab cmake/3.18 cmake/4
page=$repository/docs/build-systems.md
results=$work/results
mkdir "$results"
# The projects, with the heading of their table: its first cell.
declare -A headings=([CUDA]='CMake, CUDA enabled' [CXX]='CMake, C++ alone')
ways=(toolchain.cmake CMAKE_CUDA_COMPILER view CUDAHOSTCXX CUDAToolkit_ROOT)
ways_of() { if [ "$1" = CUDA ]; then echo "${ways[@]:0:4}"; else echo "${ways[@]}"; fi; } # the last names no compiler

# kind usual|pip: $toolkit bound as $bound and viewed as $view, and $decoy, which PATH leads to.
kind() {
    if [ -x "$(cuda 13.0)/bin/nvcc" ]; then need_split 13.0 13 16; else need_split 12.4 13 16; fi
    decoy=$(limited "$toolkit" 12)
    if [ "$1" = pip ]; then
        decoy=$toolkit toolkit=$lab/wheels/13.5/lib/python3/site-packages/nvidia/cu13
        [ -d "$toolkit" ] || skip "no wheels of CUDA 13.5 in the lab (./bootstrap lab installs them where the Python Package Index is reached)"
    fi
    bound=$work/$1/bound view=$work/$1/view
    if [ -d "$bound" ]; then return; fi
    mkdir -p "$work/$1"
    "$hostpin" bind "$bound" --toolkit "$toolkit" --stdenv "$stdenv" --host "$host" >/dev/null
    "$hostpin" bind --view "$view" --toolkit "$toolkit" --stdenv "$stdenv" --host "$host" >/dev/null
}
write_projects() {
    mkdir CXX CUDA
    cat >CXX/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
file(WRITE "${CMAKE_BINARY_DIR}/found" "${CUDAToolkit_INCLUDE_DIRS}")
add_executable(small small.cpp)
target_link_libraries(small PRIVATE CUDA::cudart)
if(NOT TARGET CUDA::cuda_driver)
  message(FATAL_ERROR "no library of the driver")
endif()
CMAKE
    sed -e s/CXX/CUDA/ -e s/small.cpp/small.cu/ -e '/target_link/s/.*/set_target_properties(small PROPERTIES CUDA_RUNTIME_LIBRARY Static)/' \
        CXX/CMakeLists.txt >CUDA/CMakeLists.txt
    printf '#include <cuda_runtime_api.h>\nint main(int argc, char **) { return argc > 1 ? cudaFree(nullptr) : 0; }\n' >CXX/small.cpp
    echo '__global__ void nothing() {} int main() { try { throw 1; } catch (int) {} }' >CUDA/small.cu
}
# by WAY: the environment and the options that name the binding.
by() {
    export PATH=$decoy/bin:$PATH CXX=$stdenv
    case $1 in
    toolchain.cmake) options=("-DCMAKE_TOOLCHAIN_FILE=$bound/toolchain.cmake") ;;
    CMAKE_CUDA_COMPILER) options=("-DCMAKE_CUDA_COMPILER=$bound/nvcc") ;;
    view) options=() && eval "$("$hostpin" env --bound "$view")" ;;
    CUDAHOSTCXX) options=() && export PATH=$toolkit/bin:$PATH CUDAHOSTCXX=$bound/c++ ;;
    CUDAToolkit_ROOT) options=("-DCUDAToolkit_ROOT=$bound/cuda") ;;
    esac
}
# result CMAKE LANGUAGE WAY: prints yes, no, or `other`: the toolkit that PATH leads to is found. LANGUAGE.WAY.log has the commands' output.
result() (
    local build=$2.$3 log=$PWD/$2.$3.log options found file=crt/host_config.h # which the two toolkits do not share
    by "$3"
    "$1" -S "$2" -B "$build" -G Ninja -DCMAKE_CUDA_ARCHITECTURES=75 "${identified_only[@]}" -Wno-dev "${options[@]}" >"$log" 2>&1 || { echo no && return; }
    found=$(cat "$build/found")
    if [ ! "${found%%;*}/$file" -ef "$toolkit/include/$file" ]; then echo other && return; fi
    "$1" --build "$build" >>"$log" 2>&1 || { echo no && return; }
    "$build/small" >>"$log" 2>&1 || { echo no && return; }
    if [ "$2" = CUDA ]; then
        made_by "$build/CMakeFiles/small.dir/small.cu.o" gcc "$older" >&2
        same "$(loaded "$build/small" libstdc++)" "$(loaded ./plain libstdc++)" >&2
    else
        made_by "$build/CMakeFiles/small.dir/small.cpp.o" gcc "$newer" >&2
        needed "$build/small" | contains '^libcudart' >&2 || fail "$build/small does not need libcudart" >&2
    fi
    echo yes
)
# shown LANGUAGE WAY KIND RELEASE: the result in the page's table. Releases that it does not have are as the one before.
shown() {
    table_of_page "$1" | awk -F' *[|] *' -v way="$2" -v kind="$3" -v release="$4" '
        function number(text, parts) { split(text, parts, "."); return parts[1] * 1000 + parts[2] }
        NR == 1 { for (i = 3; i < NF; ++i) if ($i == "`" way "`") column = i }
        column && $2 ~ /^[0-9]/ { first = $2; sub(/ .*/, "", first); if (number(first) <= number(release)) cell = $column }
        END { if (split(cell, parts, " / ") == 2) cell = parts[kind == "pip" ? 2 : 1]; print cell }'
}
table_of_page() { awk -v first="| ${headings[$1]} |" 'index($0, first) == 1 { inside = 1 } !/^[|]/ { inside = 0 } inside' "$page"; }
# cells LANGUAGE RELEASE: a row of the table; two results in a cell are that of the usual toolkit and of pip's.
cells() {
    local way usual pip
    for way in $(ways_of "$1"); do
        usual=$(cat "$results/$1.$way.usual.$2") pip=$(cat "$results/$1.$way.pip.$2")
        if [ "$usual" = "$pip" ]; then echo -n " $usual |"; else echo -n " $usual / $pip |"; fi
    done
}
# table LANGUAGE: of all results. A row is the releases that do the same.
table() {
    local way release row='' first='' last='' before=''
    echo "| ${headings[$1]} |$(for way in $(ways_of "$1"); do echo -n " \`$way\` |"; done)"
    echo "|---|$(for way in $(ways_of "$1"); do echo -n '---|'; done)"
    for release in $(find "$results" -name '*.usual.*' | sed -E 's/.*usual\.//' | sort -uV) end; do
        if [ "$release" = end ]; then row=; else row=$(cells "$1" "$release"); fi
        if [ "$row" != "$before" ]; then
            if [ -n "$before" ]; then echo "| $first$([ "$first" = "$last" ] || echo " to $last") |$before"; fi
            first=$release before=$row
        fi
        last=$release
    done
}
cmake_of() {
    if [ -d "$lab/cmakes/$1" ]; then echo "$lab/cmakes/$1/cmake/data/bin/cmake"; else echo "$lab/cmake/$1/usr/bin/cmake"; fi
}
# as_shown CMAKE KIND [WAYS]: all ways, or those alone.
as_shown() {
    local cmake release language way got expected bad=0
    cmake=$(cmake_of "$1")
    kind "$2"
    release=$("$cmake" --version | sed -nE 's/^cmake version ([0-9]+\.[0-9]+).*/\1/p')
    write_projects
    stdenv_program "$stdenv"
    for language in "${!headings[@]}"; do
        for way in $(ways_of "$language"); do
            if [[ " ${3:-$way} " != *" $way "* ]]; then continue; fi
            got=$(result "$cmake" "$language" "$way")
            echo "$got" >"$results/$language.$way.$2.$release"
            expected=$(shown "$language" "$way" "$2" "$release")
            if [ "$got" = "$expected" ]; then continue; fi
            bad=1
            echo "$language by $way: $got, not $expected"
            grep -E -A5 'rror|fatal' "$language.$way.log" | head -n 20 || :
        done
    done
    [ "$bad" = 0 ] || fail "CMake $release does not do what docs/build-systems.md says"
}

tables_are_those_of_the_page() {
    local language bad=0
    [ -n "$(find "$results" -name '*.pip.*')" ] || skip 'no results with the toolkit of pip'
    for language in "${!headings[@]}"; do
        diff <(table "$language") <(table_of_page "$language") || bad=1
    done
    [ "$bad" = 0 ] || fail "docs/build-systems.md has other tables (>) than the results (<)"
}

if [ "$full" = 1 ]; then
    [ -d "$lab/cmakes" ] || skip "no $lab/cmakes (tests/lab/provide --cmakes provides them where the Python Package Index is reached)"
    for release in $(find "$lab/cmakes" -mindepth 1 -maxdepth 1 -name '[0-9]*[0-9]' -printf '%f\n' | sort -V); do
        for kind in usual pip; do it "CMake $release with the toolkit of the $kind kind does what the page says" as_shown "$release" "$kind"; done
    done
    it 'the tables of the page are those of all results' tables_are_those_of_the_page
    if [ -z "$only" ] && [ -n "$(find "$results" -name '*.pip.*')" ]; then for language in CUDA CXX; do table "$language" && echo; done; fi
else
    it 'CMake 3.18 with a toolkit of the usual kind does what the page says' as_shown 3.18 usual 'toolchain.cmake CMAKE_CUDA_COMPILER'
    it 'CMake 4 with a toolkit of the pip kind does what the page says' as_shown 4 pip
fi
finish
