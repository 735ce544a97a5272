// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/difference.hpp"

#include "toolchains/base/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hostpin::redist {

namespace {

using Key = std::pair<std::string, std::string>; // platform and variant

std::string text_of(const Key& key) {
  return key.second.empty() ? key.first : key.first + ' ' + key.second;
}

std::set<std::string> platforms_of(const ReleasePackage& package) {
  std::set<std::string> platforms;
  for (const auto& [key, archive] : package.archives)
    platforms.insert(key.first);
  return platforms;
}

std::set<std::string> platforms_of(const Release& release) {
  std::set<std::string> platforms;
  for (const auto& [name, package] : release.packages)
    platforms.merge(platforms_of(package));
  return platforms;
}

/// Whether there is an archive for all platforms.
bool serves(const std::set<std::string>& platforms, const std::string& platform) {
  return platforms.contains("source") || (platforms.contains("linux-all") && platform.starts_with("linux-"));
}

/// The first few, and how many others there are.
std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::vector<std::string> first(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return joined(first) +
         (names.size() > most ? " and " + std::to_string(names.size() - most) + " others" : "");
}

/// Members of `from` that are not in `to`.
std::vector<std::string> lost(const std::set<std::string>& from, const std::set<std::string>& to) {
  std::vector<std::string> names;
  std::ranges::set_difference(from, to, std::back_inserter(names));
  return names;
}

/// `libcublas.so` of `libcublas.so.12`
std::string family_of(const std::string& soname) {
  const std::size_t end = soname.find(".so");
  return end == std::string::npos ? soname : soname.substr(0, end + 3);
}

/// Those of the same family.
std::vector<std::string> successors_of(const std::string& soname, const std::set<std::string>& sonames) {
  std::vector<std::string> successors;
  for (const std::string& one : sonames)
    if (family_of(one) == family_of(soname))
      successors.push_back(one);
  return successors;
}

/// The version of `NAME@VERSION`; may be empty.
std::string version_in(const std::string& symbol) {
  const std::size_t at = symbol.rfind('@');
  return at == std::string::npos ? std::string() : symbol.substr(at + 1);
}

std::set<std::string> names_in(const std::set<std::string>& symbols) {
  std::set<std::string> names;
  for (const std::string& symbol : symbols)
    names.insert(symbol.substr(0, symbol.rfind('@')));
  return names;
}

std::set<std::string> versions_in(const std::set<std::string>& symbols) {
  std::set<std::string> versions;
  for (const std::string& symbol : symbols)
    versions.insert(version_in(symbol));
  versions.erase("");
  return versions;
}

/// Whether the package has an archive for the major of a variant such as `cuda13.3`, or for all CUDA
/// releases.
bool has_major(const ReleasePackage& package, const Key& key) {
  const auto major = [](const std::string& variant) { return variant.substr(0, variant.find('.')); };
  return std::ranges::any_of(package.archives, [&](const auto& one) {
    return one.first.first == key.first &&
           (one.first.second.empty() || major(one.first.second) == major(key.second));
  });
}

class Comparison {
public:
  Comparison(const Facts& facts, const Release& from, const Release& to)
      : facts_(facts), from_(from), to_(to) {
    result_.old_title = from.title;
    result_.new_title = to.title;
  }

  Difference compare() {
    compare_platforms();
    for (const auto& [name, package] : from_.packages)
      if (const auto found = to_.packages.find(name); found != to_.packages.end())
        compare_package(name, package, found->second);
      else
        remove_package(name, package);
    for (const auto& [name, package] : to_.packages)
      if (!from_.packages.contains(name))
        compare_package(name, {}, package);
    count();
    std::ranges::sort(result_.packages, {}, &PackageChange::package);
    std::ranges::stable_sort(result_.breaks, {}, &Break::kind);
    return std::move(result_);
  }

private:
  void add_break(Break::Kind kind, const std::string& package, const std::string& platform,
                 std::string what) {
    result_.breaks.push_back({kind, package, platform, std::move(what)});
  }

