#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../lib.sh
# hooks/nix in a real store: Nix's own references, closures, checks and garbage collection.
#
#   store.sh [WORDS]  the cases whose sentence has these words
#   HOSTPIN_FULL=1   also with CUDA 11.8 and 13.0, and each pair of toolkit and stdenv a second time, as remote.sh does with one
full=${HOSTPIN_FULL:-0}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$repository/tests/e2e/leak-check/lib.sh"
# shellcheck source=tests/e2e/nix/lib.sh
. "$repository/tests/e2e/nix/lib.sh"
need_hostpin
need_nix
new_store "$work/nix"
if [ $# -gt 0 ]; then only=$1; fi

sample() { # PAIR GCC [again]
    case $1 in
    cuda118) need_lab cuda-11.8 roots/sid ;;
    cuda130) need_cuda 13.0 && need_lab roots/sid ;;
    esac
    made packages.nix "$1.saxpy"
    local program=$made reference
    nix-store -q --references "$program" >references
    nix-store -q --requisites "$program" >requisites
    same "$(names_of <references)" "gcc-$2-lib gcc-$2-libc "
    same "$(names_of <requisites)" "gcc-$2-lib gcc-$2-libc $(names_of <<<"$program")"
    # outside of the build too, with an empty environment
    env -i "$program/bin/saxpy_mixed" host
    reference=$(loaded "$program/bin/saxpy_cuda" 'libstdc++')
    contains -e "-gcc-$2-lib/" <<<"$reference" || fail "it loads $reference"
    if [ "${3:-}" = again ]; then
        call nix-build --no-out-link "$here/packages.nix" "${arguments[@]}" -A "$1.saxpy" --check
        exits 0
    fi
}
obeyed() { # CASE MAJOR
    made cases.nix "$1"
    made_by "$made/f.o" gcc "$2"
}
with_meson() {
    need_command meson
    obeyed meson 13
}
with_make() {
    need_command make
    obeyed make 13
    made_by "$made/g.o" gcc 13
}
structured() {
    obeyed structured 11
    contains 'hostpin leak-check: output dev' <"$err" || fail "the other output was not looked at"
}
several() {
    made cases.nix outputs.bin
    nix-store -q --references "$made" | contains -e '-several-lib$' || fail "no reference to the library's output"
    says 'output bin, ' 'output lib, ' 'output dev, ' 'output empty, ' 'output file, '
    refuses cases.nix fileLeak
    says 'output file \(.*/[a-z0-9]{32}-file-leak-file\) did not pass' 'forbidden-reference' 'dontHostpinLeakCheck'
    says '1 file: 1 error, 0 warnings' # the path, and not its hash in addition
}
debugging() {
    refuses cases.nix unstripped
    says '^ *f\.o, \.debug_line' "-gcc-13/"
    made cases.nix debugApart
    same "$(nix-store -q --references "$made")" ""
}
many() {
    made cases.nix many
    refuses cases.nix newlineLeak
    says '^ *a\\nb\.pc, '
}
shared_runtime() {
    made cases.nix sharedRuntime
    nix-store -q --references "$made" | names_of | contains -e 'cuda-12.4 gcc-14-lib gcc-14-libc ' ||
        fail "it refers to $(nix-store -q --references "$made" | names_of)"
}
overlay() {
    made fits.nix chosen
    contains -e 'compiles  GCC 13' <"$err" || fail "it chose otherwise"
    local file source
    for file in bin/nvcc bound/c++ bound/binding.toml bound/plan bound/toolchain.cmake nix-support/setup-hook; do
        [ -s "$made/$file" ] || fail "there is no $file: $(ls -R "$made")"
    done
    "$made/bin/nvcc" --version | contains 'release 12.4'
    refuses fits.nix refused
    says 'GCC 16.* does not fit CUDA 12.4' 'newer than 13'
    # the package itself is only evaluated: its inputs are Nixpkgs'
    call nix-instantiate "$here/fits.nix" "${arguments[@]}" -A package
    exits 0
    source=$(nix-store -q --references "$(tail -n 1 "$out")" | grep -e '-hostpin$')
    [ -e "$source/bootstrap" ] && same "$(cd "$source" && ls -d -- .git build* out 2>/dev/null)" ''
}
# Compilers outside of the store are not used: on the builder's PATH, or in the usual directories.
given() {
    need_mounts
    # shellcheck disable=SC2016 # the other shell's
    call unshare -m bash -euc '
        mkdir was && mount --rbind /opt was && mount -t tmpfs none /opt
        for one in was/*/; do # this checkout may be among them
            if [ -d "$one" ]; then mkdir "/opt/$(basename "$one")" && mount --rbind "$one" "/opt/$(basename "$one")"; fi
        done
        mkdir -p /opt/gcc-13/bin && ln -sf "$1" /opt/gcc-13/bin/g++
        shift && "$@"' \
        bash "$lab/bin/g++-13" nix-build --no-out-link "$here/fits.nix" "${arguments[@]}" -A given
    exits 0
    says 'compiles  GCC 11'
    made=$(tail -n 1 "$out")
    same "$(grep -oE '"/[^"]*"' "$made/bound/binding.toml" | grep -vF "\"$NIX_STORE_DIR/" | sort -u)" ""
}
flake() {
    mkdir -p tree/hooks nixpkgs
    cp -R "$repository/hooks/nix" tree/hooks/
    git -C tree init -q && git -C tree add .
    cat >nixpkgs/flake.nix <<FLAKE
{
  outputs = _: {
    legacyPackages.x86_64-linux = import $here/nixpkgs.nix { lab = "$lab"; prefix = "$prefix"; };
  };
}
FLAKE
    local flags=(--impure --no-write-lock-file --override-input nixpkgs "path:$PWD/nixpkgs")
    call nix eval "${flags[@]}" --json "git+file://$PWD/tree?dir=hooks/nix#overlays" --apply builtins.attrNames
    exits 0
    same "$(cat "$out")" '["default"]'
    call nix eval "${flags[@]}" --raw "git+file://$PWD/tree?dir=hooks/nix#packages.x86_64-linux.default.name"
    exits 0
    same "$(cat "$out")" hostpin
    call nix eval "${flags[@]}" --raw "git+file://$PWD/tree?dir=hooks/nix#legacyPackages.x86_64-linux.hostpinFor" \
        --apply "bind: (bind { toolkit = \"$(cuda 12.4)\"; hostCompilers = [ ]; }).name"
    exits 0
    same "$(cat "$out")" hostpin-bound
}
collected() {
    made packages.nix cuda124.saxpy
    local program=$made
    call nix-store --realise "$program" --add-root "$work/root"
    exits 0
    call nix-store --gc
    exits 0
    ls "$NIX_STORE_DIR" >left
    ! contains -E -e '-(gcc-13|gcc-14|cuda-12.4|hostpin|hostpin-bound)$' <left ||
        fail "kept alive: $(tr '\n' ' ' <left), by $(nix-store --gc --print-roots)"
    env -i "$work/root/bin/saxpy_cuda" host
}

again=$([ "$full" != 1 ] || echo again)
it "saxpy for CUDA 12.4 with GCC 13 below GCC 14 runs, and refers to the stdenv's libraries alone" sample cuda124 14 "$again"
if [ "$full" = 1 ]; then
    it "saxpy for CUDA 11.8 with GCC 11 below GCC 16: the same" sample cuda118 16 again
    it "saxpy for CUDA 13.0 with GCC 14 below GCC 16: the same" sample cuda130 16 again
fi
it "if no host compiler is named, the bound one is used" obeyed ours 13
it "through Meson's CUDA module, too" with_meson
it "through a plain makefile, too, by name and by variable" with_make
it "the derivation's own -ccbin is obeyed" obeyed ccbin 11
it "the derivation's own NVCC_PREPEND_FLAGS is obeyed" obeyed prepended 11
it "the derivation's own CUDAHOSTCXX is obeyed by CMake" obeyed hostcxx 11
it "with structured attributes, too, and every output is checked" structured
it "outputs that refer to each other, an empty one, and one that is a file" several
it "debugging symbols may keep the host compiler alive only in a separate output" debugging
it "10,000 files and names with newlines" many
it "a program that needs the shared runtime may refer to the toolkit" shared_runtime
it "the overlay binds the compiler that hostpin selects, and one that does not fit is refused" overlay
it "a compiler outside of the store is neither selected nor recorded" given
it "the flake gives package, overlay and function" flake
it "the program runs after a garbage collection" collected
finish
