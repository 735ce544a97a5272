# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every leak in four ways, as derivations named WAY-LEAK: Nix alone, Nix with disallowedReferences, and the hook with its repairs
# and without.
{ lab, prefix }:
let
  packages = import ../packages.nix { inherit lab prefix; };
  inherit (packages.cuda124) bound stdenv host;
  parts = packages.set.runCommand "leaky-parts" {
    inherit (stdenv) cc;
    inherit bound host;
    hostLib = host.lib;
  } (builtins.readFile ./parts.sh);
  ways = {
    alone = { };
    forbidden = {
      disallowedReferences = [
        host
        host.lib
        host.libc
      ];
    };
    repairing = {
      nativeBuildInputs = [ bound ];
    };
    checking = {
      nativeBuildInputs = [ bound ];
      dontNvccRunpathFixup = true;
    };
  };
  one = way: leak: {
    name = leak;
    value = packages.mkDerivation (
      {
        name = "${way}-${leak}";
        installPhase = "cp -R ${parts}/${leak} $out && chmod -R u+w $out";
        dontStrip = true;
      }
      // ways.${way}
    );
  };
  leaks = [
    "runpath-last"
    "runpath-only"
    "rodata"
    "archive"
    "fatbin"
    "pkg-config"
    "cmake"
    "script"
    "symlink"
    "gzip"
  ];
in
builtins.mapAttrs (
  way: _:
  { recurseForDerivations = true; } // builtins.listToAttrs (map (one way) leaks)
) ways
// {
  inherit parts;
}
