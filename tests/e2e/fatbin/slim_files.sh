#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# slim_files.sh RELEASE [WORDS]: hostpin fatbin slim for objects, archives, files of fatbins and trees: as nvprune cuts, and nothing is
# ever half-written (HOSTPIN_FULL=1: with each toolkit, and each subcommand killed at each system call).
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
need_edge
only=${2:-}

slim() { call "$hostpin" fatbin slim "$@"; }
need_nvprune() { [ -x "$toolkit/bin/nvprune" ] || skip "no nvprune in $toolkit"; }
# The code in a file that can run: `8.0 cubin`, one a line.
codes() {
    "$hostpin" fatbin "$(realpath "$1")" --json | sed -n '/^  "codes"/,/^  \]/p' |
        sed -n 's/.*"\(capability\|code\|use\)": "\(.*\)",/\2/p' | paste -d ' ' - - - | sed -n 's/ run$//p'
}
# Each relocation of a wrapper leads to a fatbin.
leads_to_fatbins() { # OBJECT SECTION
    local offset sum=0 bytes
    objcopy -O binary --only-section="$2" --set-section-flags "$2"=alloc "$1" section
    while read -r offset; do
        bytes=$(od -An -tx1 -j "$((0x$offset))" -N 4 section | tr -d ' ')
        same "$bytes" 50ed55ba
        sum=$((sum + 1))
    done < <(readelf -rW "$1" | awk -v s="$2" '/nvFatBinSegment/ { in_it = 1; next } /^Relocation/ { in_it = 0 }
        in_it && $5 == s { print $NF }')
    same "$sum" "$3"
}

# What all cases use: machine code for two GPUs or more, and PTX.
case $release in
11.*) older=7.0 later=8.0 kept_ptx=8.0 ;;
12.*) older=8.0 later=9.0a kept_ptx= ;;
*) older=8.0 later=10.0f kept_ptx= ;;
esac
digits=${older/./}
make_objects() {
    nvcc "${flags[@]}" -c -o "$work/a.o"
    nvcc "${flags[@]}" -dc -o "$work/rdc.o"
}
prepare=make_objects

