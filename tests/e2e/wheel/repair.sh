#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# repair.sh: `hostpin wheel repair` over the 150 wheels of truth.sh, each imported afterwards, and what it does to ELF files, compared with
# patchelf. Some 15 s of processor. HOSTPIN_FULL=1: CUDA packed and of the system as well, and a wheel of more than 4 GB: 18 GB of disk.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command gcc patchelf python3 readelf
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
here=$repository/tests/e2e/wheel
export PATH=$prefix/bin:$PATH PYTHONPATH=$here

# runtime MAJOR: libcudart of a toolkit of that major, with its path in `runtime`
runtime() {
    local root
    for root in "$lab"/cuda-"$1".* "${machine_toolkits[@]}" /usr/local/cuda /usr/local/cuda-"$1"*; do
        if [ -e "$root/lib64/libcudart.so.$1" ]; then runtime=$(realpath "$root/lib64")/libcudart.so.$1 && return 0; fi
    done
    return 1
}
repaired_wheels_are_imported() {
    runtime 13 || skip "no CUDA 13 runtime"
    local arguments=("$runtime") cuda
    if runtime 12; then arguments+=(--runtime12 "$runtime"); fi
    for cuda in wheels ${full/1/bundle system}; do
        if [ "$cuda" != 0 ]; then
            python3 "$here/repaired.py" "$prefix/libexec/hostpin/wheel" "$PWD" "${arguments[@]}" --cuda "$cuda"
        fi
    done
}

# wheel_of CODE: runs Python that has a Builder `b`, libraries `foo` and `bar`, which needs foo, and a package with module that needs both
wheel_of() {
    python3 - "$PWD" "$1" <<'EOF'
import os, sys
from shapes import Builder, Wheel, run
b = Builder(sys.argv[1] + "/built", {})
foo = b.library("libfoo.so.1", ("foo",), "FOO_1")
bar = sys.argv[1] + "/built/libbar.so"
with open(bar + ".c", "w") as file:
    file.write("int foo(void); int bar(void) { return foo(); }\n")
run("gcc", "-shared", "-fPIC", bar + ".c", foo, "-Wl,-rpath," + os.path.dirname(foo), "-o", bar)
module = b.module("_C", ("bar", "foo"), (bar, foo), "/ci/lib:" + os.path.dirname(bar) + ":" + os.path.dirname(foo))
def package(platform="linux_x86_64"):
    return Wheel("pkg", platform).add("pkg/__init__.py", b"from . import _C\n").add("pkg/_C.so", module)
exec(sys.argv[2])
EOF
}
install_in() { # DIRECTORY WHEEL
    mkdir -p "$1" && python3 -m zipfile -e "$2" "$1"
}
wheel=pkg-1.0-py3-none-linux_x86_64.whl repaired=pkg-1.0-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl

