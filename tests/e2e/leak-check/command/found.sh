#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin leak-check on trees that real compilers built: leaks are found, with severity and location, and similar files
# without a leak pass.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

runpath() {
    tree
    mkdir -p gcc-11/lib64 gcc-11.old/lib64
    g++ main.cpp -x c++ f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/gcc-11/lib64"
    g++ main.cpp -x c++ f.cpp -o tree/bin/near -Wl,-rpath,"$PWD/gcc-11.old/lib64"
    check --forbid "$PWD/gcc-11" tree
    exits 1
    finds forbidden-runpath error
    prints '^    bin/leaks, \.dynamic$' 'entry of RUNPATH, and is in forbidden directory'
    prints_no 'bin/near'
    g++ main.cpp -x c++ f.cpp -o tree/bin/leaks -Wl,--disable-new-dtags,-rpath,"$PWD/gcc-11.old/../gcc-11/lib64/"
    check --forbid "$PWD/gcc-11" tree
    exits 1
    prints 'entry of RPATH, and is in forbidden directory'
}
references() {
    tree
    echo "Libs: -L$PWD/gcc-11/lib64 -lx" >tree/lib/x.pc
    echo "const char* where = \"$PWD/gcc-11/lib64\";" >where.cpp
    g++ -shared -fPIC where.cpp -o tree/lib/libwhere.so
    check --forbid "$PWD/gcc-11" --notes tree
    exits 1
    finds forbidden-reference error
    finds forbidden-reference warning
    prints 'lib/x\.pc, pkg-config at 0x8' 'lib/libwhere\.so, \.rodata at 0x'
    check --forbid "$PWD/gcc-11.ol" tree
    exits 0
}
loaded_besides() {
    tree
    local word
    for word in --auxiliary= --filter= --audit= --depaudit=; do
        g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so.1 "-Wl,$word$PWD/gcc-11/lib64/libx.so"
        check --json --forbid "$PWD/gcc-11" tree
        exits 1
        graded forbidden-reference lib/libf.so error
        g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so.1 "-Wl,$word$PWD/gcc-12/lib64/libx.so"
        check --json --forbid "$PWD/gcc-11" tree
        exits 0
    done
}
linker_scripts() {
    tree
    local command
    for command in 'INPUT(%s)' 'GROUP ( libf.so.1 AS_NEEDED ( %s ) )' 'SEARCH_DIR(%s)'; do
        # shellcheck disable=SC2059 # the formats above
        printf "/* GNU ld script */\n$command\n" "$PWD/gcc-11/lib64/libg.a" >tree/lib/libg.so
        check --json --forbid "$PWD/gcc-11" tree
        exits 1
        graded forbidden-reference lib/libg.so error
        check --json --forbid "$PWD/gcc-12" tree
        exits 0
    done
    # one that the linker takes
    mkdir -p gcc-11/lib64
    g++ -c f.cpp -o f.o && ar rc gcc-11/lib64/libg.a f.o
    echo "INPUT($PWD/gcc-11/lib64/libg.a)" >tree/lib/libg.so
    g++ main.cpp -Ltree/lib -lg -o linked
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference lib/libg.so error
    # text that only mentions the commands is not a linker script
    echo "see $PWD/gcc-11/lib64/libg.a" >tree/lib/libg.so
    check --json --forbid "$PWD/gcc-11" tree
    graded forbidden-reference lib/libg.so warning
}
# shellcheck disable=SC2016 # variables of the files
composed() {
    tree
    printf 'prefix=%s\nlibdir=${prefix}/lib64\nName: x\nDescription: x\nVersion: 1\nLibs: -L${libdir} -lx\n' "$PWD/gcc-11" >tree/lib/x.pc
    printf 'set(root "%s")\nset(x ${root}/gcc-11)\nset(y "${x}/lib64/libx.so")\n' "$PWD" >tree/lib/x.cmake
    printf 'set(x "%s/gcc-11")\nset_target_properties(t PROPERTIES IMPORTED_LOCATION "${x}/lib64/libx.so")\n' "$PWD" >tree/lib/y.cmake
    check --json --forbid "$PWD/gcc-11/lib64" tree
    exits 1
    graded forbidden-reference lib/x.pc error
    graded forbidden-reference lib/x.cmake error
    graded forbidden-reference lib/y.cmake error
    if command -v pkg-config >/dev/null; then
        same "$(PKG_CONFIG_PATH=$PWD/tree/lib pkg-config --variable=libdir x)" "$PWD/gcc-11/lib64"
    fi
    cat tree/lib/x.cmake - >script.cmake <<<'message("${y}")'
    same "$(cmake -P script.cmake 2>&1)" "$PWD/gcc-11/lib64/libx.so"
    check --json --forbid "$PWD/gcc-11/lib32" --forbid "$PWD/gcc-1" tree
    exits 0
}
# shellcheck disable=SC2016 # variables of the file
composed_over_lines() {
    tree
    cat >tree/lib/x.cmake <<CMAKE
set(root # the first of several
    "$PWD"
    CACHE PATH "where it lies (once)")
string(CONCAT where "\${root}" [=[/gcc]=]
    "-11")
list(APPEND dirs /usr/lib)
list(APPEND
    dirs "\${where}/lib64")
string(JOIN ":" all \${dirs})
CMAKE
    check --json --forbid "$PWD/gcc-11/lib64" tree
    exits 1
    graded forbidden-reference lib/x.cmake error
    cat tree/lib/x.cmake - >script.cmake <<<'message("${all}")'
    same "$(cmake -P script.cmake 2>&1)" "/usr/lib:$PWD/gcc-11/lib64"
    check --json --forbid "$PWD/gcc-11/lib32" tree
    exits 0
}
empty_entries() {
    tree
    g++ main.cpp f.cpp -o tree/bin/colon -Wl,-rpath,/usr/lib:
    check tree
    prints 'a colon at an end of RUNPATH|A colon at an end of RUNPATH' 'the current directory'
    # the loader really searches it
    g++ main.cpp tree/lib/libf.so -o tree/bin/here -Wl,-rpath,/usr/lib:
    (cd tree/lib && ../bin/here)
    if tree/bin/here 2>/dev/null; then fail "the loader looks elsewhere"; fi
}
wrong_loader() {
    tree
    mkdir -p gcc-11
    cp "$(realpath /lib64/ld-linux-x86-64.so.2)" gcc-11/ld.so
    ln -s gcc-11/ld.so by-link.so
    g++ main.cpp f.cpp -o tree/bin/wrong -Wl,--dynamic-linker="$PWD/by-link.so"
    check --forbid "$PWD/gcc-11" tree
    exits 1
    prints 'fix: .*patchelf --set-interpreter' 'would be loaded: .*gcc-11/ld\.so'
}
led_to() {
    tree
    mkdir -p gcc-11/lib64
    ln -s gcc-11 by-link
    echo "set(D $PWD/by-link/lib64)" >tree/lib/x.cmake
    check --forbid "$PWD/gcc-11" tree
    exits 1
    prints 'leads to: .*gcc-11/lib64'
    prints_no 'would be loaded'
}
utf16_end() {
    mkdir tree
    local order
    for order in BE LE; do
        printf %s "$PWD/gcc-11/lib64/libx.so" | iconv -t UTF-16$order >tree/x
        check --json --forbid "$PWD/gcc-11" tree
        same "$order $(json "$out" findings 0 reference)" "$order $PWD/gcc-11/lib64/libx.so"
    done
}
escaped_slashes() {
    mkdir tree
    local path=$PWD/gcc-11/lib64/libx.so
    python3 -c 'import json, sys; print(json.dumps({"name": "x", "path": sys.argv[1]}, indent=1))' "$path" >tree/x.json
    check --notes --forbid "$PWD/gcc-11" tree
    exits 0
    mv "$out" plain
    sed -i 's,/,\\/,g' tree/x.json
    same "$(python3 -c 'import json; print(json.load(open("tree/x.json"))["path"])')" "$path"
    check --notes --forbid "$PWD/gcc-11" tree
    exits 0
    prints "^warning: forbidden-reference: $path\$" 'x\.json at 0x'
    same "$(sed 's/ at 0x.*//' "$out")" "$(sed 's/ at 0x.*//' plain)"
    check --notes --forbid "$PWD/gcc-1" tree
    prints_no forbidden-reference
}
missing() {
    tree
    check tree
    exits 0
    rm tree/lib/libf.so.1
    check tree
    exits 1
    finds missing-library error
    prints 'missing-library: libf\.so\.1'
}
versions() {
    tree
    echo 'V_1 { global: *; };' >one.map
    echo 'V_1 { }; V_2 { global: *; } V_1;' >two.map
    g++ -shared -fPIC f.cpp -o libf.so -Wl,-soname,libf.so.1,--version-script=two.map
    # shellcheck disable=SC2016
    g++ main.cpp libf.so -o tree/bin/main -Wl,-rpath,'$ORIGIN/../lib'
    cp libf.so tree/lib/libf.so
    check tree
    exits 0
    g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so.1,--version-script=one.map
    check tree
    exits 1
    finds unmet-version-need error
    prints 'unmet-version-need: V_2' 'would be loaded: .*/lib/libf\.so'
    if ./tree/bin/main 2>/dev/null; then fail "the loader does not mind"; fi
}
two_runtimes() {
    tree
    local major
    for major in 12 13; do
        echo "int cudart$major() { return 0; }" >rt.cpp
        g++ -shared -fPIC rt.cpp -o "tree/lib/libcudart.so.$major" -Wl,-soname,"libcudart.so.$major"
        echo "int cudart$major(); int use$major() { return cudart$major(); }" >use.cpp
        # shellcheck disable=SC2016
        g++ -shared -fPIC use.cpp "tree/lib/libcudart.so.$major" -o "tree/lib/libuse$major.so" -Wl,-rpath,'$ORIGIN'
    done
    # shellcheck disable=SC2016
    g++ main.cpp -x c++ f.cpp -x none -Wl,--no-as-needed tree/lib/libuse12.so -o tree/bin/one -Wl,-rpath,'$ORIGIN/../lib'
    check --notes tree
    passes two-cuda-runtimes
    # shellcheck disable=SC2016
    g++ main.cpp -x c++ f.cpp -x none -Wl,--no-as-needed tree/lib/libuse12.so tree/lib/libuse13.so -o tree/bin/two \
        -Wl,-rpath,'$ORIGIN/../lib'
    check --notes tree
    exits 1
    finds two-cuda-runtimes error
    prints '^    bin/two, \.dynamic$'
    prints_no '^    bin/one, \.dynamic$'
}
# As by a tool for wheels: the file, its soname and the NEEDED entries are renamed, and nothing else is changed.
renamed_runtime() { # CUDA
    local cuda name renamed kind origin="-Wl,-rpath,\$ORIGIN/../lib:\$ORIGIN"
    cuda=$(cuda "$1")
    [ -e "$cuda/lib64/libcudart.so" ] || skip "no CUDA $1"
    need_command patchelf strip
    mkdir -p tree/bin tree/lib
    name=$(readelf -d "$cuda/lib64/libcudart.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    renamed=libcudart.1f2e3d4c.so.${name#libcudart.so.}
    cp "$cuda/lib64/libcudart.so" "tree/lib/$name"
    cp "tree/lib/$name" "tree/lib/$renamed"
    for kind in plain renamed fixed; do
        echo "extern \"C\" int cudaGetDeviceCount(int*); int $kind() { int n; return cudaGetDeviceCount(&n); }" >$kind.cpp
    done
    g++ -shared -fPIC plain.cpp -o tree/lib/libplain.so "tree/lib/$name" "$origin"
    g++ -shared -fPIC renamed.cpp -o tree/lib/librenamed.so "tree/lib/$name" "$origin"
    g++ -shared -fPIC fixed.cpp -o tree/lib/libstatic.so "$cuda/lib64/libcudart_static.a" -ldl -lrt -lpthread
    strip "tree/lib/$renamed" tree/lib/libstatic.so
    patchelf --set-soname "$renamed" "tree/lib/$renamed"
    patchelf --replace-needed "$name" "$renamed" tree/lib/librenamed.so
    echo 'int plain(), renamed(); int main() { return plain() + renamed(); }' >two.cpp
    echo 'int renamed(); int main() { return renamed(); }' >one.cpp
    echo 'int plain(); int main() { return plain(); }' >mixed.cpp
    g++ two.cpp -o tree/bin/two tree/lib/libplain.so tree/lib/librenamed.so "$origin"
    g++ one.cpp -o tree/bin/one tree/lib/librenamed.so "$origin"
    g++ mixed.cpp -o tree/bin/mixed -Wl,--no-as-needed tree/lib/libplain.so tree/lib/libstatic.so "$origin"
    same "$(LD_TRACE_LOADED_OBJECTS=1 tree/bin/two | grep -c 'libcudart.* => /')" 2
    check --json tree
    exits 1
    graded two-cuda-runtimes bin/two error
    ungraded two-cuda-runtimes bin/one
    ungraded two-cuda-runtimes bin/mixed
    ungraded own-static-and-shared-cudart "lib/$renamed"
    graded own-static-and-shared-cudart lib/libstatic.so warning
    prints "$(literally "$renamed"), which is $(literally "$name") by its symbols, is loaded by .*/librenamed\.so"
}
scripts() {
    mkdir tree gcc
    local path
    path=$PWD/gcc/$(printf 'd%.0s' $(seq 120)) # an interpreter line of more than 128 bytes
    mkdir -p "$path"
    : >"$path/g++-12"
    ln -s "$path/g++-12" alias++
    ln -s alias++ other++
    { printf '#!/bin/sh\n' && echo "exec $path/g++-12"; } >tree/second-line
    echo "#!/usr/bin/env -S X=$(printf 'x%.0s' $(seq 120)) $path/g++-12" >tree/long-first-line
    printf '#!/bin/sh\nCC=%s\nexec %s -O2 "$@"\n' "$PWD/alias++" "$PWD/other++" >tree/other-names
    printf '#!%s -x\n' "$PWD/other++" >tree/other-interpreter
    printf '#!/bin/sh\nexec %s-14\n' "$PWD/other++" >tree/near
    check --json --forbid "$path/g++-12" tree
    exits 1
    graded forbidden-reference second-line warning
    graded forbidden-reference long-first-line error
    graded forbidden-reference other-names warning
    graded forbidden-reference other-interpreter error
    ungraded forbidden-reference near
    prints "\"reference\": *\"$(literally "$PWD/alias++")\"" "\"reference\": *\"$(literally "$PWD/other++")\"" \
        "\"resolved\": *\"$(literally "$path")/g"
}
build_directory() {
    mkdir build && cd build
    tree
    g++ -shared -fPIC f.cpp -o tree/lib/libg.so -Wl,-rpath,"$PWD/tree/lib"
    check --build-dir "$PWD" tree
    exits 1
    finds build-directory error
    prints_no 'bin/main'
}
# each spelling of the forbidden directory finds each spelling of the leak
spellings() {
    tree
    mkdir -p real/gcc-11/lib64
    ln -s real by-link
    ln -s lib64 real/gcc-11/lib
    local forbid leak
    for forbid in real/gcc-11 real/gcc-11/ real//gcc-11/. by-link/../by-link/gcc-11 by-link/gcc-11/; do
        for leak in real/gcc-11/lib64 real/gcc-11/lib/../lib64/ by-link/gcc-11/lib64 real/./gcc-11//lib; do
            g++ main.cpp f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/$leak"
            echo "Libs: -L$PWD/$leak -lx" >tree/lib/x.pc
            ln -sfn "$PWD/$leak" tree/lib/link
            check --json --forbid "$PWD/$forbid" tree
            exits 1
            graded forbidden-runpath bin/leaks error
            graded forbidden-reference lib/x.pc error
            graded forbidden-reference lib/link error
        done
    done
    printf '# what no package may name\r\n\n%s/\r\n' "$PWD/by-link/gcc-11" >forbidden.txt
    check --json --forbid-file forbidden.txt tree
    graded forbidden-runpath bin/leaks error
    check --json --forbid "$PWD/real/gcc-1" tree
    exits 0
    check --forbid-file absent.txt tree
    exits 2
    echo relative/path >forbidden.txt
    check --forbid-file forbidden.txt tree
    exits 2
    says 'relative/path'
}
store_hashes() {
    tree
    local hash=0123456789abcdfghijklmnpqrsvwxyz
    printf 'x%sy' "$hash" >tree/lib/blob
    check --notes --forbid "/nix/store/$hash-gcc-11" tree
    finds forbidden-reference warning
    prints 'lib/blob at 0x1$' 'Only the hash of its store path'
}
vendor() {
    tree
    g++ main.cpp f.cpp -o tree/bin/leaks -Wl,-rpath,"$PWD/gcc-11/lib64"
    echo "where = $PWD/build/x" >tree/lib/x.cmake
    check --json --build-dir "$PWD/build" --vendor tree/lib tree
    exits 0
    graded build-directory lib/x.cmake note
    check --json --build-dir "$PWD/build" --vendor tree/bin tree
    exits 1
    graded build-directory lib/x.cmake error
}

it "a run path into a forbidden directory is found, and one next to it passes" runpath
it "the severity of a path depends on its use" references
it "files that the loader loads besides NEEDED have the same severity" loaded_besides
it "a linker script with the name of a library is read" linker_scripts
it "a path that is composed of variables is found" composed
it "a path that CMake's commands compose over several lines is found" composed_over_lines
it "an empty entry of a run path is reported with its meaning" empty_entries
it "a wrong loader is reported with a fix" wrong_loader
it "a directory that an entry leads to is not reported as loaded" led_to
it "a path in UTF-16 at the end of a file is reported whole" utf16_end
it "a path whose slashes JSON escapes is reported as the same path" escaped_slashes
it "a library that the loader would not find is found" missing
it "a version that the loaded library would lack is found" versions
it "two CUDA runtimes in one program are found, and one passes" two_runtimes
for release in 11.2 11.8 12.4 13.0; do
    it "a renamed runtime of CUDA $release is one, and a static one is told apart" renamed_runtime "$release"
done
it "a script's first line names its interpreter, and forbidden paths are found by any name" scripts
it "the build directory is found, and \$ORIGIN in it passes" build_directory
it "paths are found in any spelling" spellings
it "a store hash alone is a reference" store_hashes
it "vendor files may name their own build" vendor
finish
