#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# variants.sh: `hostpin wheel split` and `select` on a wheel whose module nvcc built. 20 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command python3 unzip
need_toolkit
export PYTHONDONTWRITEBYTECODE=1 # nothing is written next to the sources
export PATH=$prefix/bin:$PATH PYTHONPATH=$repository/tests/e2e/wheel
wheel=pkg-1.0-py3-none-manylinux_2_28_x86_64
cuobjdump=$toolkit/bin/cuobjdump

# Two modules: each kernel of `all` for three GPUs and PTX, one kernel of `some` for 8.6 alone.
build_modules() {
    local all='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86 -gencode arch=compute_90,code=sm_90'
    [ ! -e "$work/all.so" ] || return 0
    echo '__global__ void scale(float* x) { *x *= 2; }' >"$work/all.cu"
    echo '__global__ void shift(float* x) { *x += 1; }' >"$work/some.cu"
    # shellcheck disable=SC2086 # options
    "$our_nvcc" --shared -Xcompiler -fPIC $all -gencode arch=compute_90,code=compute_90 -cudart none "$work/all.cu" -o "$work/all.so" >"$work/log" 2>&1 ||
        skip "nvcc does not link: $(tail -n 1 "$work/log")"
    "$our_nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86 -cudart none "$work/some.cu" -o "$work/some.so" >"$work/log" 2>&1
}
# make_wheel [MODULE...]: $wheel.whl, with these modules and a file that stays
make_wheel() {
    build_modules
    python3 - "$work" "$@" <<'EOF'
import sys
from shapes import Wheel
w = Wheel("pkg").add("pkg/__init__.py", b"x = 1\n" * 1000)
for module in sys.argv[2:] or ["all"]:
    w.add("pkg/_%s.so" % module, sys.argv[1] + "/%s.so" % module)
w.write(".")
EOF
}
need_cuobjdump() { [ -x "$cuobjdump" ] || skip "no cuobjdump in $toolkit (NVIDIA's packages and ./bootstrap lab have it)"; }
code_in() { # WHEEL MEMBER: what cuobjdump lists
    unzip -qp "$1" "$2" >member.so
    { "$cuobjdump" -lelf -lptx member.so 2>/dev/null || :; } | sed -n 's/.*\.\(sm_[0-9a-z]*\)\.\(cubin\|ptx\)/\1 \2/p' | sort -u | tr '\n' ','
}

