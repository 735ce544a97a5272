# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Without flakes: (import ./hooks/nix { }).hostpinFor { ... }, and .hostpinRedist { ... }
{
  pkgs ? import <nixpkgs> { },
}:
let
  extended = pkgs.extend (import ./overlay.nix);
in
{
  inherit (extended) hostpin hostpinFor hostpinRedist;
}
