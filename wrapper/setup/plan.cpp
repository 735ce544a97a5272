// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/plan.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/toolkit/wheels.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

// What unpacked files take, as a multiple of their packages: measured with Debian's GCC 12 to 16 (3.9
// to 4.4), and, as only a part of its packages is kept, with its CUDA 11.8 and 12.4 (0.6).
constexpr std::uint64_t compiler_growth = 5, toolkit_growth = 1, headers_growth = 8, wheels_growth = 3;
constexpr std::uint64_t usual_wheel = std::uint64_t{32} << 20U; // bytes, where pip does not have its size

} // namespace

const char* to_string(Piece::Kind kind) {
  switch (kind) {
  case Piece::Kind::toolkit:
    return "toolkit";
  case Piece::Kind::compiler:
    return "compiler";
  case Piece::Kind::headers:
    return "headers";
  case Piece::Kind::stdenv:
    break;
  }
  return "stdenv";
}

std::uint64_t bytes_of(const Piece& piece) {
  return std::accumulate(piece.packages.begin(), piece.packages.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Package& each) { return sum + each.bytes; });
}

std::uint64_t space_for(const Piece& piece) {
  // NVIDIA's archives are kept whole; they grow as compilers do.
  const std::uint64_t growth = piece.kind == Piece::Kind::headers             ? headers_growth
                               : has_driver(piece) || piece.suite == "redist" ? compiler_growth
                               : piece.suite == "wheels"                      ? wheels_growth
                                                                              : toolkit_growth;
  const std::uint64_t least = piece.suite == "wheels" ? piece.packages.size() * usual_wheel : 0;
  return std::max(bytes_of(piece), least) * (1 + growth);
}

std::string title(const Piece& piece) {
  switch (piece.kind) {
  case Piece::Kind::toolkit:
    return "CUDA " + to_string(piece.version);
  case Piece::Kind::compiler:
  case Piece::Kind::stdenv:
    return fmt::format("{} {}", piece.family == Family::clang ? "Clang" : "GCC",
                       to_full_string(piece.version));
  case Piece::Kind::headers:
    break;
  }
  return "C library headers of glibc " + to_string(piece.version);
}

bool has_driver(const Piece& piece) {
  return piece.kind == Piece::Kind::compiler || piece.kind == Piece::Kind::stdenv;
}

std::string toolkit_root(const Piece& piece, const std::string& place) {
  return piece.suite == "wheels" ? root_of_wheels(place, piece.version.major) : place;
}

std::string driver_of(const Piece& piece, const std::string& directory) {
  return fmt::format("{}/{}/bin/{}-{}", directory, piece.place,
                     piece.family == Family::clang ? "clang++" : "g++", piece.major);
}

std::string digest_of(const Piece& piece) {
  std::string text =
      fmt::format("{} {} {} {}\n", to_string(piece.kind), piece.place, piece.package, piece.headers);
  for (const Package& each : piece.packages)
    text += fmt::format("{} {} {} {}\n", each.name, each.version, each.file, each.sha256);
  return sha256_of(text);
}

const Piece* Plan::piece(Piece::Kind kind) const {
  for (const Piece& each : pieces)
    if (each.kind == kind)
      return &each;
  return nullptr;
}

std::uint64_t bytes_of(const Plan& plan) {
  std::uint64_t sum = 0;
  for (const Piece& each : plan.pieces)
    sum += bytes_of(each);
  return sum;
}

} // namespace hostpin::setup