  void compare_platforms() {
    for (const std::string& platform : lost(platforms_of(from_), platforms_of(to_))) {
      gone_platforms_.insert(platform);
      add_break(Break::Kind::platform_lost, {}, platform, "no package has " + platform + " any more");
    }
  }

  std::vector<std::string> new_names(const std::string& package) const {
    std::vector<std::string> names;
    if (const Rename* const row = facts_.rename_of(package))
      for (const std::string& name : row->to)
        if (to_.packages.contains(name))
          names.push_back(name);
    return names;
  }

  void remove_package(const std::string& name, const ReleasePackage& package) {
    PackageChange change = changed(name, package, {});
    if (const auto names = new_names(name); !names.empty()) {
      result_.renamed.push_back({name, names});
      add_break(Break::Kind::package_renamed, name, {}, name + " is listed as " + joined(names));
    } else {
      add_break(Break::Kind::package_gone, name, {}, name + " is not published any more");
    }
    result_.packages.push_back(std::move(change));
  }

  /// A package that is still there, and others that were not and have parts of it now.
  void compare_split(const std::string& name) {
    std::vector<std::string> names = new_names(name);
    if (std::ranges::find(names, name) == names.end() ||
        std::ranges::all_of(names, [&](const std::string& one) { return from_.packages.contains(one); }))
      return;
    result_.renamed.push_back({name, names});
    std::erase(names, name);
    add_break(Break::Kind::package_renamed, name, {},
              "parts of " + name + " are in " + joined(names) + " now");
  }

  PackageChange changed(const std::string& name, const ReleasePackage& from, const ReleasePackage& to) const {
    PackageChange change{name, from.version, to.version, from.license, to.license, {}, {}, {}, 0};
    for (const auto& [key, archive] : from.archives)
      if (!to.archives.contains(key))
        change.lost_platforms.push_back(text_of(key));
    for (const auto& [key, archive] : to.archives)
      if (const auto found = from.archives.find(key); found == from.archives.end())
        change.added_platforms.push_back(text_of(key));
      else if (found->second.sha256 != archive.sha256)
        change.changed_platforms.push_back(text_of(key));
    return change;
  }

  void compare_package(const std::string& name, const ReleasePackage& from, const ReleasePackage& to) {
    if (from == to)
      return;
    const bool is_new = from.archives.empty() && from.version.empty();
    if (!is_new) {
      compare_split(name);
      compare_archives(name, from, to);
      add_contents(name);
    }
    result_.packages.push_back(changed(name, from, to));
  }

  void compare_archives(const std::string& name, const ReleasePackage& from, const ReleasePackage& to) {
    const std::set<std::string> left = platforms_of(to);
    for (const std::string& platform : lost(platforms_of(from), left))
      if (!gone_platforms_.contains(platform) && !serves(left, platform))
        add_break(Break::Kind::platform_lost, name, platform,
                  name + " has no archive for " + platform + " any more");
    for (const auto& [key, archive] : from.archives) {
      const auto found = to.archives.find(key);
      if (found != to.archives.end()) {
        if (from.version == to.version && archive.sha256 != found->second.sha256)
          add_break(Break::Kind::archive_replaced, name, key.first,
                    name + ' ' + to.version + " for " + text_of(key) +
                        " is another archive under the same version");
        compare_contents(key, archive, found->second);
      } else if (left.contains(key.first) && !key.second.empty() && !has_major(to, key))
        add_break(Break::Kind::variant_lost, name, key.first,
                  name + " has no archive for " + key.second + " on " + key.first + " any more");
    }
  }

  void compare_contents(const Key& key, const ReleaseArchive& from, const ReleaseArchive& to) {
    if (!from.content || !to.content)
      return;
    const auto add = [&](Break::Kind kind, std::string what) {
      contents_[{kind, std::move(what)}].push_back(text_of(key));
    };
    for (const std::string& soname : lost(from.content->sonames, to.content->sonames)) {
      const auto successors = successors_of(soname, to.content->sonames);
      add(Break::Kind::soname_lost, successors.empty()
                                        ? "has no " + soname + " any more"
                                        : "has " + joined(successors) + " in place of " + soname);
    }
    compare_symbols(key, *from.content, *to.content);
    if (const auto gpus = lost(from.content->gpus, to.content->gpus); !gpus.empty())
      add(Break::Kind::gpu_lost, "has no code for " + joined(gpus) + " any more");
    if (const auto outputs = lost(from.content->outputs, to.content->outputs); !outputs.empty())
      add(Break::Kind::output_lost, "has no output " + joined(outputs) + " any more");
  }

