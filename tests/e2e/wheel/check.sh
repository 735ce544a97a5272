#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check.sh: reports and exit codes of `hostpin wheel`, hostile zips, GPUs of real device code, and what long lines cost. 8 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command gcc patchelf python3
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
export PATH=$prefix/bin:$PATH PYTHONPATH=$repository/tests/e2e/wheel

# wheel_of CODE: runs Python that has a Builder `b`, and `module`, an extension module; prints paths of wheels
wheel_of() {
    python3 - "$PWD" "$1" <<'EOF'
import subprocess
import sys
from shapes import Builder, Wheel
b = Builder(sys.argv[1] + "/built", {})
module = b.module("_C")
def package(name="pkg", platform="manylinux_2_28_x86_64", version="1.0"):
    return Wheel(name, platform, version).add(name + "/__init__.py", b"from . import _C\n").add(name + "/_C.so", module)
exec(sys.argv[2])
EOF
}

without_proc() {
    need_mounts
    wheel_of 'package().write(".")'
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh hostpin wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    exits 0
    contains '^5 files: 0 errors, 0 warnings, 0 notes' <"$out"
}
a_sound_wheel_is_clean() {
    wheel_of 'package().write(".")'
    call hostpin wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    exits 0
    contains '^5 files: 0 errors, 0 warnings, 0 notes' <"$out"
    contains '^needs: manylinux_2_5 or later' <"$out"
}
without_threads_it_takes_longer() { # a member of several blocks is compressed by several threads
    local each
    wheel_of 'import os; package().add("pkg/data", os.urandom(3 << 20)).write(".")'
    for each in '' without_threads; do
        call $each hostpin wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
        exits 0
        mv "$out" "checked$each"
        call $each hostpin wheel repair pkg-1.0-py3-none-manylinux_2_28_x86_64.whl -o "repaired$each"
        exits 0
    done
    cmp checked checkedwithout_threads
    diff -r repaired repairedwithout_threads
}
reports_agree() {
    wheel_of 'w = package(); w.edit_record = lambda rows: rows[1:]; w.write(".")'
    local wheel=pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    call hostpin wheel check "$wheel" --junit junit.xml
    exits 1
    contains '^error: record-incomplete: pkg/__init__.py' <"$out"
    contains '^ *fix: .*python -m wheel unpack' <"$out"
    python3 - junit.xml <<'EOF'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
assert suite.get("failures") == "1", suite.attrib
assert [case.get("name") for case in suite if case.find("failure") is not None] == ["record-incomplete"]
EOF
    hostpin wheel check "$wheel" --json --fail-on never >report.json
    hostpin wheel check "$wheel" --sarif --fail-on never >report.sarif
    python3 - <<'EOF'
import json
report, sarif = json.load(open("report.json")), json.load(open("report.sarif"))["runs"][0]
assert [one["rule"] for one in report["findings"]] == ["record-incomplete"]
assert report["wheel"]["needs"]["lowest_policy"] == "manylinux_2_5"
assert [one["ruleId"] for one in sarif["results"]] == ["record-incomplete"]
assert sarif["tool"]["driver"]["rules"][sarif["results"][0]["ruleIndex"]]["id"] == "record-incomplete"
EOF
}
hostile_zips_are_refused() {
    python3 - <<'EOF'
import os, zipfile, shutil
from shapes import Wheel
name = "pkg-1.0-py3-none-any.whl"
def directory(kind):
    os.makedirs(kind, exist_ok=True)
    return Wheel("pkg", "any").add("pkg/__init__.py", b"").write(kind)
for kind, member in (("escape", "../../etc/passwd"), ("absolute", "/etc/passwd"), ("twice", "pkg/__init__.py"), ("file-and-directory", "pkg"),
                     ("same-file", "pkg-1.0.data/purelib/pkg/__init__.py")):
    with zipfile.ZipFile(directory(kind), "a") as archive:
        archive.writestr(member, b"x")
link = zipfile.ZipInfo("pkg/link")
link.external_attr = 0o120777 << 16
with zipfile.ZipFile(directory("link"), "a") as archive:
    archive.writestr(link, b"/etc/passwd")
with zipfile.ZipFile(directory("bomb"), "a", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("pkg/zeros", "w", force_zip64=True) as member:
        for _ in range(1100):
            member.write(bytes(1 << 20))
path = directory("changed")
content = bytearray(open(path, "rb").read())
content[content.index(b"Metadata-Version")] ^= 1
open(path, "wb").write(content)
path = directory("cut")
content = open(path, "rb").read()
open(path, "wb").write(content[:-30])
path = directory("overlapping")
content = bytearray(open(path, "rb").read())
last = content.rindex(b"PK\1\2")
content[last + 42:last + 46] = bytes(4)
open(path, "wb").write(content)
EOF
    local kind
    for kind in escape absolute twice file-and-directory same-file link bomb changed cut overlapping; do
        limit_memory 4000000
        call hostpin wheel check "$kind/pkg-1.0-py3-none-any.whl"
        exits 2
        contains '^hostpin: error: .* cannot be installed: ' <"$err" || fail "$kind: $(<"$err")"
    done
    [ -z "$(find . -name passwd)" ] || fail "something was unpacked"
}
zip64_is_read() {
    python3 - <<'EOF'
import zipfile
from shapes import Wheel
zipfile.ZIP64_LIMIT = 10 # bytes, from which on fields of 64 bits are written
Wheel("pkg", "any").add("pkg/__init__.py", b"x" * 100).write(".")
EOF
    python3 -c 'assert b"PK\6\6" in open("pkg-1.0-py3-none-any.whl", "rb").read()' || fail "it is no zip64"
    call hostpin wheel check pkg-1.0-py3-none-any.whl
    exits 0
}
files_that_the_loader_refuses_are_found() {
    need_command ld
    need_command patchelf
    need_command llvm-strip
    echo text >kernel.ptx
    ld -r -b binary kernel.ptx -o kernel.o # which has no note for the stack
    echo 'int f(void) { return 0; }' >f.c
    gcc -shared -fPIC f.c kernel.o -o embeds.so
    gcc -shared -fPIC f.c kernel.o -o clean.so -Wl,-z,noexecstack
    cp clean.so stripped.so
    patchelf --set-rpath "\$ORIGIN/$(printf '%0200d' 1)" stripped.so
    llvm-strip stripped.so
    ! python3 -c 'import ctypes; ctypes.CDLL("./stripped.so")' 2>err || fail "the loader takes it"
    contains 'not page-aligned' <err
    cp clean.so other.so
    printf '\11' | dd of=other.so bs=1 seek=7 conv=notrunc status=none # the ABI of another operating system
    ! python3 -c 'import ctypes; ctypes.CDLL("./other.so")' 2>err || fail "the loader takes it"
    contains 'ELF file OS ABI invalid' <err
    wheel_of 'w = package(); w.add("pkg/clean.so", "clean.so"); w.write("."); w.add("pkg/embeds.so", "embeds.so").add("pkg/stripped.so", "stripped.so").add("pkg/other.so", "other.so"); w.write("bad")'
    local wheel=pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    call hostpin wheel check "$wheel"
    exits 0
    call hostpin wheel check "bad/$wheel"
    exits 1
    contains '^error: executable-stack: embeds.so' <"$out"
    contains '^error: misaligned-segment: stripped.so' <"$out"
    contains '^error: loader-refuses: ELF file OS ABI invalid' <"$out"
    local refused
    for refused in embeds other; do
        wheel_of "package().add(\"pkg/$refused.so\", \"$refused.so\").write(\"$refused\")"
        call hostpin wheel repair -o dist "$refused/$wheel"
        exits 1
        [ -z "$(ls dist)" ] || fail "written: $(ls dist)"
    done
}
a_damaged_library_is_not_clean() {
    wheel_of 'package().add("pkg/lib.so", b"\x7fELF\2\1\1" + bytes(9)).write(".")'
    call hostpin wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    exits 2
    contains '^not scanned:' <"$out"
}
device_code_is_compared() {
    need_toolkit
    export PATH=$prefix/bin:$PATH
    echo '__global__ void kernel() {}' >k.cu
    "$toolkit/bin/nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -cudart none k.cu -o k.so >log 2>&1 || skip "nvcc does not link: $(tail -n 1 log)"
    wheel_of 'w = package(); w.add("pkg/k.so", "k.so"); w.write(".")'
    local wheel=pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    call hostpin wheel check "$wheel" --expect 8.0 --fail-on never --json
    exits 0
    ! contains '"gpu-' <"$out" || fail "a GPU is missing"
    call hostpin wheel check "$wheel" --expect '9.0' --fail-on never --json
    contains '"rule": "gpu-missing"' <"$out"
    contains '"rule": "gpu-surplus"' <"$out"
}
# The command that is printed repairs it.
names_that_differ_are_repaired_by_the_fix() {
    need_command patchelf unzip python3
    # shellcheck disable=SC2016 # Python's
    wheel_of 'import os, shutil
foo, renamed = b.library("libfoo.so.1", ("foo",), "FOO_1"), b.library("libfoo-1a2b.so.1", ("foo",), "FOO_1")
module = b.module("_C", ("foo",), (foo,), "$ORIGIN/../pkg.libs")
for name, library, more in (("gone", foo, ()), ("apart", renamed, ("--add-needed", "libfoo-1a2b.so.1"))):
    os.mkdir(name)
    shutil.copyfile(module, name + "/_C.so")
    subprocess.run(("patchelf", "--remove-needed", "libfoo.so.1") + more + (name + "/_C.so",), check=True)
    wheel = Wheel("pkg", "manylinux_2_28_x86_64", "1.0").add("pkg/__init__.py", b"from . import _C\n").add("pkg/_C.so", name + "/_C.so")
    wheel.add("pkg.libs/" + ("libfoo.so.1" if library == foo else "libfoo-1a2b.so.1"), library).write(name)'
    local name command
    for name in gone apart; do
        call hostpin wheel check --fail-on never "$name"/*.whl
        command=$(tr -s '\n ' ' ' <"$out" | grep -oE 'patchelf --(add|replace)-needed libfoo[^ ]* (libfoo[^ ]* )?_C.so') ||
            { show_call && fail "no command for $name"; }
        unzip -q "$name"/*.whl -d "$name"
        ! (cd "$name" && python3 -c 'import pkg') 2>/dev/null || fail "$name was not broken"
        (cd "$name/pkg" && eval "$command" && cd .. && python3 -c 'import pkg') || fail "it is not repaired by $command"
    done
}
code_that_runs_there_is_named() {
    need_toolkit
    export PATH=$prefix/bin:$PATH
    echo '__global__ void kernel() {}' >k.cu
    "$toolkit/bin/nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -cudart none k.cu -o k.so >log 2>&1 ||
        skip "nvcc does not link: $(tail -n 1 log)"
    wheel_of 'w = package(); w.add("pkg/k.so", "k.so"); w.write(".")'
    call hostpin wheel check pkg-1.0-py3-none-manylinux_2_28_x86_64.whl --expect 8.6 --fail-on never
    contains 'Such a GPU runs the 8.0 machine code' < <(tr -s '\n ' ' ' <"$out")
}
differences_are_listed() {
    wheel_of 'package().write("."); w = package(version="1.1"); w.add("pkg/new.py", b""); w.requires = ["numpy"]; w.write(".")'
    local old=pkg-1.0-py3-none-manylinux_2_28_x86_64.whl new=pkg-1.1-py3-none-manylinux_2_28_x86_64.whl
    call hostpin wheel diff "$old" "$old"
    exits 0
    [ ! -s "$out" ] || fail "a wheel differs from itself"
    call hostpin wheel diff "$old" "$new"
    exits 1
    contains '^version: 1.0 -> 1.1$' <"$out"
    contains '^  + pkg/new.py$' <"$out"
    contains '^  + numpy$' <"$out"
    call hostpin wheel diff --json "$old" "$new"
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["lists"]["files"]["added"] == ["pkg/new.py"]' "$out"
    call hostpin wheel diff "$old" none.whl
    exits 2
}
# Of each runtime at hand: the functions that the table has for its release are there, and later ones are not.
first_versions_are_those_of_runtimes() {
    need_command nm
    local library count=0
    for library in "$lab"/cuda-12.*/lib64/libcudart.so.12.*.* /usr/local/cuda/lib64/libcudart.so.1[2-9].*.*; do
        [ -e "$library" ] || continue
        nm -D --defined-only "$library" | sed 's/.* //; s/@.*//' >functions
        python3 - "$prefix/share/hostpin/data/cuda-wheels.toml" "$library" <<'EOF'
import re, sys
try:
    import tomllib
except ImportError: # before Python 3.11
    sys.exit(0)
version = tuple(map(int, re.search(r"\.so\.(\d+)\.(\d+)", sys.argv[2]).groups()))
functions = set(open("functions").read().split())
with open(sys.argv[1], "rb") as file:
    rows = [one for one in tomllib.load(file)["wheel"] if "libcudart.so.%d" % version[0] in one["libraries"]]
for first in rows[0]["first"]:
    for one in first["functions"]:
        is_later = tuple(map(int, first["version"].split("."))) > version
        assert (one in functions) != is_later, (sys.argv[2], one, first["version"])
EOF
        count=$((count + 1))
    done
    [ "$count" -gt 0 ] || skip "no CUDA runtime with its release in its name"
}
a_wheel_that_needs_pytorch_has_to_require_it() {
    wheel_of 'c10 = b.library("libc10.so", ("c10_f",))
w = Wheel("pkg").add("pkg/__init__.py", b"").add("pkg/_C.so", b.module("_C", ("c10_f",), (c10,)))
w.write("without")
w.requires = ["torch==2.11.0"]
w.write("with")'
    local wheel=pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
    call hostpin wheel check "without/$wheel"
    exits 1
    contains '^error: requires-missing: ' <"$out"
    contains '^ *fix: Add to the dependencies .*torch' <"$out"
    ! contains 'Pack it' <"$out" || fail "libc10.so is to be packed"
    call hostpin wheel check "with/$wheel"
    exits 0
    contains '^warning: order-dependent: ' <"$out"
    call hostpin wheel repair "with/$wheel" -o repaired
    exits 0
    python3 -m zipfile -l repaired/*.whl >members
    ! contains libc10 <members || fail "libc10.so was packed"
}
long_lines_cost_what_short_ones_do() {
    need_command valgrind
    local line count=()
    for line in 1 262144; do
        wheel_of "import random; text = ''.join(random.Random(1).choices('(x', k=262144)); lines = [text[i:i + $line] for i in range(0, 262144, $line)]
package().add('pkg/load.py', ('CDLL(\n' + '\n'.join(lines)).encode()).write('$line')"
        valgrind -q --tool=callgrind --callgrind-out-file="$PWD/counts" "$prefix/libexec/hostpin/wheel" check "$line"/*.whl >"$out" 2>&1 || fail "$(cat "$out")"
        count+=("$(awk '/^totals:/ { print $2 }' counts)")
    done
    echo "${count[0]} instructions with short lines, ${count[1]} with one of 256 KB"
    [ "${count[1]}" -gt 1000000 ] || fail "callgrind did not count"
    [ "${count[1]}" -le $((2 * count[0])) ] || fail "a long line costs more"
}
rules_are_printed() {
    call hostpin wheel check --rules
    exits 0
    for rule in second-cuda-runtime order-dependent torch-abi missing-function vendored-driver; do contains "^$rule (" <"$out" || fail "no $rule"; done
    ! contains '^driver-runpath ' <"$out" || fail "a rule of leak-check alone"
}
it "a sound wheel is clean, and what it needs is printed" a_sound_wheel_is_clean
it 'wheels are checked and repaired where no thread can be made' without_threads_it_takes_longer
it "text, JSON, SARIF and JUnit have the same finding" reports_agree
it "hostile zips are refused, and nothing is unpacked" hostile_zips_are_refused
it "zip64 is read" zip64_is_read
it "a wheel that needs libraries of PyTorch has to require it, and does not get them" a_wheel_that_needs_pytorch_has_to_require_it
it "a library that the loader refuses is found, and not written" files_that_the_loader_refuses_are_found
it "a damaged library is not scanned, and not clean" a_damaged_library_is_not_clean
it "device code is compared with a list of GPUs" device_code_is_compared
it "names that differ are repaired by the printed command" names_that_differ_are_repaired_by_the_fix
it "code that a missing GPU runs is named" code_that_runs_there_is_named
it "differences of two wheels are listed" differences_are_listed
it "functions have the first version of NVIDIA's wheels that has them" first_versions_are_those_of_runtimes
it "a wheel is checked where /proc is not mounted" without_proc
it "Python code in one long line costs at most twice what it costs in short ones" long_lines_cost_what_short_ones_do
it "the rules are printed" rules_are_printed
finish
