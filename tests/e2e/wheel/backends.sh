#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Build backends with a bound toolchain, as docs/wheel-builds.md says: an sdist of the sample's source, the wheel of that sdist, repaired by the
# command line that cibuildwheel makes of its configuration, installed by pip and imported.
#   backends.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_command git ninja python3
need_lab bin
[ -d "$lab/backends/1" ] || skip "no build backends in the lab (./bootstrap lab installs them where the Python Package Index is reached)"
need_split 12.4 12 15 # Debian's Python.h includes a header that only the machine's own compilers find
include=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
[ -e "$include/Python.h" ] || skip "no Python.h (./bootstrap test installs python3-dev)"
export PATH=$prefix/bin:$lab/backends/1/bin:$PATH PYTHONPATH=$lab/backends/1 PYTHONDONTWRITEBYTECODE=1 CXX=$stdenv
bound=$work/bound
"$hostpin" bind "$bound" --toolkit "$toolkit" --stdenv "$stdenv" --host "$host" >/dev/null

# project BACKEND REQUIREMENT: in source/, with scale.cu of the sample
project() {
    mkdir source
    cp "$repository/samples/wheel/scale.cu" source/
    printf '[build-system]\nrequires = ["%s"]\nbuild-backend = "%s"\n' "$2" "$1" >source/pyproject.toml
    printf '[project]\nname = "scale"\nversion = "1.0"\n' >>source/pyproject.toml
}
# wheel_of_sdist [OPTION...]: built/ has the sdist, and the wheel that is made of it.
wheel_of_sdist() {
    call python3 -m build --no-isolation --outdir built "$@" source
    exits 0
    ls built/scale-1.0.tar.gz
}
# repaired_as_by_cibuildwheel: to repaired/, by the line of docs/wheel-repair.md, as cibuildwheel reads and expands it.
repaired_as_by_cibuildwheel() {
    local line
    eval "$(grep -h '^export CIBW_REPAIR_WHEEL_COMMAND_LINUX=' "$repository/docs/wheel-repair.md")"
    mkdir repaired
    line=$(python3 - "$PWD/source" "$(realpath built/*.whl)" "$PWD/repaired" <<'EOF'
import os, pathlib, sys
from cibuildwheel.options import CommandLineArguments, Options
from cibuildwheel.util.helpers import prepare_command

source, wheel, to = (pathlib.Path(each) for each in sys.argv[1:])
arguments = CommandLineArguments.defaults()
arguments.package_dir = source
options = Options(platform="linux", command_line_arguments=arguments, env=dict(os.environ))
identifier = f"cp{sys.version_info[0]}{sys.version_info[1]}-manylinux_x86_64"
print(prepare_command(options.build_options(identifier).repair_command, wheel=wheel, dest_dir=to, package=source, project=source))
EOF
)
    [[ $line == 'hostpin wheel repair -w '* ]] || fail "cibuildwheel runs another command: $line"
    call sh -c "$line"
    exits 0
}
# is_good: the built wheel loads the stdenv's library; the repaired one, the only file in repaired/, no directory of this machine. pip, which knows
# the machine's tags, installs it, and it is imported.
is_good() {
    python3 -m zipfile -e built/*.whl built
    made_by_host built/scale*.so
    stdenv_program "$stdenv"
    same "$(ldd built/scale*.so | sed -n 's/^[[:space:]]*libstdc++[^ ]* => \([^ ]*\) .*/\1/p' | xargs realpath)" "$(loaded plain libstdc++)"
    same "$(basename repaired/* | sed -nE 's/^scale-1\.0-cp.*-manylinux_2_[0-9]+_x86_64\.whl$/tagged/p')" tagged
    call python3 -m pip install --quiet --no-deps --no-index --target site repaired/*.whl
    exits 0
    same "$(runpath site/scale*.so)" ''
    call env PYTHONPATH="$PWD/site" python3 -c 'import scale; assert scale.scale([1.0, 2.5], 2.0) == [2.0, 5.0]'
    exits 0
    call hostpin wheel check repaired/*.whl
    exits 0
}
# made_by_host FILE: by no other compiler but that and the stdenv's start files.
made_by_host() { producers "$1" | contains -E "^GCC: \([^)]*\) $older\." || fail "$1 was made by $(producers "$1"), not by GCC $older"; }

by_setuptools() {
    project setuptools.build_meta setuptools
    cp "$repository/samples/wheel/setup.py" source/
    sed -i '/name=\|version=/d' source/setup.py # of pyproject.toml
    NVCC=$bound/nvcc wheel_of_sdist
    repaired_as_by_cibuildwheel
    is_good
}
by_scikit_build_core() {
    need_command cmake
    project scikit_build_core.build scikit-build-core
    cat >source/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(scale LANGUAGES CXX CUDA)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(CUDAToolkit REQUIRED)
Python_add_library(scale MODULE WITH_SOABI scale.cu)
set_target_properties(scale PROPERTIES CUDA_STANDARD 17 CUDA_ARCHITECTURES 75)
install(TARGETS scale DESTINATION .)
CMAKE
    export CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$bound/toolchain.cmake"
    wheel_of_sdist
    repaired_as_by_cibuildwheel
    is_good
}
by_meson_python() {
    project mesonpy meson-python
    cat >source/meson.build <<'MESON'
project('scale', 'cuda', version: '1.0', default_options: ['cuda_std=c++17'])
python = import('python').find_installation(pure: false)
python.extension_module('scale', 'scale.cu', cuda_args: ['-gencode=arch=compute_75,code=sm_75'], install: true)
MESON
    (cd source && git init -q . && git add . && git -c user.name=x -c user.email=x@example.org commit -qm x) # meson makes an sdist of what is committed
    printf "[binaries]\ncuda = '%s'\n" "$bound/nvcc" >native.ini
    wheel_of_sdist "--config-setting=setup-args=--native-file=$PWD/native.ini"
    repaired_as_by_cibuildwheel
    is_good
}

seldom 'setuptools builds the sample, from the sdist to the import' by_setuptools # samples/wheel stands for it
it 'scikit-build-core builds it, by the toolchain file' by_scikit_build_core
it 'meson-python builds it, by a native file' by_meson_python
finish
