#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fatbin.sh RELEASE [WORDS]: what hostpin fatbin says of what a toolkit's nvcc made, held against NVIDIA's own cuobjdump and nvprune.
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
only=${2:-}
# 13.0 comes without one here; that of 12.4 reads what it writes, but for the letters of newer variants.
cuobjdump=$toolkit/bin/cuobjdump
if [ ! -x "$cuobjdump" ]; then cuobjdump=$(cuda 12.4)/bin/cuobjdump; fi
call_nvcc() { "$toolkit/bin/nvcc" -ccbin "$host" "$@"; }
need_cuobjdump() { [ -x "$cuobjdump" ] || skip "no cuobjdump in $toolkit (NVIDIA's packages and ./bootstrap lab have it)"; }

# `elf 8.0`, `ptx 9.0a`, `nvvm 8.0`, each once.
ours() {
    fatbin "$1" | sed -nE 's/^  ([0-9.]+[af]?) +(machine code|PTX ISA|LTO-IR) .*/\2 \1/p' |
        sed -e 's/^machine code/elf/' -e 's/^PTX ISA/ptx/' -e 's/^LTO-IR/nvvm/' | sort -u
}
theirs() {
    "$cuobjdump" "$1" 2>/dev/null | sed -nE 's/^Fatbin ([a-z]+) code:$/\1/p; s/^arch = sm_([0-9]+)([0-9])([af]?)$/\1.\2\3/p' |
        paste -d ' ' - - | sort -u
}
# agrees_with_cuobjdump ARGUMENT...: of the object that nvcc makes by these arguments.
agrees_with_cuobjdump() {
    need_cuobjdump
    nvcc "$@" -o made
    theirs made >their_list
    test -s their_list
    if [ "$release" = 13.0 ]; then sed -i 's/10[.]0$/10.0f/' their_list; fi
    ours made >our_list
    diff their_list our_list
}

# The leak check opens the same entries; it counts what a tree holds, each file once.
leak_check_shows_the_same() {
    need_command python3
    mkdir tree
    nvcc "${flags[@]}" -o tree/program
    nvcc "${flags[@]}" -c -o tree/a.o
    ar rc tree/liba.a tree/a.o
    fatbin tree --json | python3 -c 'import json, sys
for code in json.load(sys.stdin)["codes"]: print(*(code[key] for key in ("capability", "code", "entries", "bytes")))' | sort >expected
    test -s expected
    "$hostpin" leak-check tree --no-binding --json >report.json || true
    python3 -c 'import json
for code in json.load(open("report.json"))["capabilities"]: print(*(code[key] for key in ("capability", "code", "entries", "bytes")))' | sort >got
    diff expected got
    "$hostpin" leak-check tree --no-binding | contains '^device code: '
}

holds_what_was_asked_for() {
    nvcc "${flags[@]}" -c -o a.o
    call "$hostpin" fatbin a.o --no-forward-compatibility --expect "$list"
    exits 0
    call "$hostpin" fatbin a.o --no-forward-compatibility --expect "$list" --json
    exits 0
    same "$(json "$out" files 0 comparison agrees)" ON
    call "$hostpin" fatbin a.o --no-forward-compatibility --expect "7.5;$list"
    exits 1
    says 'missing: 7.5 machine code' '^hint: build it again with .*-gencode=arch=compute_75,code=sm_75 '
}

the_toolkit_that_a_word_is_held_against_is_named() {
    nvcc -gencode=arch=compute_80,code=sm_80 -c -o a.o
    export CUDA_HOME=$toolkit
    call "$hostpin" fatbin a.o --expect default
    exits 1
    says "^hostpin: note: against CUDA $(literally "$release in $toolkit")$"
    for words in "8.0 --no-forward-compatibility" "all --toolkit $toolkit"; do
        # shellcheck disable=SC2086 # words
        call "$hostpin" fatbin a.o --expect $words
        says_not '^hostpin: note: against'
    done
    unset CUDA_HOME
}

