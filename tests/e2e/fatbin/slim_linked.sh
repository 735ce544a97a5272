#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# slim_linked.sh RELEASE [WORDS]: hostpin fatbin slim for programs and shared libraries, as each linker lays them out and before and after
# other tools changed them: the host part runs, at the same addresses, and holds the device code that was asked for. HOSTPIN_FULL=1: each
# linker and tool with each toolkit, and each mode of compression.
# shellcheck source=tests/e2e/fatbin/toolkit.sh
. "$(dirname "$0")/toolkit.sh"
need_edge
only=${2:-}
need_command python3 readelf

case $release in
11.*) keep=8.0 other=70 ;;
12.*) keep=9.0 other=80 ;;
*) keep=9.0 other=80 ;;
esac
kept=${keep/./}
linkers=("$HOME/.cache/hostpin/lab/linkers" "${HOSTPIN_LAB:-}/linkers")

cat >"$work/part.cu" <<'CU'
__device__ int large[20000] = {1}; // code for one GPU has more than a large page
template <int N> __global__ void scale(float *p, int n) {
    for (int i = 0; i < n; ++i) p[i] = p[n - i * N] + large[i];
}
template <int N> void start() {
    scale<N><<<1, 1>>>(nullptr, 0);
    if constexpr (N > 0) start<N - 1>();
}
extern "C" void part() { start<1>(); }
CU
cat >"$work/main.cu" <<'CU'
#include <cstdio>
#include <cuda_runtime.h>
extern "C" void part();
__device__ int table[64];
__global__ void fill(int n) { for (int i = 0; i < n; ++i) table[i] += i; }
int main() {
    int count = 0;
    bool found = cudaGetDeviceCount(&count) == cudaSuccess;
    fill<<<1, 1>>>(3);
    part();
    try {
        throw "unwound";
    } catch (const char *text) {
        printf("%s %d\n", text, found && count > 0);
    }
}
CU
pair=("${flags[@]:0:4}") # two GPUs of them
call_nvcc() { "$toolkit/bin/nvcc" -ccbin "$host" "$@"; }
make_objects() {
    for source in part main; do
        call_nvcc "${flags[@]}" -std=c++17 -no-compress -Xcompiler -fPIC -c "$work/$source.cu" -o "$work/$source.o"
    done
}
prepare=make_objects
cxx=$(PATH=$plain_path command -v c++) || skip "no c++" # the linkers load plug-ins only of this one
runtime=(-L"$toolkit/lib64" -lcudart_static -ldl -lrt -lpthread)

# Sections outside of device code have the same addresses and bytes, but for what stores the addresses of fatbins; the first ones may be
# elsewhere, in the range that became free.
cat >"$work/same_host.py" <<'PY'
import struct, sys
def sections(path):
    data = open(path, 'rb').read()
    shoff, shnum, shstrndx = struct.unpack_from('<Q', data, 40)[0], *struct.unpack_from('<HH', data, 60)
    rows = [struct.unpack_from('<IIQQQQIIQQ', data, shoff + 64 * i) for i in range(shnum)]
    names = rows[shstrndx]
    name = lambda row: data[names[4] + row[0]:data.index(b'\0', names[4] + row[0])].decode()
    loads = [struct.unpack_from('<IIQQQQQQ', data, struct.unpack_from('<Q', data, 32)[0] + 56 * i)
             for i in range(struct.unpack_from('<H', data, 56)[0])]
    for row in rows:
        if row[2] & 2 and row[1] != 8 and row[5]: # where a segment has it, too
            assert any(p[0] == 1 and p[3] <= row[3] and row[3] + row[5] <= p[3] + p[5] and p[2] - p[3] == row[4] - row[3]
                       for p in loads), name(row)
    def content(row):
        bytes = data[row[4]:row[4] + row[5]]
        if row[1] != 11:
            return b'' if row[1] == 8 else bytes
        symbols = [list(symbol) for symbol in struct.iter_unpack('<IBBHQQ', bytes)]
        for symbol in symbols: # names of sections, whose numbers follow their order in the file
            symbol[3] = name(rows[symbol[3]]) if symbol[3] < shnum else symbol[3]
        return symbols
    return {name(row): (row[3], content(row)) for row in rows if row[2] & 2}
