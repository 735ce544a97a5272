// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/selection.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace hostpin::redist {

namespace {

/// `cuda 12.4.1`
std::string title(const LockedManifest& manifest) {
  return manifest.product + ' ' + manifest.label;
}

/// The digits before the first dot.
std::string major_of(std::string_view label) {
  return std::string(label.substr(0, label.find('.')));
}

/// A package by its key, for all platforms or for one.
struct Wanted {
  std::string key, platform;
  bool found = false;
};

std::vector<Wanted> wanted_packages(const Wish& wish) {
  std::vector<Wanted> wanted;
  for (const std::string& name : wish.packages) {
    const std::size_t at = name.find('@');
    wanted.push_back({name.substr(0, at), at == std::string::npos ? "" : name.substr(at + 1)});
  }
  return wanted;
}

class Selector {
public:
  Selector(const Facts& facts, std::span<const CheckedManifest> sources, const Wish& wish)
      : facts_(facts), sources_(sources), wish_(wish), wanted_(wanted_packages(wish)) {}

  Result<Selection> select() {
    read_wish();
    for (std::size_t index = 0; index < sources_.size() && !error_; ++index)
      add_manifest(sources_[index]);
    cuda_ = cuda_of(sources_, wish_);
    for (std::size_t index = 0; index < sources_.size() && !error_; ++index)
      add_archives(sources_[index].manifest, manifests_[index]);
    for (const Wanted& wanted : wanted_)
      if (!wanted.found)
        refuse_package(wanted);
    if (error_)
      return tl::unexpected(*std::move(error_));
    selected_.lock.manifests = manifests_;
    // The form in which it is written and read, so that equal locks compare equal.
    return read_lock(lock_text(std::move(selected_.lock)), "lock").map([&](Lock lock) {
      return Selection{std::move(lock), std::move(selected_.left_out)};
    });
  }

private:
  void refuse(std::string message, std::string hint) {
    if (!error_)
      error_ = Error{std::move(message), std::move(hint)};
  }

  void read_wish() {
    std::set<std::string> known;
    for (const Platform& platform : facts_.platforms)
      known.insert(platform.name);
    for (const CheckedManifest& source : sources_)
      for (const std::string& platform : platforms_of(source.manifest))
        known.insert(platform);
    for (const std::string& platform : wish_.platforms)
      if (!known.contains(platform))
        refuse_unknown(platform, {known.begin(), known.end()});
    for (const Wanted& wanted : wanted_)
      if (!wanted.platform.empty() && !contains(wish_.platforms, wanted.platform))
        refuse("package '" + escaped(wanted.key) + "' is wanted for '" + escaped(wanted.platform) +
                   "', which is not a platform of this lock",
               "name it with --platforms, too");
  }

  void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
    std::vector<std::string> same; // under another name of it
    for (const Platform& platform : facts_.platforms)
      for (const std::string& other :
           {platform.nix, platform.debian, platform.triple, platform.target, platform.machine})
        if (other == name && !contains(same, platform.name))
          same.push_back(platform.name);
    const std::string near = nearest(name, known);
    refuse("no manifest has the platform '" + escaped(name) + "'",
           !same.empty()   ? "NVIDIA's name for it is " + joined(same, " or ")
           : !near.empty() ? "did you mean " + near + "?"
                           : "platforms are " + joined(known));
  }

  /// An archive for all of NVIDIA's platforms, or those of Linux.
  static bool fits_all(const std::string& platform) {
    return platform == "linux-all" || platform == "source";
  }

  template <typename Names>
  static bool contains(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != std::ranges::end(names);
  }

  static std::set<std::string> platforms_of(const Manifest& manifest) {
    std::set<std::string> platforms;
    for (const Package& package : manifest.packages)
      for (const Archive& archive : package.archives)
        platforms.insert(archive.platform);
    return platforms;
  }

  /// Its product is the one that it names, or the product of its directory if only that one is known: NVIDIA
  /// has published `cublasmp-v0-1` below cublasmp.
  std::string product_name(const Manifest& manifest) const {
    const std::string named = product_of(manifest), directory = product_of_directory(manifest);
    return base_of(named).empty() && !base_of(directory).empty() ? directory : named;
  }

  std::string base_of(const std::string& product) const {
    if (const auto given = wish_.bases.find(product); given != wish_.bases.end())
      return given->second;
    const Product* const row = facts_.product(product);
    return row == nullptr ? std::string() : row->base;
  }

  void add_manifest(const CheckedManifest& source) {
    const Manifest& manifest = source.manifest;
    LockedManifest row{product_name(manifest), label_of(manifest), manifest.date.value, source.sha256, {}};
    row.base = base_of(row.product);
    if (is_url(manifest.file))
      row.url = manifest.file;
    if (!source.base.empty() && !wish_.bases.contains(row.product))
      row.base = source.base; // the paths of archives are relative to the manifest
    if (!row.base.empty() && !row.base.ends_with('/'))
      row.base += '/';
    if (row.label.empty())
      refuse(manifest.file +
                 ": the release is not known: there is no release_label, and the file's name is not "
                 "redistrib_LABEL.json",
             "give the file the name under which it was published");
    if (row.base.empty())
      refuse_product(manifest.file, row.product);
    for (const LockedManifest& other : manifests_)
      if (other.product == row.product && other.label == row.label)
        refuse(manifest.file + ": " + title(row) + " is among the manifests twice",
               other.sha256 == row.sha256 ? "name it once"
                                          : "the two files differ; see `hostpin redist diff` for how");
    manifests_.push_back(std::move(row));
  }

