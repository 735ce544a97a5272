// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/layout.hpp"
#include "toolchains/base/version.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin {

namespace {

// Where `<triple>/<version>` of GCC installations are, below the root.
constexpr auto installation_roots =
    std::to_array<const char*>({"/usr/lib/gcc", "/usr/lib64/gcc", "/usr/lib/gcc-cross", "/lib/gcc",
                                "/lib64/gcc", "/usr/local/lib/gcc", "/usr/local/lib64/gcc"});

bool is_directory(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::directory;
}

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

} // namespace

HeaderLayout sysroot_headers(const Files& files, const std::string& sysroot) {
  return Sysroot(files, sysroot).layout();
}

} // namespace hostpin
