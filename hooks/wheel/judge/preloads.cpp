// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/preloads.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <string_view>
#include <utility>

namespace hostpin::wheel {

namespace {

constexpr std::size_t most = 256; // packages that run before a module, and files that they open

} // namespace

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

std::vector<const SiteFile*> Preloads::named_by(const std::vector<const PythonSource*>& sources) {
  std::map<std::string_view, const SiteFile*> files;
  const auto add = [&](const SiteFile& file) {
    if (is_installed_with(file.distribution))
      files.emplace(file.path, &file);
  };
  for (const PythonSource* const source : sources)
    for (const std::string& name : source->libraries)
      if (name.find_first_of("*?[") == std::string::npos) {
        for (const SiteFile* const file : site_.named(name))
          if (base_name(file->path) == name)
            add(*file);
      } else if (patterns_left_ > 0) {
        --patterns_left_;
        for (const auto& [path, file] : site_.files())
          if (::fnmatch(name.c_str(), std::string(base_name(path)).c_str(), 0) == 0)
            add(file);
      }
  std::vector<const SiteFile*> named;
  for (const auto& [path, file] : files)
    named.push_back(file);
  return named;
}

const std::vector<const SiteFile*>& Preloads::opened_in(const std::string& directory) {
  const auto [opened, is_new] = opened_.try_emplace(directory);
  const auto sources = is_new ? installed_in(directory) : std::vector<const PythonSource*>();
  if (std::any_of(sources.begin(), sources.end(), [](const PythonSource* one) { return one->opens; }))
    opened->second = named_by(sources);
  return opened->second;
}

std::vector<std::string> Preloads::run_before(const std::string& directory) const {
  std::vector<std::string> packages;
  std::set<std::string> seen;
  const auto add = [&](const std::string& package) {
    if (packages.size() < most && site_.sources().contains(package) && seen.insert(package).second)
      packages.push_back(package);
  };
  for (std::string package = directory; package.size() > site_.root().size(); package = directory_of(package))
    add(package);
  for (std::size_t at = 0; at < packages.size(); ++at)
    for (const PythonSource* const source : installed_in(packages[at]))
      for (const std::string& package : source->imports)
        add(site_.root() + '/' + package);
  return packages;
}

std::vector<Preload> Preloads::found(const std::string& directory) {
  std::vector<Preload> preloads;
  for (const std::string& package : run_before(directory))
    for (const SiteFile* const file : opened_in(package))
      if (preloads.size() < most)
        preloads.push_back({file, package});
  return preloads;
}

const std::vector<Preload>& Preloads::before(const SiteFile& file) {
  const std::string directory = directory_of(file.path);
  const auto known = by_directory_.find(directory);
  return known != by_directory_.end() ? known->second
                                      : by_directory_.emplace(directory, found(directory)).first->second;
}

} // namespace hostpin::wheel
