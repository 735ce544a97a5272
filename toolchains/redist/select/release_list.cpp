// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/release_list.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/select/version_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace hostpin::redist {

namespace {

/// `12.4` of `12.4.1`: ranges of lists have no third part.
std::string two_parts(const std::string& release) {
  const std::size_t first = release.find('.');
  const std::size_t second = first == std::string::npos ? first : release.find('.', first + 1);
  return release.substr(0, second);
}

/// Whether it is for a CUDA release; if only the major is known, whether it is for one with that major.
bool fits(const ListedRelease& release, const std::string& cuda) {
  if (cuda.empty())
    return true;
  const bool only_major = cuda.find('.') == std::string::npos;
  const auto part = [&](const std::string& text) {
    return only_major ? text.substr(0, text.find('.')) : two_parts(text);
  };
  const auto wanted = part(cuda);
  return (!release.min_cuda.is_present() || !is_older(wanted, part(release.min_cuda.value))) &&
         (!release.max_cuda.is_present() || !is_older(part(release.max_cuda.value), wanted));
}

/// The path below the base; nothing if the list has another server, or a file name for which no base is
/// named.
std::optional<std::string> path_of(const ListedRelease& release, const ReleaseWish& wish) {
  const std::string& location = release.location.value;
  if (release.is_file_name)
    return wish.base_is_named ? std::optional(location) : std::nullopt;
  return wish.base.empty() || !location.starts_with(wish.base)
             ? std::nullopt
             : std::optional(location.substr(wish.base.size()));
}

} // namespace

Result<CheckedManifest> newest_release(const Releases& releases, const std::string& sha256,
                                       const ReleaseWish& wish) {
  std::map<std::string, std::vector<const ListedRelease*>> versions;
  for (const ListedRelease& release : releases.releases)
    if (fits(release, wish.cuda) &&
        std::ranges::find(wish.platforms, release.platform) != wish.platforms.end())
      versions[release.version.value].push_back(&release);
  const std::vector<const ListedRelease*>* newest = nullptr;
  for (const auto& [version, all] : versions)
    if (all.size() >= wish.platforms.size() &&
        (newest == nullptr || is_older(newest->front()->version.value, version)))
      newest = &all;
  if (newest == nullptr) {
    std::vector<std::string> there;
    for (const auto& [version, all] : versions)
      there.push_back(version);
    return failure(releases.file + ": no release is for " + joined(wish.platforms, ", ", escaped) +
                       (wish.cuda.empty() ? "" : " and CUDA " + wish.cuda),
                   there.empty() ? "name another CUDA release or other platforms"
                                 : "for some of the platforms there are " + joined(there, ", ", escaped));
  }
  CheckedManifest made{{}, sha256};
  made.manifest.file = releases.file;
  made.manifest.label = newest->front()->version;
  made.manifest.product = {releases.product, newest->front()->at};
  Package package;
  package.key = releases.product;
  package.at = newest->front()->at;
  package.version = newest->front()->version;
  for (const ListedRelease* const release : *newest) {
    const auto path = path_of(*release, wish);
    if (!path)
      return failure(releases.file + ": where " + escaped(release->location.value) +
                         " is published is not known",
                     "name the URL of its directory with --base " + escaped(releases.product) + "=URL");
    Archive archive;
    archive.platform = release->platform;
    archive.at = release->at;
    archive.path = {*path, release->location.at};
    archive.sha256 = {hex_of_sri(release->hash.value), release->hash.at};
    package.archives.push_back(std::move(archive));
  }
  made.manifest.packages.push_back(std::move(package));
  return made;
}

} // namespace hostpin::redist