objects_have_the_bytes_that_nvprune_writes() {
    need_nvprune
    local object gpu
    for object in a rdc; do
        for gpu in "$older" "$later" 5.0; do
            "$toolkit/bin/nvprune" -arch "sm_${gpu/./}" "$work/$object.o" -o pruned.o
            slim "$work/$object.o" --keep "$gpu" --ptx none --allow-missing -o slim.o
            if [ "$gpu" = 5.0 ]; then exits 1; else exits 0; fi
            cmp pruned.o slim.o
        done
    done
}
everything_that_is_listed_stays() {
    slim "$work/a.o" --keep "$list" --ptx all -o all.o
    exits 0
    cmp all.o "$work/a.o"
    slim "$work/a.o" --keep "$older" -o one.o
    exits 0
    # PTX of a variant runs on no later GPU
    same "$(codes one.o)" "$older cubin${kept_ptx:+$'\n'$kept_ptx ptx}"
    slim one.o --keep "$older" -o again.o
    exits 0
    cmp one.o again.o
}
slimmed_objects_link() {
    slim "$work/a.o" --keep "$older" --ptx none -o a.o
    "$toolkit/bin/nvcc" -ccbin "$host" a.o -o program
    same "$(codes program)" "$older cubin"
    slim "$work/rdc.o" --keep "$older" --ptx none -o rdc.o
    "$toolkit/bin/nvcc" -ccbin "$host" -arch="sm_$digits" rdc.o -o program
    same "$(codes program)" "$older cubin"
}
objects_of_many_fatbins_keep_their_pointers() {
    need_command ld objcopy readelf
    cp "$work/a.o" one.o
    sed 's/kernel/other/; s/int main/void function/' "$work/a.cu" >b.cu
    "$toolkit/bin/nvcc" -ccbin "$host" "${flags[@]}" -Xcompiler -fPIC -c b.cu -o two.o
    ld -r one.o two.o -o both.o
    leads_to_fatbins both.o .nv_fatbin 2
    local keep
    for keep in "$older" "$later" 5.0; do
        slim both.o --keep "$keep" --ptx none --allow-missing -o slim.o
        leads_to_fatbins slim.o .nv_fatbin 2
        readelf -aW slim.o >/dev/null 2>warnings
        same "$(cat warnings)" ""
    done
    slim both.o --keep "$older" --ptx none -o slim.o
    "$toolkit/bin/nvcc" -ccbin "$host" slim.o -o program
    same "$(codes program)" "$older cubin"
}
archives_are_those_of_slimmed_members() {
    need_command ar nm
    gcc -x c -c - -o host.o <<<'int x;'
    cp "$work/a.o" a_name_of_more_than_fifteen_characters.o
    cp "$work/rdc.o" rdc.o
    ar qcsD libx.a a_name_of_more_than_fifteen_characters.o host.o rdc.o
    slim libx.a --keep "$older" --ptx none -o slim.a
    exits 0
    local object
    for object in a_name_of_more_than_fifteen_characters.o rdc.o; do
        "$hostpin" fatbin slim "$object" --keep "$older" --ptx none --in-place >/dev/null
    done
    ar qcsD expected.a a_name_of_more_than_fifteen_characters.o host.o rdc.o
    cmp slim.a expected.a
    same "$(nm -s slim.a 2>&1)" "$(nm -s libx.a 2>&1 | sed 's/^$/&/')"
}
thin_archives_are_refused_with_their_members() {
    need_command ar
    cp "$work/a.o" a.o
    ar rcsT libthin.a a.o
    slim libthin.a --keep "$older" -o out.a
    exits 1
    says 'libthin.a is not changed: it is a thin archive, which only names its members: a.o$'
    absent out.a
}
a_slimmed_program_says_what_it_serves() {
    nvcc "${flags[@]}" -o program
    slim program --keep "$older" --ptx none -o slim
    exits 0
    same "$(codes slim)" "$older cubin"
    "$hostpin" fatbin ./slim | contains "^[.]/slim: program of .* device code, slimmed for $(literally "$older")$"
    "$hostpin" fatbin ./slim --json >json
    same "$(json json files 0 slimmed gpus 0)" "$older"
    same "$(json json files 0 slimmed ptx)" none
    call "$hostpin" fatbin ./slim --expect "$list"
    exits 1
    says "^  it was slimmed for $(literally "$older") by hostpin$"
    "$hostpin" fatbin program --json >json
    same "$(json json files 0 slimmed 2>/dev/null)" ""
}
code_that_is_not_required_is_slimmed_as_advised() {
    nvcc "${flags[@]}" -o program
    call "$hostpin" fatbin program --expect "$older" --no-forward-compatibility
    exits 1
    says "^hint: .*hostpin fatbin slim program --keep $(literally "$older") --ptx none -o program.slim$"
    sed -n 's/^hint: //p' "$err" >pasted
    sh pasted
    call "$hostpin" fatbin program.slim --expect "$older" --no-forward-compatibility
    exits 0
}
files_of_fatbins_are_changed() {
    nvcc "${flags[@]}" -fatbin -o all.fatbin
    slim all.fatbin --keep "$older" --ptx none -o one.fatbin
    exits 0
    same "$(codes one.fatbin)" "$older cubin"
    "$toolkit/bin/cuobjdump" -lelf one.fatbin >listed 2>&1 || skip "no cuobjdump in $toolkit"
    same "$(grep -c "sm_${digits}[.]cubin" listed)" 1
    same "$(grep -c 'cubin$' listed)" 1
}
a_gpu_without_code_is_an_error_that_names_the_kernel() {
    slim "$work/a.o" --keep "5.0;$older" -o out.o
    exits 1
    says 'error: .*/a.o: nothing for 5.0 in 1 of its fatbins:$' '  fatbin at 0x[0-9a-f]* \(kernel\(float\*, int\)\)$' '^hint: ' \
        'error: out.o is not written$' '^hint: --allow-missing writes it'
    same "$(cat "$out")" "$work/a.o: not changed"
    absent out.o
    cp "$work/a.o" in_place.o
    slim in_place.o --keep "5.0;$older" --in-place --json
    exits 1
    cmp in_place.o "$work/a.o"
    same "$(json "$out" written)" OFF
    same "$(json "$out" files 0 all_unserved)" 1
    slim "$work/a.o" --keep "5.0;$older" -o out.o --allow-missing
    exits 1
    codes out.o | contains "$older cubin"
    case $release in
    11.*)
        slim "$work/a.o" --keep 9.0 --ptx none -o out.o
        exits 1
        says 'whose PTX is removed$' '^hint: --ptx newest keeps'
        rm out.o
        slim "$work/a.o" --keep 9.0 -o out.o
        exits 0
        same "$(codes out.o)" "8.0 ptx"
        ;;
    esac
    printf 'int main() {}\n' >none.cu
    "$toolkit/bin/nvcc" -ccbin "$host" "${flags[@]}" -fatbin none.cu
    slim none.fatbin --keep 5.0 -o out.o
    exits 0
}
sizes_are_printed_for_each_gpu() {
    slim "$work/a.o" --keep "$older" --ptx none -o out.o
    exits 0
    contains -E "^$(literally "$work/a.o"): [0-9.]+ KB -> [0-9.]+ KB$" <"$out"
    contains -E "^  $(literally "$older") +machine code +[0-9.]+ K?B +stays$" <"$out"
    contains -E 'PTX .* removed$' <"$out"
    "$hostpin" fatbin slim "$work/a.o" --keep "$older" --ptx none -o out.o --json >json
    same "$(json json before)" "$(stat -c %s "$work/a.o")"
    same "$(json json after)" "$(stat -c %s out.o)"
    same "$(json json files 0 outcome)" changed
    same "$(json json keep 0 capability)" "$older"
}
outputs_are_named() {
    slim "$work/a.o" --keep "$older"
    exits 2
    says 'needs -o OUT, or --in-place'
    cp "$work/a.o" a.o
    chmod 640 a.o
    ln -s a.o link.o
    slim a.o --keep "$older" -o link.o
    exits 2
    says 'link.o is the input' 'hint: --in-place'
    cmp a.o "$work/a.o"
    slim link.o --keep "$older" --in-place
    exits 0
    [ -L link.o ]
    same "$(stat -c %a a.o)" 640
    same "$(codes a.o | grep -c cubin)" 1
    local time
    time=$(stat -c %Y.%i a.o)
    slim a.o --keep "$older" --in-place
    same "$(stat -c %Y.%i a.o)" "$time"
    echo text >plain
    slim plain --keep "$older" -o out
    exits 1
    says 'plain is not changed: it has no device code'
    absent out
    slim nothing --keep "$older" -o out
    exits 2
    slim a.o --keep nonsense -o out
    exits 2
    absent out
}

