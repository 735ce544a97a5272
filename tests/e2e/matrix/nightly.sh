#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# samples/nightly: one cell of it, of the sample whose libraries load the CUDA runtime from the toolkit. With HOSTPIN_FULL=1 all, the samples
# with all toolkits and compilers of the lab (111 of 128 cells run; half an hour of processor): what its plan takes for impossible is what NVIDIA
# documents (limits.tsv).
# shellcheck source=tests/e2e/matrix/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hostpin
need_command python3 make
# shellcheck disable=SC2016 # a line of sed
toolkits=(12.4) cell='/^stdenv/,/^\]/c stdenv = ["g++-14"]
/^\[axes/a project = ["shared-libraries"]
/^\[\[exclude/,$d'
if [ "$full" = 1 ]; then toolkits=(11.2 11.8 12.4 13.0) cell=; fi
for each in "${toolkits[@]}"; do need_cuda "$each"; done
need_lab bin/g++-14 bin/clang++-22
mapfile -t roots < <(for each in "${toolkits[@]}"; do cuda "$each"; done)
echo "toolkits = [$(quoted "${roots[@]}")]" >"$HOSTPIN_CONFIG"

run() {
    sed "s/^toolkit = .*/toolkit = [$(quoted "${toolkits[@]}")]/; s,\"\.\./,\"$repository/samples/,; $cell" "$repository/samples/nightly/matrix.toml" >matrix.toml
    plan plan
    decides_as_documented plan
    [ "$full" = 0 ] || same "$(cells plan id | wc -l)" 128
    "$hostpin" matrix emit plan --for make >Makefile
    make -j2 >make.log || { cat make.log && fail 'a cell failed'; }
}

it 'what is documented to fit passes, and nothing else is planned' run
finish
