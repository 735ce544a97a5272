# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The part of a package set that hooks/nix uses, made of the lab under Nixpkgs' names. The tools of
# builders (bash, coreutils, cmake) are this system's, so builds run without a sandbox.
{
  lab,
  prefix,
  tools ? "/usr/bin:/bin",
}:
let
  system = builtins.currentSystem;
  raw =
    attributes:
    derivation (
      {
        inherit system;
        builder = "/bin/bash";
        PATH = tools;
      }
      // removeAttrs attributes [ "passthru" ]
    )
    // attributes.passthru or { };
in
rec {
  mkDerivation =
    attributes:
    raw (
      {
        args = [ ./setup.sh ];
      }
      // attributes
    );

  # gcc "trixie" "14": one of the lab's; gcc "" "11": this system's own.
  gcc =
    origin: major:
    raw {
      name = "gcc-${major}";
      args = [ ./gcc.sh ];
      root = if origin == "" then "" else "${lab}/roots/${origin}";
      inherit major;
      outputs = [
        "out"
        "lib"
        "libc"
      ];
    };

  # Runs here and makes programs for another machine, as stdenv.cc of a cross package set does.
  cross =
    triple: major:
    raw {
      name = "${triple}-gcc-${major}";
      args = [ ./cross.sh ];
      root = "${lab}/roots/trixie-cross-host-headers";
      inherit triple major;
      outputs = [
        "out"
        "lib"
      ];
      passthru.targetPrefix = "${triple}-";
    };

  cudatoolkit =
    version: root:
    raw {
      name = "cuda-${version}";
      args = [ ./toolkit.sh ];
      inherit root;
    };

  # An install of this build instead of ../../../../hooks/nix/package.nix, which needs Nixpkgs' libraries.
  hostpin = raw {
    name = "hostpin";
    args = [
      "-c"
      "cp -R ${prefix} $out; :"
    ];
  };

  runCommand =
    name: attributes: text:
    raw (
      {
        inherit name;
        args = [
          "-euc"
          # bash execs its last command, and one that has closed its output is killed before its end
          (text + "\n:\n")
        ];
      }
      // attributes
    );
}