make_tree() {
    mkdir -p tree/lib/empty
    cp "$work/a.o" tree/a.o
    cp "$work/rdc.o" tree/lib/rdc.o
    ar qcsD tree/lib/libx.a tree/a.o
    ln tree/a.o tree/lib/hard.o
    ln -s ../a.o tree/lib/soft.o
    ln -s nowhere tree/dangling
    echo text >tree/lib/text
    ln tree/lib/text tree/text2
    chmod 555 tree/lib/text
    touch -d '2001-02-03 04:05:06.789' tree/lib/text tree/lib
}
# All of it but contents of the files that change.
properties() {
    (cd "$1" && find . -printf '%p %y %m %n %l\n' | sort && find . -name text -printf '%p %s %t\n' &&
        stat -c %y lib lib/text)
}
trees_are_copied_as_they_are_but_for_device_code() {
    need_command ar
    make_tree
    cp -a tree before
    slim tree --keep "$older" --ptx none -o out
    exits 0
    diff -r --no-dereference tree before
    same "$(properties out)" "$(properties tree)"
    [ out/a.o -ef out/lib/hard.o ]
    [ out/lib/text -ef out/text2 ]
    "$hostpin" fatbin slim tree/a.o --keep "$older" --ptx none -o a.o >/dev/null
    cmp a.o out/a.o
    same "$(codes out)" "$older cubin"
    contains '^3 of 3 files with device code changed: ' <"$out"
    slim tree --keep "$older" -o out
    exits 2
    says 'out exists already'
    slim tree --keep "$older" -o tree/inner
    exits 2
    says 'is inside'
    slim tree --keep "$older" --ptx none --in-place
    exits 0
    diff -r --no-dereference tree out
    [ tree/a.o -ef tree/lib/hard.o ]
}
a_refused_file_of_a_tree_is_copied_as_it_was() {
    need_command ar
    make_tree
    head -c 3000 "$work/a.o" >tree/cut.o
    slim tree --keep "$older" -o out
    exits 1
    says 'tree/cut.o is not changed: ' 'error: out is not written$'
    absent out
    slim tree --keep "$older" -o out --allow-missing
    exits 1
    says 'tree/cut.o is not changed: '
    says_not 'is not written'
    cmp tree/cut.o out/cut.o
    same "$(codes out/a.o | grep -c cubin)" 1
    mkfifo tree/pipe
    slim tree --keep "$older" -o out2
    exits 2
    says 'tree/pipe is neither a file nor a directory nor a link'
    absent out2
}

