# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Adds hostpin, and hostpinFor { toolkit, hostCompilers, ... }, which binds a toolkit to the package set's stdenv; see bind.nix;
# and hostpinRedist { lock, host, ... }, which composes such a toolkit from NVIDIA's archives; see redist.nix.
final: _: {
  hostpin = final.callPackage ./package.nix { };
  # hostpin and patchelf run where the build runs, also in a cross package set, whose stdenv.cc makes programs for another machine.
  hostpinFor = final.callPackage (
    {
      runCommand,
      buildPackages,
      stdenv,
    }:
    arguments:
    import ./bind.nix (
      {
        inherit runCommand stdenv;
        inherit (buildPackages) hostpin patchelf;
      }
      // arguments
    )
  ) { };
  hostpinRedist = final.callPackage (
    {
      runCommand,
      buildPackages,
      fetchurl,
    }:
    arguments:
    import ./redist.nix (
      {
        inherit runCommand fetchurl;
        inherit (buildPackages) hostpin;
      }
      // arguments
    )
  ) { };
}
