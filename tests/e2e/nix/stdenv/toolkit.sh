# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# shellcheck disable=SC2154 # attributes
# A CUDA toolkit in the store: only what is needed to compile and link with its runtime.
set -euo pipefail
mkdir -p "$out/bin" "$out/lib64"
for name in nvcc nvcc.profile crt cudafe++ ptxas fatbinary nvlink bin2c; do
    if [ -e "$root/bin/$name" ]; then cp -RL "$root/bin/$name" "$out/bin/"; fi
done
cp -RL "$root/nvvm" "$root/include" "$out/"
cp -a "$root"/lib64/libcudart* "$root"/lib64/libcudadevrt.a "$out/lib64/"
if [ -d "$root/lib64/stubs" ]; then cp -RL "$root/lib64/stubs" "$out/lib64/"; fi
ln -s lib64 "$out/lib"
mkdir -p "$out/nix-support"
: >"$out/nix-support/include-in-cudatoolkit-root"
