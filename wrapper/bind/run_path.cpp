// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/run_path.hpp"

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

namespace {

constexpr const char* run_path_hint =
    "name directories with a colon between them: toolkit, absolute ones, or such as '$ORIGIN/../lib'";

bool has_shared_libraries(const std::string& directory, const Files& files) {
  const std::vector<std::string> names = files.entries(directory);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.find(".so.") != std::string::npos; });
}

/// The directory with the toolkit's shared libraries themselves: of wheels, never that of links to them.
Result<std::string> libraries_of(const Toolkit& toolkit, const Files& files) {
  if (toolkit.target)
    return failure(fmt::format("--run-path toolkit: programs for {} run on another machine, where {} is not",
                               toolkit.target->triple, toolkit.root),
                   "name the directory of CUDA's libraries on that machine");
  if (toolkit.root != "/usr" && toolkit.root != "/")
    for (const char* const name : {"/lib", "/lib64"})
      if (const std::string directory = toolkit.root + name; has_shared_libraries(directory, files))
        return files.real_path(directory).value_or(directory);
  return failure(
      fmt::format("--run-path toolkit: {} has no directory of shared libraries of its own", toolkit.root),
      "leave the option out, or name a directory");
}

} // namespace

Result<std::vector<std::string>> run_path(const Request& request, const Toolkit& toolkit,
                                          const Files& files) {
  constexpr std::string_view origin = "$ORIGIN";
  std::vector<std::string> directories;
  for (const std::string& named :
       request.run_path.empty() ? std::vector<std::string>() : split(request.run_path, ":")) {
    std::string directory = without_slash(named);
    if (named == "toolkit") {
      TRY_ASSIGN(auto libraries, libraries_of(toolkit, files));
      directory = std::move(libraries);
    }
    const bool from_origin = directory == origin || directory.starts_with(std::string(origin) + '/');
    if (const std::string_view reason =
            obstacle(from_origin ? "/origin" + directory.substr(origin.size()) : directory);
        !reason.empty())
      return failure(fmt::format("--run-path: '{}' {}", directory, reason), run_path_hint);
    if (std::find(directories.begin(), directories.end(), directory) == directories.end())
      directories.push_back(std::move(directory));
  }
  return directories;
}

bool is_for_cmake(const std::string& directory) {
  return directory.find_first_of(",;<>\\\"$") == std::string::npos;
}

} // namespace hostpin::bind
