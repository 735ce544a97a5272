#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# repack.sh RELEASE [WORDS]: device code that was compressed otherwise is the same to NVIDIA's tools, and is compressed as fatbinary does it.
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
need_edge
only=${2:-}
need_command python3 cmp

repack() { # FILE MODE OUT [OPTION]
    call "$hostpin" fatbin repack "$1" --compress "$2" -o "$3" "${@:4}"
    exits 0
}
# What the header of each entry has, without sizes: the kind, the GPU, flags and texts.
headers() { python3 "$repository/tests/e2e/fatbin/entries.py" "$1" | sed 's/ [0-9]*$//'; }
the_code_survives_all_modes() {
    nvcc "${flags[@]}" -fatbin -o a.fatbin
    repack a.fatbin none plain.fatbin
    for mode in speed balance size; do
        repack a.fatbin $mode $mode.fatbin
        repack $mode.fatbin none again.fatbin
        cmp again.fatbin plain.fatbin
    done
    [ "$(stat -c %s size.fatbin)" -lt "$(stat -c %s plain.fatbin)" ]
}
a_larger_result_is_noted() {
    nvcc "${flags[@]}" -fatbin -o a.fatbin
    repack a.fatbin size size.fatbin
    says_not 'note:'
    repack size.fatbin speed speed.fatbin --all
    says "note: $(sed -n 's/.*: \([0-9]*\) bytes of device code became \([0-9]*\);.*/\1 bytes of device code become \2/p' "$out"): --compress speed --all compresses it less than it was"
    [ "$(stat -c %s speed.fatbin)" -gt "$(stat -c %s size.fatbin)" ]
    repack speed.fatbin size again.fatbin
    says_not 'note:'
    repack size.fatbin none plain.fatbin
    says_not 'note:'
}
programs_run_and_say_which_driver() {
    nvcc "${flags[@]}" -o a
    repack a size small
    contains 'needs NVIDIA driver 5[0-9][0-9][.].* (CUDA 12[.]4) or newer' <"$out"
    repack small speed fast --all
    contains 'every NVIDIA driver' <"$out"
    for file in small fast; do
        ./$file
        same "$("$hostpin" fatbin $file --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["files"][0]["code"]))')" \
            "$("$hostpin" fatbin a --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["files"][0]["code"]))')"
    done
    cp a b
    call "$hostpin" fatbin repack b --compress size --in-place
    exits 0
    cmp b small
}
no_mode_makes_a_file_larger_unless_asked() {
    nvcc "${flags[@]}" -fatbin -o a.fatbin
    repack a.fatbin size size.fatbin
    for mode in speed balance; do
        call "$hostpin" fatbin repack size.fatbin --compress $mode -o out.fatbin
        exits 1
        says "error: the device code of size.fatbin would become larger: --compress $mode leaves machine code uncompressed"
        says 'hint: --all compresses it too'
        [ ! -e out.fatbin ]
        repack size.fatbin $mode $mode.fatbin --all
        [ "$(stat -c %s $mode.fatbin)" -lt "$(stat -c %s a.fatbin)" ]
        repack $mode.fatbin none again.fatbin
        repack size.fatbin none plain.fatbin
        cmp again.fatbin plain.fatbin
    done
    call "$hostpin" fatbin repack a.fatbin --compress none --all -o out.fatbin
    exits 2
    says 'error: --all compresses all device code, and --compress none nothing'
}
# What nvcc compiles is the same in all modes, so that only its call of fatbinary is repeated.
modes_are_those_of_fatbinary() { # OPTION...: of nvcc
    mkdir -p pieces
    "$toolkit/bin/nvcc" -ccbin "$host" "${flags[@]}" "$@" -fatbin -compress-mode=none -v -keep -keep-dir pieces "$work/a.cu" -o nvcc.fatbin 2>calls
    sed -n 's/^#[$] \(fatbinary .*\)/\1/p' calls >call
    contains -e '--create="nvcc.fatbin" .*-compress-mode=none ' <call || fail "another call of fatbinary: $(cat calls)"
    for mode in none speed balance size; do
        for all in '' -compress-all; do
            sed "s/-compress-mode=none/-compress-mode=$mode $all/" call >called
            PATH=$toolkit/bin:$PATH sh called
            repack nvcc.fatbin none plain.fatbin
            case $mode:$all in
            none:*) continue ;;
            *:) repack plain.fatbin $mode ours.fatbin ;;
            *) repack plain.fatbin $mode ours.fatbin --all ;;
            esac
            same "$(headers ours.fatbin)" "$(headers nvcc.fatbin)"
            # Their zstd is another release; their LZ4 finds better matches.
            [ $(($(stat -c %s ours.fatbin) * 10)) -le $(($(stat -c %s nvcc.fatbin) * 13)) ]
        done
        if [ $mode = none ]; then cmp plain.fatbin nvcc.fatbin; fi
    done
}
relocatable_code_is_compressed_as_by_fatbinary() { modes_are_those_of_fatbinary -dc; }
cuobjdump_reads_lz4() {
    [ -x "$toolkit/bin/cuobjdump" ] || skip "no cuobjdump in $toolkit"
    nvcc "${flags[@]}" -fatbin -o a.fatbin
    repack a.fatbin speed speed.fatbin
    "$toolkit/bin/cuobjdump" -ptx a.fatbin | grep -vi '^compressed' >before
    "$toolkit/bin/cuobjdump" -ptx speed.fatbin | grep -vi '^compressed' >after
    grep -q '[.]entry' after
    sed -i 's/speed[.]fatbin/a.fatbin/' after
    same "$(cat after)" "$(cat before)"
}
it 'the code is the same after all modes' the_code_survives_all_modes
it 'no mode makes a file larger by decompressing machine code' no_mode_makes_a_file_larger_unless_asked
it 'a note says how much larger code compressed for size gets' a_larger_result_is_noted
it 'a program runs, and its driver is printed' programs_run_and_say_which_driver
it 'cuobjdump reads what is compressed as LZ4' cuobjdump_reads_lz4
case $release in
13.*)
    it 'each mode compresses what fatbinary compresses in it, and with --all what -compress-all does' modes_are_those_of_fatbinary
    it 'relocatable code is compressed as by fatbinary' relocatable_code_is_compressed_as_by_fatbinary
    ;;
esac
finish
