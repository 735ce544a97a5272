# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Adds hostpin, and hostpinFor { toolkit, hostCompilers, ... }, which binds a toolkit to the package set's stdenv; see bind.nix;
# and hostpinRedist { lock, host, ... }, which composes such a toolkit from NVIDIA's archives; see redist.nix.
final: _: {
  hostpin = final.callPackage ./package.nix { };
  hostpinFor = final.callPackage (
    {
      runCommand,
      hostpin,
      patchelf,
      stdenv,
    }:
    arguments:
    import ./bind.nix (
      {
        inherit
          runCommand
          hostpin
          patchelf
          stdenv
          ;
      }
      // arguments
    )
  ) { };
  hostpinRedist = final.callPackage (
    {
      runCommand,
      hostpin,
      fetchurl,
    }:
    arguments:
    import ./redist.nix (
      {
        inherit
          runCommand
          hostpin
          fetchurl
          ;
      }
      // arguments
    )
  ) { };
}
