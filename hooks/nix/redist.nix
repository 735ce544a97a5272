# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A CUDA toolkit from NVIDIA's archives as `hostpin redist lock` selected them: `out` is the whole toolkit, which hostpinFor takes as its
# `toolkit`, and each view is an output with those parts of the archives only. All files are those of the archives.
{
  runCommand,
  hostpin,
  # Nixpkgs' function or Nix's own; both take url, name and sha256.
  fetchurl ? import <nix/fetchurl.nix>,
  lock,
  # NVIDIA's name of the platform that programs run on, and of those that headers and libraries are for: the first is the default target.
  host,
  targets ? [ host ],
  # Keys of packages; null: all of the lock.
  packages ? null,
  # Outputs in addition to `out`, and the parts of archives in each.
  views ? {
    lib = [ "lib" ];
    dev = [ "dev" ];
    static = [ "static" ];
  },
  # Instead of all servers: a URL.
  mirror ? null,
}:
let
  locked = builtins.fromJSON (builtins.readFile lock);
  platforms = [ host ] ++ targets ++ [ "linux-all" "source" ];
  archives = builtins.filter (
    one: builtins.elem one.platform platforms && (packages == null || builtins.elem one.package packages)
  ) locked.archives;
  missing = builtins.filter (
    name: !(builtins.any (one: one.package == name) archives)
  ) (if packages == null then [ ] else packages);
  baseOf =
    archive:
    (builtins.head (
      builtins.filter (one: one.product == archive.product && one.label == archive.label) locked.manifests
    )).base;
  nameOf = archive: baseNameOf archive.path;
  fetched = map (archive: {
    inherit (archive) path;
    file = fetchurl {
      name = nameOf archive;
      url = (if mirror == null then baseOf archive else builtins.head (builtins.match "(.*[^/])/*" mirror) + "/") + archive.path;
      inherit (archive) sha256;
    };
  }) archives;
  viewNames = builtins.attrNames views;
in
if missing != [ ] then
  throw "hostpinRedist: the lock has no ${builtins.concatStringsSep ", " missing} for ${builtins.concatStringsSep ", " ([ host ] ++ targets)}"
else
  runCommand "cuda-redist"
    {
      inherit hostpin host targets;
      outputs = [ "out" ] ++ viewNames;
      paths = map (one: one.path) fetched;
      files = map (one: one.file) fetched;
      views = map (name: "${name}:${builtins.concatStringsSep "," views.${name}}") viewNames;
      limited = builtins.toFile "redist.lock" (builtins.toJSON (locked // { inherit archives; }));
      passthru = {
        inherit lock archives;
      };
    }
    ''
      export HOME=$PWD
      cp "$limited" redist.lock # without a reference to it in origin.json
      files=($files)
      for path in $paths; do
        mkdir -p "mirror/$(dirname "$path")"
        ln -s "''${files[0]}" "mirror/$path"
        files=("''${files[@]:1}")
      done
      "$hostpin/bin/hostpin" redist fetch redist.lock --store store --mirror "$PWD/mirror"
      targetFlags=()
      for target in $targets; do targetFlags+=(--target "$target"); done
      "$hostpin/bin/hostpin" redist compose redist.lock "$out" --store store --host "$host" "''${targetFlags[@]}"
      for view in $views; do
        output=''${view%%:*}
        "$hostpin/bin/hostpin" redist compose redist.lock "''${!output}" --store store --host "$host" "''${targetFlags[@]}" \
          --outputs "''${view#*:}"
      done
    ''
