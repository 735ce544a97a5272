#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# nvcc's question who its host compiler is, answered by c++ itself: byte for byte what the compiler answers, or not at all.
# HOSTPIN_FULL=1 holds every compiler beside every toolkit, and many more damaged questions.
# shellcheck source=tests/e2e/identity/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_both_families
only=${1:-}
asked=$work/tmpxft_0000abcd_00000000-2.cpp
question "$toolkit" "$asked"

everything() {
    local first=$toolkit toolkit compiler
    for toolkit in "$lab"/cuda-* /usr/local/cuda; do
        [ -x "$toolkit/bin/nvcc" ] || continue
        question "$toolkit" "$asked"
        for compiler in "$lab"/bin/g++-* "$lab"/bin/clang++-* /usr/bin/c++; do
            if [ "$full" != 1 ] && [ ! "$toolkit" -ef "$first" ] &&
                [[ $compiler != "$gcc" && $compiler != "$clang" ]]; then continue; fi
            rm -rf "$work/each"
            bound_to "$compiler" "$toolkit" "$work/each"
            answers_itself "$work/each" -E "$asked"
            as_the_compiler "$compiler" "$work/each" -E "$asked"
            as_the_compiler "$compiler" "$work/each" -E "$work/$(basename "$asked")"
        done
    done
}
gcc_major=$gcc gcc=$host clang=$lab/bin/clang++-$clang
it "the answer is that of every compiler to every toolkit, and none is run" everything
question "$toolkit" "$asked"

bound_to "$gcc" "$toolkit" "$work/gcc"
bound_to "$clang" "$toolkit" "$work/clang"
both() { # CHECK ARGUMENT...: of as_the_compiler, with both
    as_the_compiler "$gcc" "$work/gcc" "$@"
    as_the_compiler "$clang" "$work/clang" "$@"
}

nvcc_asks() {
    echo '__global__ void k() {}' >x.cu
    local name
    for name in gcc clang; do
        strace -f --seccomp-bpf -qq -e trace=execve -o trace "$work/$name/nvcc" --dryrun -c x.cu >/dev/null 2>&1
        # our nvcc, the real one, our c++
        same "$(grep -c ' = 0$' trace)" 3
    done
}
it "nvcc itself is answered without running the compiler" nvcc_asks

damaged() {
    local rounds=30 i size at text
    if [ "$full" = 1 ]; then rounds=1000; fi
    size=$(stat -c %s "$asked")
    RANDOM=7
    for i in $(seq "$rounds"); do
        at=$((RANDOM % size))
        text=$(printf '\\x%02x' $((RANDOM % 127 + 1)))
        case $((i % 3)) in
        0) { head -c "$at" "$asked" && printf '%b' "$text" && tail -c +$((at + 2)) "$asked"; } >damaged.cpp ;;
        1) { head -c "$at" "$asked" && printf '%b' "$text" && tail -c +$((at + 1)) "$asked"; } >damaged.cpp ;;
        2) { head -c "$at" "$asked" && tail -c +$((at + 1 + RANDOM % 80)) "$asked"; } >damaged.cpp ;;
        esac
        both -E "$PWD/damaged.cpp"
        cmp -s damaged.cpp "$asked" || asks_the_compiler "$work/gcc" -E "$PWD/damaged.cpp"
    done
    : >empty.cpp
    both -E "$PWD/empty.cpp"
    both -E "$PWD/none.cpp"
    both -E "$PWD"
}
it "a question that differs by a byte is the compiler's" damaged

other_calls() {
    cp "$asked" q.cpp
    cp "$asked" q.c
    cp "$asked" q
    both -E q.cpp
    both -E ./q.cpp
    both -E "$PWD/q.c"
    both -E "$PWD/q"
    both -E "$PWD/q.cpp" -P
    both -P -E "$PWD/q.cpp"
    both "$PWD/q.cpp" -E
    both -E -
    both -E
    asks_the_compiler "$work/gcc" -E "$PWD/q.cpp" -P
    asks_the_compiler "$work/gcc" -E "$PWD/q.c"
}
it "a call with other words is the compiler's" other_calls

