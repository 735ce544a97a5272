#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# samples.sh SAMPLE: runs the blocks of its README, one by one, in a copy of the sample, by a shell that has
# hostpin on PATH. A block of `sh` has to succeed, one of `sh exit=N` to end with N.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
sample=$1
need_hostpin
# The lab's 12.4 is complete; a machine's 13.0 may be the compiler without libnvvm.so, which links intermediate code.
case $sample in
device-lto) need_toolkit 12.4 12 && need_libnvvm ;;
*) need_toolkit 13.0 12 ;;
esac
need_command cmake c++ make
case $sample in
older-host) need_lab bin/g++-11 ;;
leak) need_command patchelf ;;
wheel | wheel-torch | wheel-jax)
    package=${sample#wheel} package=${package#-} # PyTorch or JAX, if the sample is for one
    # the distribution's Python, whose setuptools and headers are packages of it, unless the one on PATH has the package
    if [ -z "$package" ] || ! python3 -c "import $package" 2>/dev/null; then
        mkdir "$work/python" && ln -s /usr/bin/python3 "$work/python/python3" && export PATH=$work/python:$PATH
    fi
    python3 -c 'import setuptools, wheel, pip' 2>/dev/null || skip "no setuptools, wheel and pip for python3"
    [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] || skip "no Python.h"
    ;;
esac
export PATH=$prefix/bin:$PATH CUDAToolkit_ROOT
CUDAToolkit_ROOT=$toolkit
unset PYTHONPATH
readme=$repository/samples/$sample/README.md
cp -r "$repository/samples/$sample" "$work/copy"

# Each fenced block of shell in a separate file: block.N, and block.N.exit with the expected exit code.
awk -v to="$work/block" '
    /^```sh( exit=[0-9]+)?$/ { file = to "." ++n; code = 0; if (split($2, parts, "=") == 2) code = parts[2]; print code > (file ".exit"); next }
    /^```/ { file = ""; next }
    file { print > file }' "$readme"

block_does_what_it_says() { # FILE
    cd "$work/copy"
    need_what_it_runs "$1"
    call bash -eu "$1"
    exits "$(cat "$1.exit")"
}
the_next_one_exists() {
    local next
    while IFS= read -r next; do
        [ -e "$repository/samples/$sample/$next" ] || fail "the README points to $next, which is not there"
    done < <(grep -oE '\]\([^)]*\)' "$readme" | sed -e 's/^](//' -e 's/)$//')
}
# Unlike a program, a library names no loader; ldd uses the system's.
loads() { ldd "$1" | sed -n "s/^[[:space:]]*libstdc++[^ ]* => \([^ ]*\) .*/\1/p" | xargs -r realpath; }
stdenvs() { c++ -print-file-name=libstdc++.so.6 | xargs realpath; }
# Checks what the text around the blocks claims.
older_host_is_older() {
    cd "$work/copy"
    call ./build/who
    exits 0
    grep -qx 'kernel.cu  GCC 11\.[0-9]*' "$out" || { show_call && fail "another compiler compiled kernel.cu"; }
    ! grep -q 'who.cpp    GCC 11' "$out" || fail "the older compiler compiled who.cpp too"
    same "$(loads build/who)" "$(stdenvs)"
}
lto_leaves_one_function() {
    cd "$work/copy"
    hostpin fatbin --json build-lto/CMakeFiles/polynomial.dir >objects.json
    contains -i '"lto' <objects.json || { cat objects.json && fail "the objects of the LTO build hold no intermediate code"; }
    hostpin fatbin --json build-lto/polynomial >program.json
    contains '"cubin"' <program.json || { cat program.json && fail "no machine code in the program"; }
}
every_file_has_the_stdenvs_libstdcxx() {
    cd "$work/copy"
    local file
    for file in there/bin/count there/lib*/lib*.so; do
        same "$(loads "$file")" "$(stdenvs)"
    done
}
both_leaks_were_found() {
    cd "$work/copy"
    call hostpin leak-check --json --binding toolchain --build-dir build there # its run path is fixed by now, the text is not
    exits 1
    ! contains '"cuda-stub-runpath"' <"$out" || fail "the stubs are still in the run path"
    contains 'devices.pc' <"$out" || fail "--fix changed devices.pc"
    cmake --install build --prefix again >log
    call hostpin leak-check --json --binding toolchain --build-dir build again
    exits 1
    contains '"cuda-stub-runpath"' <"$out" || fail "the stubs in the run path are not found"
    contains 'devices.pc' <"$out" || fail "the build directory in devices.pc is not found"
}
the_wheel_loads_the_stdenvs_libstdcxx() {
    cd "$work/copy"
    same "$(loads site/scale*.so)" "$(stdenvs)"
}

# NVIDIA's wheel is imitated: the toolkit's runtime, in the directory of that wheel.
the_repaired_wheel_shares_the_runtime() {
    cd "$work/copy"
    local runtime directory=nvidia/cu13/lib
    runtime=$(basename "$(echo "$toolkit"/lib64/libcudart.so.1[0-9])")
    [ "$runtime" != libcudart.so.12 ] || directory=nvidia/cuda_runtime/lib
    mkdir -p "shared/$directory"
    cp "$toolkit/lib64/$runtime" "shared/$directory/"
    python3 -m zipfile -e repaired/*.whl shared
    call env -u LD_LIBRARY_PATH PYTHONPATH=shared python3 -c '
import scale
assert scale.scale([1.0, 2.5], 2.0) == [2.0, 5.0]
print({line.split()[-1] for line in open("/proc/self/maps") if "libcudart" in line})'
    exits 0
    contains -F "{'$PWD/shared/$directory/$runtime'}" <"$out" || { show_call && fail "another runtime is loaded"; }
}
the_missing_package_is_named() { # TEXT
    cd "$work/copy"
    hostpin bind --view toolkit
    call env CUDA_HOME="$PWD/toolkit" python3 -m pip wheel . --no-build-isolation --no-deps --wheel-dir built
    [ "$status" != 0 ] || fail "it was built without it"
    cat "$out" "$err" | contains "this sample needs $1" || { show_call && fail "it does not say what is missing"; }
}
# A new Python environment, with the packages of the one on PATH: the wheel is installed next to NVIDIA's, where its run
# path leads.
python_with_jax() {
    local site own
    site=$(python3 -c 'import os, jax; print(os.path.dirname(os.path.dirname(jax.__file__)))')
    [ -e "$site"/nvidia/cu13/lib/libcudart.so.13 ] || skip "no nvidia-cuda-runtime next to JAX"
    [ -e "$toolkit"/lib64/libcudart.so.13 ] || skip "the toolkit is not of CUDA 13, as the wheels next to JAX are"
    python3 -m venv --without-pip "$work/venv"
    own=$(echo "$work"/venv/lib/python3*/site-packages)
    echo "$site" >"$own/others.pth"
    ln -s "$site/nvidia" "$own/nvidia"
    export PATH=$work/venv/bin:$PATH
}
the_wheel_was_installed_and_ran() {
    cd "$work/copy"
    call env -u LD_LIBRARY_PATH python3 try.py
    exits 0
    contains '^threshold: right for 6 sizes' <"$out"
    local runtime
    runtime=$(realpath "$work"/venv/lib/python3*/site-packages/nvidia/cu13/lib/libcudart.so.13)
    contains -Fx "CUDA runtimes in this process: $runtime" <"$out" || { show_call && fail "another runtime is loaded"; }
    call unzip -p dist/*.whl '*/METADATA'
    contains -x 'Requires-Dist: nvidia-cuda-runtime>=13[.0-9]*,<14' <"$out" ||
        { show_call && fail "NVIDIA's wheel is not required"; }
}