programs_and_libraries_are_read() {
    if [ ! -e "$toolkit/lib64/libcudart_static.a" ]; then skip "no libcudart_static.a in $toolkit"; fi
    nvcc "${flags[@]}" -o program
    call "$hostpin" fatbin program --no-forward-compatibility --expect "$list"
    exits 0
    contains '^program: program of ' <"$out"
    strip program
    call "$hostpin" fatbin program --no-forward-compatibility --expect "$list"
    exits 0
    nvcc "${flags[@]}" -shared -o libx.so
    call "$hostpin" fatbin libx.so --no-forward-compatibility --expect "$list"
    exits 0
    contains '^libx.so: shared library of ' <"$out"
    call "$hostpin" fatbin libx.so --expect 8.0
    exits 1
    # What is too much is cut out; what is missing is built.
    if [[ $release = 11.* ]]; then
        says "^hint: $(literally "$hostpin") fatbin slim libx.so --keep 8[.]0[+]ptx "
        sed -n 's/^hint: //p' "$err" >pasted
        sh pasted >slimmed
        call "$hostpin" fatbin libx.so.slim --expect 8.0
        exits 0
    else
        says '^hint: build it again with '
    fi
}

# rows FILE: capability and what there is for it, each once.
rows() { fatbin "$1" | sed -nE 's/^  ([0-9.]+[af]?) +([^0-9]*[^ 0-9]).*/\1 \2/p' | sort -u; }
# nvlink writes an empty cubin for each capability that a link is called for.
the_stubs_of_a_link_are_no_code() {
    nvcc -gencode=arch=compute_80,code=sm_80 -c -o a.o
    "$toolkit/bin/nvcc" -ccbin "$host" -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_86,code=sm_86 \
        -Xcompiler -fPIC -dlink a.o -o stub.o
    same "$(rows stub.o)" $'8.0 machine code without functions\n8.6 machine code without functions'
    "$toolkit/bin/nvcc" -ccbin "$host" -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_86,code=sm_86 \
        -Xfatbin -compress-all -Xcompiler -fPIC -dlink a.o -o packed.o
    same "$(rows packed.o)" "$(rows stub.o)"
    gcc -shared -o libx.so a.o stub.o
    same "$(rows libx.so)" $'8.0 machine code\n8.0 machine code without functions\n8.6 machine code without functions'
    call "$hostpin" fatbin libx.so --no-forward-compatibility --expect "8.0;8.6"
    exits 1
    says 'missing: 8.6 machine code$'
    call "$hostpin" fatbin libx.so --no-forward-compatibility --expect 8.0
    exits 0
    says_not 'fatbins have no'
    # Sources without kernels need no GPU; those with variables do.
    echo 'int f() { return 1; }' >none.cu
    echo '__device__ int table[9] = {1};' >data.cu
    for source in none data; do
        "$toolkit/bin/nvcc" -ccbin "$host" -gencode 'arch=compute_80,code=[sm_80,compute_80]' -fatbin $source.cu
    done
    same "$(rows none.fatbin)" $'8.0 PTX ISA\n8.0 machine code without functions'
    same "$(rows data.fatbin)" $'8.0 PTX ISA\n8.0 machine code'
    mkdir tree
    cp none.fatbin a.o tree
    call "$hostpin" fatbin tree --no-forward-compatibility --expect 8.0
    exits 0
    call "$hostpin" fatbin none.fatbin --expect 8.0
    exits 1
    says '^hostpin: error: none[.]fatbin: its device code has no functions$'
    says_not gencode
}
# Of sources with PTX alone there is nothing to link; nvcc's link adds a fatbin without entries nevertheless.
a_program_with_ptx_alone_lacks_nothing() {
    if [ ! -e "$toolkit/lib64/libcudart_static.a" ]; then skip "no libcudart_static.a in $toolkit"; fi
    local ptx=-gencode=arch=compute_80,code=compute_80
    nvcc $ptx -c -o a.o
    call_nvcc $ptx a.o -o program
    call_nvcc $ptx -shared a.o -o libx.so
    call_nvcc $ptx -Xcompiler -fPIC -dlink a.o -o link.o
    gcc -shared -o linked.so a.o link.o
    ar rcs liba.a a.o link.o
    local file
    for file in program libx.so linked.so liba.a; do
        fatbin $file | contains -E '^  8[.]0 +PTX ISA .* 1 of 1 fatbin ' || fail "$file: $(fatbin $file)"
        call "$hostpin" fatbin $file --expect 8.0-virtual --each
        exits 0
        same "$(cat "$err")" ""
        call "$hostpin" fatbin slim $file --keep 9.0 -o slim
        exits 0
        call "$hostpin" fatbin slim $file --keep 7.5 -o slim
        exits 1
        says 'nothing for 7[.]5 in 1 of its fatbins'
    done
    call "$hostpin" doctor --toolkit "$toolkit" --host "$host" --stdenv "$host" program --capabilities 9.0
    exits 0
    mkdir tree
    mv link.o tree
    call "$hostpin" fatbin tree --expect 9.0
    says 'no file has device code'
}
machine_code_of_a_variant_is_code_of_its_capability() {
    call_nvcc -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90a,code=sm_90a -Xcompiler -fPIC -c "$work/a.cu" -o both.o
    call_nvcc -gencode=arch=compute_90a,code=sm_90a -Xcompiler -fPIC -c "$work/a.cu" -o variant.o
    local file
    for file in both variant; do
        gcc -shared -o $file.so $file.o
        call "$hostpin" fatbin slim $file.so --keep 9.0 -o $file.slim
        exits 0
        call "$hostpin" fatbin $file.slim $file.o --no-forward-compatibility --expect 9.0 --each
        exits 0
        same "$(cat "$err")" ""
    done
    call "$hostpin" fatbin both.o --no-forward-compatibility --expect 9.0a
    exits 0
    call "$hostpin" fatbin both.o --no-forward-compatibility --expect 8.0
    exits 1
    says 'not required: 9[.]0 machine code, 9[.]0a machine code'
}
# The stub has debug information of all that nvlink was given.
a_large_stub_is_no_code() {
    echo 'int f() { return 1; }' >none.cu
    "$toolkit/bin/nvcc" -ccbin "$host" -g -G -gencode=arch=compute_80,code=sm_80 -dc none.cu -o none1.o
    local number
    for number in $(seq 2 25); do cp none1.o "none$number.o"; done
    "$toolkit/bin/nvlink" -m64 --arch=sm_80 -cpu-arch=X86_64 --register-link-binaries=registered none*.o -o stub.cubin
    if [ "$(stat -c %s stub.cubin)" -le 4096 ]; then skip "nvlink of $release leaves debug information out"; fi
    same "$(rows stub.cubin)" '8.0 machine code without functions'
}
relocatable_code_in_a_program_is_not_what_runs() {
    need_cuobjdump
    nvcc -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_75,code=sm_75 -dc -o a.o
    call "$hostpin" fatbin a.o --no-forward-compatibility --expect "7.5;8.0"
    exits 0
    "$toolkit/bin/nvcc" -ccbin "$host" -gencode=arch=compute_80,code=sm_80 -Xcompiler -fPIC -dlink a.o -o link.o
    gcc -shared -o libx.so a.o link.o
    "$cuobjdump" libx.so >dump 2>&1
    same "$(grep -c '^arch = ' dump)" 1
    call "$hostpin" fatbin libx.so --no-forward-compatibility --expect "7.5;8.0"
    exits 1
    says 'missing: 7.5 machine code$'
    says_not 'not required'
    call "$hostpin" fatbin libx.so --no-forward-compatibility --expect 8.0
    exits 1
    says 'not required: 7.5 relocatable machine code'
    same "$(rows libx.so)" $'7.5 relocatable machine code\n8.0 machine code\n8.0 relocatable machine code'
}
members_that_lack_something_are_named() {
    for number in 1 2 3 4 5 6 7; do nvcc -gencode=arch=compute_80,code=sm_80 -c -o only$number.o; done
    nvcc -gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_80,code=sm_80 -c -o both.o
    ar rcs libx.a both.o only*.o
    call "$hostpin" fatbin libx.a --no-forward-compatibility --expect "7.5;8.0"
    exits 0
    says '^hostpin: note: libx.a: 7 of its 8 fatbins have no 7.5 machine code \(only1.o, only2.o, only3.o, only4.o, only5.o and 2 more\)$'
    call "$hostpin" fatbin libx.a --no-forward-compatibility --expect "7.5;8.0" --each
    exits 1
    says 'missing in some: 7.5 machine code \(only1.o, .* and 2 more\)$' '^hint: build it again with '
    call "$hostpin" fatbin libx.a --no-forward-compatibility --expect 8.0 --each
    exits 1
    says 'not required: 7.5 machine code'
}

