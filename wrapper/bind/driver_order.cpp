// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/driver_order.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hostpin::bind {

namespace {

/// Why no run path can have it; empty if one can. A colon separates directories there, and a dollar sign
/// begins a variable.
std::string_view obstacle(const std::string& directory) {
  if (base_name(directory) == "stubs")
    return "has stubs, which programs must not load";
  if (!directory.starts_with('/') || directory.find_first_of(":$\n") != std::string::npos)
    return "cannot be in a run path";
  return {};
}

std::string without_slash(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  return directory;
}

} // namespace

DriverOrder driver_order(const std::string& toolkit_root, const Files& files) {
  const std::string file = fmt::format("{}/{}", toolkit_root, redist::origin_name);
  DriverOrder order;
  if (!files.status(file))
    return order;
  order.files.push_back(file);
  const auto text = files.read(file, redist::largest_origin);
  const auto origin = text ? redist::read_origin(*text, file) : tl::unexpected(text.error());
  if (!origin) {
    order.notes.push_back(
        fmt::format("where programs find the NVIDIA driver is not known: {}", origin.error().message));
    return order;
  }
  for (std::string& named : redist::driver_path(*origin, toolkit_root)) {
    const std::string directory = without_slash(std::move(named));
    if (const std::string_view reason = obstacle(directory); !reason.empty())
      order.notes.push_back(
          fmt::format("programs do not search {} for the NVIDIA driver: it {}", directory, reason));
    else if (std::find(order.directories.begin(), order.directories.end(), directory) ==
             order.directories.end())
      order.directories.push_back(directory);
  }
  return order;
}

} // namespace hostpin::bind
