#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check --fix on pkg-config, libtool and CMake files: it prints wrong lines and what they should be, writes no text,
# and the real pkg-config, libtool and CMake build with the lines that it prints.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

# wrong_compiler: gcc-11/lib64, whose libstdc++ and libgcc_s cannot be linked.
wrong_compiler() {
    mkdir -p gcc-11/lib64 gcc-11/include
    echo broken | tee gcc-11/lib64/libstdc++.so gcc-11/lib64/libstdc++.so.6 gcc-11/lib64/libgcc_s.so.1 >/dev/null
    wrong=$PWD/gcc-11/lib64
}
# library: tree/lib/libf.so, and its source f.cpp.
library() {
    mkdir -p tree/lib/pkgconfig
    echo 'int f() { return 7; }' >f.cpp
    echo 'int f(); int main() { return f(); }' >main.cpp
    g++ -shared -fPIC f.cpp -o tree/lib/libf.so
}
texts() { find . -type f ! -name '*.so' ! -path './out' ! -path './err' -exec sha256sum {} + -printf '%p %i %m %T@\n' | sort; }
# fix: prints, and writes no text.
fix() {
    local before
    before=$(texts)
    check --forbid "$PWD/gcc-11" --fix "$@" tree
    same "$(texts)" "$before"
}
# applied: the files of the tree, with the lines that were printed.
applied() {
    python3 - "$err" <<'PYTHON'
import re, sys
for name, line, before, after in re.findall(r"^to change: (.*), line (\d+)\n    - (.*)\n    \+ (.*)$", open(sys.argv[1]).read(), re.M):
    lines = open("tree/" + name).read().split("\n")
    lines[int(line) - 1] = after.replace("\\\\", "\\")
    open("tree/" + name, "w").write("\n".join(lines))
PYTHON
}

