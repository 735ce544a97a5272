# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2016 # from side_by_side.sh; $ORIGIN is the loader's
# The leaks and their clean twins. Each make_NAME runs twice, in an empty directory of its own: with `leak`, where $path
# is the unwanted directory (of the GCC that nvcc uses), and with `twin`, where $path is the stdenv's own one.

# Once, what many link.
shared_parts() {
    echo 'int main(void) { return 0; }' >"$parts/main.c"
    echo 'int f(void) { return 0; }' >"$parts/f.c"
    echo 'int f(void); int main(void) { return f(); }' >"$parts/calls.c"
    gcc -c "$parts/main.c" -o "$parts/main.o"
    gcc -c "$parts/calls.c" -o "$parts/calls.o"
    gcc -c -fPIC "$parts/f.c" -o "$parts/f.o"
}
program() { mkdir -p bin && gcc "$parts/main.o" -o bin/p "$@"; } # LINKER-WORD...
library() { mkdir -p lib && gcc -shared "$parts/f.o" -o "lib/$1" -Wl,-soname,"$1" "${@:2}"; }
runpath=-Wl,--enable-new-dtags,-rpath,
at() { if [ "$1" = leak ]; then echo "$2"; else echo "$3"; fi; } # leak|twin: which of two words

# ---------------------------------------------------------------------------------------------- what the loader reads

make_runpath() { program "$runpath$path"; }
make_rpath_spelt() { program "-Wl,--disable-new-dtags,-rpath,$(at "$1" "$near/../11/" "$far/../12/")"; }
make_linked_runpath() { ln -s "$path" "$parts/gcc-$1" && program "$runpath$parts/gcc-$1"; }
make_interpreter() { program "-Wl,--dynamic-linker=$path/ld-linux-x86-64.so.2"; }
make_needed_path() { program && patchelf --add-needed "$path/libasan.so" bin/p; }
make_wrong_libstdcxx() {
    mkdir -p bin lib
    cp "$(at "$1" "$old_libstdcxx" "$new_libstdcxx")" lib/libstdc++.so.6
    if [ "$1" = leak ]; then patchelf --remove-rpath lib/libstdc++.so.6; fi # which it has from the lab
    echo 'int main() { try { throw 1; } catch (int) { return 0; } }' >"$parts/throws.cpp"
    "$stdenv" "$parts/throws.cpp" -o bin/p "$runpath"'$ORIGIN/../lib'
}
make_unmet_version() {
    echo 'V_1 { global: *; };' >"$parts/1.map"
    echo 'V_1 { }; V_2 { global: *; } V_1;' >"$parts/2.map"
    library libf.so -Wl,--version-script="$parts/2.map"
    mkdir bin && gcc "$parts/calls.o" lib/libf.so -o bin/p "$runpath"'$ORIGIN/../lib'
    library libf.so -Wl,--version-script="$parts/$(at "$1" 1 2).map"
}
make_missing() {
    library libf.so.1
    mkdir bin && gcc "$parts/calls.o" lib/libf.so.1 -o bin/p "$runpath"'$ORIGIN/../lib'
    if [ "$1" = leak ]; then rm lib/libf.so.1; fi
}
make_junk_library() {
    make_missing twin
    mkdir first && patchelf --set-rpath '$ORIGIN/../first:$ORIGIN/../lib' bin/p
    if [ "$1" = leak ]; then echo 'INPUT(libf.so)' >first/libf.so.1; fi
}
make_foreign_machine() { mkdir lib && "$(at "$1" gcc "$cross")" -shared -fPIC -x c "$parts/f.c" -o lib/libf.so -nostdlib; }
make_executable_stack() { library libf.so -Wl,-z,"$(at "$1" execstack noexecstack)"; }
make_misaligned_segment() { library libf.so -Wl,-z,max-page-size="$(at "$1" 16 4096)"; }
make_refused() {
    library libf.so
    if [ "$1" = leak ]; then printf '\11' | dd of=lib/libf.so bs=1 seek=7 conv=notrunc status=none; fi
}
make_missing_function() {
    local cudart='int cudaMalloc(void) { return 0; } int cudaNew(void) { return 0; }'
    mkdir -p bin lib
    echo "$cudart" | gcc -shared -fPIC -x c - -o lib/libcudart.so.13 -Wl,-soname,libcudart.so.13
    echo 'int cudaNew(void); int main(void) { return cudaNew(); }' | gcc -x c - -x none lib/libcudart.so.13 -o bin/p "$runpath"'$ORIGIN/../lib'
    at "$1" "${cudart% int*}" "$cudart" | gcc -shared -fPIC -x c - -o lib/libcudart.so.13 -Wl,-soname,libcudart.so.13
}
make_names_differ() {
    echo 'V_1 { global: *; };' >"$parts/1.map"
    library libf.so.1 -Wl,--version-script="$parts/1.map"
    mkdir bin && gcc "$parts/calls.o" lib/libf.so.1 -o bin/p "$runpath"'$ORIGIN/../lib'
    cp lib/libf.so.1 lib/libg.so.1 && patchelf --set-soname libg.so.1 lib/libg.so.1
    if [ "$1" = leak ]; then patchelf --remove-needed libf.so.1 bin/p; else patchelf --replace-needed libf.so.1 libg.so.1 bin/p; fi
}
make_file_as_runpath() { library libz.so.1 && program "$runpath$PWD/lib$(at "$1" /libz.so.1 '')"; }
make_dangling() { mkdir there && program "$runpath$PWD/$(at "$1" gone there)"; }
make_build_runpath() { mkdir lib && program "$runpath$(at "$1" "$build/lib" '$ORIGIN/../lib')"; }
make_store_host() { mkdir -p 0-y/lib && program "$runpath$(at "$1" /usr/lib/x86_64-linux-gnu "$PWD/0-y/lib")"; }

