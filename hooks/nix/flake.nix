# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
{
  description = "hostpin for Nixpkgs: the package, an overlay, and a function that binds a toolkit to a stdenv";
  inputs.nixpkgs.url = "nixpkgs";
  outputs =
    { nixpkgs, ... }:
    let
      each =
        function:
        builtins.listToAttrs (
          map
            (system: {
              name = system;
              value = function (nixpkgs.legacyPackages.${system}.extend (import ./overlay.nix));
            })
            [
              "x86_64-linux"
              "aarch64-linux"
            ]
        );
    in
    {
      overlays.default = import ./overlay.nix;
      packages = each (pkgs: {
        inherit (pkgs) hostpin;
        default = pkgs.hostpin;
      });
      legacyPackages = each (pkgs: {
        inherit (pkgs) hostpinFor hostpinRedist;
      });
    };
}
