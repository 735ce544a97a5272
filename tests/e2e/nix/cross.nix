# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sample in a cross package set: built here for another machine.
{
  lab,
  prefix,
  toolkit,
  triple ? "aarch64-linux-gnu",
}:
let
  set = import ./stdenv { inherit lab prefix; };
  pkgs = import ./nixpkgs.nix {
    inherit lab prefix;
    cross = triple;
    overlays = [ (import ../../../hooks/nix/overlay.nix) ];
  };
  bound = pkgs.hostpinFor {
    inherit toolkit;
    hostCompilers = [ (set.cross triple "13") ];
  };
in
{
  inherit bound;
  saxpy = set.mkDerivation {
    name = "saxpy-${triple}";
    src = ../../../samples/saxpy;
    nativeBuildInputs = [
      bound
      pkgs.stdenv.cc
    ];
    strictDeps = true;
    configurePhase = ''
      cmake -S . -B build -G Ninja "-DCMAKE_TOOLCHAIN_FILE=${bound}/bound/toolchain.cmake" "-DCMAKE_INSTALL_PREFIX=$out"
    '';
    buildPhase = "ninja -C build";
    installPhase = "ninja -C build install";
    disallowedRequisites = bound.unwanted ++ [ pkgs.stdenv.cc ];
  };
}