# ---------------------------------------------------------------------------------------------- CUDA

make_two_cudarts() {
    mkdir -p bin lib
    cp "$cuda_11/lib64/libcudart.so.11.0" "$cuda_12/lib64/libcudart.so.12" lib/
    local origin=$runpath'$ORIGIN/../lib'
    if [ "$1" = leak ]; then program -Wl,--no-as-needed "$origin" lib/libcudart.so.11.0 lib/libcudart.so.12; else
        program -Wl,--no-as-needed "$origin" lib/libcudart.so.11.0 && mv bin/p bin/q
        program -Wl,--no-as-needed "$origin" lib/libcudart.so.12
    fi
}
make_own_cudart() {
    mkdir -p bin lib
    cp "$cuda_12/lib64/libcudart.so.12" lib/
    echo 'extern int cudaGetDeviceCount(int*); int own(void) { int n; return cudaGetDeviceCount(&n); }' >"$parts/own.c"
    gcc -shared -fPIC "$parts/own.c" -o lib/libown.so -Wl,-soname,libown.so "$cuda_12/lib64/libcudart_static.a" -ldl -lrt -lpthread
    local -a other=()
    if [ "$1" = leak ]; then other=(lib/libcudart.so.12); fi
    gcc "$parts/main.o" -Wl,--no-as-needed lib/libown.so "${other[@]}" -o bin/p "$runpath"'$ORIGIN/../lib'
}
make_stub_runpath() {
    local stubs=$cuda_12/lib64/stubs
    mkdir -p "$parts/stubs" && cp "$stubs/libcuda.so" "$parts/stubs/" && ln -sf libcuda.so "$parts/stubs/libcuda.so.1"
    program -Wl,--no-as-needed "-L$stubs" -lcuda "$(at "$1" "$runpath$parts/stubs" -Wl,--enable-new-dtags)"
}
make_vendored_driver() {
    mkdir -p "lib/$(at "$1" . stubs)" && cp "$cuda_12/lib64/stubs/libcuda.so" "lib/$(at "$1" libcuda.so.1 stubs/libcuda.so)"
}
make_compat_order() {
    local compat=/opt/cuda_compat/lib driver=/run/opengl-driver/lib
    program "$runpath$(at "$1" "$driver:$compat" "$compat:$driver")"
}
make_driver_runpath() {
    echo '#include <dlfcn.h>
int main(void) { return dlopen("libcuda.so.1", RTLD_NOW) == 0; }' >"$parts/opens.c"
    mkdir bin && gcc "$parts/opens.c" -o bin/p "$(at "$1" -Wl,--enable-new-dtags "$runpath$driver")"
}
make_static_libstdcxx() {
    echo 'int main() { try { throw 1; } catch (int) { return 0; } }' >"$parts/throws.cpp"
    mkdir bin && "$(at "$1" "$host" "$stdenv")" "$parts/throws.cpp" -o bin/p -static-libstdc++
}
make_fatbin() {
    # the first path is the stdenv's, so that what the second has in common with it is packed
    printf '%s\n' '__device__ int table[4096] = {1};' '__global__ void copy(char* out, int n) {' \
        "    const char* where = \"$near/libx.so:$path/libx.so\";" \
        '    for (int i = 0; i < n; ++i) out[i] = where[i] + table[i];' '}' >device.cu
    mkdir lib && "$cuda_12/bin/nvcc" -ccbin "$stdenv" -arch=sm_75 -Xfatbin -compress-all -c device.cu -o lib/device.o
    rm device.cu
}

