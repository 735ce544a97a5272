# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # attributes
# One tree for each leak: a reference to the host compiler $host, or to its libraries $hostLib, at one location.
set -euo pipefail
tree() { mkdir -p "$out/$1/$2" && cd "$out/$1"; }
echo 'int main() { throw 1; }' >main.cpp
echo "const char* where = \"$hostLib/lib/libgomp.so\";" >where.cpp
echo '__global__ void one(int* p) { *p = 1; }' >device.cu
sources=$PWD
object() { "$cc/bin/c++" -fPIC "$sources/where.cpp" "$@"; }

tree runpath-last bin && "$cc/bin/c++" "$sources/main.cpp" -o bin/program -Wl,-rpath,"$hostLib/lib"
tree runpath-only bin && "$cc/bin/c++" "$sources/main.cpp" -o bin/program && patchelf --set-rpath "$hostLib/lib" bin/program
tree rodata lib && object -shared -o lib/libwhere.so
tree archive lib && object -c -o "$sources/where.o" && ar rcs lib/libwhere.a "$sources/where.o"
tree fatbin lib && "$bound/bin/nvcc" -arch=sm_75 -Xptxas --options-file,"$(echo "$host"/usr/lib/gcc/*/*/ptxas.options)" -c "$sources/device.cu" -o lib/device.o
tree pkg-config lib/pkgconfig && printf '%s\n' 'Name: where' 'Description: a leak' 'Version: 1' "Libs: -L$hostLib/lib -lstdc++" >lib/pkgconfig/where.pc
tree cmake lib/cmake/where && printf '%s\n' 'add_library(where INTERFACE IMPORTED)' \
    "set_target_properties(where PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"$host/usr/include\")" >lib/cmake/where/where-targets.cmake
tree script bin && printf '%s\n' '#!/bin/sh' "exec $host/bin/c++ \"\$@\"" >bin/compile && chmod +x bin/compile
tree symlink lib && ln -s "$hostLib/lib/libstdc++.so.6" lib/libstdc++.so.6
tree gzip share && echo "built by $host/bin/c++" | gzip -n >share/notes.gz
