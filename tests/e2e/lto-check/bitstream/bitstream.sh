#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each compiler and toolkit of the lab writes its intermediate code; what we read of it must be what the makers' own tools say:
# lto-dump, llvm-bcanalyzer, cuobjdump, and readelf, nm and ar.
#   bitstream.sh LTO_STREAMS LTO_CUTS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
streams=$1 cuts=$2

# told FILE...: what we read, with the names of directories left out.
told() { "$streams" "$@" | sed "s,$PWD/,,g"; }
# lines NAME FIELD...: what we should have read, fields separated by tabs.
line() { (IFS=$'\t' && echo "$*"); }

write_code() {
    cat >small.c <<'C'
int counter;
int next(void) { return ++counter; }
C
    cat >large.cpp <<'CPP'
#include <map>
#include <string>
struct Shape { virtual ~Shape(); virtual int sides() const; };
Shape::~Shape() {}
int Shape::sides() const { return 0; }
std::string name(const std::map<int, std::string>& names, int key) { return names.at(key) + "!"; }
CPP
    : >empty.c
}

# ---------------------------------------------------------------------------------------------- GCC

gccs() { for driver in "$lab"/bin/gcc-*; do case $driver in *newglibc) ;; *) echo "${driver##*-}" ;; esac done | sort -n; }

# dumped_version FILE: as a GCC's lto-dump of another version puts it.
dumped_version() {
    local dump said
    for dump in lto-dump-12 lto-dump-11; do
        said=$("$dump" -list "$1" 2>&1 >/dev/null || true)
        case $said in
        *'generated with LTO version '*)
            sed -n 's/.*generated with LTO version \([0-9.]*\) instead.*/\1/p' <<<"$said" && return ;;
        esac
    done
    fail "no lto-dump tells the version of $1: $said"
}
# inflated_version FILE: of GCC 9, from its section of declarations by gzip, which knows deflate but no zlib.
inflated_version() {
    local section bytes
    section=$(readelf -SW "$1" | sed -n 's/.* \(\.gnu\.lto_\.decls\.[0-9a-f]*\) .*/\1/p')
    objcopy -O binary --only-section="$section" --set-section-flags "$section=alloc" "$1" declarations
    bytes=$({ printf '\x1f\x8b\x08\0\0\0\0\0\0\0' && tail -c +3 declarations; } | gzip -dc 2>/dev/null | head -c 4 |
        od -An -tu2 || true)
    # shellcheck disable=SC2086 # two numbers
    printf '%d.%d\n' $bytes
}
reference_gcc() {
    local version slim=fat
    if [ "$2" -ge 10 ]; then version=$(dumped_version "$1"); else version=$(inflated_version "$1"); fi
    readelf -sW "$1" >symbols # nm would ask a plugin for the symbols of the code
    if grep -q __gnu_lto_slim symbols; then slim=slim; fi
    line "$1" gcc-lto "$version" "$slim" 0 "$(producers "$1")"
}
agree_on_gcc() { # MAJOR
    local file flags name count=0
    need_lab "bin/gcc-$1"
    need_command lto-dump-12 lto-dump-11 readelf objcopy gzip
    write_code
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$lab/bin/g++-$1" $flags -flto -c "$file" -o "$name.o" 2>err || { cat err; fail "g++-$1 $flags"; }
        same "$(told "$name.o")" "$(reference_gcc "$name.o" "$1")"
        same "$("$streams" --present "$name.o")" "$name.o"
        count=$((count + 1))
    done <<'ROWS'
slim large.cpp -O2
fat large.cpp -O2 -ffat-lto-objects
debug large.cpp -O0 -g -ffat-lto-objects
sections large.cpp -O2 -ffunction-sections -fdata-sections
best large.cpp -O2 -flto-compression-level=9
least large.cpp -O2 -flto-compression-level=0
narrow small.c -x c -m32
narrow-fat small.c -x c -m32 -ffat-lto-objects
x32 small.c -x c -mx32
nothing empty.c -x c
seed small.c -x c -frandom-seed=17
ROWS
    "$lab/bin/g++-$1" -O2 -g -c large.cpp -o plain.o
    same "$(told plain.o)" "$(line plain.o none)"
    same "$("$streams" --present plain.o)" ""
    strip -R '.gnu.lto_*' -R '.gnu.debuglto_*' -N __gnu_lto_v1 -N __gnu_lto_slim fat.o -o stripped.o
    same "$(told stripped.o)" "$(line stripped.o none)"
    "$cuts" slim.o fat.o debug.o narrow.o x32.o
    echo "$count objects"
}
# What `ld -r` joins without a plugin keeps the code of every GCC.
joined_keeps_all() {
    local major made=()
    need_lab bin
    need_command ld
    write_code
    for major in $(gccs); do
        sed "s/next/next_$major/; s/int counter;/static int counter;/" small.c >"part-$major.c"
        "$lab/bin/gcc-$major" -flto -c "part-$major.c"
        made+=("part-$major.o")
    done
    [ "${#made[@]}" -ge 3 ] || fail "only ${#made[@]} GCCs"
    ld -r "${made[@]}" -o joined.o
    same "$(told joined.o | cut -f 2-4 | sort)" "$(told "${made[@]}" | cut -f 2-4 | sort)"
    "$cuts" joined.o
}