[ -e "$work/block.1" ] || { echo "FAIL: $readme tells nobody to run anything" && exit 1; }
if [ -n "${package-}" ] && ! python3 -c "import $package" 2>/dev/null; then
    case $package in torch) needs='PyTorch with CUDA' ;; jax) needs='JAX 0.5 or newer' ;; esac
    it "$sample: what is missing is named (its blocks are not run: python3 has no $package)" \
        the_missing_package_is_named "$needs"
    rm "$work"/block.*
elif [ "$sample" = wheel-jax ]; then
    need_command unzip
    python_with_jax
fi
for ((i = 1; ; ++i)); do
    [ -e "$work/block.$i" ] || break
    it "$sample: $(tail -n 1 "$work/block.$i")" block_does_what_it_says "$work/block.$i"
done
case $sample in
older-host) it "$sample: the older compiler compiled one half only, and the newer's libstdc++ is loaded" older_host_is_older ;;
device-lto) it "$sample: the objects hold intermediate code, the program machine code" lto_leaves_one_function ;;
shared-libraries) it "$sample: each file loads the stdenv's libstdc++" every_file_has_the_stdenvs_libstdcxx ;;
leak) it "$sample: a fresh install has both leaks, the fixed one only that in a text" both_leaks_were_found ;;
wheel)
    it "$sample: the extension loads the stdenv's libstdc++" the_wheel_loads_the_stdenvs_libstdcxx
    it "$sample: the repaired wheel loads the runtime of NVIDIA's wheel" the_repaired_wheel_shares_the_runtime
    ;;
wheel-jax)
    [ ! -e "$work/block.1" ] ||
        it "$sample: the installed wheel computes with the runtime of NVIDIA's wheel" the_wheel_was_installed_and_ran
    ;;
esac
it "$sample: what the README links to exists" the_next_one_exists
finish