libraries_are_packed() {
    wheel_of 'package().write(".")'
    call hostpin wheel repair -w dist "$wheel"
    exits 0
    contains -E 'pkg.libs/libfoo-[0-9a-f]{8}.so.1: packed from ' <"$out"
    install_in site "dist/$repaired"
    rm -rf built
    (cd site && python3 -c 'import pkg')
    readelf -dW site/pkg/_C.so >dynamic
    contains "RUNPATH.*\\[.ORIGIN/../pkg.libs\\]" <dynamic
    readelf -dW site/pkg.libs/libbar-*.so >dynamic
    contains "RUNPATH.*\\[.ORIGIN\\]" <dynamic
    ldd site/pkg/_C.so >libraries
    ! contains 'not found' <libraries || fail "ldd does not find a library"
    if command -v unzip >/dev/null; then unzip -tq "dist/$repaired"; fi
}
the_bytes_are_the_same_everywhere() {
    wheel_of 'package().write(".")'
    local before
    call hostpin wheel repair --sbom -o dist "$wheel"
    exits 0
    before=$(sha256sum <"dist/$repaired")
    (umask 077 && TZ=Asia/Kathmandu LC_ALL=C hostpin wheel repair --sbom -o other "$PWD/$wheel" >/dev/null)
    [ "$(sha256sum <"other/$repaired")" = "$before" ] || fail "other bytes in another time zone"
    taskset -c 0 "$prefix/bin/hostpin" wheel repair --sbom -o one "$wheel" >/dev/null
    [ "$(sha256sum <"one/$repaired")" = "$before" ] || fail "other bytes on one processor"
    SOURCE_DATE_EPOCH=1700000000 hostpin wheel repair -o dated "$wheel" >/dev/null
    python3 -c 'import sys, zipfile; assert {one.date_time for one in zipfile.ZipFile(sys.argv[1]).infolist()} == {(2023, 11, 14, 22, 13, 20)}' "dated/$repaired"
    SOURCE_DATE_EPOCH=today call hostpin wheel repair -o dated "$wheel"
    exits 2
}
an_sbom_names_every_part() {
    wheel_of 'package().write(".")'
    hostpin wheel repair --sbom -o dist "$wheel" >/dev/null
    python3 - "dist/$repaired" <<'EOF'
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
info = "pkg-1.0.dist-info/sboms/hostpin."
cyclonedx, spdx = (json.loads(archive.read(info + kind + ".json")) for kind in ("cdx", "spdx"))
assert cyclonedx["bomFormat"] == "CycloneDX" and spdx["spdxVersion"] == "SPDX-2.3"
assert [one["name"] for one in cyclonedx["components"]] == ["libbar.so", "libfoo.so.1"]
assert [one["name"] for one in spdx["packages"]] == ["pkg", "libbar.so", "libfoo.so.1"]
for one in cyclonedx["components"]:
    member = next(each["value"] for each in one["properties"] if each["name"] == "hostpin:file")
    assert one["hashes"][0]["content"] == hashlib.sha256(archive.read(member)).hexdigest(), member
EOF
}
# CycloneDX's schema is in a package of npm, or in a directory that SBOM_SCHEMAS names; SPDX's is judged by its structure, above.
an_sbom_is_valid() {
    local schemas=${SBOM_SCHEMAS-} python=python3
    $python -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
    $python -c 'import jsonschema' 2>/dev/null || skip "no jsonschema for Python"
    if [ -z "$schemas" ]; then
        [ "$full" = 1 ] || skip "HOSTPIN_FULL is not 1, and SBOM_SCHEMAS names no directory of schemas"
        npm pack @cyclonedx/cyclonedx-library@10 >log 2>&1 || skip "npm does not fetch CycloneDX's schemas: $(tail -n 1 log)"
        tar xzf cyclonedx-*.tgz
        schemas=$PWD/package/res/schema
    fi
    runtime 13 || skip "no CUDA 13 runtime"
    wheel_of 'w = package(); c = b.module("_D", ("cudaRuntimeGetVersion",), ("'"$runtime"'",)); w.add("pkg/_D.so", c); w.write(".")'
    hostpin wheel repair --sbom -o dist "$wheel" >/dev/null
    PYTHONPATH='' $python - "$schemas" dist/*.whl <<'EOF'
import json, os, sys, zipfile
import jsonschema
schemas, wheel = sys.argv[1:]
def schema(name):
    with open(os.path.join(schemas, name + ".SNAPSHOT.schema.json")) as file:
        return json.load(file)
bom, store = schema("bom-1.6"), {}
for name in ("spdx", "jsf-0.82", "cryptography-defs"):
    for form in ("%s.schema.json", "%s.SNAPSHOT.schema.json"):
        store["http://cyclonedx.org/schema/" + form % name] = schema(name)
document = json.loads(zipfile.ZipFile(wheel).read("pkg-1.0.dist-info/sboms/hostpin.cdx.json"))
assert any("licenses" in one for one in document["components"]), document
def problems(document):
    resolver = jsonschema.RefResolver.from_schema(bom, store=store)
    return [one.message for one in jsonschema.Draft7Validator(bom, resolver=resolver).iter_errors(document)]
assert not problems(document), problems(document)
document["components"][0]["type"] = "part"
assert problems(document), "the schema accepts everything"
EOF
}
packages_of_packed_libraries_are_named() {
    command -v dpkg-query >/dev/null || skip "no dpkg-query"
    local library
    library=$(gcc -print-file-name=libgomp.so.1)
    dpkg-query -S "$(realpath "$library")" >/dev/null 2>&1 || skip "no libgomp of a package"
    python3 - "$PWD" <<'EOF'
import sys
from shapes import Builder, Wheel
b = Builder(sys.argv[1] + "/built", {})
stub = b.library("libgomp.so.1", ("omp_get_max_threads",), "OMP_1.0")
Wheel("pkg", "linux_x86_64").add("pkg/__init__.py", b"").add("pkg/_C.so", b.module("_C", ("omp_get_max_threads",), (stub,))).write(".")
EOF
    hostpin wheel repair --sbom -o dist "$wheel" >/dev/null
    hostpin wheel repair --sbom -o again dist/*.whl >/dev/null
    cmp dist/*.whl again/*.whl || fail "what the packages are is lost by another repair"
    python3 - dist/*.whl "$(dpkg-query -W -f '${Version}' libgomp1)" <<'EOF'
import json, sys, urllib.parse, zipfile
document = json.loads(zipfile.ZipFile(sys.argv[1]).read("pkg-1.0.dist-info/sboms/hostpin.cdx.json"))
gomp, = (one for one in document["components"] if one["name"] == "libgomp.so.1")
assert gomp["version"] == sys.argv[2], gomp
purl = urllib.parse.unquote(gomp["purl"])
assert purl.startswith("pkg:deb/") and "libgomp1@" + sys.argv[2] + "?" in purl, gomp
EOF
}
excluded_libraries_stay_outside() {
    wheel_of 'package().write(".")'
    call hostpin wheel repair --exclude 'libfoo.*' --exclude '*/libbar.so' -o dist "$wheel"
    exits 0
    contains '^libfoo.so.1: not packed, by --exclude' <"$out"
    python3 -m zipfile -l dist/*.whl >names
    ! contains 'pkg.libs' <names || fail "an excluded library is packed"
    rm -rf built
    call hostpin wheel repair --exclude 'libfoo.*' -o none "$wheel"
    exits 2
    says 'with --exclude'
}
nothing_is_left_of_a_failure() {
    wheel_of 'w = package(); w.name_inside = "other"; w.write("."); package().write("gone")'
    call hostpin wheel repair -o dist "$wheel"
    exits 1
    contains 'nothing was written' <"$err"
    [ -z "$(ls dist)" ] || fail "left: $(ls dist)"
    rm -rf built
    call hostpin wheel repair -o dist "gone/$wheel"
    exits 2
    contains 'libbar.so, which pkg/_C.so needs, is not on this machine' <"$err"
    [ -z "$(ls dist)" ] || fail "left: $(ls dist)"
    head -c 500 "$wheel" >"cut-1.0-py3-none-linux_x86_64.whl"
    call hostpin wheel repair -o dist cut-1.0-py3-none-linux_x86_64.whl
    exits 2
    [ -z "$(ls dist)" ] || fail "left: $(ls dist)"
}
the_wheel_itself_is_not_replaced() {
    wheel_of 'package().write(".")'
    hostpin wheel repair -o dist "$wheel" >/dev/null
    call hostpin wheel repair -o dist "dist/$repaired"
    exits 2
    contains 'is the wheel itself' <"$err"
}
levels_compress_again() {
    wheel_of 'w = package(); w.add("pkg/text", b"a line of text\n" * 10000); w.write(".")'
    hostpin wheel repair -o most --level 9 "$wheel" >/dev/null
    hostpin wheel repair -o stored --level 0 "$wheel" >/dev/null
    [ "$(stat -c %s "most/$repaired")" -lt 30000 ] || fail "it is not compressed"
    [ "$(stat -c %s "stored/$repaired")" -gt 150000 ] || fail "it is not stored"
    python3 -c 'import sys, zipfile; assert zipfile.ZipFile(sys.argv[1]).read("pkg/text") == b"a line of text\n" * 10000' "most/$repaired"
}
device_code_of_other_gpus_goes() {
    need_toolkit
    export PATH=$prefix/bin:$PATH
    echo '__global__ void kernel() {} void launch() { kernel<<<1, 1>>>(); }' >k.cu
    "$toolkit/bin/nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -cudart static k.cu -o k.so >log 2>&1 ||
        skip "nvcc does not link: $(tail -n 1 log)"
    wheel_of 'w = package(); w.add("pkg/k.so", "k.so"); w.write(".")'
    call hostpin wheel repair --gpus 9.0 -o dist "$wheel"
    exits 0
    install_in site dist/*.whl
    hostpin fatbin site/pkg/k.so >contents
    contains '^ *9.0  *machine code' <contents
    ! contains '^ *8.0 ' <contents || fail "code for another GPU is left"
    python3 -c 'import ctypes; ctypes.CDLL("site/pkg/k.so")'
    call hostpin wheel repair --gpus 7.5 -o none "$wheel"
    exits 2
    contains 'nothing would be left for GPU 7.5' <"$err"
}
# What patchelf writes, for each of GNU ld, gold and lld: the same entries and version needs, and a program that loads.
edits_are_those_of_patchelf() {
    wheel_of 'package().write(".")'
    local linker foo bar
    foo=$(echo "$PWD"/built/*/libfoo.so.1) bar=$PWD/sonamed/libbar.so
    mkdir sonamed
    gcc -shared -fPIC built/libbar.so.c "$foo" -Wl,-soname,libbar.so -o "$bar"
    for linker in bfd gold lld; do
        command -v "ld.$linker" >/dev/null || continue
        mkdir "$linker"
        echo 'int foo(void); int bar(void); int both(void) { return foo() + bar(); }' >"$linker/both.c"
        gcc -fuse-ld="$linker" -shared -fPIC "$linker/both.c" "$bar" "$foo" -o "$linker/both.so"
        python3 - "$linker" <<'EOF'
