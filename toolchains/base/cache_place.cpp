// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/cache_place.hpp"

#include <unistd.h>

namespace hostpin {

std::optional<std::string> cache_directory(const CachePlace& place) {
  // A relative path would make the cache depend on the directory in which the build runs.
  if (place.own)
    return place.own->front() == '/' ? std::optional<std::string>(*place.own) : std::nullopt;
  if (place.xdg && place.xdg->front() == '/')
    return std::string(*place.xdg) + "/hostpin";
  if (place.home && place.home->front() == '/' && access(std::string(*place.home).c_str(), F_OK) == 0)
    return std::string(*place.home) + "/.cache/hostpin";
  return std::nullopt;
}

} // namespace hostpin