raw_files_are_read() {
    # The files that nvcc makes a fatbin of are those that -cubin and -ptx write.
    mkdir kept
    "$toolkit/bin/nvcc" -ccbin "$host" "${flags[@]}" -keep -keep-dir kept -fatbin "$work/a.cu" -o a.fatbin
    call "$hostpin" fatbin a.fatbin --no-forward-compatibility --expect "$list"
    exits 0
    local file name gpu count=0
    for file in kept/*.cubin kept/*.ptx; do
        name=${file%.*} gpu=
        [[ $name =~ _([0-9]+)([0-9][af]?)$ ]] && gpu=${BASH_REMATCH[1]}.${BASH_REMATCH[2]}
        case $file in
        *.cubin) same "$file: $(ours "$file")" "$file: elf $gpu" ;;
        *) same "$file: $(ours "$file")" "$file: ptx $gpu" ;;
        esac
        count=$((count + 1))
    done
    [ "$count" -ge "${#flags[@]}" ] || fail "nvcc made only $(ls kept)"
}

# PTX loses its comments on the way into a fatbin, so that only machine code can be compared to the byte.
sizes_are_those_of_nvccs_own_files() {
    mkdir kept
    nvcc -gencode 'arch=compute_80,code=[sm_80,compute_80]' -Xfatbin -compress-all -keep -keep-dir kept -fatbin -o a.fatbin
    call "$hostpin" fatbin a.fatbin --json
    exits 0
    same "$(json "$out" files 0 codes 1 code)" cubin
    same "$(json "$out" files 0 codes 1 unpacked)" "$(stat -c %s kept/a*.cubin)"
    told=$(json "$out" files 0 codes 0 unpacked)
    written=$(stat -c %s kept/a*.ptx)
    if [ "$told" -gt "$written" ] || [ "$told" -lt $((written / 2)) ]; then fail "PTX: $told told, $written written"; fi
}

it "an object agrees with cuobjdump" agrees_with_cuobjdump "${flags[@]}" -c
for how in "-Xfatbin -compress-all" "-g -G" "--no-compress"; do
    read -ra words <<<"$how"
    case $how in *-compress-all) one=it ;; *) one=seldom ;; esac
    $one "a file of fatbins agrees with cuobjdump ($how)" agrees_with_cuobjdump "${flags[@]}" "${words[@]}" -fatbin
done
it "a relocatable object with LTO-IR agrees with cuobjdump" \
    agrees_with_cuobjdump -gencode 'arch=compute_75,code=sm_75' -gencode 'arch=compute_80,code=lto_80' -dc
it "an object holds what was asked for, and says what is missing" holds_what_was_asked_for
it "the leak check shows the same" of checks leak_check_shows_the_same
it "the toolkit that a word is held against is named" the_toolkit_that_a_word_is_held_against_is_named
it "programs and libraries are read" programs_and_libraries_are_read
it "the stubs of a link are no code" the_stubs_of_a_link_are_no_code
# Links of CUDA 11 and 12 add code of the device runtime to every program.
if [ "${release%%.*}" -ge 13 ]; then it "a program with PTX alone lacks nothing" a_program_with_ptx_alone_lacks_nothing; fi
if [[ $release != 11.* ]]; then
    it "machine code of a variant is code of its capability" machine_code_of_a_variant_is_code_of_its_capability
fi
it "a stub is none however large it is" a_large_stub_is_no_code
it "relocatable code in a program is not what runs" relocatable_code_in_a_program_is_not_what_runs
it "members that lack something are named" members_that_lack_something_are_named
it "raw files are read" raw_files_are_read
it "sizes are those of nvcc's own files" sizes_are_those_of_nvccs_own_files
finish