a_tree_in_which_a_gpu_lacks_code_is_not_written() {
    need_command ar
    make_tree
    nvcc -gencode=arch=compute_75,code=sm_75 -c -o tree/lib/z.o
    cp -a tree before
    local how
    for how in '-o out' --in-place; do
        # shellcheck disable=SC2086 # words
        slim tree --keep "$older" $how
        exits 1
        says 'error: tree/lib/z.o: nothing for '
        says_not 'tree/a.o'
        same "$(cat "$out")" 'tree/lib/z.o: not changed'
        absent out
        diff -r --no-dereference tree before
        same "$(properties tree)" "$(properties before)"
    done
    same "$(echo *)" 'before tree'
    slim tree --keep "$older" --ptx none --in-place --allow-missing
    exits 1
    same "$(codes tree)" "$older cubin"
}

# Only complete files: the input, and the output if it is there.
nothing_is_partial() { # OUTPUT
    cmp a.o "$work/a.o"
    if [ -e "$1" ]; then cmp "$1" expected.o; fi
    local each
    for each in *; do
        case $each in
        a.o | expected.o | "$1") ;;
        "$1".*) cmp "$each" expected.o && rm "$each" ;; # complete, and between its two names
        *) fail "$each was left" ;;
        esac
    done
}
# killed_at_calls WHICH OUTPUT ARGUMENT...: hostpin fatbin ARGUMENT..., which writes OUTPUT, killed at `each` call from the one that makes the
# new file on, or at the `last` ones, from fchmod on, which name it. Without a file at OUTPUT before, nothing but OUTPUT is ever left; else perhaps also the
# new one, complete.
killed_at_calls() {
    local which=$1 output=$2 name number code count=0 before least=12
    shift 2
    strace -qq -o "$work/trace" "$hostpin" fatbin "$@" >/dev/null
    mv "$output" expected.o
    awk '/O_TMPFILE/ { on = 1 } /^[a-z]/ && !/^exit_group/ { name = $0; sub(/\(.*/, "", name); ++n[name]; if (on) print name, n[name] }' \
        "$work/trace" >"$work/points"
    if [ "$which" = last ]; then
        least=8
        sed -n '/^fchmod /,$p' "$work/points" | head -n 4 >"$work/some" && mv "$work/some" "$work/points"
    fi
    for before in none old; do
        while read -r name number; do
            rm -f "$output"
            [ $before = none ] || echo old >"$output"
            code=0
            strace -qq -o /dev/null -e "inject=$name:signal=SIGKILL:when=$number" "$hostpin" fatbin "$@" >/dev/null 2>&1 || code=$?
            if [ $before = none ]; then
                [ -z "$(compgen -G "$output.*")" ] || fail "$(compgen -G "$output.*") is left by a kill at $name $number"
            elif [ "$(head -c 4 "$output")" = old ]; then
                rm "$output"
            elif [ ! -e "$output" ]; then
                fail "the old file is gone after a kill at $name $number"
            fi
            nothing_is_partial "$output"
            if [ "$code" = 137 ]; then count=$((count + 1)); fi
        done <"$work/points"
    done
    [ "$count" -ge "$least" ] || fail "only $count moments"
    rm -f "$output" expected.o
}
a_kill_leaves_the_input_whole_and_no_part_of_the_output() {
    need_command strace
    strace -e trace=getpid true 2>/dev/null || skip "no strace here"
    cp "$work/a.o" a.o
    local which=last # of the others, which have the same writer
    if [ "$full" = 1 ]; then which=each; fi
    killed_at_calls each out.o slim a.o --keep "$older" -o out.o
    killed_at_calls $which out.o slice a.o --gpu "$older" -o out.o
    killed_at_calls $which out.o repack a.o --compress none -o out.o
    killed_at_calls $which out.o merge a.o a.o -o out.o
}
a_slice_is_as_readable_as_its_file() {
    cp "$work/a.o" a.o
    local mode
    for mode in 755:644 700:600 640:640; do
        chmod "${mode%:*}" a.o
        "$hostpin" fatbin slice a.o --gpu "$older" -o out.slice
        same "$(stat -c %a out.slice)" "${mode#*:}"
    done
}
# IMA's and EVM's signatures are extended attributes; fs-verity is an attribute of the file, here as a kernel with it would report it.
signed_files_are_refused() {
    need_command python3
    local command name
    cp "$work/a.o" a.o
    cp a.o plain.o
    "$hostpin" fatbin slice a.o --gpu "$older" -o a.slice
    attribute() { python3 -c 'import os, sys; os.setxattr("a.o", sys.argv[1], bytes.fromhex(sys.argv[2]))' "$@" 2>/dev/null; }
    local commands=("slim a.o --keep $older -o out.o" "slim a.o --keep $older --in-place" "repack a.o --compress none -o out.o"
        "merge a.o a.slice -o out.o")
    for name in security.ima security.evm; do
        attribute $name 0404aabb || skip "no extended attribute $name here"
        "$hostpin" fatbin repack a.o --compress none -o out.o >/dev/null # a digest is not a signature
        rm out.o
        attribute $name 0302aabb
        for command in "${commands[@]}"; do
            # shellcheck disable=SC2086 # words
            call "$hostpin" fatbin $command
            exits 1
            says "it is signed: it has a signature in its extended attribute $name"
            absent out.o
            cmp a.o plain.o
        done
        python3 -c 'import os, sys; os.removexattr("a.o", sys.argv[1])' $name
    done
    "$hostpin" fatbin slice a.o --gpu "$older" -o again.slice # which only reads
    cmp again.slice a.slice
    need_command strace
    strace -e trace=getpid true 2>/dev/null || skip "no strace here"
    for command in "${commands[@]}"; do
        # struct statx: stx_mask, stx_blksize, stx_attributes
        # shellcheck disable=SC2086 # words
        call strace -qq -o trace -e trace=statx -e inject=statx:poke_exit=@arg5=ff1f0000001000000000100000000000 "$hostpin" fatbin $command
        exits 1
        says 'it is sealed by fs-verity'
        absent out.o
        cmp a.o plain.o
    done
}
an_object_with_a_signature_is_refused() {
    need_command objcopy
    echo signature >signature
    objcopy --add-section .sig=signature "$work/a.o" a.o
    call "$hostpin" fatbin slim a.o --keep "$older" -o out.o
    exits 1
    says 'it is signed: it has a section .sig'
    absent out.o
    { cat "$work/a.o" && printf 'PKCS#7~Module signature appended~\n'; } >a.o
    call "$hostpin" fatbin slim a.o --keep "$older" -o out.o
    exits 1
    says 'it is signed: a signature is appended to it'
    absent out.o
}
each_failing_call_is_reported() {
    need_command strace
    strace -e trace=getpid true 2>/dev/null || skip "no strace here"
    cp "$work/a.o" a.o
    "$hostpin" fatbin slim a.o --keep "$older" -o expected.o >/dev/null
    local fault
    for fault in write:error=ENOSPC fchmod:error=EIO linkat:error=EACCES rename:error=EROFS; do
        [[ $fault != rename* ]] || echo old >out.o # a file that is replaced
        call strace -qq -o /dev/null -e "inject=$fault:when=1" "$hostpin" fatbin slim a.o --keep "$older" -o out.o
        exits 2
        [[ $fault != rename* ]] || { same "$(cat out.o)" old && rm out.o; }
        nothing_is_partial out.o
        rm -f out.o
    done
    for fault in 1 2 3 4 5 6 7 8; do
        call strace -qq -o trace -P "$PWD/a.o" -e "inject=pread64:error=EIO:when=$fault" "$hostpin" fatbin slim a.o --keep "$older" -o out.o
        if grep -q INJECTED trace; then exits 2; else exits 0; fi
        rm trace
        nothing_is_partial out.o
        rm -f out.o
    done
    # without files that have no name
    call strace -qq -o trace -P /proc/self/fd -e inject=access,faccessat,faccessat2:error=ENOENT "$hostpin" fatbin slim a.o --keep "$older" -o out.o
    exits 0
    grep -q INJECTED trace
    rm trace
    cmp out.o expected.o
    nothing_is_partial out.o
}
a_full_disk_or_limit_leaves_no_part() {
    cp "$work/a.o" a.o
    "$hostpin" fatbin slim a.o --keep "$older" -o expected.o >/dev/null
    call bash -c 'ulimit -f 4; trap "" XFSZ; exec "$@"' sh "$hostpin" fatbin slim a.o --keep "$older" -o out.o
    exits 2
    says 'cannot write out.o: File too large'
    absent out.o
    call bash -c 'ulimit -f 4; exec "$@"' sh "$hostpin" fatbin slim a.o --keep "$older" -o out.o
    nothing_is_partial out.o
    absent out.o
    unshare -m true 2>/dev/null || skip "no namespaces for a full disk"
    local most # a page or two more than the input
    most=$(($(stat -c %b a.o) / 2 + 8))
    # shellcheck disable=SC2016 # of the inner shell
    call unshare -m sh -c 'mount -t tmpfs -o size=$5k none /mnt && cd /mnt && cp "$2" a.o && "$1" fatbin slim a.o --keep "$3" --in-place
        code=$?; ls >"$4/left"; cmp a.o "$2" || code=99; exit $code' sh "$hostpin" "$work/a.o" "$older" "$PWD" "$most"
    exits 2
    says 'No space left on device'
    same "$(cat left)" a.o
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs -o size=$5k none /mnt && cd /mnt && mkdir tree && cp "$2" tree/a.o &&
        "$1" fatbin slim tree --keep "$3" -o out; code=$?; ls >"$4/left"; cmp tree/a.o "$2" || code=99; exit $code' \
        sh "$hostpin" "$work/a.o" "$older" "$PWD" "$most"
    exits 2
    says 'No space left on device'
    same "$(cat left)" tree
}
a_read_only_place_is_an_error() {
    unshare -m true 2>/dev/null || skip "no namespaces for a read-only file system"
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs none /mnt && cp "$2" /mnt/a.o && mount -o remount,ro /mnt && "$1" fatbin slim /mnt/a.o --keep "$3" --in-place' \
        sh "$hostpin" "$work/a.o" "$older"
    exits 2
    says 'cannot create a file next to /mnt/a.o: Read-only file system'
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/tree && cp "$2" /mnt/tree && mount -o remount,ro /mnt && "$1" fatbin slim /mnt/tree --keep "$3" -o /mnt/out' \
        sh "$hostpin" "$work/a.o" "$older"
    exits 2
    says 'cannot create a directory next to /mnt/out: Read-only file system'
}
an_interrupted_copy_of_a_tree_leaves_nothing() {
    need_command strace
    strace -e trace=getpid true 2>/dev/null || skip "no strace here"
    make_tree
    call strace -qq -o /dev/null -e inject=linkat:signal=SIGTERM:when=1 "$hostpin" fatbin slim tree --keep "$older" -o out
    [ "$status" -ne 0 ] || fail "it went on"
    same "$(echo *)" tree
}