# ---------------------------------------------------------------------------------------------- paths in bytes

object() { # OUTPUT COMPILER-WORD...
    echo "const char* where = \"$path/libgomp.so\";" >where.c
    gcc -fPIC "${@:2}" where.c -o "$1"
    rm where.c
}
make_rodata() { mkdir lib && object lib/libwhere.so -shared; }
make_archive() { mkdir lib && object where.o -c && ar rcs lib/libwhere.a where.o && rm where.o; }
make_utf16() {
    mkdir lib && echo "const __CHAR16_TYPE__ where[] = u\"$path/libgomp.so\";" >where.c
    gcc -shared -fPIC where.c -o lib/libwhere.so && rm where.c
}
make_debug() { # a section that does not become smaller is not compressed: DWARF 4 has few, and these are large
    mkdir lib && seq -f 'int value_%g(void) { return 0; }' 200 >"$parts/values.c" &&
        gcc -shared -fPIC -gdwarf-4 -gz=zlib "-fdebug-prefix-map=$parts=$path" "$parts/values.c" -o lib/libwhere.so
}
make_pkg_config() {
    mkdir -p lib/pkgconfig
    printf '%s\n' "libdir=$path" 'Name: x' 'Description: x' 'Version: 1' 'Libs: -L${libdir} -lgomp' >lib/pkgconfig/x.pc
}
make_libtool() {
    mkdir lib
    printf '%s\n' '# libx.la - a libtool library file' "dlname='libx.so.1'" "dependency_libs=' -L$path -lgomp'" "libdir='/usr/lib'" >lib/libx.la
}
make_cmake_export() {
    mkdir source && printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(x NONE)' 'add_library(x INTERFACE)' \
        "target_link_libraries(x INTERFACE $path/libgomp.so)" 'install(TARGETS x EXPORT x)' \
        'install(EXPORT x DESTINATION lib/cmake/x)' >source/CMakeLists.txt
    cmake -S source -B made && cmake --install made --prefix "$PWD" && rm -r source made
}
make_script() { mkdir bin && printf '%s\n' "#!$path/cc1plus -quiet" >bin/x && chmod +x bin/x; }
make_symlink() { mkdir lib && ln -s "$path/libgomp.so" lib/libgomp.so; }
make_build_text() { mkdir -p lib/pkgconfig && echo "Libs: -L$(at "$1" "$build/lib" /usr/lib) -lx" >lib/pkgconfig/x.pc; }
make_store_hash() { mkdir share && printf 'made with %s\n' "$(at "$1" "${hash#/nix/store/}" 0000000000000000000000000000000z-gcc)" >share/log; }
text() { # one that compressors do not store as it is
    { seq -f 'option_%g = default' 200; echo "LDFLAGS = -Wl,-rpath,$near -Wl,-rpath,$path"; seq -f 'value_%g = none' 200; } >config.txt
}
make_gzip() { text && gzip config.txt; }
make_xz() { text && xz config.txt; }
make_zstd() { text && zstd -q --rm config.txt; }
make_tar_gz() { mkdir lib && object where.o -c && ar rcs where.a where.o && tar czf lib/sources.tar.gz where.a && rm where.[ao]; }
make_wheel_runpath() {
    program "$runpath$path" && cmake -E tar cf x-1-py3-none-any.whl --format=zip bin && rm -r bin
}
make_wheel() { text && cmake -E tar cf x-1-py3-none-any.whl --format=zip config.txt && rm config.txt; }

# ---------------------------------------------------------------------------------------------- the table's rows
#
# name | rule | least gravity | what grep looks for | what shows it in a tool's output (an extended regular expression) | kind
fixtures() {
    cat <<ROWS
runpath|forbidden-runpath|error|$far|$far|RUNPATH to the GCC that nvcc uses
rpath_spelt|forbidden-runpath|error|$far|$near/\.\./11|the same as RPATH, by way of \`..\`
linked_runpath|forbidden-runpath|error|$far|$far|RUNPATH to a symlink that leads there
wheel_runpath|forbidden-runpath|error|$far|$far|RUNPATH of a program in a wheel
interpreter|forbidden-reference|error|$far|$far|its loader
needed_path|forbidden-reference|error|$far|$far|NEEDED by its path
wrong_libstdcxx|wrong-libstdcxx|error||lib/libstdc[+]{2}\.so\.6|NEEDED that resolves to an older libstdc++
unmet_version|unmet-version-need|error||version .*not found|version need that the library next to it does not meet
missing|missing-library|error||libf.*not found|NEEDED that is not found
junk_library|missing-library|error||first/libf|a file that is not a library comes first in RUNPATH
foreign_machine|foreign-machine|error||not among|a library for another machine in a cross-built tree
executable_stack|executable-stack|warning||not among|a library that requests an executable stack
misaligned_segment|misaligned-segment|error||not among|a segment that is not aligned to pages
refused|loader-refuses|error||not among|a library for the ABI of another operating system
missing_function|missing-function|error||not among|a function that the libcudart next to it does not have
names_differ|needed-and-version-names-differ|error||not among|NEEDED and version needs that name different files
file_as_runpath|runpath-not-a-directory|error||/lib/libz\.so\.1|RUNPATH that names a file
dangling|dangling-runpath|warning||/gone|RUNPATH to a directory that does not exist
build_runpath|build-directory|error|$build|$build|RUNPATH to the build
build_text|build-directory|error|$build|$build|the build in a .pc
store_host|host-path-from-store|error||/usr/lib/x86_64-linux-gnu|RUNPATH from a package store to the system
two_cudarts|two-cuda-runtimes|error||libcudart\.so\.11|libcudart of two majors in one program
own_cudart|own-static-and-shared-cudart|warning||libcudart\.so\.12|libcudart static and shared in one program
stub_runpath|cuda-stub-runpath|error||/stubs|RUNPATH to stubs, with a libcuda.so.1
vendored_driver|vendored-driver|error||libcuda\.so\.1|the driver's libcuda.so.1 in the tree
compat_order|cuda-compat-order|error||opengl-driver/lib:.*compat|cuda_compat after the driver in RUNPATH
driver_runpath|driver-runpath|warning||not among|opens libcuda.so.1, without a RUNPATH to it
static_libstdcxx|foreign-static-libstdcxx|warning||not among|libstdc++ of another GCC linked statically
rodata|forbidden-reference|warning|$far|$far|path in .rodata
archive|forbidden-reference|warning|$far|$far|path in an archive's member
utf16|forbidden-reference|warning|$far|$far|path in UTF-16
debug|forbidden-reference|note|$far|$far|path in compressed debugging information
fatbin|forbidden-reference|warning|$far|$far|path in a compressed .nv_fatbin
pkg_config|forbidden-reference|error|$far|$far|path in a .pc
libtool|forbidden-reference|error|$far|$far|path in a .la
cmake_export|forbidden-reference|error|$far|$far|path in a CMake export
script|forbidden-reference|error|$far|$far|a script's interpreter
symlink|forbidden-reference|error|$far|$far|a symlink's target
gzip|forbidden-reference|warning|$far|$far|path in a gzip file
xz|forbidden-reference|warning|$far|$far|path in an xz file
zstd|forbidden-reference|warning|$far|$far|path in a zstd file
wheel|forbidden-reference|warning|$far|$far|path in a wheel's member
tar_gz|forbidden-reference|warning|$far|$far|path in an archive in a .tar.gz
store_hash|forbidden-reference|warning|$hash|$hash|a store path's hash alone
ROWS
}
