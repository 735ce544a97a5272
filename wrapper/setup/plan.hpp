// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/setup/packages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::setup {

/// As in licenses.toml.
inline constexpr const char* cuda_eula = "NVIDIA CUDA EULA";

/// Something that is made in the directory from packages.
struct Piece {
  /// A stdenv is a compiler whose programs run with the machine's own C library.
  enum class Kind { toolkit, compiler, headers, stdenv };
  Kind kind = Kind::toolkit;
  std::string place;             ///< below the directory: `cuda`, `compilers/gcc-13`, `headers`, `stdenv`
  std::string suite;             ///< of the distribution: `trixie`; `redist` for NVIDIA's archives, `wheels`
  std::string suite_name;        ///< `Debian 13 (trixie)`
  Version version;               ///< nvcc's, the compiler's, or that of the GNU C library
  Family family = Family::other; ///< of a compiler
  int major = 0;                 ///< likewise
  std::string package;           ///< likewise: `g++-13`
  /// Whose C library headers a compiler reads: `machine`, `suite` (its own), `piece` (the piece of kind
  /// headers) or `stdenv` (the piece of that kind).
  std::string headers;
  std::string license; ///< of what has to be accepted: `NVIDIA CUDA EULA`; empty: nothing has
  std::string why;     ///< as text
  std::vector<Package> packages;
};

/// Why there is no plan.
struct NoPlan : Error {
  /// As hostpin bind refuses: all that could be asked answered, and nothing fits, or what the user names does
  /// not. Otherwise nothing could be decided.
  bool nothing_fits;
  NoPlan(Error error, bool is_refused = false) // implicit, so that errors can be returned as they are
      : Error(std::move(error)), nothing_fits(is_refused) {}
};

/// A value, or why there is no plan.
template <typename T>
using Planned = tl::expected<T, NoPlan>;

/// `toolkit`, `compiler`, `headers`, `stdenv`.
const char* to_string(Piece::Kind kind);

/// Bytes to download.
std::uint64_t bytes_of(const Piece& piece);

/// Bytes of disk space that making it takes, downloads included; an estimate on the safe side.
std::uint64_t space_for(const Piece& piece);

/// `CUDA 12.4.131`, `GCC 13.3.0`, `C library headers of glibc 2.36`.
std::string title(const Piece& piece);

/// Whether it has a compiler driver: one of kind compiler or stdenv.
bool has_driver(const Piece& piece);

/// The root of a piece of kind toolkit whose place is `place`, an absolute path.
std::string toolkit_root(const Piece& piece, const std::string& place);

/// The C++ driver of such a piece, in the directory that is set up: `DIR/stdenv/bin/g++-14`.
std::string driver_of(const Piece& piece, const std::string& directory);

/// Identifies what a piece is made from: a SHA-256. A piece of the same digest is not made again.
std::string digest_of(const Piece& piece);

/// Something that is on this machine and is used.
struct Found {
  std::string what;  ///< `CUDA 12.4.131`, `GCC 13.3.0`
  std::string path;  ///< the toolkit's root, the driver
  std::string named; ///< how `hostpin bind` has to name it; empty: it finds it by itself
};

/// Everything that will be done.
struct Plan {
  std::string client;                     ///< `apt`, ...; empty if nothing is fetched from a distribution
  std::string stdenv;                     ///< `GCC 12.2.0 (/usr/bin/g++)`, on whose libraries it is based;
                                          ///< in the directory if it is a piece
  std::string machine;                    ///< `x86_64`
  std::optional<Found> toolkit, compiler; ///< nothing: a piece is made
  std::vector<Piece> pieces;
  std::string lock; ///< text of the lock of NVIDIA's archives; empty without
  std::vector<std::string> notes;

  const Piece* piece(Piece::Kind kind) const;
};

/// Bytes to download of all pieces.
std::uint64_t bytes_of(const Plan& plan);

/// `setup.json`: the plan with each file's name, address, size and hash. The same plan gives the same bytes.
std::string plan_json(const Plan& plan);

/// Reads that text; the error is `file:line:column: what`. Names of files and places are well-formed then: no
/// path leaves its directory.
Result<Plan> read_plan_json(std::string_view content, const std::string& file);

/// Bytes of a plan that are read at most.
inline constexpr std::size_t largest_plan = std::size_t{16} << 20U;

} // namespace hostpin::setup
