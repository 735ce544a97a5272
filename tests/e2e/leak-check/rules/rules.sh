#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rules that need no binding, each on a tree of real tools with the leak, and on a similar one without.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$here/../lib.sh"
need_hostpin
if [ $# -gt 0 ]; then only=$1; fi

# program NAME LINKER-WORD...: tree/bin/NAME, which needs nothing of the tree.
program() {
    g++ main.cpp f.cpp -o "tree/bin/$1" "${@:2}"
}

names() {
    need_command patchelf
    tree
    echo 'V_1 { global: *; };' >one.map
    g++ -shared -fPIC f.cpp -o tree/lib/libf.so -Wl,-soname,libf.so.1,--version-script=one.map
    # shellcheck disable=SC2016
    g++ main.cpp tree/lib/libf.so -o tree/bin/main -Wl,-rpath,'$ORIGIN/../lib'
    cp tree/bin/main tree/bin/removed
    cp tree/lib/libf.so tree/lib/libg.so.1
    patchelf --set-soname libg.so.1 tree/lib/libg.so.1
    cp tree/bin/main tree/bin/renamed
    patchelf --remove-needed libf.so.1 tree/bin/removed
    patchelf --replace-needed libf.so.1 libg.so.1 tree/bin/renamed
    check --json tree
    exits 1
    graded needed-and-version-names-differ bin/removed error
    ungraded needed-and-version-names-differ bin/renamed
    ungraded needed-and-version-names-differ bin/main
    tree/bin/renamed
    if tree/bin/removed 2>/dev/null; then fail "the loader does not mind"; fi
}
stubs() {
    tree
    mkdir -p cuda/lib64/stubs cuda-bad/lib64/stubs
    echo 'extern "C" int cuInit(unsigned) { return 34; }' >stub.cpp
    g++ -shared -fPIC stub.cpp -o cuda/lib64/stubs/libcuda.so -Wl,-soname,libcuda.so.1
    cp cuda/lib64/stubs/libcuda.so cuda-bad/lib64/stubs/libcuda.so
    ln -s libcuda.so cuda-bad/lib64/stubs/libcuda.so.1
    echo 'extern "C" int cuInit(unsigned); int main() { return cuInit(0); }' >main.cpp
    local opens='#include <dlfcn.h>
int main() { return dlopen("libcuda.so", RTLD_NOW) == nullptr; }'
    echo "$opens" >opens.cpp
    g++ main.cpp -o tree/bin/linked -Lcuda/lib64/stubs -lcuda
    g++ main.cpp -o tree/bin/latent -Lcuda/lib64/stubs -lcuda -Wl,-rpath,"$PWD/cuda/lib64/stubs"
    g++ main.cpp -o tree/bin/bites -Lcuda/lib64/stubs -lcuda -Wl,-rpath,"$PWD/cuda-bad/lib64/stubs"
    g++ opens.cpp -o tree/bin/opens -Wl,-rpath,"$PWD/cuda/lib64/stubs"
    check --json tree
    exits 1
    ungraded cuda-stub-runpath bin/linked
    graded cuda-stub-runpath bin/latent warning
    graded cuda-stub-runpath bin/bites error
    graded cuda-stub-runpath bin/opens error
    same "$(tree/bin/bites; echo $?)" 34
}
driver() {
    tree
    mkdir -p tree/lib/stubs tree/compat
    g++ -shared -fPIC f.cpp -o tree/lib/libcuda.so.1 -Wl,-soname,libcuda.so.1
    cp tree/lib/libcuda.so.1 tree/lib/libnvidia-ml.so.1
    cp tree/lib/libcuda.so.1 tree/lib/stubs/libcuda.so
    cp tree/lib/libcuda.so.1 tree/compat/libcuda.so.1
    cp tree/lib/libcuda.so.1 tree/lib/libcudart.so.12
    check --json tree
    exits 1
    graded vendored-driver lib/libcuda.so.1 error
    graded vendored-driver lib/libnvidia-ml.so.1 error
    ungraded vendored-driver lib/stubs/libcuda.so
    ungraded vendored-driver lib/libcudart.so.12
    check --json tree/compat/libcuda.so.1 tree/lib/stubs
    exits 0
    check --json --vendor tree tree
    graded vendored-driver lib/libcuda.so.1 warning
}
stacks() {
    tree
    # What embeds a file, such as PTX, without a note for the stack.
    (cd tree && echo text >kernel.ptx && ld -r -b binary kernel.ptx -o kernel.o && rm kernel.ptx)
    g++ -shared -fPIC f.cpp tree/kernel.o -o tree/lib/libembeds.so
    g++ -shared -fPIC f.cpp tree/kernel.o -o tree/lib/libclean.so -Wl,-z,noexecstack
    rm tree/kernel.o
    check --json tree
    exits 0
    graded executable-stack lib/libembeds.so warning
    ungraded executable-stack lib/libclean.so
}
functions() {
    tree
    mkdir new
    echo 'extern "C" { int cudaMalloc() { return 0; } int cudaNew() { return 0; } }' >new.cpp
    echo 'extern "C" int cudaMalloc() { return 0; }' >old.cpp
    echo 'extern "C" { int cudaMalloc(); int cudaNew(); } int main() { return cudaMalloc() + cudaNew(); }' >main.cpp
    echo 'extern "C" int cudaNew(); extern "C" int call() { return cudaNew(); }' >module.cpp
    echo '#include <dlfcn.h>
int main(int, char** all) { return dlopen(all[1], RTLD_NOW) == nullptr; }' >opens.cpp
    g++ opens.cpp -o opens
    g++ -shared -fPIC new.cpp -o new/libcudart.so.13 -Wl,-soname,libcudart.so.13
    # shellcheck disable=SC2016
    local origin='-Wl,-rpath,$ORIGIN/../lib'
    g++ main.cpp new/libcudart.so.13 -o tree/bin/calls "$origin"
    g++ -shared -fPIC module.cpp new/libcudart.so.13 -o tree/lib/libmodule.so "$origin"
    g++ -shared -fPIC old.cpp -o tree/lib/libcudart.so.13 -Wl,-soname,libcudart.so.13
    check --json tree
    exits 1
    graded missing-function bin/calls error
    graded missing-function lib/libmodule.so error
    ungraded missing-function bin/main
    if LD_BIND_NOW=1 tree/bin/calls 2>/dev/null; then fail "the loader does not mind"; fi
    if ./opens "$PWD/tree/lib/libmodule.so"; then fail "dlopen does not mind"; fi
    cp new/libcudart.so.13 tree/lib
    check --json tree
    exits 0
    ungraded missing-function bin/calls
    ungraded missing-function lib/libmodule.so
    LD_BIND_NOW=1 tree/bin/calls
    ./opens "$PWD/tree/lib/libmodule.so"
}
compat() {
    tree
    program behind "-Wl,-rpath,/run/opengl-driver/lib:$PWD/cuda_compat/compat"
    program before "-Wl,-rpath,$PWD/cuda_compat/compat:/run/opengl-driver/lib"
    program alone "-Wl,-rpath,/run/opengl-driver/lib"
    check --json tree
    exits 1
    graded cuda-compat-order bin/behind error
    ungraded cuda-compat-order bin/before
    ungraded cuda-compat-order bin/alone
}
driver_directory() {
    tree
    mkdir driver
    cat >opens.cpp <<'CXX'
#include <dlfcn.h>
int main() { return dlopen("libcuda.so.1", RTLD_NOW) == nullptr; }
CXX
    g++ opens.cpp -o tree/bin/without
    g++ opens.cpp -o tree/bin/with -Wl,-rpath,"$PWD/driver"
    check --json --driver-dir "$PWD/driver" tree
    exits 0
    graded driver-runpath bin/without warning
    ungraded driver-runpath bin/with
    ungraded driver-runpath bin/main
    check --json tree
    ungraded driver-runpath bin/without
}
store() {
    mkdir -p store/0-x/lib/pkgconfig store/0-y/lib && cd store/0-x
    tree
    cd ../..
    local x=$PWD/store/0-x
    (cd "$x" && g++ main.cpp f.cpp -o tree/bin/host -Wl,-rpath,/usr/lib/x86_64-linux-gnu &&
        g++ main.cpp f.cpp -o tree/bin/own "-Wl,-rpath,$x/../0-y/lib")
    echo 'Libs: -L/usr/lib/somewhere -lz' >"$x/lib/pkgconfig/host.pc"
    echo "Libs: -L${x%/*}/0-y/lib -lz" >"$x/lib/pkgconfig/own.pc"
    ln -s /usr/bin/env "$x/tree/bin/env"
    ln -s ../lib/libf.so "$x/tree/bin/link"
    check --json --store "$PWD/store" "$x"
    exits 1
    graded host-path-from-store tree/bin/host error
    graded host-path-from-store lib/pkgconfig/host.pc error
    graded host-path-from-store tree/bin/env error
    ungraded host-path-from-store tree/bin/own
    ungraded host-path-from-store lib/pkgconfig/own.pc
    ungraded host-path-from-store tree/bin/link
    check --json "$x"
    ungraded host-path-from-store tree/bin/host
}
file_names() {
    tree
    program names "-Wl,-rpath,$PWD/tree/lib/libf.so.1"
    program gone "-Wl,-rpath,$PWD/absent/libf.so.1"
    program near "-Wl,-rpath,$PWD/tree/lib"
    check --json tree
    exits 1
    graded runpath-not-a-directory bin/names error
    graded runpath-not-a-directory bin/gone error
    ungraded runpath-not-a-directory bin/near
    ungraded dangling-runpath bin/near
}
dangling() {
    tree
    program absent "-Wl,-rpath,$PWD/absent"
    program relative "-Wl,-rpath,lib"
    # shellcheck disable=SC2016
    program origin '-Wl,-rpath,$ORIGIN/../plugins'
    check --json tree
    exits 0
    graded dangling-runpath bin/absent warning
    graded dangling-runpath bin/relative warning
    graded dangling-runpath bin/origin note
    mkdir absent
    check --json tree
    ungraded dangling-runpath bin/absent
    ungraded dangling-runpath bin/main
}

it "NEEDED and version names that differ are found, and a rename of both passes" names
it "the severity of the toolkit's stubs in a run path depends on whether something loads them" stubs
it "a library of the driver in a tree is found, and a stub or a runtime passes" driver
it "a library that requests an executable stack is found, and one without passes" stacks
it "a function of CUDA that the loaded library lacks is found, as the loader does, and one that it has passes" functions
it "cuda_compat after the driver is found, and before it passes" compat
it "a program that opens the driver without a run path to its directory is found" driver_directory
it "a path of the system in a store is found, and one of the store passes" store
it "a file in place of a directory is found, and the directory passes" file_names
it "a run path to a missing directory is found, and passes once it exists" dangling
finish