names() {
    local name
    mkdir -p 'a b' 'c"d' 'e\f' "g'h" "\$i" 'ä' $'tab\there' .hidden
    for name in 'a b/q.cpp' 'c"d/q.cpp' 'e\f/q.cpp' "g'h/q.cpp" "\$i/q.cpp" 'ä/q.cpp' $'tab\there/q.cpp' .hidden/.cpp \
        'a b/../a b/./q.cpp' '/a b//q.cpp' 'a b/#%?*q.cpp' 'a b/q.cpp.cpp'; do
        cp "$asked" "$PWD/$name"
        both -E "$PWD/$name"
    done
}
it "whatever the file is called, the answer names it as the compiler does" names

surroundings() {
    local setting
    mkdir -p inc
    echo '#define __linux__ 7' >inc/stdc-predef.h
    for setting in "CPATH=$PWD/inc" "CPLUS_INCLUDE_PATH=$PWD/inc" COMPILER_PATH=/nowhere LANG=de_DE.UTF-8 LANGUAGE=de:en \
        LC_ALL=tr_TR CCC_OVERRIDE_OPTIONS=+-P "CLANG_X=1" SOURCE_DATE_EPOCH=yesterday LD_LIBRARY_PATH=/nowhere \
        "GCC_EXEC_PREFIX=$PWD/" LIBRARY_PATH=. LIBRARY_PATH=/nowhere: LD_BIND_NOW=1; do
        (export "${setting?}" && both -E "$asked")
    done
    for setting in "CPATH=$PWD/inc" LANG=de_DE.UTF-8 COMPILER_PATH=/nowhere LIBRARY_PATH=. HOSTPIN_IDENTITY=off; do
        (export "${setting?}" && asks_the_compiler "$work/gcc" -E "$asked")
    done
    (export LD_LIBRARY_PATH=/nowhere && asks_the_compiler "$work/clang" -E "$asked")
    # and what changes nothing leaves the answer to us
    for setting in LANG=en_US.UTF-8 LC_ALL=C.UTF-8 LD_LIBRARY_PATH=/nowhere LIBRARY_PATH=/nowhere SOURCE_DATE_EPOCH=1 \
        GCC_COLORS= HOSTPIN_IDENTITY=on; do
        (export "${setting?}" && answers_itself "$work/gcc" -E "$asked" && both -E "$asked")
    done
}
it "what speaks to a compiler in the environment makes it be asked" surroundings

other_specs() {
    local version=x86_64-linux-gnu/$gcc_major
    mkdir -p "first/$version" second
    export LIBRARY_PATH=$PWD/first:$PWD/second
    answers_itself "$work/gcc" -E "$asked"
    printf '*cpp:\n-D__linux__=7 -P\n\n' >second/specs
    asks_the_compiler "$work/gcc" -E "$asked"
    both -E "$asked"
    mv second/specs "first/$version/specs"
    asks_the_compiler "$work/gcc" -E "$asked"
    both -E "$asked"
}
it "specs that GCC finds through LIBRARY_PATH are GCC's to obey" other_specs

