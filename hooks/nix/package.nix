# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin itself, for callPackage.
{
  lib,
  stdenv,
  cmake,
  ninja,
  boost,
  bzip2,
  cli11,
  curl,
  expat,
  fmt,
  glibc,
  libarchive,
  llvmPackages_19,
  nettle,
  nlohmann_json,
  openssl,
  tl-expected,
  tomlplusplus,
  xz,
  zlib,
  zstd,
}:
stdenv.mkDerivation {
  pname = "hostpin";
  version = "0.1.0";
  # A checkout without what was built in it.
  src = builtins.path {
    path = ../..;
    name = "hostpin";
    filter =
      path: _: dirOf path != toString ../.. || builtins.match "[.]git|build(-.*)?|out" (baseNameOf path) == null;
  };
  strictDeps = true;
  nativeBuildInputs = [
    cmake
    ninja
  ];
  buildInputs = [
    boost
    bzip2
    cli11
    curl
    expat
    fmt
    glibc.static # nvcc and c++ load nothing
    libarchive
    llvmPackages_19.libclang
    llvmPackages_19.llvm
    nettle
    nlohmann_json
    openssl
    tl-expected
    tomlplusplus
    xz
    zlib
    zstd
  ];
  cmakeFlags = [ "-DBUILD_TESTING=OFF" ];
  meta = {
    description = "An nvcc that picks a host compiler that fits and pins the libstdc++ of everything else";
    license = with lib.licenses; [
      asl20
      llvm-exception
    ];
    platforms = lib.platforms.linux;
    mainProgram = "hostpin";
  };
}
