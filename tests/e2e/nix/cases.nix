# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small derivations with the hook, each for one thing that it must handle or obey.
{
  lab,
  prefix,
  gate ? "",
}:
let
  packages = import ./packages.nix { inherit lab prefix; };
  inherit (packages.cuda124) bound stdenv host;
  inherit (packages) mkDerivation;
  with' =
    attributes:
    mkDerivation (
      {
        nativeBuildInputs = [ bound ];
        dontStrip = true;
      }
      // attributes
    );
  # One object by nvcc, whose .comment names its compiler.
  object =
    attributes:
    with' (
      {
        buildPhase = ''
          echo 'int f() { return 0; }' >f.cu
          $CUDACXX -arch=sm_75 ''${flags:-} -c f.cu -o f.o
        '';
        installPhase = "mkdir -p $out && cp f.o $out/";
      }
      // attributes
    );
  other = packages.set.gcc "" "11";
in
{
  ours = object { name = "ours"; };
  ccbin = object {
    name = "ccbin";
    flags = "-ccbin ${other}/bin/c++";
  };
  prepended = object {
    name = "prepended";
    NVCC_PREPEND_FLAGS = "-ccbin ${other}/bin/c++";
  };
  hostcxx = object {
    name = "hostcxx";
    CUDAHOSTCXX = "${other}/bin/c++";
    nativeBuildInputs = [
      bound
      stdenv.cc
    ];
    configurePhase = ''
      printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(f LANGUAGES CUDA)' 'add_library(f OBJECT f.cu)' >CMakeLists.txt
      echo 'int f() { return 0; }' >f.cu
      cmake -S . -B build -G Ninja -DCMAKE_CUDA_ARCHITECTURES=75
    '';
    buildPhase = "ninja -C build && cp build/CMakeFiles/f.dir/f.cu.o f.o";
  };
  # Through Meson's own module, without naming nvcc.
  meson = object {
    name = "meson";
    nativeBuildInputs = [
      bound
      stdenv.cc
    ];
    configurePhase = ''
      printf '%s\n' "project('f', 'cuda', 'cpp')" "flags = import('unstable-cuda').nvcc_arch_flags(meson.get_compiler('cuda'), '7.5')" \
        "static_library('f', 'f.cu', cuda_args: flags)" >meson.build
      echo 'int f() { return 0; }' >f.cu
      # Meson calls compilers through a compiler cache that it finds, whose server would outlive the build
      mkdir broken
      printf '#!/bin/sh\nexit 1\n' >broken/ccache
      chmod +x broken/ccache
      cp broken/ccache broken/sccache
      PATH=$PWD/broken:$PATH meson setup build --buildtype=plain
    '';
    buildPhase = "ninja -C build && cp build/libf.a.p/f.cu.o f.o";
  };
  # A makefile that calls nvcc by its name, and one that takes it from the environment.
  make = object {
    name = "make";
    configurePhase = ''
      printf 'f.o: g.o f.cu\n\tnvcc -arch=sm_75 -c f.cu -o f.o\ng.o: f.cu\n\t$(NVCC) -arch=sm_75 -c f.cu -o g.o\n' >Makefile
      echo 'int f() { return 0; }' >f.cu
    '';
    buildPhase = "make";
    installPhase = "mkdir -p $out && cp f.o g.o $out/";
  };
  structured = object {
    name = "structured";
    __structuredAttrs = true;
    strictDeps = true;
    NVCC_PREPEND_FLAGS = [
      "-ccbin"
      "${other}/bin/c++"
    ];
    NVCC_APPEND_FLAGS = [
      "-O1"
      "-lineinfo"
    ];
    outputs = [
      "out"
      "dev"
    ];
    installPhase = "mkdir -p \${outputs[out]} && cp f.o \${outputs[out]}/ && mkdir \${outputs[dev]}";
  };
  outputs = with' {
    name = "several";
    outputs = [
      "bin"
      "lib"
      "dev"
      "empty"
      "file"
    ];
    nativeBuildInputs = [
      bound
      stdenv.cc
    ];
    installPhase = ''
      mkdir -p $bin/bin $lib/lib $dev/lib/pkgconfig $empty
      echo 'int f() { return 0; }' >f.cpp
      echo 'int f(); int main() { return f(); }' >main.cpp
      c++ -shared -fPIC f.cpp -o $lib/lib/libf.so
      c++ main.cpp -o $bin/bin/main -L$lib/lib -lf -Wl,-rpath,$lib/lib
      printf '%s\n' 'Name: f' 'Description: f' 'Version: 1' "Libs: -L$lib/lib -lf" >$dev/lib/pkgconfig/f.pc
      echo "$dev $bin" >$file
    '';
    doInstallCheck = true;
    installCheckPhase = "$bin/bin/main";
  };
  # Debugging symbols that name the host compiler's headers, in the package and in a separate output.
  unstripped = object {
    name = "unstripped";
    flags = "-g -include vector";
  };
  debugApart = object {
    name = "debug-apart";
    flags = "-g -include vector";
    outputs = [
      "out"
      "debug"
    ];
    installPhase = ''
      mkdir -p $out $debug/lib/debug
      objcopy --only-keep-debug f.o $debug/lib/debug/f.debug
      strip -g f.o -o $out/f.o
    '';
  };
  fileLeak = with' {
    name = "file-leak";
    outputs = [
      "out"
      "file"
    ];
    installPhase = "mkdir $out; echo ${host}/bin/c++ >$file";
  };
  many = with' {
    name = "many";
    installPhase = ''
      mkdir $out
      for i in {1..10000}; do echo "$i" >"$out/$i"; done
      echo fine >"$out/"$'a\nb' && echo fine >"$out/-rf" && echo fine >"$out/ "
    '';
  };
  newlineLeak = with' {
    name = "newline-leak";
    installPhase = ''mkdir $out; echo ${host}/bin/c++ >"$out/"$'a\nb.pc' '';
  };
  sharedRuntime = with' {
    name = "shared-runtime";
    nativeBuildInputs = [
      bound
      stdenv.cc
    ];
    buildPhase = ''
      echo '#include <cuda_runtime_api.h>
      int main() { int n; return cudaGetDeviceCount(&n) == cudaSuccess ? 0 : 1; }' >main.cu
      $CUDACXX -arch=sm_75 -cudart shared main.cu -o main -Xlinker -rpath=${packages.cuda124.toolkit}/lib64
    '';
    installPhase = "mkdir -p $out/bin && cp main $out/bin/";
  };
  # Its build waits while the file ${gate} exists.
  slow = object {
    name = "slow";
    preBuild = ''
      if [ -e ${gate} ]; then echo "$PWD" >${gate}; fi
      for _ in {1..300}; do if [ -e ${gate} ]; then sleep 0.2; fi; done
    '';
    postBuild = "strip -S f.o"; # nvcc names its temporary files there
  };
}
