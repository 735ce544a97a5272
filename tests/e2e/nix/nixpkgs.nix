# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A package set with callPackage and overlays, with the names that hooks/nix uses and no more: it shows that the expressions evaluate.
{
  lab,
  prefix,
  overlays ? [ ],
  # The triple of a cross package set: its packages are for that machine, and those of buildPackages for this one.
  cross ? null,
}:
let
  set = import ./stdenv { inherit lab prefix; };
  stub = name: set.runCommand name { } "echo >$out";
  names = [
    "boost"
    "bzip2"
    "cli11"
    "cmake"
    "curl"
    "expat"
    "fmt"
    "libarchive"
    "nettle"
    "ninja"
    "nlohmann_json"
    "openssl"
    "tl-expected"
    "tomlplusplus"
    "xz"
    "zlib"
    "zstd"
  ];
  base = builtins.listToAttrs (
    map (name: {
      inherit name;
      value = stub name;
    }) names
  )
  // {
    inherit (set) runCommand;
    fetchurl = import <nix/fetchurl.nix>;
    glibc.static = stub "glibc-static";
    llvmPackages_19 = {
      llvm = stub "llvm";
      libclang = stub "libclang";
    };
    patchelf = set.runCommand "patchelf" { } ''mkdir -p "$out/bin"; ln -s /usr/bin/patchelf "$out/bin/"'';
    lib = {
      licenses = {
        asl20 = { };
        llvm-exception = { };
      };
      platforms.linux = [ ];
    };
    stdenv = {
      cc = if cross == null then set.gcc "trixie" "14" else set.cross cross "14";
      mkDerivation = attributes: set.mkDerivation (removeAttrs attributes [ "meta" ] // { name = attributes.pname; });
    };
    callPackage =
      function: arguments:
      let
        called = if builtins.isFunction function then function else import function;
      in
      called (builtins.intersectAttrs (builtins.functionArgs called) self // arguments);
    # This build's install in place of what package.nix would build.
    buildPackages =
      if cross == null then
        self
      else
        import ./nixpkgs.nix {
          inherit lab prefix;
          overlays = overlays ++ [ (_: _: { inherit (set) hostpin; }) ];
        };
    extend =
      overlay:
      import ./nixpkgs.nix {
        inherit lab prefix cross;
        overlays = overlays ++ [ overlay ];
      };
  };
  self = builtins.foldl' (previous: overlay: previous // overlay self previous) base overlays;
in
self
