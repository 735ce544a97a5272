# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hooks/nix as a packager takes it, with an install of this build for the package.
{
  lab,
  prefix,
  redistLock ? "",
  redistMirror ? "",
}:
let
  set = import ./stdenv { inherit lab prefix; };
  pkgs = import ./nixpkgs.nix {
    inherit lab prefix;
    overlays = [
      (import ../../../hooks/nix/overlay.nix)
      (_: _: { inherit (set) hostpin; })
    ];
  };
in
{
  # Selected by hostpin: the stdenv's GCC 14 is too new, GCC 13 fits.
  chosen = pkgs.hostpinFor {
    toolkit = set.cudatoolkit "12.4" "${lab}/cuda-12.4";
    hostCompilers = [ (set.gcc "trixie" "13") ];
  };
  # The only candidate is older than the machine's compilers, on PATH and elsewhere.
  given = pkgs.hostpinFor {
    toolkit = set.cudatoolkit "12.4" "${lab}/cuda-12.4";
    hostCompilers = [ (set.gcc "" "11") ];
  };
  # No candidate fits.
  refused = pkgs.hostpinFor {
    toolkit = set.cudatoolkit "12.4" "${lab}/cuda-12.4";
    hostCompiler = set.gcc "sid" "16";
  };
  # Composed from the archives of a lock.
  redist = pkgs.hostpinRedist {
    lock = /. + redistLock;
    host = "linux-x86_64";
    mirror = "file://${redistMirror}/";
  };
  unlocked = pkgs.hostpinRedist {
    lock = /. + redistLock;
    host = "linux-x86_64";
    packages = [ "libcublas" ];
  };
  package =
    (import ../../../hooks/nix {
      pkgs = import ./nixpkgs.nix { inherit lab prefix; };
    }).hostpin;
}