before, after = sections(sys.argv[1]), sections(sys.argv[2])
device = ('.nv_fatbin', '__nv_relfatbin')
stores = ('.nvFatBinSegment', '.rela.dyn', '.dynamic')
begin, size = before['.nv_fatbin'][0], len(before['.nv_fatbin'][1])
if '__nv_relfatbin' in before:
    end = max(before[name][0] + len(before[name][1]) for name in device)
    begin = min(begin, before['__nv_relfatbin'][0]); size = end - begin
assert before.keys() == after.keys(), before.keys() ^ after.keys()
for name, (address, content) in before.items():
    if name in device:
        continue
    moved = after[name][0] != address
    assert not moved or begin <= after[name][0] < begin + size, name
    assert not moved or name.startswith(('.note', '.interp', '.gnu.', '.hash', '.dyn')), name
    assert name in stores or after[name][1] == content, name
PY
same_host() { python3 "$work/same_host.py" "$1" "$2"; }
listed() { # FILE ARCHITECTURE: how many pieces cuobjdump lists
    { "$toolkit/bin/cuobjdump" -lelf "$1" || true; } | grep -c "\.sm_$2[af]*\." || true
}
# slims FILE: in its place.
slims() {
    cp "$1" before
    call "$hostpin" fatbin slim "$1" --keep "$keep" --ptx none -o "$1.slim"
    exits 0
    mv "$1.slim" "$1"
    [ "$(stat -c %s "$1")" -lt "$(stat -c %s before)" ] || fail "$1 is no smaller"
    same_host before "$1"
    if [ -x "$toolkit/bin/cuobjdump" ]; then
        [ "$(listed before "$kept")" -gt 0 ] || fail "cuobjdump lists no code before"
        same "$(listed "$1" "$kept")" "$(listed before "$kept")"
        same "$(listed "$1" "$other")" 0
    fi
    readelf -x .note.hostpin "$1" | contains hostpin
}
# With a GPU or without one.
runs() { "$@" | contains -x 'unwound [01]' || fail "$*: $("$@" 2>&1)"; }

# link LINKER OPTION... : by ./ld, so that each linker gets the same arguments.
linker() {
    local name=$1 found directory
    found=$(PATH=$plain_path command -v "ld.$name" || PATH=$plain_path command -v "$name" || true)
    for directory in "${linkers[@]}"; do
        [ -n "$found" ] || found=$(compgen -G "$directory/$name-*/*/ld.$name" || compgen -G "$directory/$name-*/bin/$name" ||
            compgen -G "$directory/$name-*" || true)
    done
    found=${found%%$'\n'*}
    [ -d "$found" ] && found=$(find "$found" -name "$name" -o -name "ld.$name" | sed -n 1p)
    [ -n "$found" ] || skip "no $name"
    mkdir -p ld
    ln -sf "$found" ld/ld
}
build() { "$cxx" -Bld/ "$@" "${runtime[@]}"; }