pkg_config() {
    need_command pkg-config
    wrong_compiler
    library
    cat >tree/lib/pkgconfig/f.pc <<PC
prefix=$PWD/tree
libdir=\${prefix}/lib

Name: f
Description: returns seven
Version: 1
Libs: -L\${libdir} -L$wrong -Wl,-rpath,$wrong:$PWD/tree/lib -lf $wrong/libstdc++.so
Libs.private: -Wl,-rpath -Wl,$wrong -lm
Cflags: -I\${prefix}/include
PC
    export PKG_CONFIG_PATH=$PWD/tree/lib/pkgconfig
    local words
    read -r -a words <<<"$(pkg-config --libs f)"
    if g++ main.cpp -o main "${words[@]}" 2>/dev/null; then fail "the wrong library links"; fi
    fix
    exits 1
    says '^to change: lib/pkgconfig/f\.pc, line 7$' "^    - Libs: -L\\$\{libdir\} -L$(literally "$wrong") " \
        "^    \+ Libs: -L\\$\{libdir\} -Wl,-rpath,$(literally "$PWD")/tree/lib -lf -lstdc\+\+\$" '^    \+ Libs\.private: -lm$'
    applied
    read -r -a words <<<"$(pkg-config --libs f)"
    same "${words[*]}" "-L$PWD/tree/lib -Wl,-rpath,$PWD/tree/lib -lf -lstdc++"
    g++ main.cpp -o main "${words[@]}"
    call ./main
    exits 7
    read -r -a words <<<"$(pkg-config --static --libs f)"
    g++ main.cpp -o main "${words[@]}"
    fix
    exits 0
    says_not '^to change' '^left'
}
libtool_archive() {
    need_command libtool
    wrong_compiler
    mkdir -p tree/lib
    echo 'int f() { return 7; }' >f.cpp
    echo 'int f(); int main() { return f(); }' >main.cpp
    libtool --silent --tag=CXX --mode=compile g++ -c f.cpp -o f.lo
    libtool --silent --tag=CXX --mode=link g++ -static -o libf.la f.lo -rpath "$PWD/tree/lib" -lm
    libtool --silent --mode=install cp libf.la "$PWD/tree/lib"
    sed -i "s,^dependency_libs=.*,dependency_libs=' -L$wrong -R$wrong -lm $PWD/gcc-11/lib/../lib64/libstdc++.la'," tree/lib/libf.la
    link() { libtool --silent --tag=CXX --mode=link g++ main.cpp -o main tree/lib/libf.la; }
    if link 2>/dev/null; then fail "the wrong library links"; fi
    fix
    exits 1
    says '^to change: lib/libf\.la, line [0-9]+$' "^    \+ dependency_libs=' -lm -lstdc\+\+'\$"
    applied
    link
    call ./main
    exits 7
    fix
    exits 0
}
cmake_export() {
    wrong_compiler
    mkdir project
    echo 'int f() { return 7; }' >project/f.cpp
    cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(f CXX)
foreach(kind SHARED STATIC)
  string(TOLOWER \${kind} name)
  add_library(f_\${name} \${kind} f.cpp)
  target_link_libraries(f_\${name} PRIVATE m)
  if(LEAK)
    target_link_libraries(f_\${name} PRIVATE $wrong/libstdc++.so INTERFACE $wrong/libgcc_s.so.1)
    target_link_directories(f_\${name} INTERFACE $wrong)
    target_link_options(f_\${name} INTERFACE -Wl,-rpath,$wrong LINKER:-rpath,$wrong)
    target_include_directories(f_\${name} INTERFACE $PWD/gcc-11/include)
  endif()
  install(TARGETS f_\${name} EXPORT fTargets DESTINATION lib)
endforeach()
install(EXPORT fTargets FILE f-config.cmake NAMESPACE f:: DESTINATION lib/cmake/f)
CMAKE
    # The libraries themselves are linked without the wrong one: only the export is tested here.
    cmake -S project -B clean -DCMAKE_BUILD_TYPE=Release && cmake --build clean
    cmake -S project -B leaks -DCMAKE_BUILD_TYPE=Release -DLEAK=ON
    cp clean/libf_* leaks/
    cmake -DCMAKE_INSTALL_LOCAL_ONLY=1 -DCMAKE_INSTALL_PREFIX="$PWD/tree" -P leaks/cmake_install.cmake
    mkdir user
    echo 'int f(); int main() { return f(); }' >user/main.cpp
    cat >user/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(user CXX)
find_package(f REQUIRED)
foreach(kind shared static)
  add_executable(${kind} main.cpp)
  target_link_libraries(${kind} f::f_${kind})
endforeach()
CMAKE
    build_user() { rm -rf user/build && cmake -S user -B user/build -DCMAKE_PREFIX_PATH="$PWD/tree" && cmake --build user/build; }
    if build_user >/dev/null 2>&1; then fail "the wrong library links"; fi
    fix
    exits 1
    says '^to change: lib/cmake/f/f-config\.cmake, line ' '^    \+ +INTERFACE_LINK_DIRECTORIES ""$' \
        '^    \+ +INTERFACE_LINK_LIBRARIES "-lgcc_s"$' '^    \+ .*<LINK_ONLY:m>;-lstdc\+\+;-lgcc_s"$' \
        '^left as it is: lib/cmake/f/f-config\.cmake, line [0-9]+:  *INTERFACE_INCLUDE_DIRECTORIES .*: the right path is known only to'
    applied
    sed -i "s,INTERFACE_INCLUDE_DIRECTORIES.*,," tree/lib/cmake/f/f-config.cmake
    build_user
    call user/build/shared
    exits 7
    call user/build/static
    exits 7
    same "$(runpath user/build/shared | grep -c "$(literally "$wrong")" || true)" 0
    fix
    exits 0
}
left() {
    wrong_compiler
    library
    # shellcheck disable=SC2016 # pkg-config's own
    printf 'gccdir=%s\nLibs: -L${gccdir}\nCflags: -I%s/../include\n' "$wrong" "$wrong" >tree/lib/pkgconfig/variable.pc
    printf 'Libs: -L%s -lx\n' "$wrong" | tee tree/lib/pkgconfig/{vendor,accepted}.pc >other.pc
    ln -s ../../../other.pc tree/lib/pkgconfig/symlink.pc
    tar -C tree/lib/pkgconfig -cf tree/lib/x.tar vendor.pc
    printf '[[exception]]\npath = "**/accepted.pc"\nreason = "known"\n' >known.toml
    fix --exceptions known.toml --vendor "$PWD/tree/lib/pkgconfig/vendor.pc"
    exits 1
    says 'variable\.pc, line 1: gccdir=.*: the right path is known only to' 'variable\.pc, line 3: Cflags: -I.*: the right path' \
        'vendor\.pc: it is a vendor file'
    says_not '^to change' 'accepted\.pc' 'symlink\.pc' 'x\.tar'
    # a named symlink is followed
    check --forbid "$PWD/gcc-11" --fix tree/lib/pkgconfig/symlink.pc
    exits 1
    says '^to change: tree/lib/pkgconfig/symlink\.pc, line 1$' '^    \+ Libs: -lx$'
    same "$(cat other.pc)" "Libs: -L$wrong -lx"
}
by_symlink() {
    wrong_compiler
    library
    ln -s gcc-11 by-link
    printf 'Libs: -L%s/by-link/lib64 -lx\n' "$PWD" >tree/lib/pkgconfig/x.pc
    fix
    exits 1
    says '^    \+ Libs: -lx$'
}
many() {
    wrong_compiler
    library
    for each in {1..120}; do echo "Libs: -L$wrong/$each -lx"; done >tree/lib/pkgconfig/x.pc
    fix
    exits 1
    says '^to change: lib/pkgconfig/x\.pc, line 100$' 'x\.pc, line 101 and those after it: no more lines are printed of one file'
    says_not '^to change: lib/pkgconfig/x\.pc, line 101$'
}

it "pkg-config prints no wrong directory from the lines that --fix proposes, and its options link" pkg_config
it "libtool links with an archive that has the proposed lines" libtool_archive
it "CMake finds and links a package with the proposed lines" cmake_export
it "a line whose right path is not known is printed, with the reason" left
it "a path that leads to the wrong compiler by symlinks is treated as one that names it" by_symlink
it "of a text with very many lines to change the first ones are printed, and that there are more" many
finish