  void refuse_product(const std::string& file, const std::string& product) {
    std::vector<std::string> known;
    for (const Product& row : facts_.products)
      known.push_back(row.name);
    const std::string near = nearest(product, known);
    refuse(file + ": where the archives of the product '" + escaped(product) + "' are published is not known",
           near.empty() ? "name the URL with --base " + (product.empty() ? "PRODUCT" : escaped(product)) +
                              "=URL; known are " + joined(known)
                        : "did you mean " + near + "? Otherwise name the URL with --base");
  }

  void add_archives(const Manifest& manifest, const LockedManifest& row) {
    const std::set<std::string> there = platforms_of(manifest);
    if (wanted_.empty())
      for (const std::string& platform : wish_.platforms)
        if (!there.contains(platform) && !std::ranges::all_of(there, fits_all))
          refuse_platform(title(row), platform, there);
    for (const Package& package : manifest.packages)
      for (const std::string& platform : wish_.platforms)
        if (is_wanted(package.key, platform))
          add_archive(package, platform, row);
  }

  bool is_wanted(const std::string& package, const std::string& platform) {
    bool is = wanted_.empty();
    for (Wanted& wanted : wanted_)
      if (wanted.key == package) {
        wanted.found = true;
        is = is || wanted.platform.empty() || wanted.platform == platform;
      }
    return is;
  }

  /// The archives for a platform, one for each CUDA major or a single one.
  static std::vector<const Archive*> candidates(const Package& package, const std::string& platform) {
    std::vector<std::string> names{platform};
    if (platform.starts_with("linux-"))
      names.emplace_back("linux-all");
    names.emplace_back("source");
    std::vector<const Archive*> found;
    for (const std::string& name : names) {
      for (const Archive& archive : package.archives)
        if (archive.platform == name)
          found.push_back(&archive);
      if (!found.empty())
        break;
    }
    return found;
  }

  void add_archive(const Package& package, const std::string& platform, const LockedManifest& row) {
    const std::vector<const Archive*> archives = candidates(package, platform);
    if (archives.empty() && wanted_.empty()) {
      selected_.left_out[platform].push_back(package.key);
      return;
    }
    if (archives.empty()) {
      std::set<std::string> there;
      for (const Archive& archive : package.archives)
        there.insert(archive.platform);
      refuse_platform(package.key + ' ' + package.version.value + " of " + title(row), platform, there);
      return;
    }
    if (const Archive* const chosen = of_variant(archives, package, row))
      add(package, *chosen, row);
  }

  const Archive* of_variant(const std::vector<const Archive*>& archives, const Package& package,
                            const LockedManifest& row) {
    if (archives.size() == 1 && (archives.front()->variant.empty() || cuda_.empty()))
      return archives.front();
    const Archive* chosen = nullptr; // the most precise one: cuda13.3 rather than cuda13
    std::vector<std::string> there;
    for (const Archive* const archive : archives) {
      if (fits_cuda(archive->variant, cuda_) &&
          (chosen == nullptr || chosen->variant.size() < archive->variant.size()))
        chosen = archive;
      if (!archive->variant.empty())
        there.push_back(archive->variant);
    }
    if (chosen != nullptr)
      return chosen;
    const std::string what = package.key + ' ' + package.version.value + " of " + title(row);
    if (cuda_.empty())
      refuse(what + " has an archive for each of " + joined(there) + ", and there is " +
                 "no CUDA manifest, or several, to choose by",
             "name the major with --cuda-variant, such as " +
                 there.back().substr(std::min<std::size_t>(4, there.back().size())));
    else
      refuse(what + " has no archive for CUDA " + cuda_ + " on " + archives.front()->platform + ", only " +
                 joined(there),
             "name another major with --cuda-variant, another release of " + row.product +
                 ", or the packages with --packages");
    return nullptr;
  }

  void add(const Package& package, const Archive& archive, const LockedManifest& row) {
    const auto [other, is_new] = taken_.try_emplace({package.key, archive.platform}, title(row));
    if (!is_new && other->second != title(row))
      refuse(package.key + " for " + archive.platform + " is in " + other->second + " and in " + title(row),
             "name one of the two manifests: a lock has one release of a package");
    if (!is_new) // linux-all and source archives are selected for each platform
      return;
    selected_.lock.archives.push_back({row.product,
                                       row.label,
                                       package.key,
                                       package.version.value,
                                       archive.platform,
                                       archive.variant,
                                       package.license.value,
                                       archive.path.value,
                                       archive.sha256.value,
                                       archive.size,
                                       {},
                                       package.name.value,
                                       package.license_path.value,
                                       archive.md5.value});
  }