# ---------------------------------------------------------------------------------------------- LLVM

clangs() { for driver in "$lab"/bin/clang-*; do echo "${driver##*-}"; done | sort -n; }

# identified FILE: the producers as llvm-bcanalyzer says, each once. It spells them as letters only if they are packed.
identified() {
    llvm-bcanalyzer-19 --dump --disable-histogram "$1" | awk '
        /<STRING / {
            for (i = 2; i <= NF; ++i) if (match($i, /^op[0-9]+=/)) printf "%c", substr($i, RLENGTH + 1) + 0
            print ""
        }' | uniq
}
reference_llvm() { # FILE BITCODE FORMAT SLIM
    local producer
    while read -r producer; do
        line "$1" "$3" "$(sed -E 's/^LLVM([0-9]+\.[0-9]+).*/\1/' <<<"$producer")" "$4" 0 "$producer"
    done < <(identified "$2")
}
agree_on_llvm() { # MAJOR
    local file flags name
    need_lab "bin/clang-$1"
    need_command llvm-bcanalyzer-19 objcopy
    write_code
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$lab/bin/clang++-$1" $flags -c "$file" -o "$name.o"
        [ -n "$(identified "$name.o")" ] || fail "llvm-bcanalyzer sees no producer in $name.o"
        same "$(told "$name.o")" "$(reference_llvm "$name.o" "$name.o" llvm-bitcode slim)"
    done <<'ROWS'
full large.cpp -O2 -flto
thin large.cpp -O2 -flto=thin
split large.cpp -O2 -flto=thin -fsplit-lto-unit -fwhole-program-vtables -fvisibility=hidden
debug large.cpp -O0 -g -flto
nothing empty.c -x c -flto
other small.c -x c -flto --target=aarch64-linux-gnu
module small.c -x c -emit-llvm
apple small.c -x c -emit-llvm --target=x86_64-apple-macosx12
ROWS
    same "$(head -c 4 apple.o | od -An -tx1)" ' de c0 17 0b' # the wrapper, or the row shows nothing
    same "$("$streams" --present full.o apple.o)" "$(printf 'full.o\napple.o')"
    "$lab/bin/clang++-$1" -O2 -c large.cpp -o plain.o
    same "$(told plain.o)" "$(line plain.o none)"
    "$cuts" full.o thin.o apple.o nothing.o
    if "$lab/bin/clang-$1" -fembed-bitcode -c small.c -o embedded.o 2>/dev/null; then
        case $(readelf -SW embedded.o) in *.llvmbc*) ;; *) fail "no .llvmbc in embedded.o" ;; esac
        same "$(told embedded.o)" "$(line embedded.o none)"
        same "$("$streams" --present embedded.o)" ""
    fi
    if [ "$1" -ge 18 ]; then
        "$lab/bin/clang++-$1" -O2 -flto=thin -ffat-lto-objects -c large.cpp -o fat.o
        objcopy -O binary --only-section=.llvm.lto --set-section-flags .llvm.lto=alloc fat.o fat.bc
        same "$(told fat.o)" "$(reference_llvm fat.o fat.bc llvm-fat fat)"
        "$cuts" fat.o
    fi
}
# Two compilers' modules behind each other, as ld -r leaves those of fat objects in one section.
joined_modules_count() {
    need_lab bin/clang-18 bin/clang-19
    need_command ld
    write_code
    "$lab/bin/clang-18" -flto -ffat-lto-objects -c small.c -o old.o
    sed 's/next/other/; s/counter/number/' small.c >other.c
    "$lab/bin/clang-19" -flto -ffat-lto-objects -c other.c -o new.o
    ld -r old.o new.o -o joined.o
    same "$(told joined.o | cut -f 2-4)" "$(told old.o new.o | cut -f 2-4)"
}
rust_is_llvm() {
    need_command rustc llvm-bcanalyzer-19
    echo 'pub fn twice(x: u32) -> u32 { x * 2 }' >code.rs
    rustc --crate-type lib -O -Clinker-plugin-lto -Ccodegen-units=1 --emit obj=code.o code.rs
    same "$(told code.o)" "$(reference_llvm code.o code.o llvm-bitcode slim)"
    case $(told code.o) in *LLVM*-rust-*) ;; *) fail "no Rust in $(told code.o)" ;; esac
    rustc --crate-type rlib -O code.rs -o plain.rlib # embeds bitcode for rustc's own use
    same "$(told plain.rlib | cut -f 2 | sort -u)" none
}

