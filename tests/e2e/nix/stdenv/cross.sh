# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # attributes
# A cross GCC from a root of the lab, moved into the store: the compiler, and the target's libraries, on which programs depend. Its own
# programs run with the libraries of that root.
set -euo pipefail
mkdir -p "$out/bin" "$out/usr/bin" "$out/usr/$triple" "$lib/lib"
for part in lib libexec; do
    from=usr/$part/gcc-cross/$triple/$major
    for file in "$root/$from"/{include,crt*.o,libgcc.a,libgcc_eh.a,libgcc_s.so,libstdc++.a,libstdc++.so,collect2,lto-wrapper,liblto_plugin.so,cc1plus}; do
        if [ -e "$file" ]; then mkdir -p "$out/$from" && cp -R --preserve=links "$file" "$out/$from/"; fi
    done
done
cp -L "$root/usr/bin/$triple-g++-$major" "$out/usr/bin/"
cp -RL "$root/usr/$triple/bin" "$out/usr/$triple/"
mkdir -p "$out/usr/$triple/include/c++"
for file in "$root/usr/$triple/include"/*; do
    case $file in */c++) cp -RL "$file/$major" "$out/usr/$triple/include/c++/" ;; *) cp -RL "$file" "$out/usr/$triple/include/" ;; esac
done
for file in "$root/usr/$triple/lib"/{libstdc++.so.6,libgcc_s.so.1,libc.so.6,libm.so.6,libdl.so.2,libpthread.so.0,librt.so.1,ld-linux-*.so.*}; do
    cp -L "$file" "$lib/lib/"
done
cp -RL "$root/usr/$triple/lib" "$out/usr/$triple/"
chmod -R u+w "$out" "$lib"
for file in "$lib/lib"/*; do ln -sf "$file" "$out/usr/$triple/lib/"; done
ln -sf "../../../../$triple/lib/libstdc++.so.6" "$out/usr/lib/gcc-cross/$triple/$major/libstdc++.so"
sed -i "s#/[^ ]*/usr/$triple/lib/#$out/usr/$triple/lib/#g" "$out/usr/$triple/lib/libc.so"
loader=$(echo "$lib/lib"/ld-linux-*)
for name in g++ c++; do
    cat >"$out/bin/$triple-$name" <<WRAPPER
#!/bin/sh
exec $out/usr/bin/$triple-g++-$major -ffile-prefix-map=$out=/gcc -Wl,--dynamic-linker=$loader -Wl,-rpath,$lib/lib "\$@"
WRAPPER
    chmod +x "$out/bin/$triple-$name"
done