import sys
from shapes import Wheel
Wheel("pkg", "linux_x86_64").add("pkg/both.so", sys.argv[1] + "/both.so").write(sys.argv[1])
EOF
        hostpin wheel repair --library-path "${bar%/*}" --library-path "${foo%/*}" -o "$linker/dist" "$linker/$wheel" >/dev/null
        install_in "$linker/site" "$linker/dist/$repaired"
        cp "$linker/both.so" "$linker/patched.so"
        local packed arguments=()
        for packed in "$linker"/site/pkg.libs/*; do
            local name=${packed##*/}
            local hash=${name#*-}
            hash=${hash%%.*}
            arguments+=(--replace-needed "${name/-$hash/}" "$name")
        done
        patchelf "${arguments[@]}" "$linker/patched.so"
        patchelf --set-rpath "\$ORIGIN/../pkg.libs" "$linker/patched.so"
        for one in patched.so site/pkg/both.so; do
            readelf -dW "$linker/$one" | grep -oE '\((NEEDED|SONAME|RUNPATH|RPATH)\).*' | sort >"$linker/$(basename "$one").dynamic"
            readelf -VW "$linker/$one" | grep -oE '(File|Name): .*' | sed 's/  *Version: .*//' >"$linker/$(basename "$one").versions"
        done
        diff "$linker/patched.so.dynamic" "$linker/both.so.dynamic" || fail "$linker: another dynamic segment than patchelf's"
        diff "$linker/patched.so.versions" "$linker/both.so.versions" || fail "$linker: other version needs than patchelf's"
        python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).both()' "$PWD/$linker/site/pkg/both.so"
        # As a driver's hook does, in which patchelf makes room for a program header.
        patchelf --add-rpath "/run/opengl-driver/lib:/$(printf 'long/%.0s' {1..40})lib" "$linker/site/pkg/both.so"
        python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).both()' "$PWD/$linker/site/pkg/both.so"
        strip "$linker/site/pkg/both.so"
        python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).both()' "$PWD/$linker/site/pkg/both.so"
    done
}
# NVIDIA's libnvrtc of CUDA 13 has no run path, and opens its builtins by name.
nvrtc_is_packed_with_its_builtins() {
    runtime 13 || skip "no CUDA 13 runtime"
    local library loader directory=${runtime%/*}
    library=$directory/libnvrtc.so.13
    [ -e "$library" ] || skip "no libnvrtc.so.13 next to it"
    cat >c.c <<'EOF'
int nvrtcCreateProgram(void **, const char *, const char *, int, void *, void *), nvrtcCompileProgram(void *, int, const char **);
int compile(void) {
    void *program;
    nvrtcCreateProgram(&program, "__global__ void kernel() {}", "k.cu", 0, 0, 0);
    return nvrtcCompileProgram(program, 0, 0);
}
EOF
    gcc -shared -fPIC c.c "$library" -o _C.so
    python3 -c 'from shapes import Wheel; Wheel("pkg", "linux_x86_64").add("pkg/_C.so", "_C.so").write(".")'
    call hostpin wheel repair --cuda bundle --level 0 --library-path "$directory" -o dist pkg-1.0-py3-none-linux_x86_64.whl
    exits 0
    contains '^pkg.libs/libnvrtc-builtins.so' <"$out"
    install_in site dist/*.whl
    # Without the cache of the loader, which has the toolkit on many machines.
    loader=$(readelf -lW "$(command -v python3)" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
    "$loader" --inhibit-cache "$(command -v python3)" -c 'import ctypes, sys; sys.exit(ctypes.CDLL("site/pkg/_C.so").compile())'
    rm site/pkg.libs/libnvrtc-builtins.so*
    python3 - <<'EOF'
import os
from shapes import Wheel
w = Wheel("pkg", "manylinux_2_28_x86_64").add("pkg/_C.so", "_C.so")
name, = os.listdir("site/pkg.libs")
w.add("pkg.libs/" + name, "site/pkg.libs/" + name).write("alone")
EOF
    call hostpin wheel check alone/*.whl
    exits 1
    contains '^error: opened-library: libnvrtc-builtins.so' <"$out"
}
# As XLA's and implib's: functions of the driver that open it when they are called, so that the wheel is imported without one.
libraries_that_forward_to_the_driver_stay() {
    cat >s.c <<'EOF'
#include <dlfcn.h>
static void *of(const char *name) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    return driver ? dlsym(driver, name) : 0;
}
#define FORWARD(name) \
    int name(void *a, void *b, void *c, void *d) { \
        int (*real)(void *, void *, void *, void *) = (int (*)(void *, void *, void *, void *))of(#name); \
        return real ? real(a, b, c, d) : 100; \
    }
FORWARD(cuInit) FORWARD(cuDriverGetVersion) FORWARD(cuLaunchKernel) FORWARD(cuCtxCreate_v2)
EOF
    gcc -shared -fPIC s.c -o libruntime.so -Wl,-soname,libruntime.so -ldl
    python3 - <<'EOF'
from shapes import DRIVER, Builder, Wheel
b = Builder("built", {})
shim, stub = "libruntime.so", b.library("libcuda-12ab.so.1", DRIVER)
module = lambda library: b.module("_C", ("cuInit",), (library,), "$ORIGIN")
Wheel("pkg", "linux_x86_64").add("pkg/_C.so", module(shim)).add("pkg/libruntime.so", shim).write(".")
Wheel("pkg", "linux_x86_64").add("pkg/_C.so", module(stub)).add("pkg/libcuda-12ab.so.1", stub).write("stub")
EOF
    call hostpin wheel check pkg-1.0-py3-none-linux_x86_64.whl
    exits 0
    call hostpin wheel repair -o dist pkg-1.0-py3-none-linux_x86_64.whl
    exits 0
    install_in site dist/*.whl
    python3 -c 'import ctypes; ctypes.CDLL("site/pkg/_C.so").cuInit(0)'
    call hostpin wheel repair -o other stub/pkg-1.0-py3-none-linux_x86_64.whl
    exits 0
    contains '^pkg/libcuda-12ab.so.1: removed, for libcuda.so.1' <"$out"
}
large_wheels_are_zip64() {
    [ "$full" = 1 ] || skip "HOSTPIN_FULL is not 1"
    python3 - <<'EOF'
import os, zipfile
from shapes import Wheel
block = os.urandom((1 << 20) - 4)
path = Wheel("pkg", "any").add("pkg/__init__.py", b"").write(".")
with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED, allowZip64=True) as archive:
    with archive.open("pkg/large", "w", force_zip64=True) as member:
        for i in range(4500):
            member.write(i.to_bytes(4, "little") + block)
    archive.writestr("pkg/last", b"after 4 GB")
EOF
    call hostpin wheel repair -o dist pkg-1.0-py3-none-any.whl
    exits 0
    call hostpin wheel repair -o again dist/pkg-1.0-py3-none-any.whl
    exits 0
    cmp dist/*.whl again/*.whl
    python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None and z.read("pkg/last") == b"after 4 GB"' dist/*.whl
    call hostpin wheel repair -o packed --level 1 dist/pkg-1.0-py3-none-any.whl
    exits 0
    python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None' packed/*.whl
}
it "repaired wheels are imported, with one CUDA runtime, and are the same file after another repair" repaired_wheels_are_imported
it "libraries of the machine are packed, and found without the machine" libraries_are_packed
it "the bytes do not depend on time zone, umask, locale and processors, and the date is SOURCE_DATE_EPOCH" the_bytes_are_the_same_everywhere
it "an SBOM names every part, with its hash" an_sbom_names_every_part
it "an SBOM is valid by CycloneDX's schema" an_sbom_is_valid
it "an SBOM names the packages of packed libraries, also after another repair" packages_of_packed_libraries_are_named
it "--exclude leaves libraries to something else" excluded_libraries_stay_outside
it "nothing is left of a repair that fails" nothing_is_left_of_a_failure
it "the wheel itself is not replaced" the_wheel_itself_is_not_replaced
it "--level compresses all files again" levels_compress_again
it "--gpus cuts device code of others, and refuses a GPU without any" of devicecode device_code_of_other_gpus_goes
it "ELF files are edited as patchelf does, and can be stripped afterwards" edits_are_those_of_patchelf
it "a library that forwards the driver's functions stays, and a renamed driver goes" libraries_that_forward_to_the_driver_stay
it "NVRTC is packed with its builtins, and compiles" nvrtc_is_packed_with_its_builtins
it "wheels of more than 4 GB are zip64" large_wheels_are_zip64
finish
