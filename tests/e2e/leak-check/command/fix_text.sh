#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check --fix on pkg-config, libtool and CMake files: what is certain is fixed, and the real pkg-config,
# libtool and CMake build with the result.
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
fix() { check --forbid "$PWD/gcc-11" --fix "$@" tree; }
# again: nothing remains to do, and nothing is done.
again() {
    local before
    before=$(find tree -type f -exec sha256sum {} + -printf '%p %i %m %T@\n' | sort)
    fix
    says_not '^fixed'
    same "$(find tree -type f -exec sha256sum {} + -printf '%p %i %m %T@\n' | sort)" "$before"
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
    chmod 640 tree/lib/pkgconfig/f.pc
    export PKG_CONFIG_PATH=$PWD/tree/lib/pkgconfig
    local words
    read -r -a words <<<"$(pkg-config --libs f)"
    if g++ main.cpp -o main "${words[@]}" 2>/dev/null; then fail "the wrong library links"; fi
    check --forbid "$PWD/gcc-11" tree
    exits 1
    fix
    exits 0
    says '^fixed: lib/pkgconfig/f\.pc, line 7$' "^    - Libs: -L\\$\{libdir\} -L$(literally "$wrong") " \
        "^    \+ Libs: -L\\$\{libdir\} -Wl,-rpath,$(literally "$PWD")/tree/lib -lf -lstdc\+\+\$" '^    \+ Libs\.private: -lm$'
    same "$(stat -c %a tree/lib/pkgconfig/f.pc)" 640
    read -r -a words <<<"$(pkg-config --libs f)"
    same "${words[*]}" "-L$PWD/tree/lib -Wl,-rpath,$PWD/tree/lib -lf -lstdc++"
    g++ main.cpp -o main "${words[@]}"
    call ./main
    exits 7
    read -r -a words <<<"$(pkg-config --static --libs f)"
    g++ main.cpp -o main "${words[@]}"
    again
    exits 0
    [ -z "$(find tree -name '*.hostpin-*')" ] || fail "copies are left"
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
    exits 0
    says '^fixed: lib/libf\.la, line [0-9]+$' "^    \+ dependency_libs=' -lm -lstdc\+\+'\$"
    link
    call ./main
    exits 7
    again
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
    target_link_options(f_\${name} INTERFACE -Wl,-rpath,$wrong LINKER:-rpath,$wrong "SHELL:-Wl,-rpath -Wl,$wrong")
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
    exits 1 # the include directory, and the text after SHELL:
    says '^fixed: lib/cmake/f/f-config\.cmake, line ' '^    \+ +INTERFACE_LINK_DIRECTORIES ""$' \
        '^    \+ +INTERFACE_LINK_LIBRARIES "-lgcc_s"$' '^    \+ .*<LINK_ONLY:m>;-lstdc\+\+;-lgcc_s"$' \
        "^left as it is: lib/cmake/f/f-config\.cmake, line [0-9]+: $(literally "$PWD")/gcc-11/include: compilations that use it" \
        '^left as it is: .*SHELL:.*: an argument with quotes, blanks or variables is not changed$'
    sed -i "s,SHELL:[^\"]*,,; s,INTERFACE_INCLUDE_DIRECTORIES.*,," tree/lib/cmake/f/f-config.cmake
    build_user
    call user/build/shared
    exits 7
    call user/build/static
    exits 7
    same "$(runpath user/build/shared | grep -c "$(literally "$wrong")" || true)" 0
    again
    exits 0
}
left() {
    wrong_compiler
    library
    echo broken >gcc-11/lib64/libgomp2.so
    printf 'Name: x\nLibs: -L%s -lgomp2\n' "$wrong" >tree/lib/pkgconfig/needs.pc
    # shellcheck disable=SC2016 # pkg-config's own
    printf 'gccdir=%s\nLibs: -L${gccdir}\nCflags: -I%s/../include\n' "$wrong" "$wrong" >tree/lib/pkgconfig/variable.pc
    printf 'Libs: -L%s -lx\n' "$wrong" | tee tree/lib/pkgconfig/{hard,vendor,accepted,setid}.pc >other.pc
    ln tree/lib/pkgconfig/hard.pc tree/lib/pkgconfig/link.pc
    ln -s ../../../other.pc tree/lib/pkgconfig/symlink.pc
    chmod g+s tree/lib/pkgconfig/setid.pc
    tar -C tree/lib/pkgconfig -cf tree/lib/x.tar vendor.pc
    printf '[[exception]]\npath = "**/accepted.pc"\nreason = "known"\n' >known.toml
    local before
    before=$(find . -path ./tree/lib/libf.so -prune -o -type f -exec sha256sum {} + | sort)
    fix --exceptions known.toml --vendor "$PWD/tree/lib/pkgconfig/vendor.pc"
    exits 1
    says 'needs\.pc, line 2: -L.*/gcc-11/lib64: a library that is linked by name is in that directory' \
        'variable\.pc, line 1: .*: variables are not changed' 'variable\.pc, line 3: -I.*: compilations that use it' \
        'hard\.pc: it has several names' 'vendor\.pc: it is a vendor file' 'setid\.pc: it has set-id bits'
    says_not '^fixed' 'accepted\.pc' 'symlink\.pc' 'x\.tar'
    same "$(find . -path ./tree/lib/libf.so -prune -o -type f -exec sha256sum {} + | sort)" "$before"
    # a named symlink is followed, and remains one
    check --forbid "$PWD/gcc-11" --fix tree/lib/pkgconfig/symlink.pc
    exits 0
    says '^fixed: tree/lib/pkgconfig/symlink\.pc, line 1$'
    [ -L tree/lib/pkgconfig/symlink.pc ] || fail "it is no symlink any more"
    same "$(cat other.pc)" "Libs: -lx"
}
by_symlink() {
    wrong_compiler
    library
    ln -s gcc-11 by-link
    printf 'Libs: -L%s/by-link/lib64 -lx\n' "$PWD" >tree/lib/pkgconfig/x.pc
    printf 'Cflags: -I%s/by-link/include\n' "$PWD" >tree/lib/pkgconfig/y.pc
    fix
    exits 1
    says '^    \+ Libs: -lx$' '^left as it is: lib/pkgconfig/y\.pc, line 1: -I.*/by-link/include: compilations that use it'
    same "$(cat tree/lib/pkgconfig/x.pc)" "Libs: -lx"
    again
}
not_writable() {
    need_mounts
    wrong_compiler
    library
    printf 'Libs: -L%s -lx\n' "$wrong" >tree/lib/pkgconfig/x.pc
    cp tree/lib/pkgconfig/x.pc before.pc
    # shellcheck disable=SC2016 # of the other shell
    call unshare -m sh -c 'mount --bind tree tree && mount -o remount,ro,bind tree && exec "$@"' sh \
        "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix "$PWD/tree"
    exits 1
    says '^left as it is: lib/pkgconfig/x\.pc: a copy cannot be created next to it: '
    # a file system without room for the copy
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" && cd "$1" && { cat "$0"; seq 5000 | sed "s/^/# /"; } >x.pc
        head -c 30000 /dev/zero >rest; shift; "$@" .; code=$?; cmp -n 10 x.pc "$0" || code=99; ls >&2; exit $code' \
        "$PWD/before.pc" "$PWD/tree" "$hostpin" leak-check --no-binding --forbid "$PWD/gcc-11" --fix
    exits 1
    says '^left as it is: x\.pc: '
    says_not 'hostpin-'
    cmp tree/lib/pkgconfig/x.pc before.pc
}

it "pkg-config prints no wrong directory after the fix, and its options link" pkg_config
it "libtool links with a fixed archive" libtool_archive
it "CMake finds and links a package with a fixed export" cmake_export
it "what is not certain is not changed, with a reason" left
it "a path that leads to the wrong compiler by symlinks is fixed like one that names it" by_symlink
it "files of a tree that cannot be written remain intact" not_writable
finish