# ---------------------------------------------------------------------------------------------- CUDA

# reference_cuda FILE [CUOBJDUMP]: architecture and container of each LTO-IR as the newest cuobjdump says, with the newest PTX
# beside it, and whether there is a cubin for the architecture.
reference_cuda() {
    "$lab/cuda-12.4/bin/cuobjdump" "$1" 2>/dev/null | awk -v OFS='\t' -v file="$1" '
        /^Fatbin .* code:/ { kind = $2 }
        /^arch = / { arch = substr($3, 4) }
        /^code version = / {
            split(substr($4, 2), numbers, /[],]/)
            version = numbers[1] "." numbers[2]
            if (kind == "elf") cubin[arch] = 1
            else if (kind == "nvvm") { ir[++count] = arch; container[count] = version }
            else if (kind == "ptx") ptx = version
        }
        END {
            for (i = 1; i <= count; ++i)
                print file, "cuda-ltoir", container[i], (ir[i] in cubin ? "fat" : "slim"), ir[i], (ptx ? "PTX ISA " ptx : "")
        }'
}
agree_on_cuda() { # TOOLKIT
    local name file flags nvcc ccbin code
    need_cuda "$1"
    need_lab cuda-12.4 bin/g++-9 bin/g++-12
    nvcc=$(cuda "$1")/bin/nvcc
    case $1 in 11.2) ccbin=$lab/bin/g++-9 ;; 11.8) ccbin=$lab/bin/g++-11 ;; *) ccbin=$lab/bin/g++-12 ;; esac
    cat >kernel.cu <<'CU'
__device__ int other(int);
__global__ void kernel(int* p) { *p = other(*p); }
CU
    sed 's/__device__ int other(int);/__device__ int other(int x) { return x; }/' kernel.cu >whole.cu
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -Wno-deprecated-gpu-targets -ccbin "$ccbin" $flags "$file" -o "$name"
        reference_cuda "$name" | sort >expected
        [ -s expected ] || fail "cuobjdump sees no LTO-IR in $name"
        told "$name" | sort >got
        diff expected got
        same "$("$streams" --present "$name")" "$name"
    done <<'ROWS'
ir.o kernel.cu -dc -gencode arch=compute_80,code=lto_80
both.o kernel.cu -dc -gencode arch=compute_80,code=lto_80 -gencode arch=compute_80,code=sm_80
ptx.o kernel.cu -dc -gencode arch=compute_80,code=lto_80 -gencode arch=compute_80,code=compute_80
many.o kernel.cu -dc -gencode arch=compute_75,code=lto_75 -gencode arch=compute_80,code=lto_80 -gencode arch=compute_86,code=sm_86
dlto.o kernel.cu -dc -dlto -arch=sm_80
ir.fatbin kernel.cu -rdc=true -fatbin -gencode arch=compute_80,code=lto_80
ROWS
    while read -r name file flags; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -Wno-deprecated-gpu-targets -ccbin "$ccbin" $flags "$file" -o "$name"
        same "$(told "$name")" "$(line "$name" none)"
        same "$("$streams" --present "$name")" ""
    done <<'ROWS'
plain.o kernel.cu -dc -arch=sm_80
whole.o whole.cu -c -arch=sm_80
whole.cubin whole.cu -cubin -arch=sm_80
ROWS
    "$cuts" ir.o both.o many.o ir.fatbin
    if "$nvcc" -ccbin "$ccbin" -dlto -ltoir -arch=sm_80 kernel.cu -o raw.ltoir 2>err; then
        # nothing of NVIDIA's prints a raw one; the object of the same compiler holds the same container
        same "$(told raw.ltoir | cut -f 2-4)" "$(told ir.o | cut -f 2-4)"
    fi
    # Device code is assembler text to the host compiler: with a slim object it goes where no nvlink sees it.
    code=(-Wno-deprecated-gpu-targets -ccbin "$ccbin" -dc -gencode "arch=compute_80,code=lto_80" kernel.cu)
    "$nvcc" "${code[@]}" -Xcompiler -flto,-ffat-lto-objects -o fat.o
    same "$(told fat.o | cut -f 2 | tr '\n' ' ')" 'cuda-ltoir gcc-lto '
    "$nvcc" "${code[@]}" -Xcompiler -flto -o slim.o
    same "$(told slim.o | cut -f 2 | tr '\n' ' ')" 'gcc-lto '
}