each_kind_of_file_runs() { # LINKER [OPTION...]
    linker "$1"
    shift
    build "$@" -pie "$work/main.o" "$work/part.o" -o pie
    build "$@" -no-pie "$work/main.o" "$work/part.o" -o no-pie
    build "$@" -shared "$work/part.o" -o libpart.so
    build "$work/main.o" -L. -lpart -Wl,-rpath,"$PWD" -o loads
    for file in pie no-pie loads; do runs ./$file; done
    slims libpart.so
    runs ./loads
    for file in pie no-pie loads; do
        slims $file
        runs ./$file
    done
}
relr() {
    local option=-Wl,-z,pack-relative-relocs
    linker "$1"
    [ "$1" = bfd ] || option=-Wl,--pack-dyn-relocs=relr
    ld/ld --help | contains -e "${option##*,}" -e "${option##*--}" -e pack-dyn-relocs || skip "no packed relocations"
    build -pie "$option" "$work/main.o" "$work/part.o" -o pie
    readelf -S pie | contains relr.dyn || skip "it wrote no .relr.dyn"
    [[ $(./pie 2>&1) = 'unwound '[01] ]] || skip "the C library does not load it: $(./pie 2>&1)"
    slims pie
    runs ./pie
}
# Each of them, then hostpin, then each of them again.
other_tools_may_come_before_and_after() {
    local tool command
    linker bfd
    build -pie "$work/main.o" "$work/part.o" -o linked
    for tool in strip llvm-strip 'strip -g' objcopy patchelf; do
        command=${tool%% *}
        [ -n "$(command -v "$command")" ] || continue
        [ "$tool" != patchelf ] || tool="patchelf --set-rpath /a/long/path/for/libraries/that/is/longer/than/any"
        cp linked before-it
        $tool before-it
        slims before-it
        runs ./before-it
        cp linked after-it
        slims after-it
        $tool after-it
        runs ./after-it
        $tool before-it
        runs ./before-it
    done
}
# tool NAME FILE: changes it in place, as packagers do.
long=/run/opengl-driver/lib:/$(printf 'long/%.0s' {1..40})lib
tool() {
    case $1 in
    rpath) patchelf --add-rpath "$long" "$2" ;;
    needed) patchelf --add-needed libm.so.6 "$2" ;;
    interpreter) [[ $2 = *.so ]] || patchelf --set-interpreter "$(realpath "$(patchelf --print-interpreter "$2")")" "$2" ;;
    renamed) patchelf --replace-needed libc.so.6 "$(realpath "$(ldd "$2" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')")" "$2" ;;
    strip | llvm-strip | eu-strip) "$1" "$2" ;;
    section) objcopy --add-section .added=/etc/hostname "$2" ;;
    chrpath) chrpath -d "$2" ;;
    esac
}
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
# changed FILE TOOL...: a copy of it as the program `changed`, or as the library of `loads`; whether that runs.
changed() {
    local one copy=changed
    if [[ $1 = *.so ]]; then copy=libpart.so; fi
    cp "$1" $copy
    for one in "${@:2}"; do tool "$one" $copy 2>/dev/null; done
    if [[ $1 = *.so ]]; then runs ./loads; else runs ./changed; fi
    same "$(build_id $copy)" "$(build_id "$1")"
}
# survives FILE TOOL...: unless these tools destroy what hostpin has not written, too, as patchelf and then LLVM's strip do.
survives() {
    if (changed "$@") >reason 2>&1; then return; fi
    if (changed "linked.${1}" "${@:2}") >/dev/null 2>&1; then fail "$*: $(cat reason)"; fi
}
# Pairs of tools, of which patchelf is one: it makes room for more program headers by the order of the sections' headers.
tools_follow_one_another() { # LINKER
    local file first second tools=(rpath needed interpreter renamed strip llvm-strip eu-strip section chrpath) there=()
    linker "$1"
    for first in "${tools[@]}"; do
        case $first in rpath | needed | interpreter | renamed) there+=("$first") ;; section) there+=(section) ;; *) ! command -v "$first" >/dev/null || there+=("$first") ;; esac
    done
    build -pie -Wl,--build-id "$work/main.o" "$work/part.o" -o pie
    build -no-pie -Wl,--build-id "$work/main.o" "$work/part.o" -o no-pie
    build -shared -Wl,--build-id "$work/part.o" -o part.so
    cp part.so libpart.so
    build "$work/main.o" -L. -lpart -Wl,-rpath,"$PWD" -o loads
    for file in pie no-pie part.so; do
        cp $file linked.$file
        slims $file
        readelf -SW $file | awk '/^ *\[ *[1-9]/ { sub(/^ *\[ *[0-9]*\] */, ""); if ($2 != "NOBITS" && $5 !~ /^0*$/) print $4 }' >offsets
        sort -c offsets || fail "$file: sections whose headers are not in the order of the file"
        for first in "${there[@]}"; do
            survives "$file" "$first"
            if [ "$1" != bfd ] && [ "$full" != 1 ]; then continue; fi
            for second in "${there[@]}"; do
                # Of a program without PIE patchelf lets a section cross two segments, which GNU's tools then drop: without hostpin, too,
                # by the length of a run path.
                case $file:$first:$second in
                *:"$second":"$second" | no-pie:rpath:* | no-pie:needed:* | no-pie:interpreter:* | no-pie:renamed:*) continue ;;
                esac
                [[ $full = 1 || $first = rpath || $second = rpath ]] || continue
                survives "$file" "$first" "$second"
            done
        done
    done
}
debug_files_still_fit() {
    linker bfd
    build -g -pie "$work/main.o" "$work/part.o" -o linked
    objcopy --only-keep-debug linked linked.debug
    slims linked
    objcopy --only-keep-debug linked slim.debug
    same "$(readelf -n linked | sed -n 's/.*Build ID: //p')" "$(readelf -n linked.debug | sed -n 's/.*Build ID: //p')"
    main() { readelf -sW "$1" | awk '$8 == "main" { print $2, $3, $4 }'; }
    same "$(main slim.debug)" "$(main linked.debug)"
}
relocatable_code_stays_where_it_is_linked() {
    local source
    for source in part main; do
        call_nvcc "${pair[@]}" -gencode arch=compute_80,code=compute_80 -std=c++17 -dc "$work/$source.cu" -o $source.o
    done
    call_nvcc "${pair[@]}" main.o part.o -o program
    cp program original
    slims program
    runs ./program
    call "$hostpin" fatbin slim original --keep "$keep" -o with_ptx
    exits 0
    runs ./with_ptx
    "$hostpin" fatbin with_ptx | contains 'relocatable PTX' || fail "no PTX stays"
}
each_compression_is_kept() {
    local mode modes='size speed'
    "$toolkit/bin/nvcc" --help | contains compress-mode || skip "this nvcc has no -compress-mode"
    linker bfd
    if [ "$full" = 1 ]; then modes='default size speed balance none'; fi
    for mode in $modes; do
        call_nvcc "${pair[@]}" -compress-mode="$mode" -std=c++17 -Xcompiler -fPIC -c "$work/part.cu" -o part.o || continue
        build -pie "$work/main.o" part.o -o program
        slims program
        runs ./program
    done
}
a_second_time_cuts_more() {
    linker bfd
    build -pie "$work/main.o" "$work/part.o" -o program
    call "$hostpin" fatbin slim program --keep "$list" --ptx none -o first
    exits 0
    slims first
    runs ./first
    call "$hostpin" fatbin slim first --keep "$keep" --ptx none -o again
    exits 0
    cmp first again
}
a_missing_gpu_is_named() {
    linker bfd
    build -pie "$work/main.o" "$work/part.o" -o program
    call "$hostpin" fatbin slim program --keep "$keep;6.0" --ptx none -o slim
    exits 1
    says 'nothing for 6[.]0' 'scale' 'fill' 'slim is not written'
    absent slim
}
doctor_compares_files_with_gpus() {
    linker bfd
    build -pie "$work/main.o" "$work/part.o" -o program
    "$hostpin" fatbin slim program --keep "$keep" --ptx none -o slim >/dev/null
    doctor() { call "$hostpin" doctor --toolkit "$toolkit" --host "$host" --stdenv "$host" "$@"; }
    doctor program slim --capabilities "$keep"
    exits 0
    same "$(grep -cE "^ +$keep +finds code in every fatbin$" "$out")" 2
    grep -qE "^ +slim +program +${keep}a? machine code; slimmed for $keep$" "$out" || { show_call; fail 'it does not print what slim serves'; }
    doctor program slim --capabilities "$keep;6.0"
    exits 1
    grep -qE '^ +6[.]0 +finds nothing in fatbin.*fill' "$out" || { show_call; fail 'it does not print what 6.0 lacks'; }
    doctor program --capabilities "6.0;6.1"
    exits 1
    grep -qE '^ +6[.]0, 6[.]1 +finds nothing in fatbin.*fill' "$out" || { show_call; fail 'GPUs that lack the same are not one row'; }
    doctor slim --capabilities 6.0 --json
    exits 1
    cp "$out" doctor.json
    same "$(json doctor.json device_code files 0 slimmed gpus 0)" "$keep"
    json doctor.json device_code files 0 unserved 6.0 0 fatbin | contains 'fatbin'
    # this machine's GPUs, by a driver library that is built here; a real one needs a GPU
    "$cxx" -shared -fPIC -x c++ - -o libcuda.so.1 <<'CC'
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int *count) { return *count = 1, 0; }
extern "C" int cuDeviceGetAttribute(int *value, int which, int) { return *value = which == 75 ? 6 : 0, 0; }
CC
    command -v nvidia-smi >/dev/null || LD_LIBRARY_PATH=$PWD doctor program
    command -v nvidia-smi >/dev/null || exits 1
    doctor ld/ld --capabilities "$keep" --json
    exits 0
    cp "$out" doctor.json
    json doctor.json device_code files 0 error | contains 'nothing was compared'
    # as an array that bin2c writes
    call_nvcc -gencode=arch=compute_80,code=sm_80 -fatbin "$work/part.cu" -o part.fatbin
    printf '.section .rodata\n.incbin "part.fatbin"\n.section .note.GNU-stack,"",@progbits\n' | "$cxx" -shared -x assembler - -o embedded.so
    doctor embedded.so --capabilities "$keep"
    exits 0
    contains 'nothing was compared: .*8[.]0 machine code' < <(tr -s '\n ' ' ' <"$out")
    doctor missing --capabilities "$keep"
    exits 2
    says 'missing: it cannot be read'
    doctor program --capabilities nonsense
    exits 2
}
what_cannot_be_changed_safely_is_refused() {
    linker bfd
    build -pie "$work/main.o" "$work/part.o" -o program
    cp program appended
    printf '~Module signature appended~\n' >>appended
    call "$hostpin" fatbin slim appended --keep "$keep" -o out
    exits 1
    says 'it is signed: a signature is appended to it'
    absent out
    printf x >>appended
    call "$hostpin" fatbin slim appended --keep "$keep" -o out
    exits 1
    says 'it has data after its end, such as a signature'
    absent out
    python3 - <<'PY'
data = bytearray(open('program', 'rb').read())
at = data.find(bytes.fromhex('b1436246'))
data[at + 4] = 9
open('version', 'wb').write(data)
PY
    call "$hostpin" fatbin slim version --keep "$keep" -o out
    exits 1
    says 'a wrapper of its device code has the unknown version 9'
    absent out
}
nvidias_files_are_left_alone() {
    local library
    library=$(compgen -G "$toolkit/lib64/libcurand.so.[0-9]*" | sed -n 1p || true)
    [ -n "$library" ] || skip "no libcurand in $toolkit"
    call "$hostpin" fatbin slim "$library" --keep "$keep" -o out
    exits 1
    says "NVIDIA's libcurand[.]so[.][0-9]*, whose licence forbids changes"
    absent out
}