each_gpu_gets_its_code() {
    need_cuobjdump
    make_wheel
    call hostpin wheel split "$wheel.whl" --gpus '8.0;8.6;9.0' -o dist
    exits 0
    local label
    for label in sm_80 sm_86 sm_90; do
        same "$(code_in "dist/$wheel-$label.whl" pkg/_all.so)" "$label cubin,"
    done
    same "$(code_in "dist/$wheel-null.whl" pkg/_all.so)" 'sm_80 cubin,sm_86 cubin,sm_90 cubin,sm_90 ptx,'
    unzip -qp "dist/$wheel-null.whl" pkg/_all.so | cmp - "$work/all.so"
    for label in sm_80 sm_86 sm_90 null; do
        unzip -tq "dist/$wheel-$label.whl" >log || fail "$(<log)"
        hostpin wheel check "dist/$wheel-$label.whl" --fail-on warning >log || fail "$(<log)"
    done
    hostpin wheel check "dist/$wheel-sm_90.whl" --expect 9.0 >log || fail "$(<log)"
    python3 - dist "$wheel" <<'EOF'
import json, sys, zipfile
directory, wheel = sys.argv[1:]
described = json.load(open(directory + "/pkg-1.0-variants.json"))
assert sorted(described["variants"]) == ["null", "sm_80", "sm_86", "sm_90"], described
assert described["variants"]["null"] == {}
assert described["variants"]["sm_86"]["nvidia"]["sm_arch"] == ["86_real"]
for label, properties in described["variants"].items():
    inside = json.loads(zipfile.ZipFile("%s/%s-%s.whl" % (directory, wheel, label)).read("pkg-1.0.dist-info/variant.json"))
    assert inside["variants"] == {label: properties}, inside
    assert inside["default-priorities"] == described["default-priorities"]
EOF
}
twice_is_the_same() {
    make_wheel
    hostpin wheel split "$wheel.whl" --gpus '8.0;9.0' -o one >log
    TZ=Asia/Tokyo hostpin wheel split "$wheel.whl" --gpus '9.0,8.0' -o two >log
    diff -r one two || fail 'two runs differ'
    # again into the same directory: the file that describes them is merged
    hostpin wheel split "$wheel.whl" --gpus '8.6' -o two >log
    python3 -c 'import json; assert sorted(json.load(open("two/pkg-1.0-variants.json"))["variants"]) == ["null", "sm_80", "sm_86", "sm_90"]'
    sed -i 's/80_real/89_real/' two/pkg-1.0-variants.json
    rm two/*.whl
    call hostpin wheel split "$wheel.whl" --gpus '8.0' -o two
    exits 2
    says 'its variant sm_80 has other properties'
    [ -z "$(find two -name '*.whl')" ] || fail 'something was written'
}
nothing_is_lost() {
    make_wheel all some
    # some.so has nothing for 9.0, in the wheel as in the variant
    hostpin wheel split "$wheel.whl" --gpus '8.0;8.6;9.0' -o dist >log
    call hostpin wheel select dist --gpu 9.0 --driver 13.0 --python 3.12
    exits 1
    contains -F "$wheel-sm_90.whl" <"$out"
    contains -E '^missing: fatbin 0 of pkg/_some.so: it is empty' <"$out"
    # an installer would give the variant for 8.0 to 8.6: nothing is lost there, as code for 8.0 runs
    hostpin wheel split "$wheel.whl" --gpus '8.0' -o lower >log
    # machine code for 8.6 alone, which 8.9 gets too and 8.0 does not
    "$our_nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_86,code=sm_86 -cudart none "$work/some.cu" -o "$work/newer.so" >log 2>&1
    make_wheel all newer
    call hostpin wheel split "$wheel.whl" --gpus '8.0;9.0' -o wrong
    exits 2
    says 'give the variant sm_80 to a GPU of 8\.6, for which the wheel has code in pkg/_newer\.so' '^hint: name 8\.6'
    [ -z "$(find wrong -type f)" ] || fail 'something was written'
    call hostpin wheel split "$wheel.whl" --gpus '7.5' -o wrong
    exits 2
    says 'no code that runs on 7\.5'
    call hostpin wheel split "$wheel.whl" --gpus '9.0+ptx' -o wrong
    exits 2
    call hostpin wheel split "lower/$wheel-null.whl" --gpus '8.0' -o wrong
    exits 2
    says 'is the variant null already'
}
# Every GPU gets what the draft's own algorithm, written down once more in Python, selects.
selection_is_that_of_the_draft() {
    make_wheel
    hostpin wheel split "$wheel.whl" --gpus '8.0;8.6;9.0' -o dist >log
    cp "$wheel.whl" dist/
    python3 - dist <<'EOF'
import itertools, json, subprocess, sys
described = json.load(open(sys.argv[1] + "/pkg-1.0-variants.json"))
def machine(gpu, cuda):  # as NVIDIA's provider has it
    major, minor = gpu
    lower = [v for m in range(cuda[0], 10, -1) for v in ["%d.%d" % (m, n) for n in range(cuda[1] if m == cuda[0] else 20, -1, -1)] + [str(m)]]
    return {"nvidia": {"cuda_version_lower_bound": lower, "sm_arch": ["%d%d_real" % (major, n) for n in range(minor, -1, -1)] + ["%d0_virtual" % major]}}
def best(compatible):
    fits = []
    for label, properties in described["variants"].items():
        if all(set(values) & set(compatible.get(space, {}).get(feature, [])) for space, features in properties.items() for feature, values in features.items()):
            key = []
            for space, features in properties.items():
                order = described["default-priorities"]["feature"].get(space, [])
                order = order + [name for name in compatible[space] if name not in order]
                for feature, values in features.items():
                    key.append((described["default-priorities"]["namespace"].index(space), order.index(feature),
                                min(compatible[space][feature].index(v) for v in values if v in compatible[space][feature])))
            fits.append((sorted(key) + [(9, 9, 9)], label))
    return min(fits)[1]
count = 0
for gpu, (driver, cuda) in itertools.product([(7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (12, 0), (12, 1)], [("470.42", (11, 4)), ("525.60.13", (12, 0)), ("580.65", (13, 0))]):
    run = subprocess.run(["hostpin", "wheel", "select", sys.argv[1], "--gpu", "%d.%d" % gpu, "--driver", driver, "--python", "3.12",
                          "--platform", "manylinux_2_36_x86_64", "--json"], capture_output=True, text=True)
    answer = json.loads(run.stdout)
    assert answer["variant"] == best(machine(gpu, cuda)), (gpu, driver, answer)
    assert run.returncode == (1 if answer["missing"] else 0), (gpu, run)
    if gpu == (7, 5): assert answer["missing"], answer
    if (8, 0) <= gpu <= (9, 0) and gpu != (8, 7): assert not answer["missing"], answer
    count += 1
assert count == 27
EOF
    # without variants, and without a GPU
    call hostpin wheel select dist --python 3.12 --platform manylinux_2_36_x86_64
    exits 0
    contains -F "$wheel-null.whl" <"$out"
    rm dist/pkg-1.0-variants.json
    call hostpin wheel select dist --gpu 9.0 --driver 13.0 --python 3.12 --platform manylinux_2_36_x86_64
    exits 0
    contains -x -F "$wheel.whl" <"$out"
    contains 'variants.json cannot be read' <"$out"
    call hostpin wheel select dist --python 3.12 --platform manylinux_2_17_x86_64
    exits 1
    contains 'no wheel is compatible' <"$out"
    call hostpin wheel select dist --python 3.12 --gpu 9.0
    exits 2
}
requires_python_is_honoured() {
    python3 - <<'EOF'
import zipfile
for build, metadata in (("2", "Requires-Python: >=3.13\n"), ("1", "Requires-Python: >=3.9,!=3.10.*\n"), ("0", "")):
    with zipfile.ZipFile("pkg-1.0-%s-py3-none-any.whl" % build, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n" + metadata)
EOF
    local python
    for python in 3.12:1 3.13:2 3.13.1:2 3.10.4:0 3.8:0; do
        call hostpin wheel select . --python "${python%:*}"
        exits 0
        contains -x "pkg-1.0-${python#*:}-py3-none-any.whl" <"$out" || { show_call && fail "Python ${python%:*} gets another wheel"; }
    done
    contains -F 'it requires Python >=3.13, and this one is 3.8' <"$out"
}
older_drivers_lack_code() {
    build_modules
    "$our_nvcc" --shared -Xcompiler -fPIC -no-compress -gencode arch=compute_80,code=compute_80 -cudart none "$work/all.cu" -o "$work/ptx.so" >log 2>&1
    make_wheel ptx
    call hostpin wheel select . --gpu 8.0 --driver 13.0 --python 3.12
    exits 0
    call hostpin wheel select . --gpu 8.0 --driver 384.81 --python 3.12
    exits 1
    contains 'its PTX is newer than the driver' <"$out"
    # PTX alone has its own property
    hostpin wheel split "$wheel.whl" --gpus 8.0 -o dist >log
    contains 'nvidia :: sm_arch :: 80_virtual' <log
}
false_claims_are_found() {
    make_wheel
    hostpin wheel split "$wheel.whl" --gpus '8.0;9.0' -o dist >log
    python3 - "dist/$wheel-sm_80.whl" "$wheel-sm_90.whl" <<'EOF'
import base64, hashlib, sys, zipfile
rows = []
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
    for info in old.infolist():
        content = old.read(info)
        if info.filename.endswith("variant.json"):
            content = content.replace(b"sm_80", b"sm_90").replace(b"80_real", b"90_real")
        if info.filename.endswith("RECORD"):
            content = ("".join(rows) + info.filename + ",,\n").encode()
        rows.append("%s,sha256=%s,%d\n" % (info.filename, base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode(), len(content)))
        new.writestr(info, content)
EOF
    call hostpin wheel check "$wheel-sm_90.whl"
    exits 1
    contains '^error: variant-claims-other-code: 90_real' <"$out"
    contains -E 'claims machine code for 9\.0, and holds none' <"$out"
    cp "dist/$wheel-sm_80.whl" "$wheel-other.whl"
    call hostpin wheel check "$wheel-other.whl"
    exits 1
    contains 'does not describe this label' <"$out"
}
nvidias_files_stay() {
    need_cuobjdump
    build_modules
    "$our_nvcc" --shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -cudart none -Xlinker -soname,libcublas.so.13 \
        "$work/all.cu" -o "$work/cublas.so" >log 2>&1
    make_wheel all cublas
    call hostpin wheel split "$wheel.whl" --gpus '8.0' -o dist
    exits 0
    contains "^note: pkg/_cublas.so is the same in all of them: it is NVIDIA's libcublas.so.13" <"$out"
    same "$(code_in "dist/$wheel-sm_80.whl" pkg/_cublas.so)" 'sm_80 cubin,sm_90 cubin,'
    hostpin wheel split "$wheel.whl" --gpus '8.0' -o changed --licensed-to-modify >log
    same "$(code_in "changed/$wheel-sm_80.whl" pkg/_cublas.so)" 'sm_80 cubin,'
    make_wheel cublas
    call hostpin wheel split "$wheel.whl" --gpus '8.0' -o none
    exits 2
    says 'no device code that could be split'
}
full_disks_leave_nothing() {
    need_mounts
    make_wheel
    mkdir full
    # shellcheck disable=SC2016 # the inner shell
    call unshare -m bash -c 'mount -t tmpfs -o size=8k none full && hostpin wheel split '"$wheel.whl"' --gpus "8.0;9.0" -o full; code=$?; find full -type f; exit $code'
    exits 2
    prints_nothing
    says 'No space left on device'
}

it 'each variant has the code of its GPU, and passes check' each_gpu_gets_its_code
it 'the bytes are the same twice, and variants of one version are described together' twice_is_the_same
it 'what a GPU would lose is refused, and nothing is written' nothing_is_lost
it 'select takes what the algorithm of the draft takes' selection_is_that_of_the_draft
it 'select honours Requires-Python' requires_python_is_honoured
it 'code that the driver cannot read is missing' older_drivers_lack_code
it 'check finds properties that the code does not have' false_claims_are_found
it "NVIDIA's files are left as they are unless that is permitted" nvidias_files_stay
it 'a full disk leaves no file' full_disks_leave_nothing
finish