it "objects get the bytes that nvprune writes" objects_have_the_bytes_that_nvprune_writes
it "everything that is listed stays, and slimming twice changes nothing" everything_that_is_listed_stays
it "slimmed objects link, and the program has their code alone" slimmed_objects_link
it "in an object of many fatbins each pointer leads to its fatbin" objects_of_many_fatbins_keep_their_pointers
it "an archive becomes that of its slimmed members" archives_are_those_of_slimmed_members
it "a file of fatbins is changed" files_of_fatbins_are_changed
it "a GPU without code is an error that names the kernel" a_gpu_without_code_is_an_error_that_names_the_kernel
it "sizes before and after are printed for each GPU" sizes_are_printed_for_each_gpu
# The writer of files is the same for all toolkits.
if once; then
    it "a thin archive is refused, and its members named" thin_archives_are_refused_with_their_members
    it "a slimmed program says which GPUs it serves" a_slimmed_program_says_what_it_serves
    it "the advice for a program with code that is not required slims it" code_that_is_not_required_is_slimmed_as_advised
    it "outputs are named, links followed, and permissions kept" outputs_are_named
    it "a tree is copied as it is, but for its device code" trees_are_copied_as_they_are_but_for_device_code
    it "a refused file of a tree is copied as it was, if that is asked for" a_refused_file_of_a_tree_is_copied_as_it_was
    it "a tree in which a GPU lacks code is neither copied nor changed" a_tree_in_which_a_gpu_lacks_code_is_not_written
    it "a kill at any moment leaves the input whole and no part of the output" a_kill_leaves_the_input_whole_and_no_part_of_the_output
    it "a slice is as readable as its file" a_slice_is_as_readable_as_its_file
    it "signed files are refused" signed_files_are_refused
    it "an object with a signature in it is refused" an_object_with_a_signature_is_refused
    it "each failing call is reported, and leaves nothing" each_failing_call_is_reported
    it "a full disk leaves the input whole and no part of the output" a_full_disk_or_limit_leaves_no_part
    it "a read-only place is an error" a_read_only_place_is_an_error
    it "an interrupted copy of a tree leaves nothing" an_interrupted_copy_of_a_tree_leaves_nothing
fi
finish