it "bfd: programs and libraries run and unwind after it, at the same addresses" each_kind_of_file_runs bfd
it "relocatable code stays where the driver links it" relocatable_code_stays_where_it_is_linked
it "code of each compression mode stays as it is" each_compression_is_kept
it "NVIDIA's own libraries are left alone" nvidias_files_are_left_alone
# What linkers and other tools do is the same for all toolkits.
if once; then
    it "bfd: packed relative relocations are changed in place" relr bfd
    it "lld: the same with pages of 64 KB" each_kind_of_file_runs lld -Wl,-z,max-page-size=65536
    seldom "bfd: the same with pages of 64 KB" each_kind_of_file_runs bfd -Wl,-z,max-page-size=65536
    for name in gold lld mold; do
        seldom "$name: programs and libraries run and unwind after it, at the same addresses" each_kind_of_file_runs $name
        [ $name = lld ] || seldom "$name: the same with pages of 64 KB" each_kind_of_file_runs $name -Wl,-z,max-page-size=65536
        seldom "$name: packed relative relocations are changed in place" relr $name
    done
    it "strip, llvm-strip, objcopy and patchelf may come before and after" other_tools_may_come_before_and_after
    for name in bfd gold lld mold; do
        it "$name: what it writes can be changed by patchelf, strip, objcopy and others afterwards" tools_follow_one_another $name
    done
    it "separate debug files still fit" debug_files_still_fit
    it "a slimmed file is slimmed again" a_second_time_cuts_more
    it "a GPU without code is named with the kernels" a_missing_gpu_is_named
    it "doctor prints whether GPUs find code in files" doctor_compares_files_with_gpus
    it "what cannot be changed safely is refused" what_cannot_be_changed_safely_is_refused
fi
finish