headers() {
    local name
    mkdir -p one two
    echo '/* nothing */' >two/stdc-predef.h
    if [ -L "$gcc" ]; then
        compiler g++-headed "$gcc" -isystem "$PWD/one" -isystem "$PWD/two"
    else # the whole of the lab's launcher, so that its links work
        sed "s|\"\$@\"|-isystem $PWD/one -isystem $PWD/two &|" "$gcc" >"$bin/g++-headed"
        chmod +x "$bin/g++-headed"
    fi
    bound_to "$bin/g++-headed" "$toolkit" "$work/headed"
    settle
    answers_itself "$work/headed" -E "$asked"
    as_the_compiler "$bin/g++-headed" "$work/headed" -E "$asked"
    echo 'typedef int changed;' >two/stdc-predef.h
    asks_the_compiler "$work/headed" -E "$asked"
    as_the_compiler "$bin/g++-headed" "$work/headed" -E "$asked"
    call "$hostpin" bind --refresh "$work/headed"
    exits 0
    answers_itself "$work/headed" -E "$asked"
    as_the_compiler "$bin/g++-headed" "$work/headed" -E "$asked"
    echo 'typedef int earlier;' >one/stdc-predef.h
    asks_the_compiler "$work/headed" -E "$asked"
    as_the_compiler "$bin/g++-headed" "$work/headed" -E "$asked"
}
it "a header that GCC reads unasked is noticed when it changes, and when another comes before it" headers

odd_drivers() {
    # shellcheck disable=SC2016 # for the scripts' own shell
    printf '#!/bin/sh\n[ -n "$WHO" ] && set -- -D__linux__=7 "$@"\nexec %q "$@"\n' "$gcc" >"$bin/g++-moody"
    compiler g++-worded "$gcc" -imacros /dev/null
    compiler g++-relative "$gcc" -isystem inc
    printf '#!/bin/bash\nexec %q "$@"\n' "$gcc" >"$bin/g++-bash" # reads $BASH_ENV first
    printf '#!/bin/sh\nLIBRARY_PATH=/nowhere exec %q "$@"\n' "$gcc" >"$bin/g++-led"
    chmod +x "$bin/g++-moody" "$bin/g++-bash" "$bin/g++-led"
    local name
    for name in g++-moody g++-worded g++-relative g++-bash g++-led; do
        bound_to "$bin/$name" "$toolkit" "$work/$name"
        absent "$work/$name/identity"
        contains asked-each-time-because <"$work/$name/binding.toml" || fail "no word why $name is asked"
        asks_the_compiler "$work/$name" -E "$asked"
        as_the_compiler "$bin/$name" "$work/$name" -E "$asked"
        WHO=me as_the_compiler "$bin/$name" "$work/$name" -E "$asked"
    done
}
it "a driver whose answer may depend on anything is asked each time" odd_drivers

records() {
    cp -r "$work/gcc" moved
    answers_itself "$PWD/moved" -E "$asked"
    truncate -s -1 moved/identity
    asks_the_compiler "$PWD/moved" -E "$asked"
    as_the_compiler "$gcc" "$PWD/moved" -E "$asked"
    cp "$work/clang/identity" moved/identity
    as_the_compiler "$gcc" "$PWD/moved" -E "$asked"
    rm moved/identity
    as_the_compiler "$gcc" "$PWD/moved" -E "$asked"
    echo 'identity = "off"' >off.toml
    HOSTPIN_CONFIG=$PWD/off.toml bound_to "$gcc" "$toolkit" "$PWD/off"
    absent off/identity
    asks_the_compiler "$PWD/off" -E "$asked"
}
it "a record that is damaged, of another binding, gone or unwanted answers nothing" records

unwritable() {
    local ours=0 real=0
    "$work/gcc/c++" -E "$asked" >/dev/full 2>ours || ours=$?
    "$gcc" -E "$asked" >/dev/full 2>real || real=$?
    same "$ours" "$real"
    cmp ours real
    "$work/gcc/c++" -E "$asked" >&- 2>ours || ours=$?
    "$gcc" -E "$asked" >&- 2>real || real=$?
    same "$ours" "$real"
}
it "an answer that cannot be written fails as the compiler's does" unwritable

unbound() {
    export CXX=$gcc HOSTPIN_TOOLKIT=$toolkit
    "$our_cxx" -E "$asked" >/dev/null # decides
    strace -f --seccomp-bpf -qq -e trace=execve -o trace "$our_cxx" -E "$asked" >ours
    same "$(grep -c ' = 0$' trace)" 1
    "$gcc" -E "$asked" | cmp - ours
}
it "an unbound call is answered from the cached decision" unbound
finish
