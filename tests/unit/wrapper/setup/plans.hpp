// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/setup/plan.hpp"

#include <string>

namespace hostpin::setup {

/// One toolkit, one compiler and headers for it.
inline Plan sample_plan() {
  const std::string digest(64, 'a');
  Plan plan;
  plan.client = "apt-get";
  plan.machine = "x86_64";
  plan.stdenv = "GCC 12.2.0 (/usr/bin/g++)";
  Piece toolkit{
      Piece::Kind::toolkit, "cuda", "trixie", "Debian 13 (trixie)", {12, 4, 131}, Family::other, 0, {}, {},
      "NVIDIA CUDA EULA",   {},     {}};
  toolkit.packages.push_back({"nvidia-cuda-toolkit", "12.4.131~12.4.1-2", "amd64", "toolkit.deb",
                              "http://deb.debian.org/pool/toolkit.deb", digest, 87'000'000});
  Piece compiler{Piece::Kind::compiler,
                 "compilers/gcc-13",
                 "trixie",
                 "Debian 13 (trixie)",
                 {13, 3, 0},
                 Family::gcc,
                 13,
                 "g++-13",
                 "piece",
                 {},
                 "newest that fits",
                 {}};
  compiler.packages.push_back(
      {"g++-13", "13.3.0-16", "amd64", "g++.deb", "http://deb.debian.org/pool/g++.deb", digest, 10'000'000});
  Piece headers{Piece::Kind::headers,
                "headers",
                "bookworm",
                "Debian 12 (bookworm)",
                {2, 36, 0},
                Family::other,
                0,
                {},
                {},
                {},
                "others clash",
                {}};
  headers.packages.push_back({"libc6-dev", "2.36-9", "amd64", "libc6-dev.deb",
                              "http://deb.debian.org/pool/libc6-dev.deb", digest, 2'000'000});
  plan.pieces = {toolkit, compiler, headers};
  plan.notes = {"a note"};
  return plan;
}

} // namespace hostpin::setup
