// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/repair/packages.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// Something of others that a wheel uses.
struct Part {
  /// How it comes to the machine that runs the wheel.
  enum class Delivery {
    packed,       ///< in the wheel
    linked,       ///< statically, into a file of the wheel
    distribution, ///< another wheel, which this one requires
    system,       ///< the system, or the NVIDIA driver
  };

  std::string name; ///< a soname, as whoever built it named it; `libcudart_static.a`
  Delivery delivery = Delivery::packed;
  std::string by;     ///< the member that is it, or that uses it
  std::string sha256; ///< hexadecimal, of a packed one
  std::string from;   ///< the distribution
  bool is_nvidias = false;
  std::string version;  ///< exact; empty: not known
  std::string versions; ///< that the wheel requires: `>=13,<14`
  std::string license;  ///< a name, or as its package says; empty: not known
  std::string purl;     ///< of the package that it is from; empty: not known

  auto operator<=>(const Part&) const = default;
};

/// Sorted, each once. Libraries that every system has, by the manylinux policies, are none.
std::vector<Part> parts_of(const WheelFile& wheel, const Tables& tables, const Origins& origins);

/// Properties of CycloneDX components: the member that a part is, or that uses it, and the licence as its
/// package says, which `recorded_origins` reads.
inline constexpr std::string_view file_property = "hostpin:file",
                                  license_property = "hostpin:package-license";

/// The documents of PEP 770, below the directory `sboms` in *.dist-info: CycloneDX 1.6 and SPDX 2.3, as JSON.
/// The same wheel gives the same text. `time`: seconds since the epoch, which SPDX requires.
std::string cyclonedx_text(const WheelFile& wheel, const std::vector<Part>& parts);
std::string spdx_text(const WheelFile& wheel, const std::vector<Part>& parts, std::int64_t time);

/// Names of the two members.
std::string cyclonedx_member(const WheelFile& wheel);
std::string spdx_member(const WheelFile& wheel);

} // namespace hostpin::wheel
