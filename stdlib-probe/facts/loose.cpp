// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/layout.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

// An unpacked package is shallow and small; a whole file system must not be walked.
constexpr int deepest = 10;
constexpr std::size_t most_directories = 20000;

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// The part of a path that is a target triple, such as `x86_64-linux-gnu`; empty if there is none.
std::string triple_in(const std::string& path) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    if (part.find("-linux") != std::string::npos && part.find("-linux") > 0)
      return part;
    begin = end + 1;
  }
  return {};
}

/// Sorts the directories below some others by their content.
class Walk {
public:
  explicit Walk(const Files& files) : files_(files) {}

  void look(const std::string& directory, int depth = 0) {
    const auto real = files_.real_path(directory);
    if (!real || depth > deepest || seen_.size() >= most_directories || !seen_.insert(*real).second)
      return;
    const auto has = [&](const char* name) {
      const auto status = files_.status(*real + '/' + name);
      return status && status->kind == FileStatus::Kind::regular;
    };
    // Other collections have a <cstddef> as well: Boost's, and CUDA's copy of libc++.
    if (has("cstddef") && has("__config"))
      libcxx.push_back(*real);
    else if (has("cstddef") && files_.status(*real + "/bits"))
      libstdcxx.push_back(*real);
    if (has("bits/c++config.h"))
      configurations.push_back(*real);
    if (!has("cstddef") &&
        (has("features.h") || has("gnu/stubs.h") || has("bits/wordsize.h") || has("__config_site")))
      others.push_back(*real);
    for (const std::string& name : files_.entries(*real)) {
      const auto status = files_.status(*real + '/' + name);
      if (status && status->kind == FileStatus::Kind::directory)
        look(*real + '/' + name, depth + 1);
    }
  }

  const std::set<std::string>& seen() const { return seen_; }

  std::vector<std::string> libstdcxx, libcxx, configurations, others;

private:
  const Files& files_;
  std::set<std::string> seen_;
};

bool is_below(const std::string& directory, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return directory.starts_with(root + '/'); });
}

/// True if a directory with `bits/c++config.h` belongs to a libstdc++: it is the same one, is below it, or is
/// the target's counterpart, whose last component is the same release.
bool belongs(const std::string& configuration, const std::string& root) {
  return configuration == root || configuration.starts_with(root + '/') ||
         last_part(configuration) == last_part(root);
}

HeaderSet with_others(HeaderSet set, const std::vector<std::string>& others) {
  for (const std::string& directory : others) {
    const std::string triple = triple_in(directory);
    if (triple.empty() || set.triple.empty() || triple == set.triple)
      set.directories.push_back(directory);
  }
  return set;
}

} // namespace

HeaderLayout loose_headers(const Files& files, std::span<const std::string> directories) {
  Walk walk(files);
  for (const std::string& directory : directories)
    walk.look(directory);
  // libstdc++ has its own `parallel/features.h`.
  std::erase_if(walk.others, [&](const std::string& directory) {
    return is_below(directory, walk.libstdcxx) || is_below(directory, walk.libcxx);
  });
  HeaderLayout layout;
  layout.looked = {walk.seen().begin(), walk.seen().end()};
  std::vector<HeaderSet>& sets = layout.sets;
  for (const std::string& root : walk.libstdcxx) {
    const std::size_t before = sets.size();
    for (const std::string& configuration : walk.configurations) {
      const bool only = walk.libstdcxx.size() == 1 && walk.configurations.size() == 1;
      if (!belongs(configuration, root) && !only)
        continue;
      HeaderSet set{"", "", triple_in(configuration), false, {root}, {}};
      if (configuration != root)
        set.directories.push_back(configuration);
      sets.push_back(with_others(std::move(set), walk.others));
    }
    if (sets.size() == before)
      sets.push_back(with_others({"", "", triple_in(root), false, {root}, {}}, walk.others));
  }
  for (const std::string& root : walk.libcxx)
    sets.push_back(with_others({"", "", triple_in(root), true, {root}, {}}, walk.others));
  return layout;
}

} // namespace hostpin