  /// `what` has no archive for `platform`, but for those `there`.
  void refuse_platform(const std::string& what, const std::string& platform,
                       const std::set<std::string>& there) {
    const Platform* const row = facts_.platform(platform);
    std::string hint = "it has " + joined(there);
    if (row != nullptr && !row->last_cuda.empty())
      hint += "; CUDA " + row->last_cuda + " is the last release with " + platform;
    if (row != nullptr && row->jetson && there.contains("linux-sbsa"))
      hint += ". From CUDA 13 on, linux-sbsa serves Jetson, too; before that its libraries have no code for "
              "Jetson's GPUs";
    if (wanted_.empty())
      return refuse(what + " has no archive for " + platform, hint);
    refuse(what + " has no archive for " + platform,
           hint + "; PACKAGE@PLATFORM wants a package for one platform only");
  }

  void refuse_package(const Wanted& wanted) {
    std::set<std::string> keys;
    for (const CheckedManifest& source : sources_)
      for (const Package& package : source.manifest.packages)
        keys.insert(package.key);
    std::vector<std::string> titles;
    for (const LockedManifest& manifest : manifests_)
      titles.push_back(title(manifest));
    refuse("there is no package '" + escaped(wanted.key) + "' in " + joined(titles),
           hint_for(wanted.key, keys));
  }

  std::string hint_for(const std::string& key, const std::set<std::string>& keys) const {
    if (const Rename* const rename = facts_.rename_of(key))
      return rename->to.empty() ? "it is not published any more since CUDA " + rename->since
                                : "since CUDA " + rename->since + " it is " + joined(rename->to);
    for (const Rename& rename : facts_.renames)
      if (contains(rename.to, key) && keys.contains(rename.from))
        return "before CUDA " + rename.since + " it is part of " + rename.from;
    for (const char* const prefix : {"cuda_", "lib"}) // cudart and cublas, as everybody calls them
      if (keys.contains(prefix + key))
        return std::string("did you mean ") + prefix + key + '?';
    const std::string near = nearest(key, std::vector<std::string>(keys.begin(), keys.end()));
    return near.empty() ? "packages are " + joined(keys) : "did you mean " + near + "?";
  }

  const Facts& facts_;
  std::span<const CheckedManifest> sources_;
  const Wish& wish_;
  std::vector<Wanted> wanted_;
  std::string cuda_; // the release or its major, to choose between variants; empty if it is not known
  std::vector<LockedManifest> manifests_;
  std::map<std::pair<std::string, std::string>, std::string> taken_;
  Selection selected_;
  std::optional<Error> error_;
};

/// Whether an archive of a package can be selected.
bool can_be_selected(const Package& package, const Archive& archive, const Wish& wish,
                     const std::string& cuda) {
  if (!archive.variant.empty() && !cuda.empty() && !fits_cuda(archive.variant, cuda))
    return false;
  const std::vector<Wanted> wanted = wanted_packages(wish);
  return std::ranges::any_of(wish.platforms, [&](const std::string& platform) {
    return serves(archive.platform, platform) &&
           (wanted.empty() || std::ranges::any_of(wanted, [&](const Wanted& one) {
              return one.key == package.key && (one.platform.empty() || one.platform == platform);
            }));
  });
}

} // namespace

std::string cuda_of(std::span<const CheckedManifest> sources, const Wish& wish) {
  if (!wish.cuda_variant.empty())
    return wish.cuda_variant.starts_with("cuda") ? wish.cuda_variant.substr(4) : wish.cuda_variant;
  std::set<std::string> labels, majors;
  for (const CheckedManifest& source : sources)
    if (product_of(source.manifest) == "cuda") {
      labels.insert(label_of(source.manifest));
      majors.insert(major_of(label_of(source.manifest)));
    }
  return labels.size() == 1 ? *labels.begin() : majors.size() == 1 ? *majors.begin() : std::string();
}

void forgive_unselected(std::span<const CheckedManifest> sources, const Wish& wish,
                        std::vector<Finding>& findings) {
  const std::string cuda = cuda_of(sources, wish);
  std::set<std::pair<std::string, Position>> selectable; // by file and position of the archive
  std::vector<std::string> packages;
  for (const CheckedManifest& source : sources)
    for (const Package& package : source.manifest.packages)
      for (const Archive& archive : package.archives)
        if (can_be_selected(package, archive, wish, cuda))
          selectable.emplace(source.manifest.file, archive.at);
  for (const Wanted& wanted : wanted_packages(wish))
    packages.push_back(wanted.key);
  for (Finding& one : findings)
    if (!is_about(one, wish.platforms, packages) ||
        (one.entry != Position{} && !selectable.contains({one.file, one.entry})))
      one.severity = std::min(one.severity, Severity::warning);
}

Result<Selection> selection(const Facts& facts, std::span<const CheckedManifest> sources, const Wish& wish) {
  return Selector(facts, sources, wish).select();
}

} // namespace hostpin::redist
