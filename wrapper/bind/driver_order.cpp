// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/driver_order.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/toolkit/composed.hpp"

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
  DriverOrder order;
  const auto composed = composed_toolkit(toolkit_root, files);
  if (!composed || *composed)
    order.files.push_back(fmt::format("{}/{}", toolkit_root, origin_file));
  if (!composed) {
    order.notes.push_back(
        fmt::format("where programs find the NVIDIA driver is not known: {}", composed.error().message));
    return order;
  }
  if (!*composed)
    return order;
  for (const std::string& named : (*composed)->driver_path) {
    const std::string directory = without_slash(named);
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
