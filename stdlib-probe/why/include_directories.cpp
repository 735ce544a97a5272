// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/include_directories.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace hostpin {

namespace {

/// The directories after these flags.
std::vector<std::string> directories_after(std::span<const std::string_view> wanted,
                                           const std::vector<std::string>& flags) {
  std::vector<std::string> directories;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string_view flag : wanted) {
      if (flags[i] == flag && i + 1 < flags.size())
        directories.push_back(flags[++i]);
      else if (flags[i].starts_with(flag) && flags[i].size() > flag.size())
        directories.push_back(flags[i].substr(flag.size()));
    }
  return directories;
}

} // namespace

std::vector<std::string> own_directories(const std::vector<std::string>& flags) {
  constexpr auto wanted = std::to_array<std::string_view>({"-I", "-iquote"});
  std::vector<std::string> directories = directories_after(wanted, flags);
  std::erase_if(directories, [](const std::string& directory) {
    return directory == "/usr/include" || directory == "/usr/local/include";
  });
  return directories;
}

std::vector<std::string> named_system_directories(const std::vector<std::string>& flags) {
  constexpr auto wanted = std::to_array<std::string_view>({"-isystem", "-idirafter", "-cxx-isystem"});
  return directories_after(wanted, flags);
}

std::vector<std::string> system_directories(const Files& files, const Compiler& compiler,
                                            const std::vector<std::string>& own) {
  std::vector<std::string> real;
  for (const std::string& directory : own)
    real.push_back(files.real_path(directory).value_or(directory));
  std::vector<std::string> directories = compiler.include_directories;
  std::erase_if(directories, [&](const std::string& directory) {
    return std::find(real.begin(), real.end(), files.real_path(directory).value_or(directory)) != real.end();
  });
  return directories;
}

} // namespace hostpin
