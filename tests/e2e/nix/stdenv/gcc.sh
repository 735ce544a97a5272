# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # attributes
# A GCC from a root of the lab, or from this system, moved into the store with Nixpkgs' layout: compiler, its libraries and a C
# library are separate, so that programs depend on the last two only. Only what compiles and links C++.
set -euo pipefail
triple=x86_64-linux-gnu
libraries=$root/usr/lib/$triple
mkdir -p "$out/bin" "$out/usr/bin" "$out/usr/lib/$triple" "$out/usr/include" "$lib/lib" "$libc/lib" "$libc/lib64"

for name in libc.so.6 libm.so.6 libmvec.so.1 libpthread.so.0 libdl.so.2 librt.so.1; do
    cp -L "$libraries/$name" "$libc/lib/"
    ln -s "$libc/lib/$name" "$out/usr/lib/$triple/$name"
done
cp -L "$libraries/ld-linux-x86-64.so.2" "$libc/lib64/"
ln -s "$libc/lib64" "$out/lib64"
ln -s usr/lib "$out/lib"
for name in libstdc++.so.6 libgcc_s.so.1 libatomic.so.1; do
    [ -e "$libraries/$name" ] || continue
    real=$(basename "$(realpath "$libraries/$name")")
    cp "$libraries/$real" "$lib/lib/"
    [ "$real" = "$name" ] || ln -s "$real" "$lib/lib/$name"
    ln -s "$lib/lib/$name" "$out/usr/lib/$triple/$name"
done
# Nixpkgs' loader looks into its own directory by default, Debian's into Debian's: so a run path to the one is one to both
for name in libc.so.6 libm.so.6; do ln -s "$libc/lib/$name" "$lib/lib/$name"; done
cp -L "$libraries"/{crt1.o,Scrt1.o,crti.o,crtn.o,libc.so,libc_nonshared.a,libm.so,libpthread.a,libdl.a,librt.a} "$out/usr/lib/$triple/"

# the compiler, without the runtimes of sanitizers and other languages; some releases have all of it in lib, others a part in libexec
for part in lib libexec; do
    from=usr/$part/gcc/$triple/$major
    for file in "$root/$from"/{include,crt*.o,libgcc.a,libgcc_eh.a,libgcc_s.so,libstdc++.a,libatomic*,collect2,lto-wrapper,liblto_plugin.so,cc1,cc1plus}; do
        if [ -e "$file" ]; then mkdir -p "$out/$from" && cp -RL "$file" "$out/$from/"; fi
    done
done
for name in include/stddef.h crtbegin.o libgcc.a libgcc_s.so libstdc++.a collect2 cc1 cc1plus; do
    if [ ! -e "$out/usr/lib/gcc/$triple/$major/$name" ] && [ ! -e "$out/usr/libexec/gcc/$triple/$major/$name" ]; then
        echo "GCC $major in '$root' has no $name" >&2
        exit 1
    fi
done
ln -s "../../../$triple/libstdc++.so.6" "$out/usr/lib/gcc/$triple/$major/libstdc++.so"
: >"$out/usr/lib/gcc/$triple/$major/ptxas.options" # for options that name a file in it
cp -L "$root/usr/bin/$triple-g++-$major" "$out/usr/bin/"
for tool in as ld.bfd ar; do cp -L "$root/usr/bin/$triple-$tool" "$out/usr/bin/$tool"; done
ln -s ld.bfd "$out/usr/bin/ld"
ln -s ld.bfd "$out/usr/bin/$triple-ld"

# C headers are this system's, as in the lab: CUDA up to 12.9 does not accept newer ones
mkdir -p "$out/usr/include/c++" "$out/usr/include/$triple/c++"
dpkg -L libc6-dev linux-libc-dev libcrypt-dev | while read -r header; do
    case $header in /usr/include/*) if [ -f "$header" ]; then echo "${header#/usr/include/}"; fi ;; esac
done | tar -C /usr/include -chf - -T - | tar -C "$out/usr/include" -xf -
cp -RL "$root/usr/include/c++/$major" "$out/usr/include/c++/"
cp -RL "$root/usr/include/$triple/c++/$major" "$out/usr/include/$triple/c++/"

# what the programs load in addition, and from where
needs() { readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
mapfile -t programs < <(find "$out/usr/bin" "$out/usr/lib/gcc" "$out/usr/libexec" -type f -perm -u+x 2>/dev/null)
queue=("${programs[@]}")
while [ ${#queue[@]} -gt 0 ]; do
    for name in $(needs "${queue[0]}"); do
        if [ ! -e "$out/usr/lib/$triple/$name" ] && [ -e "$libraries/$name" ]; then
            cp -L "$libraries/$name" "$out/usr/lib/$triple/"
            queue+=("$out/usr/lib/$triple/$name")
        fi
    done
    queue=("${queue[@]:1}")
done
chmod -R u+w "$out" "$lib" "$libc"
for program in "${programs[@]}"; do
    if grep -q INTERP <<<"$(readelf -l "$program")"; then
        patchelf --set-interpreter "$libc/lib64/ld-linux-x86-64.so.2" --force-rpath \
            --set-rpath "$libc/lib:$lib/lib:$out/usr/lib/$triple" "$program"
    fi
done
find "$lib" "$out/usr/lib/$triple" -type f -name 'lib*.so.*' -exec patchelf --set-rpath "$libc/lib:$lib/lib" {} +

# Nixpkgs' GCC, too, omits its own path from __FILE__ and build ids from programs
for name in g++ c++; do
    cat >"$out/bin/$name" <<WRAPPER
#!/bin/sh
COMPILER_PATH=$out/usr/bin exec $out/usr/bin/$triple-g++-$major --sysroot=$out -fmacro-prefix-map=$out=/gcc -Wl,--build-id=none -Wl,--dynamic-linker=$libc/lib64/ld-linux-x86-64.so.2 -Wl,-rpath,$lib/lib:$libc/lib "\$@"
WRAPPER
    chmod +x "$out/bin/$name"
done