# ---------------------------------------------------------------------------------------------- archives

# members ARCHIVE: by LLVM's ar, for GNU's takes BSD's tables of symbols for members.
members() { llvm-ar-19 t "$1" | sed "s,.*,$1(&),"; }
archives_of_every_kind() {
    local major format archive made=()
    need_lab bin/gcc-9 bin/gcc-12 bin/gcc-16 bin/clang-16
    need_command ar llvm-ar-19
    write_code
    mkdir sub
    for major in 9 12 16; do
        made+=("sub/an_object_with_a_rather_long_name_by_gcc_$major.o" "g$major.o")
        "$lab/bin/gcc-$major" -flto -c small.c -o "g$major.o"
        cp "g$major.o" "${made[-2]}"
    done
    "$lab/bin/clang-16" -flto -c small.c -o clang.o
    made+=(clang.o small.c)
    told "${made[@]}" | cut -f 2- >expected
    ar rcs gnu.a "${made[@]}"
    ar rcST thin.a "${made[@]}"
    for format in gnu bsd darwin; do llvm-ar-19 rcs --format=$format "llvm-$format.a" "${made[@]}"; done
    llvm-ar-19 rcsT llvm-thin.a "${made[@]}"
    SYM64_THRESHOLD=0 llvm-ar-19 rcs --format=gnu sym64.a "${made[@]}"
    grep -aq /SYM64/ sym64.a || fail 'sym64.a has no 64-bit table'
    for archive in *.a; do
        told "$archive" | cut -f 1 >names
        members "$archive" | diff - names
        told "$archive" | cut -f 2- | diff expected -
        same "$("$streams" --present "$archive")" "$archive"
    done
    ar rcs nested.a gnu.a llvm-darwin.a
    told nested.a | cut -f 2- | diff <(cat expected expected) -
    cp g9.o alone.o
    ar rcST proxies.a gnu.a alone.o # members of an archive in a thin one are referred to
    told proxies.a | cut -f 2- | diff <(cat expected && told alone.o | cut -f 2-) -
    mkdir elsewhere && (cd elsewhere && "$streams" ../thin.a | cut -f 2- | diff ../expected -)
}
# Of the machine's own objects and archives: those in which readelf sees sections of intermediate code.
machine_agrees() {
    local count
    need_command readelf
    find /usr/lib/gcc /usr/lib/x86_64-linux-gnu -maxdepth 4 -type f \( -name '*.o' -o -name '*.a' \) -size -4M | sort >all
    count=$(wc -l <all)
    [ "$count" -gt 20 ] || skip "only $count objects and archives on this machine"
    while read -r file; do
        if readelf -SW "$file" 2>/dev/null | contains -E '\] (\.gnu\.lto_|\.llvm\.lto)'; then echo "$file"; fi
    done <all >expected
    xargs -d '\n' "$streams" --present <all >present
    diff expected present
    echo "$count files"
}
one_file_twice_is_equal() {
    need_lab bin/gcc-12
    write_code
    "$lab/bin/gcc-12" -flto -c small.c
    # a link and a file descriptor are the file too
    ln -s small.o link.o
    same "$(told link.o | cut -f 2-)" "$(told small.o | cut -f 2-)"
    mkfifo fifo
    same "$(told fifo)" "$(line fifo unreadable 'it cannot be read: it is no regular file')"
}

for major in 9 10 11 12 13 14 15 16; do it "GCC $major's code is what lto-dump says" agree_on_gcc "$major"; done
it 'an object that ld -r made of several GCCs has all their versions' joined_keeps_all
for major in 13 14 15 16 17 18 19 21 22; do it "Clang $major's code is what llvm-bcanalyzer says" agree_on_llvm "$major"; done
it 'fat objects of two Clangs that ld -r joined have both their modules' joined_modules_count
it "Rust's code is LLVM's where it is made for a linker" rust_is_llvm
for toolkit in 11.2 11.8 12.4 13.0; do it "CUDA $toolkit's code is what cuobjdump says" agree_on_cuda "$toolkit"; done
it 'archives of every kind have the members that ar lists, each with its code' archives_of_every_kind
it "the machine's own objects and archives have what readelf sees" machine_agrees
it 'a file is read through a link, a FIFO not at all' one_file_twice_is_equal
finish
