// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/devicecode/slim.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// A fatbin of which nothing that stays runs on a listed GPU.
struct Unserved {
  gpus::Capability gpu;
  bool lost = false;  ///< something that does not stay would run on it
  std::string member; ///< of an archive, `inner.a(x.o)`; else empty
  std::string fatbin; ///< `fatbin at 0x40 (scale(float*, int))`
};

/// What slimming changes, for one file or several.
class Slimming {
public:
  struct Amount {
    std::uint64_t before = 0, after = 0; ///< bytes, headers and padding included
  };

  std::uint64_t size_before = 0, size_after = 0; ///< of the files
  std::uint64_t fatbins = 0;
  std::map<fatbin::HeldCode, Amount> codes;
  std::vector<Unserved> unserved; ///< `most_unserved` at most
  std::uint64_t all_unserved = 0;

  static constexpr std::size_t most_unserved = 100;

  /// Selects what stays of the next fatbin for a link, and counts it. `fatbin_bytes`: all that the offsets of
  /// the entries refer to. `is_stub`: of nvcc's link.
  Kept take(const std::vector<binary::EmbeddedCode>& entries, std::uint64_t fatbin_at,
            const binary::Bytes& fatbin_bytes, const Keeping& keeping, bool is_stub);
  /// Counts what slim_linked did.
  void take(const Slimmed& linked);
  void add(const Slimming& other);
  /// Whether there is something that does not stay.
  bool changes() const;

  std::string member; ///< that the next fatbins are in
};

} // namespace hostpin::devicecode
