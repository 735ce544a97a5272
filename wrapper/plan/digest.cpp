// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/plan/digest.hpp"

#include "toolchains/base/checksum.hpp"

#include <cstdint>

namespace hostpin {

std::string decision_digest(Plan plan) {
  constexpr std::uint64_t seeds[] = {0x6F626A65, 0x63740000};
  plan.home = plan.hostpin = plan.identity = {};
  plan.loader = plan.loader_cache = plan.loader_library = plan.loader_platform = {};
  plan.loader_directories.clear();
  plan.loader_capabilities.clear();
  for (PlanFile& file : plan.files) {
    file.content = {};
    file.touched.reset();
  }
  const std::string bytes = write_plan(plan);
  std::string digits;
  for (const std::uint64_t seed : seeds) {
    const auto half = hexadecimal(checksum(bytes, seed));
    digits.append(half.data(), half.size());
  }
  return digits;
}

} // namespace hostpin