  void compare_symbols(const Key& key, const ReleaseContent& from, const ReleaseContent& to) {
    for (const auto& [library, symbols] : from.symbols) {
      if (const auto found = to.symbols.find(library); found != to.symbols.end())
        compare_library(key, library, symbols, library, found->second);
      else if (const auto successors = successors_of(library, to.sonames); successors.size() == 1)
        // Programs are linked again, which needs the names and not the versions.
        if (const auto next = to.symbols.find(successors.front()); next != to.symbols.end())
          compare_library(key, library, names_in(symbols), next->first, names_in(next->second));
    }
  }

  void compare_library(const Key& key, const std::string& library, const std::set<std::string>& from,
                       const std::string& successor, const std::set<std::string>& to) {
    if (from == to)
      return;
    const auto removed = lost(from, to);
    symbols_[{library, successor, lost(to, from), removed}].push_back(text_of(key));
    lose_symbols(text_of(key), successor, removed, lost(versions_in(from), versions_in(to)));
  }

  /// A version that is lost is named instead of all its symbols.
  void lose_symbols(const std::string& platform, const std::string& library, std::vector<std::string> removed,
                    const std::vector<std::string>& versions) {
    if (!versions.empty())
      contents_[{Break::Kind::symbol_lost,
                 "has no symbols of version " + some(versions) + " in " + library + " any more"}]
          .push_back(platform);
    std::erase_if(removed, [&](const std::string& symbol) {
      return std::ranges::find(versions, version_in(symbol)) != versions.end();
    });
    if (!removed.empty())
      contents_[{Break::Kind::symbol_lost, "has no " + some(removed) + " in " + library + " any more"}]
          .push_back(platform);
  }

  /// What is the same for several platforms is one line.
  void add_contents(const std::string& name) {
    for (const auto& [change, platforms] : symbols_)
      result_.symbols.push_back({name, std::get<0>(change), std::get<1>(change), platforms,
                                 std::get<2>(change), std::get<3>(change)});
    symbols_.clear();
    for (const auto& [kind_and_what, platforms] : contents_)
      add_break(kind_and_what.first, name, joined(platforms),
                name + " for " + joined(platforms) + ' ' + kind_and_what.second);
    contents_.clear();
  }

  void count() {
    std::set<std::string> known;
    for (const auto& [name, package] : from_.packages)
      for (const auto& [key, archive] : package.archives)
        known.insert(archive.sha256);
    for (const auto& [name, package] : to_.packages) {
      std::uint64_t bytes = 0;
      for (const auto& [key, archive] : package.archives) {
        ++result_.archives;
        result_.bytes += archive.size;
        if (known.insert(archive.sha256).second) {
          ++result_.archives_to_fetch;
          bytes += archive.size;
        }
      }
      result_.bytes_to_fetch += bytes;
      const auto change = std::ranges::find(result_.packages, name, &PackageChange::package);
      if (change != result_.packages.end())
        change->bytes_to_fetch = bytes;
    }
  }

  const Facts& facts_;
  const Release& from_;
  const Release& to_;
  std::set<std::string> gone_platforms_;                                             // of the whole release
  std::map<std::pair<Break::Kind, std::string>, std::vector<std::string>> contents_; // of one package
  /// Likewise: old and new library, added and removed symbols -> platforms.
  using Symbols = std::tuple<std::string, std::string, std::vector<std::string>, std::vector<std::string>>;
  std::map<Symbols, std::vector<std::string>> symbols_;
  Difference result_;
};

} // namespace

Difference difference(const Facts& facts, const Release& from, const Release& to) {
  return Comparison(facts, from, to).compare();
}

} // namespace hostpin::redist
