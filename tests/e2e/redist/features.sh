#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# features.sh [WORDS]: feature manifests of archives, compared with readelf, cuobjdump and the archives themselves. 5 s of processor without
# a lab; with one 25 s more, and 70 s once for its archives (archives/README.md).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/lib.sh"
only=${1:-}
need_hostpin
need_command python3 gcc tar xz readelf

# value FILE EXPRESSION: of Python, in which `f` are the features of the only archive and `j` is the manifest; lists with blanks.
value() {
    python3 - "$@" <<'PY'
import json, sys
j = json.load(open(sys.argv[1], encoding="utf-8"))
f = next(iter(next(iter(next(iter(j.values()))["packages"].values())).values()))["features"]
found = eval(sys.argv[2])
print(*found) if isinstance(found, list) else print(found)
PY
}

# fatbin CAPABILITY: one with machine code for this capability, whose payload is nothing that could be run.
fatbin() {
    python3 - "$1" <<'PY'
import struct, sys
payload = b"Z" * 24
entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 0x40, len(payload), 0, 0, 4, 8, int(sys.argv[1]), 0, 0, 0, 0, 0) + payload
sys.stdout.buffer.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry)
PY
}
# A library with device code for 8.0, and left from a device link for 9.0, with a name that it opens, its stub, a header and a file for pkg-config, as an archive in NVIDIA's form.
made=$work/made
make_archive() {
    local top=libmade-linux-x86_64-1.2.3-archive
    local tree=$made/$top
    mkdir -p "$tree/lib/stubs" "$tree/include" "$tree/pkg-config" "$made/libmade/linux-x86_64"
    fatbin 80 >"$made/run.fatbin"
    fatbin 90 >"$made/link.fatbin"
    printf '.section .note.GNU-stack\n.section .nv_fatbin,"a"\n.balign 8\n.incbin "%s"\n.section __nv_relfatbin,"a"\n.balign 8\n.incbin "%s"\n' \
        "$made/run.fatbin" "$made/link.fatbin" >"$made/code.s"
    echo 'const char *opens = "libnvrtc.so.12"; int made(void) { return 1; }' >"$made/made.c"
    gcc -shared -fPIC -o "$tree/lib/libmade.so.1.2.3" -Wl,-soname,libmade.so.1 -Wl,--no-as-needed "$made/made.c" "$made/code.s" -lm
    echo 'int made(void) { return 0; }' | gcc -shared -fPIC -nostdlib -xc - -o "$tree/lib/stubs/libmade.so" -Wl,-soname,libmade.so.1
    gcc -c -fPIC "$made/made.c" -o "$made/made.o"
    ar rcs "$tree/lib/libmade_static.a" "$made/made.o"
    ln -s libmade.so.1.2.3 "$tree/lib/libmade.so.1"
    ln -s libmade.so.1 "$tree/lib/libmade.so"
    printf '#include <stdio.h>\n#include "cuda_runtime.h"\n' >"$tree/include/made.h"
    echo 'prefix=/usr/local/made' >"$tree/pkg-config/made-1.pc"
    echo 'a license' >"$tree/LICENSE"
    tar -C "$made" -cJf "$made/libmade/linux-x86_64/$top.tar.xz" "$top"
    manifest_of "$made/libmade/linux-x86_64/$top.tar.xz" >"$made/redistrib_1.2.3.json"
}
manifest_of() {
    cat <<JSON
{"release_date": "2024-04-03", "release_label": "1.2.3", "release_product": "cuda",
 "libmade": {"name": "Made", "license": "CUDA Toolkit", "license_path": "libmade/LICENSE.txt", "version": "1.2.3",
  "linux-x86_64": {"relative_path": "libmade/linux-x86_64/${1##*/}", "sha256": "$(sha256sum "$1" | cut -d' ' -f1)",
   "md5": "$(md5sum "$1" | cut -d' ' -f1)", "size": "$(stat -c %s "$1")"}}}
JSON
}
features() { call "$hostpin" redist features "$@"; }
features_of_made() { features "$made/redistrib_1.2.3.json" --platform linux-x86_64 --archives "$made" "$@"; }

