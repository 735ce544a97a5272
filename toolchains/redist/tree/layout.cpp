// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/layout.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/redist/tree/case_names.hpp"
#include "toolchains/redist/tree/rewrite.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

/// Archives that fit every platform.
bool is_for_all(std::string_view platform) {
  return platform == "linux-all" || platform == "source";
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

std::string major_of(std::string_view version) {
  return std::string(version.substr(0, version.find('.')));
}

bool is_version(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// The path below `directory`; nothing if it is not there.
std::optional<std::string_view> below(std::string_view path, std::string_view directory) {
  if (!path.starts_with(directory) || path.size() <= directory.size() || path[directory.size()] != '/')
    return std::nullopt;
  return path.substr(directory.size() + 1);
}

struct Placement {
  std::string path;
  std::string output;
};

/// Where each member of one archive is in the root.
class Placing {
public:
  Placing(const ArchiveTree& tree, const Composition& composition, const TreeFacts& facts, std::string major)
      : tree_(tree), composition_(composition), facts_(facts),
        platform_(facts.platform(tree.archive.platform)), one_target_(is_one_target(composition, facts)),
        libraries_(versioned_directory(tree, std::move(major))) {}

  std::optional<Placement> operator()(const Member& member) const {
    std::string path = member.path;
    if (!take_version(path))
      return std::nullopt;
    std::string output = output_in_root(path);
    if (output == "license")
      return member.link.empty() && is_wanted("license")
                 ? std::optional(Placement{"share/licenses/" + tree_.archive.package + '/' + path, output})
                 : std::nullopt;
    if ((output == "compat" && !composition_.compat) || !is_wanted(output))
      return std::nullopt;
    auto placed = placed_path(path);
    return placed ? std::optional(Placement{*std::move(placed), std::move(output)}) : std::nullopt;
  }

private:
  /// The output of archives, with two more: texts at the top, and the compatibility libraries.
  std::string output_in_root(const std::string& path) const {
    if (path.find('/') == std::string::npos)
      return "license";
    // nvcc runs programs below nvvm.
    return path.starts_with("compat/") ? std::string("compat")
           : path.starts_with("nvvm/") ? std::string("bin")
                                       : output_of(facts_.content, path);
  }

  bool is_wanted(const std::string& output) const {
    return composition_.takes(tree_.archive.package, output) || output == "license" || output == "compat";
  }

  /// The directory below `lib` that is for this CUDA major: `12`, else the last of `12.0`, `12.1`; empty if
  /// there are no such directories, `-` if none of them fits.
  static std::string versioned_directory(const ArchiveTree& tree, std::string major) {
    std::string best;
    bool any = false;
    for (const Member& member : tree.members) {
      const auto rest = below(member.path, "lib");
      if (!rest || rest->find('/') == std::string_view::npos)
        continue;
      const std::string name(rest->substr(0, rest->find('/')));
      any = any || is_version(name);
      if (is_version(name) && major_of(name) == major && best != major)
        best = name == major || best.empty() ? name : std::max(best, name);
    }
    return any && best.empty() ? "-" : best;
  }

  /// Removes the CUDA major from `lib/12/libx.so`; false if it is for another one.
  bool take_version(std::string& path) const {
    const auto rest = below(path, "lib");
    if (libraries_.empty() || !rest || rest->find('/') == std::string_view::npos)
      return true;
    const std::string name(rest->substr(0, rest->find('/')));
    if (!is_version(name))
      return true;
    path = "lib/" + std::string(rest->substr(name.size() + 1));
    return name == libraries_;
  }

  bool is_for_host() const {
    return tree_.archive.platform == composition_.host || is_for_all(tree_.archive.platform);
  }

  std::string target_directory(std::string_view below_it) const {
    if (below_it == "compat" && tree_.archive.platform == composition_.targets.front())
      return "";
    return one_target_ || platform_ == nullptr || platform_->format == "zip"
               ? ""
               : "targets/" + platform_->target + '/';
  }

  std::optional<std::string> placed_path(const std::string& path) const {
    for (const LayoutRow& row : facts_.compose.layout) {
      if (!row.packages.empty() && !contains(row.packages, tree_.archive.package))
        continue;
      const std::string from =
          replaced(row.from, "{triple}", platform_ == nullptr ? std::string_view() : platform_->triple);
      const auto rest = below(path, from);
      if (!rest)
        continue;
      if (!row.is_for_target())
        return is_for_host() ? std::optional(row.to + '/' + std::string(*rest)) : std::nullopt;
      if (!contains(composition_.targets, tree_.archive.platform) && !is_for_all(tree_.archive.platform))
        return std::nullopt;
      const std::string to = row.to.substr(std::string_view("{target}/").size());
      return target_directory(to) + to + '/' + std::string(*rest);
    }
    return is_for_host() ? std::optional(path) : std::nullopt;
  }

  const ArchiveTree& tree_;
  const Composition& composition_;
  const TreeFacts& facts_;
  const Platform* platform_;
  bool one_target_;
  std::string libraries_;
};

bool is_same(const OriginEntry& left, const OriginEntry& right) {
  return left.sha256 == right.sha256 && left.link == right.link;
}

/// Collects the pieces of a root.
class Planning {
public:
  Planning(const std::vector<ArchiveTree>& trees, const Composition& composition, const TreeFacts& facts,
           const ReadMember& read)
      : trees_(trees), composition_(composition), facts_(facts), read_(read),
        one_target_(is_one_target(composition, facts)) {
    for (const ArchiveTree& tree : trees)
      all_.push_back(tree.archive);
    for (const std::string& target : composition.targets)
      if (const Platform* const platform = facts.platform(target))
        directories_.push_back(
            one_target_ || platform->format == "zip" ? "" : "targets/" + platform->target + '/');
  }

  Result<RootPlan> plan() {
    const std::string major = cuda_major(all_);
    for (const ArchiveTree& tree : trees_)
      add_tree(tree, Placing(tree, composition_, facts_, major));
    TRY(change_files());
    add_directory_links();
    add_driver_links();
    add_version_file();
    return finished();
  }

private:
  /// Adds an archive, unless nothing but its licence is wanted.
  void add_tree(const ArchiveTree& tree, const Placing& place) {
    std::vector<std::pair<const Member*, Placement>> placed;
    for (const Member& member : tree.members)
      if (auto placement = place(member))
        placed.emplace_back(&member, *std::move(placement));
    if (std::ranges::all_of(placed, [](const auto& one) { return one.second.output == "license"; }))
      return;
    for (auto& [member, placement] : placed) {
      OriginEntry entry;
      entry.path = std::move(placement.path);
      entry.archive = plan_.origin.archives.size();
      entry.member = member->path;
      entry.sha256 = member->sha256;
      entry.link = member->link;
      entry.output = std::move(placement.output);
      entry.executable = member->executable;
      add(std::move(entry), member->link.empty() ? tree.directory + '/' + member->path : "", tree.archive);
    }
    plan_.origin.archives.push_back(tree.archive);
  }

  void add(OriginEntry entry, std::string source, const LockedArchive& other) {
    const auto found = pieces_.find(entry.path);
    if (found == pieces_.end()) {
      const std::string path = entry.path;
      pieces_.emplace(path, RootPiece{std::move(entry), std::move(source), {}});
      return;
    }
    if (is_same(found->second.entry, entry))
      return;
    // An index that is not there yet is that of `other`.
    const std::size_t index = *found->second.entry.archive;
    const LockedArchive& owner = index < plan_.origin.archives.size() ? plan_.origin.archives[index] : other;
    if (entry.output == "license" && owner.package == other.package && owner.platform != other.platform) {
      entry.path = "share/licenses/" + other.package + '/' + other.platform + '/' + entry.member;
      add(std::move(entry), std::move(source), other);
      return;
    }
    Finding conflict = finding(Rule::path_conflict, entry.path, {}, entry.path,
                               name_of(owner) + " and " + name_of(other) + " have different files here");
    conflict.package = other.package;
    conflict.platform = other.platform;
    plan_.findings.push_back(std::move(conflict));
  }

  Result<void> change_files() {
    for (auto& [path, piece] : pieces_) {
      const bool profile = one_target_ && path == "bin/nvcc.profile";
      const bool pkgconfig = composition_.patched && path.ends_with(".pc") && piece.entry.link.empty();
      if (!profile && !pkgconfig)
        continue;
      const auto text = read_(piece.source);
      if (!text)
        return tl::unexpected(text.error());
      const std::string changed = profile ? one_target_profile(*text) : relocatable_pkgconfig(*text);
      if (changed == *text)
        continue;
      piece.text = changed;
      piece.entry.changed = profile ? "without $(_TARGET_DIR_), as the tree has one target"
                                    : "directories relative to this file";
      piece.source.clear();
    }
    return {};
  }

  bool has_directory(const std::string& directory) const {
    const auto found = pieces_.lower_bound(directory + '/');
    return found != pieces_.end() && found->first.starts_with(directory + '/');
  }

  /// Makes a link unless an archive has something at its path; `to` as seen from the link.
  void add_link(const std::string& path, const std::string& to, const std::string& output) {
    OriginEntry entry;
    entry.path = path;
    entry.link = to;
    entry.output = output;
    if (!has_directory(path))
      pieces_.emplace(path, RootPiece{std::move(entry), {}, {}});
  }

  void add_directory_links() {
    const Platform* const target = facts_.platform(composition_.targets.front());
    if (target == nullptr || target->format == "zip")
      return;
    const std::string& directory = directories_.front();
    for (const char* name : {"include", "lib"})
      if (has_directory(directory + name) && !directory.empty())
        add_link(name, directory + name, name);
    if (has_directory(directory + "lib"))
      add_link("lib64", directory + "lib", "lib");
    if (has_directory("extras/CUPTI") || pieces_.contains(directory + "include/cupti.h")) {
      if (has_directory(directory + "include"))
        add_link("extras/CUPTI/include", "../../" + directory + "include", "include");
      if (has_directory(directory + "lib"))
        add_link("extras/CUPTI/lib64", "../../" + directory + "lib", "lib");
    }
    add_aliases();
  }

  void add_aliases() {
    for (const std::string& name : composition_.targets) {
      const Platform* const platform = facts_.platform(name);
      const CmakeTarget* const row =
          platform == nullptr ? nullptr : facts_.compose.cmake_target(platform->target);
      if (row != nullptr && !row->alias.empty() && has_directory("targets/" + platform->target))
        add_link("targets/" + row->alias, platform->target, "include");
    }
  }

  /// `libcuda.so.1` next to the stub `libcuda.so`: the linker looks for what libraries need by that name.
  void add_driver_links() {
    std::vector<std::pair<std::string, std::string>> links;
    for (const auto& [path, piece] : pieces_) {
      const std::string name(base_name(path));
      if (piece.entry.output != "stubs" || !name.ends_with(".so"))
        continue;
      const std::string_view by = facts_.compose.provider(name + ".1");
      if (by == "driver" || by == "jetson")
        links.emplace_back(path + ".1", name);
    }
    for (const auto& [path, to] : links)
      add_link(path, to, "stubs");
  }

  void add_version_file() {
    nlohmann::ordered_json json;
    std::map<std::string, std::string> versions;
    for (const LockedArchive& one : plan_.origin.archives) {
      if (one.product == "cuda")
        json["cuda"] = {{"name", "CUDA SDK"}, {"version", one.label}};
      versions.emplace(one.package, one.version);
    }
    if (json.empty())
      return;
    for (const auto& [package, version] : versions)
      json[package] = {{"name", package}, {"version", version}};
    RootPiece piece;
    piece.entry.path = "version.json";
    piece.entry.changed = "made from the versions of the lock";
    piece.text = json.dump(3) + '\n';
    pieces_.emplace(piece.entry.path, std::move(piece));
  }

  RootPlan finished() {
    std::vector<std::string> paths;
    for (auto& [path, piece] : pieces_) {
      paths.push_back(path);
      plan_.pieces.push_back(std::move(piece));
    }
    for (const auto& [first, second] : names_that_collide(paths))
      plan_.findings.push_back(finding(Rule::path_conflict, second, {}, second,
                                       first + " is the same name on file systems that ignore case, or is "
                                               "both a file and a directory"));
    plan_.origin.host = composition_.host;
    plan_.origin.targets = composition_.targets;
    plan_.origin.outputs.assign(composition_.outputs.begin(), composition_.outputs.end());
    plan_.origin.one_target = one_target_;
    plan_.origin.patched = composition_.patched;
    plan_.origin.compat = composition_.compat;
    plan_.origin.driver = composition_.driver;
    sort(plan_.findings);
    return std::move(plan_);
  }

  const std::vector<ArchiveTree>& trees_;
  const Composition& composition_;
  const TreeFacts& facts_;
  const ReadMember& read_;
  bool one_target_;
  std::vector<std::string> directories_; ///< of the targets, ending with a slash or empty
  std::vector<LockedArchive> all_;
  std::map<std::string, RootPiece> pieces_;
  RootPlan plan_;
};

} // namespace

std::string cuda_major(const std::vector<LockedArchive>& archives) {
  for (const LockedArchive& one : archives)
    if (one.product == "cuda")
      return major_of(one.label);
  for (const LockedArchive& one : archives)
    if (one.variant.starts_with("cuda"))
      return major_of(one.variant.substr(4));
  return {};
}

std::string platforms_of(const Lock& lock) {
  std::set<std::string> platforms;
  for (const LockedArchive& one : lock.archives)
    platforms.insert(one.platform);
  return joined(platforms);
}

Result<std::vector<LockedArchive>> selected_archives(const Lock& lock, const Composition& composition,
                                                     const TreeFacts& facts) {
  const std::string major = cuda_major(lock.archives);
  const auto has_platform = [&](const std::string& platform) {
    return std::ranges::any_of(lock.archives,
                               [&](const LockedArchive& one) { return one.platform == platform; });
  };
  for (const auto* platforms : {&composition.targets})
    for (const std::string& platform : *platforms)
      if (facts.platform(platform) == nullptr || !has_platform(platform))
        return failure(
            "the lock has no archive for " + platform,
            "it has " + platforms_of(lock) +
                (facts.platform(platform) == nullptr ? "" : "; or lock with --platforms " + platform));
  const bool has_programs = std::ranges::any_of(
      lock.archives, [&](const LockedArchive& one) { return composition.takes(one.package, "bin"); });
  if (!has_platform(composition.host) && has_programs)
    return failure("the lock has no archive for " + composition.host +
                       ", so there are no programs to compose",
                   "lock with --platforms " + composition.host + ", or select other --outputs");
  std::vector<LockedArchive> chosen;
  for (const LockedArchive& one : lock.archives) {
    if (one.platform != composition.host && !contains(composition.targets, one.platform) &&
        !is_for_all(one.platform))
      continue;
    if (!composition.takes_some_of(one.package) &&
        !(composition.compat && one.package.starts_with("cuda_compat")))
      continue;
    const bool has_better = !one.variant.empty() && !fits_cuda(one.variant, major) &&
                            std::ranges::any_of(lock.archives, [&](const LockedArchive& other) {
                              return other.package == one.package && other.platform == one.platform &&
                                     fits_cuda(other.variant, major);
                            });
    if (!has_better)
      chosen.push_back(one);
  }
  return chosen;
}

bool Composition::takes(const std::string& package, const std::string& output) const {
  return outputs.empty() || outputs.contains(output) || outputs.contains(package + '.' + output);
}

bool Composition::takes_some_of(const std::string& package) const {
  return outputs.empty() || std::ranges::any_of(outputs, [&](const std::string& name) {
           return name.find('.') == std::string::npos || name.starts_with(package + '.');
         });
}

bool is_one_target(const Composition& composition, const TreeFacts& facts) {
  if (composition.targets.size() != 1 || composition.targets.front() == composition.host)
    return false;
  const Platform* const platform = facts.platform(composition.targets.front());
  const CmakeTarget* const row = platform == nullptr ? nullptr : facts.compose.cmake_target(platform->target);
  return row != nullptr && !row->since && row->alias.empty();
}

Result<RootPlan> plan_root(const std::vector<ArchiveTree>& trees, const Composition& composition,
                           const TreeFacts& facts, const ReadMember& read) {
  return Planning(trees, composition, facts, read).plan();
}

std::set<std::string> output_names(const ContentFacts& facts) {
  std::set<std::string> names{"compat", "license", "out"};
  for (const NamedPatterns& output : facts.outputs)
    names.insert(output.name);
  return names;
}

} // namespace hostpin::redist
