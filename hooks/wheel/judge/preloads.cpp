// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/preloads.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <string_view>
#include <utility>

namespace hostpin::wheel {

bool Preloads::is_installed_with(const std::string& distribution) const {
  return distribution == own_ || required_.names.contains(distribution);
}

std::vector<const PythonSource*> Preloads::installed_in(const std::string& directory) const {
  std::vector<const PythonSource*> installed;
  if (const auto sources = site_.sources().find(directory); sources != site_.sources().end())
    for (const auto& [distribution, source] : sources->second)
      if (is_installed_with(distribution))
        installed.push_back(&source);
  return installed;
}

namespace {

bool is_named(std::string_view file_name, const std::vector<const PythonSource*>& sources) {
  const std::string file(file_name);
  return std::any_of(sources.begin(), sources.end(), [&](const PythonSource* source) {
    return std::any_of(source->libraries.begin(), source->libraries.end(), [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), file.c_str(), 0) == 0;
    });
  });
}

} // namespace

std::vector<Preload> Preloads::found(const std::string& directory) const {
  std::vector<std::string> left; // directories of packages that run before
  for (std::string package = directory; package.size() > site_.root().size();
       package = std::string(directory_of(package)))
    left.push_back(package);
  std::vector<Preload> preloads;
  for (std::size_t at = 0; at < left.size(); ++at) {
    const std::vector<const PythonSource*> sources = installed_in(left[at]);
    for (const PythonSource* const source : sources)
      for (const std::string& package : source->imports)
        if (const std::string path = site_.root() + '/' + package;
            std::find(left.begin(), left.end(), path) == left.end())
          left.push_back(path);
    if (std::none_of(sources.begin(), sources.end(), [](const PythonSource* one) { return one->opens; }))
      continue;
    for (const auto& [path, file] : site_.files())
      if (is_installed_with(file.distribution) && is_named(base_name(path), sources))
        preloads.push_back({&file, left[at]});
  }
  return preloads;
}

const std::vector<Preload>& Preloads::before(const SiteFile& file) {
  const std::string directory(directory_of(file.path));
  const auto known = by_directory_.find(directory);
  return known != by_directory_.end() ? known->second
                                      : by_directory_.emplace(directory, found(directory)).first->second;
}

} // namespace hostpin::wheel