has_everything() {
    features_of_made -o made.json
    exits 0
    prints_nothing
    same "$(value made.json 'f["outputs"]')" 'out dev include lib static stubs'
    same "$(value made.json '[each["soname"] for each in f["providedLibs"]]')" libmade.so.1
    same "$(value made.json 'f["neededLibs"]' | tr ' ' '\n')" "$(needed "$made"/libmade-*/lib/libmade.so.1.2.3 | sort)"
    same "$(value made.json '[each["name"] + " " + each["package"] for each in f["openedLibs"]]')" 'libnvrtc.so.12 cuda_nvrtc'
    same "$(value made.json 'f["deviceCode"]')" "{'lib/libmade.so.1.2.3': {'elf': ['sm_80'], 'ptx': []}}"
    same "$(value made.json 'f["stubs"]')" \
        "{'file': 'lib/stubs/libmade.so', 'of': 'lib/libmade.so.1.2.3', 'soname': 'libmade.so.1'}"
    same "$(value made.json 'f["pkgConfig"]')" made-1
    same "$(value made.json 'f["includes"]')" "{'include/made.h': ['cuda_runtime.h']}"
    same "$(value made.json 'j["libmade"]["releaseInfo"]["licensePath"]')" libmade/LICENSE.txt
}
# Sizes are those of stat; each file is in one output.
has_each_file() {
    features_of_made -o made.json
    exits 0
    value made.json '"\n".join(sorted(f"{path} {size}" for each in f["outputFiles"].values() for path, size in each["files"].items()))' |
        LC_ALL=C sort >ours
    (cd "$made"/libmade-*/ && find . ! -type d -printf '%P %s\n' | LC_ALL=C sort) >theirs
    diff theirs ours
}
is_the_same_twice() {
    features_of_made -o one.json
    features_of_made
    exits 0
    cmp one.json "$out"
}
refuses_another_file() {
    mkdir -p other/libmade/linux-x86_64
    cp "$made"/libmade/linux-x86_64/*.xz other/libmade/linux-x86_64/
    damage "$(echo other/libmade/linux-x86_64/*.xz)" 100
    features "$made/redistrib_1.2.3.json" --platform linux-x86_64 --archives other -o out.json
    exits 2
    says 'libmade 1.2.3 linux-x86_64' 'SHA-256'
    absent out.json
}
refuses_an_escape() {
    mkdir -p evil/libmade/linux-x86_64 tree/libmade-linux-x86_64-1.2.3-archive
    echo x >tree/outside
    tar -C tree -cJPf evil/libmade/linux-x86_64/libmade-linux-x86_64-1.2.3-archive.tar.xz \
        --transform 's,^outside,../../../outside,' libmade-linux-x86_64-1.2.3-archive outside
    manifest_of evil/libmade/linux-x86_64/*.xz >evil.json
    features evil.json --platform linux-x86_64 --archives evil -o out.json
    exits 2
    says 'outside'
    absent out.json
}
says_what_is_missing() {
    features "$made/redistrib_1.2.3.json" --platform linux-sbsa --archives "$made"
    exits 2
    says 'no archive for the platform linux-sbsa'
    features "$made/redistrib_1.2.3.json" --platform linux-x86_64 --package libother --archives "$made"
    exits 2
    says 'no package libother'
    mkdir -p empty
    features "$made/redistrib_1.2.3.json" --platform linux-x86_64 --archives empty
    exits 2
    says 'libmade-linux-x86_64-1.2.3-archive.tar.xz'
    features "$made/redistrib_1.2.3.json" --platform linux-x86_64 --store empty
    exits 2
    says 'redist fetch'
    features "$made/redistrib_1.2.3.json" --platform linux-x86_64
    exits 2
    says 'either --archives or --store'
}
leaves_nothing() {
    mkdir -p tmp
    TMPDIR=$PWD/tmp features_of_made
    exits 0
    same "$(ls -A tmp)" ''
}
is_valid() {
    python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema (./bootstrap test installs it)"
    features_of_made -o made.json
    python3 - "$prefix/share/hostpin/schema/redist-features.schema.json" made.json <<'PY'
import json, sys, jsonschema
schema, instance = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(instance, schema)
PY
}

# agrees PLATFORM MACHINE: every library of real archives with readelf (SONAME, NEEDED, machine) and cuobjdump (capabilities).
agrees() {
    local platform=$1 machine=$2 archive file soname
    need_archives 12.4.1
    need_lab cuda-12.4
    features "$manifest" --platform "$platform" --archives "$archives" --package libnvjpeg --package cuda_cudart --package cuda_nvml_dev -o all.json
    exits 0
    for archive in libnvjpeg cuda_cudart cuda_nvml_dev; do
        mkdir -p "tree/$archive"
        tar -xf "$archives/$archive/$platform"/*.xz --strip-components=1 -C "tree/$archive"
        python3 -c 'import json, sys; print(json.dumps({sys.argv[1]: json.load(open("all.json"))[sys.argv[1]]}))' "$archive" >one.json
        for file in "tree/$archive"/lib/*.so*; do
            if [ -L "$file" ] || [ ! -e "$file" ]; then continue; fi
            soname=$(readelf -d "$file" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
            value one.json '[each["soname"] for each in f["providedLibs"]]' | contains -wF "$soname"
            readelf -h "$file" | contains "Machine: .*$machine"
            diff <("$lab/cuda-12.4/bin/cuobjdump" --list-elf "$file" 2>/dev/null | grep -o 'sm_[0-9a-z]*' | sort -u) \
                <(value one.json "f['deviceCode'].get('${file#"tree/$archive/"}', {'elf': []})['elf']" | tr ' ' '\n' | grep . | sort -u)
        done
    done
    same "$(value all.json 'j["libnvjpeg"]["packages"]["'"$platform"'"]["None"]["features"]["outputs"]')" 'out dev include lib static stubs'
    same "$(value all.json 'j["cuda_nvml_dev"]["packages"]["'"$platform"'"]["None"]["features"]["outputs"]')" 'out dev include stubs'
    same "$(value all.json '[each["name"] for each in j["cuda_cudart"]["packages"]["'"$platform"'"]["None"]["features"]["openedLibs"]]')" libcuda.so.1
    value all.json 'j["cuda_cudart"]["packages"]["'"$platform"'"]["None"]["features"]["includes"]["include/cuda_runtime.h"]' |
        contains -w crt/host_config.h
}

make_archive
it 'a feature manifest has outputs, libraries, names that are opened, stubs and headers of other packages' has_everything
it 'each file of the archive is in one output, with its size' has_each_file
it 'the same archives give the same bytes' is_the_same_twice
it 'an archive with another byte is refused before anything is written' refuses_another_file
it 'an archive with a member outside its directory is refused' refuses_an_escape
it 'a missing platform, package, archive or option is named' says_what_is_missing
it 'nothing is left in the directory for temporary files' leaves_nothing
it 'the manifest is valid by its schema' is_valid
it 'real archives for linux-x86_64 agree with readelf and cuobjdump' agrees linux-x86_64 X86-64
it 'real archives for linux-sbsa agree with readelf and cuobjdump' agrees linux-sbsa AArch64
it 'real archives for linux-ppc64le agree with readelf and cuobjdump' agrees linux-ppc64le PowerPC64
finish
