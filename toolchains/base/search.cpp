// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/search.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

bool fits(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  return name.size() >= before.size() + after.size() && name.front() != '.' && name.starts_with(before) &&
         name.ends_with(after);
}

} // namespace

Expansion expand(const Files& files, const Environment& environment, const SearchPattern& searched) {
  Expansion result;
  std::string root;
  if (searched.variable != nullptr) {
    root = environment[searched.variable].value_or("");
    if (!root.starts_with('/'))
      return result;
  }
  result.directories.push_back(root);
  const std::string_view pattern(searched.path);
  for (std::size_t begin = pattern.starts_with('/') ? 1 : 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    const std::string_view component = pattern.substr(begin, end - begin);
    begin = end + 1;
    std::vector<std::string> next;
    const bool listed = component.find('*') != std::string_view::npos;
    for (const std::string& directory : result.directories) {
      if (!listed) {
        next.push_back(directory + '/' + std::string(component));
        continue;
      }
      result.looked.push_back(directory);
      std::vector<std::string> names = files.entries(directory);
      std::sort(names.begin(), names.end(),
                [](const auto& a, const auto& b) { return ::strverscmp(a.c_str(), b.c_str()) > 0; });
      for (const std::string& name : names)
        if (fits(name, component) && is_directory(files, directory + '/' + name))
          next.push_back(directory + '/' + name);
    }
    result.directories = std::move(next);
  }
  return result;
}

std::vector<std::string> path_directories(const Environment& environment) {
  return absolute_directories(environment["PATH"].value_or(""));
}

std::string absence(const Files& files, const std::string& path) {
  const auto opened = files.read(path, 0);
  const bool barred = !opened && opened.error().message.ends_with(std::generic_category().message(EACCES)) &&
                      !files.status(path);
  if (!barred)
    return "does not exist";
  std::string around = directory_of(path);
  while (around.size() > 1 && !files.status(around))
    around = directory_of(around);
  return "cannot be reached: this user may not search " + around + " (permission denied)";
}

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

namespace {

bool is_program(const std::string& path) {
  struct stat data {};
  return ::stat(path.c_str(), &data) == 0 && S_ISREG(data.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

std::optional<std::string> executable(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos)
    return name;
  const std::string path = environment["PATH"].value_or("/usr/local/bin:/usr/bin:/bin");
  for (const std::string& directory : absolute_directories(path))
    if (std::string candidate = directory + '/' + name; !name.empty() && is_program(candidate))
      return candidate;
  return std::nullopt;
}

} // namespace hostpin
