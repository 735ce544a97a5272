// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/case_names.hpp"

#include "toolchains/base/text.hpp"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

namespace hostpin::redist {

std::vector<std::pair<std::string, std::string>> names_that_collide(const std::vector<std::string>& paths) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::unordered_map<std::string, std::string> names; // lower case to the first spelling
  std::unordered_set<std::string> directories;
  const auto add = [&](const std::string& name) {
    const auto [first, added] = names.emplace(lower_case(name), name);
    if (!added && first->second != name)
      pairs.emplace_back(first->second, name);
  };
  for (const std::string& path : paths) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (directories.insert(path.substr(0, slash)).second)
        add(path.substr(0, slash));
    add(path);
  }
  for (const std::string& path : paths)
    if (directories.contains(path))
      pairs.emplace_back(path, path);
  return pairs;
}

} // namespace hostpin::redist
