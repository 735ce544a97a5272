// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/parse/layout.hpp"

#include "toolchains/base/version.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin::probe {

namespace {

// Where `<triple>/<version>` of GCC installations are, below the root.
constexpr auto installation_roots =
    std::to_array<const char*>({"/usr/lib/gcc", "/usr/lib64/gcc", "/usr/lib/gcc-cross", "/lib/gcc",
                                "/lib64/gcc", "/usr/local/lib/gcc", "/usr/local/lib64/gcc"});

std::string parent(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Debian's name of a target's directories: i386 for every 32-bit x86.
std::string multiarch(const std::string& triple) {
  const std::size_t dash = triple.find('-');
  const std::string architecture = triple.substr(0, dash);
  const bool narrow_x86 =
      architecture.size() == 4 && architecture.starts_with('i') && architecture.ends_with("86");
  return narrow_x86 ? "i386" + triple.substr(dash) : triple;
}

/// The existing ones, each once.
std::vector<std::string> present(const Files& files, const std::vector<std::string>& directories) {
  std::vector<std::string> found;
  for (const std::string& directory : directories) {
    const auto real = files.real_path(directory);
    if (real && is_directory(files, *real) && std::find(found.begin(), found.end(), *real) == found.end())
      found.push_back(*real);
  }
  return found;
}

std::vector<std::string> c_directories(const std::string& sysroot, const std::string& triple) {
  return {sysroot + "/usr/local/include", sysroot + "/usr/include/" + multiarch(triple),
          sysroot + "/usr/" + triple + "/include", sysroot + "/usr/include"};
}

std::vector<std::string> library_directories(const std::string& sysroot, const std::string& triple) {
  const bool wide = triple.find("64") != std::string::npos;
  std::vector<std::string> directories;
  const auto add = [&](const std::string& name) {
    directories.push_back(sysroot + "/lib/" + name);
    directories.push_back(sysroot + "/usr/lib/" + name);
  };
  add(multiarch(triple));
  if (wide)
    add("../lib64");
  directories.push_back(sysroot + "/usr/" + triple + "/lib");
  add(".");
  return directories;
}

class Sysroot {
public:
  Sysroot(const Files& files, std::string sysroot) : files_(files), sysroot_(std::move(sysroot)) {}

  HeaderLayout layout() {
    for (const char* const root : installation_roots)
      for (const std::string& triple : listed(sysroot_ + root))
        for (const std::string& version : listed(sysroot_ + root + '/' + triple))
          if (parse_version(version))
            add(sysroot_ + root + '/' + triple + '/' + version);
    std::stable_sort(sets_.begin(), sets_.end(), [](const HeaderSet& a, const HeaderSet& b) {
      return *parse_version(a.version) > *parse_version(b.version);
    });
    add_libcxx();
    return {std::move(sets_), std::move(looked_)};
  }

private:
  std::vector<std::string> listed(const std::string& directory) {
    looked_.push_back(directory);
    return files_.entries(directory);
  }

  void add(const std::string& named) {
    const auto real = files_.real_path(named);
    const bool known = std::any_of(sets_.begin(), sets_.end(),
                                   [&](const HeaderSet& set) { return set.gcc_install == real; });
    if (!real || known || !is_directory(files_, *real))
      return;
    HeaderSet set{*real, last_part(named), last_part(parent(named)), false, {}, {}};
    std::vector<std::string> directories = cxx_directories(named, set);
    if (directories.empty())
      return; // a C compiler, or the rest of a removed release
    directories.push_back(named + "/include");
    directories.push_back(named + "/include-fixed");
    for (const std::string& directory : c_directories(sysroot_, set.triple))
      directories.push_back(directory);
    set.directories = present(files_, directories);
    std::vector<std::string> libraries = library_directories(sysroot_, set.triple);
    libraries.insert(libraries.begin(), named);
    set.libraries = present(files_, libraries);
    sets_.push_back(std::move(set));
  }

  /// The first of the directories that GCC's default configuration, a cross compiler and Gentoo use.
  std::vector<std::string> cxx_directories(const std::string& install, const HeaderSet& set) const {
    const std::string prefix = parent(parent(parent(parent(install))));
    for (const std::string& root :
         {install + "/include/c++", install + "/include/g++-v" + set.version,
          prefix + "/include/c++/" + set.version, prefix + '/' + set.triple + "/include/c++/" + set.version})
      if (files_.status(root + "/cstddef"))
        return {root, root + '/' + set.triple,
                prefix + "/include/" + multiarch(set.triple) + "/c++/" + set.version, root + "/backward"};
    return {};
  }

  void add_libcxx() {
    std::vector<std::string> roots{sysroot_ + "/usr/include/c++/v1"};
    for (const std::string& name : listed(sysroot_ + "/usr/lib"))
      if (name.starts_with("llvm"))
        roots.push_back(sysroot_ + "/usr/lib/" + name + "/include/c++/v1");
    std::vector<std::string> seen;
    for (const std::string& root : roots) {
      const auto real = files_.real_path(root);
      if (!real || !files_.status(root + "/__config") ||
          std::find(seen.begin(), seen.end(), *real) != seen.end())
        continue;
      seen.push_back(*real);
      HeaderSet set{"", "", sets_.empty() ? "" : sets_.front().triple, true, {}, {}};
      std::vector<std::string> directories = c_directories(sysroot_, set.triple);
      directories.insert(directories.begin(), root);
      set.directories = present(files_, directories);
      std::vector<std::string> libraries = library_directories(sysroot_, set.triple);
      libraries.insert(libraries.begin(), parent(parent(parent(*real))) + "/lib");
      set.libraries = present(files_, libraries);
      sets_.push_back(std::move(set));
    }
  }

  const Files& files_;
  std::string sysroot_;
  std::vector<HeaderSet> sets_;
  std::vector<std::string> looked_;
};

// An extracted package is shallow and small; a whole file system must not be walked.
constexpr int deepest = 10;
constexpr std::size_t most_directories = 20000;

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
    for (const std::string& name : files_.entries(*real))
      if (is_directory(files_, *real + '/' + name))
        look(*real + '/' + name, depth + 1);
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

HeaderLayout sysroot_headers(const Files& files, const std::string& sysroot) {
  return Sysroot(files, sysroot).layout();
}

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

} // namespace hostpin::probe
