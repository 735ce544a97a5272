// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin::wheel {

Result<std::deque<WheelFile>> read_others(const std::vector<std::string>& paths) {
  std::deque<WheelFile> others;
  for (const std::string& path : paths) {
    TRY_ASSIGN(auto other, read_wheel(path, {reading_threads(), Depth::linking, false}));
    others.push_back(std::move(other));
  }
  return others;
}

Result<std::string> site_directory(const std::string& directory) {
  if (directory.empty())
    return std::string();
  std::error_code error;
  const auto path = std::filesystem::canonical(directory, error);
  if (error || !std::filesystem::is_directory(path, error))
    return failure(directory + " is not a directory",
                   "--site takes a directory such as lib/python3.12/site-packages of an environment");
  return path.string();
}

} // namespace hostpin::wheel
