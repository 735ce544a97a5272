# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the tests build: the sample with several toolkits and stdenvs, bound by ../../../hooks/nix.
{
  lab,
  prefix,
  samples ? ../../../samples,
}:
let
  set = import ./stdenv { inherit lab prefix; };
  inherit (set) mkDerivation;
  bind =
    { stdenv, ... }@arguments:
    import ../../../hooks/nix/bind.nix (
      {
        inherit (set) runCommand hostpin;
      }
      // arguments
    );

  # The arguments of bind.nix: a toolkit, a host compiler that fits it, and a stdenv that is too new for it.
  pair = version: root: host: cc: rec {
    inherit host;
    toolkit = set.cudatoolkit version root;
    stdenv = { inherit cc; };
    bound = bind {
      inherit toolkit stdenv;
      hostCompiler = host;
    };
    saxpy = saxpyWith { };
    saxpyWith =
      attributes:
      mkDerivation (
        {
          name = "saxpy-cuda${version}";
          src = "${samples}/saxpy";
          nativeBuildInputs = [
            bound
            cc
          ];
          buildInputs = [ toolkit ];
          strictDeps = true;
          configurePhase = ''
            cmake -S . -B build -G Ninja "-DCMAKE_INSTALL_PREFIX=$out"
          '';
          buildPhase = "ninja -C build";
          installPhase = "ninja -C build install";
          doInstallCheck = true;
          installCheckPhase = ''"$out/bin/saxpy_cuda" host; "$out/bin/saxpy_mixed" host'';
          # Nix's own check in addition to the hook's
          disallowedReferences = bound.unwanted;
          disallowedRequisites = bound.unwanted ++ [
            toolkit
            cc
          ];
        }
        // attributes
      );
  };
in
{
  inherit set bind mkDerivation;
  cuda124 = pair "12.4" "${lab}/cuda-12.4" (set.gcc "trixie" "13") (set.gcc "trixie" "14");
  cuda118 = pair "11.8" "${lab}/cuda-11.8" (set.gcc "" "11") (set.gcc "sid" "16");
  # Not the lab's: the toolkit in /usr/local, without its libraries except the runtime.
  cuda130 = pair "13.0" "/usr/local/cuda-13.0" (set.gcc "trixie" "14") (set.gcc "sid" "16");
}
