# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One store path that binds a CUDA toolkit to a stdenv: bin/nvcc, bound/ (nvcc, c++, binding.toml, plan, toolchain.cmake) and
# the setup hook. It goes into nativeBuildInputs; nothing that is built with it refers to it.
{
  runCommand,
  hostpin,
  patchelf ? null,
  stdenv,
  # A toolkit in one tree, such as cudaPackages.cudatoolkit.
  toolkit,
  # Compilers to choose from, such as [ gcc14 gcc13 ]: the stdenv's own if it fits, else the newest that fits.
  hostCompilers ? [ ],
  # That one and no other; it must fit too.
  hostCompiler ? null,
  # Directory of libcuda.so.1 at run time, and cuda_compat's if that is to be used.
  driverDir ? "/run/opengl-driver/lib",
  cudaCompat ? null,
}:
let
  candidates = hostCompilers ++ (if hostCompiler == null then [ ] else [ hostCompiler ]);
  cxxOf = cc: "${cc}/bin/${cc.targetPrefix or ""}c++";
  # A compiler, its wrapper in Nixpkgs, and the libraries of both.
  outputsOf = cc: map (name: cc.${name}) (cc.outputs or [ "out" ]);
  partsOf = cc: outputsOf cc ++ (if cc ? cc then outputsOf cc.cc else [ ]);
  kept = map toString (partsOf stdenv.cc);
  unwanted = builtins.filter (path: !(builtins.elem (toString path) kept)) (
    [ hostpin ] ++ builtins.concatMap partsOf candidates
  );
  bound =
    runCommand "hostpin-bound"
      {
        inherit toolkit driverDir hostpin;
        cxx = cxxOf stdenv.cc;
        named = if hostCompiler == null then "" else cxxOf hostCompiler;
        candidates = map cxxOf candidates;
        compatDir = if cudaCompat == null then "" else "${cudaCompat}/compat";
        patchelfBin = if patchelf == null then "" else "${patchelf}/bin";
        forbid = unwanted;
        passthru = {
          inherit
            toolkit
            hostpin
            stdenv
            ;
          # For a derivation's disallowedRequisites.
          unwanted = unwanted ++ [ bound ];
        };
      }
      ''
        # compilers of this machine are not chosen, even without a sandbox
        {
          echo 'search = "named"'
          echo 'compilers = ['
          for candidate in $candidates; do echo "\"$candidate\","; done
          echo ']'
        } >config.toml
        export HOSTPIN_CONFIG=$PWD/config.toml HOSTPIN_CACHE_DIR=$PWD/cache HOME=$PWD
        mkdir -p "$out/bin" "$out/nix-support"
        "$hostpin/bin/hostpin" bind "$out/bound" --toolkit "$toolkit" --stdenv "$cxx" ''${named:+--host "$named"}
        ln -s ../bound/nvcc "$out/bin/nvcc"
        sed -e "s|@binding@|$out/bound|" -e "s|@hostpin@|$hostpin/bin/hostpin|" -e "s|@driverDir@|$driverDir|" \
          -e "s|@compatDir@|$compatDir|" -e "s|@path@|$patchelfBin|" -e "s|@forbid@|$forbid|" \
          "$hostpin/share/hostpin/setup-hook.sh" >"$out/nix-support/setup-hook"
      '';
in
bound
