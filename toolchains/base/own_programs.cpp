// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/own_programs.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

bool is_bound(const Files& files, std::string_view directory) {
  const auto holds = [&](const char* name) {
    const auto status = files.status(std::string(directory) + name);
    return status && status->kind == FileStatus::Kind::regular;
  };
  return holds("/plan") && holds("/binding.toml");
}

} // namespace

IsOwn own_programs(const Files& files, const std::vector<std::string>& known) {
  std::vector<std::string> resolved;
  resolved.reserve(known.size());
  for (const std::string& path : known)
    resolved.push_back(files.real_path(path).value_or(path));
  return [&files, resolved = std::move(resolved)](const std::string& path) {
    const std::string real = files.real_path(path).value_or(path);
    return directory_of(real).ends_with("/libexec/hostpin") ||
           std::find(resolved.begin(), resolved.end(), real) != resolved.end() ||
           is_bound(files, directory_of(path)) || is_bound(files, directory_of(real));
  };
}

} // namespace hostpin
