#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# advice.sh RELEASE [WORDS]: what hostpin fatbin advises does what it says when a shell is given it; where nvprune would not, it is not advised.
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
only=${2:-}

make_object() { nvcc "${flags[@]}" -gencode=arch=compute_75,code=sm_75 -c -o "$work/more.o"; }
prepare=make_object
fatbin() { call "$hostpin" fatbin "$@" --no-forward-compatibility --toolkit "$toolkit"; }
need_nvprune() { [ -x "$toolkit/bin/nvprune" ] || skip "no nvprune in $toolkit"; }
hint() { sed -n 's/^hint: //p' "$err"; }

# prunes FILE: by the words that are printed, and to what was asked for.
prunes() {
    fatbin "$1" --expect 8.0
    exits 1
    says "^hint: $(literally "$toolkit/bin/nvprune") -gencode=arch=compute_80,code=sm_80 "
    hint >pasted
    sh pasted
    fatbin "$1.pruned" --expect 8.0
    exits 0
}
# rebuilds FILE: nothing else is advised.
rebuilds() {
    fatbin "$1" --expect 8.0
    exits 1
    says '^hint: build it again with '
    says_not nvprune
}

objects_and_archives_are_pruned() {
    need_nvprune
    cp "$work/more.o" a.o
    gcc -x c -c - -o host.o <<<'int x;'
    ar qcs libx.a a.o host.o a.o
    for file in a.o libx.a; do prunes $file; done
    same "$(ar t libx.a.pruned)" "$(ar t libx.a)"
    same "$(grep -c '^  (a.o)' <("$hostpin" fatbin libx.a.pruned --members))" 2
}
names_are_words_for_a_shell() {
    need_nvprune
    # shellcheck disable=SC2016 # they are names
    for name in 'a b.o' "it's.o" '$HOME.o' 'a;touch BAD.o' '`touch BAD`.o' '*.o' $'\xc3\xa9.o'; do
        cp "$work/more.o" "$name"
        prunes "$name"
        rm "$name" "$name.pruned"
    done
    absent BAD.o
    cp "$work/more.o" ./-dash.o
    call "$hostpin" fatbin --no-forward-compatibility --expect 8.0 --toolkit "$toolkit" -- -dash.o
    exits 1
    hint >pasted
    sh pasted
    fatbin ./-dash.o.pruned --expect 8.0
    exits 0
    for name in $'line\nend.o' $'bell\a.o' $'latin\xe9.o'; do
        cp "$work/more.o" "$name"
        rebuilds "$name"
        rm "$name"
    done
}
nothing_is_overwritten() {
    need_nvprune
    cp "$work/more.o" a.o
    echo mine >a.o.pruned
    ln -s nowhere a.o.pruned2
    fatbin a.o --expect 8.0
    says 'a[.]o -o a[.]o[.]pruned3$'
    hint >pasted
    sh pasted
    same "$(cat a.o.pruned)" mine
    fatbin a.o.pruned3 --expect 8.0
    exits 0
    for number in 3 4 5 6 7 8 9; do touch a.o.pruned$number; done
    rebuilds a.o
}
# A toolkit without the programs that look into device code.
toolkit_of_links() {
    mkdir -p toolkit/bin
    cp "$toolkit"/bin/nvcc* toolkit/bin # it tells its directory by its own
    for piece in include lib64 nvvm; do ln -s "$toolkit/$piece" toolkit/$piece; done
}
# It fails on these. That it is there is enough, for it is not run.
what_nvprune_cannot_do_is_not_advised() {
    cp "$work/more.o" a.o
    ar rcsT thin.a a.o
    ar rcs inner.a a.o
    ar rcs nested.a inner.a
    echo text >text
    ar rcs mixed.a a.o text
    nvcc -gencode=arch=compute_80,code=sm_80 -c -o one.o
    ar rcs partial.a one.o a.o # pruned to 7.5, one.o would lose its kernels
    toolkit_of_links
    local toolkit=$PWD/toolkit
    echo '#!/bin/sh' >toolkit/bin/nvprune && chmod +x toolkit/bin/nvprune
    fatbin a.o --expect 7.5
    says '^hint: .*/nvprune '
    for file in thin.a nested.a mixed.a; do rebuilds $file; done
    fatbin partial.a --expect 7.5
    exits 1
    says '^hint: build it again with '
    says_not nvprune
}
no_nvprune_is_not_advised() {
    toolkit_of_links
    cp "$work/more.o" a.o
    call "$hostpin" fatbin a.o --no-forward-compatibility --expect 8.0 --toolkit "$PWD/toolkit"
    exits 1
    says '^hint: build it again with '
}
# Entries for capabilities that there are not stay out of what is advised.
damaged_entries_are_no_capabilities() {
    need_command python3
    cp "$work/more.o" a.o
    python3 - <<'PY'
import struct
data = bytearray(open('a.o', 'rb').read())
at = data.find(struct.pack('<I', 0xba55ed50)) + 16
while struct.unpack_from('<I', data, at + 0x1c)[0] != 75:
    at += struct.unpack_from('<I', data, at + 4)[0] + struct.unpack_from('<Q', data, at + 8)[0]
struct.pack_into('<I', data, at + 0x1c, 777)
open('a.o', 'wb').write(data)
PY
    rebuilds a.o
    says '77[.]7 machine code'
}
flags_to_build_with_build_it() {
    nvcc -gencode=arch=compute_80,code=sm_80 -c -o a.o
    for list in "7.5;8.0+ptx" "$list"; do
        call "$hostpin" fatbin a.o --expect "$list"
        exits 1
        hint | sed "s/^build it again with //; s/ (CMake: .*//" >flags
        sh -c "'$toolkit/bin/nvcc' -ccbin '$host' $(cat flags) -fatbin '$work/a.cu' -o b.fatbin"
        call "$hostpin" fatbin b.fatbin --expect "$list"
        exits 0
    done
}

it "objects and archives are pruned by what is advised" objects_and_archives_are_pruned
it "names are words for a shell, or nothing is advised for them" names_are_words_for_a_shell
it "nothing is overwritten" nothing_is_overwritten
it "what nvprune cannot do is not advised" what_nvprune_cannot_do_is_not_advised
it "an nvprune that is not there is not advised" no_nvprune_is_not_advised
it "damaged entries are no capabilities" damaged_entries_are_no_capabilities
it "flags to build with build it" flags_to_build_with_build_it
finish
