// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/target.hpp"

#include <algorithm>

namespace hostpin::gpus {

TargetGpus target_gpus(const std::vector<Platform>& platforms, std::string_view platform,
                       const Version& toolkit) {
  const Platform* const row = platform_named(platforms, platform);
  if (row == nullptr)
    return TargetGpus::one_kind;
  if (row->jetson)
    return TargetGpus::jetsons;
  const auto of_jetsons = std::find_if(platforms.begin(), platforms.end(), [&](const Platform& other) {
    return other.jetson && other.triple == row->triple;
  });
  if (of_jetsons == platforms.end())
    return TargetGpus::others;
  const auto last = parse_version(of_jetsons->last_cuda);
  return last && Version{toolkit.major, toolkit.minor, 0} > *last ? TargetGpus::both : TargetGpus::others;
}

} // namespace hostpin::gpus
