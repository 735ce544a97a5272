// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/release_rules.hpp"

#include "toolchains/base/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

/// An archive with what it belongs to.
struct Entry {
  const CheckedManifest* source = nullptr;
  const Package* package = nullptr;
  const Archive* archive = nullptr;
};

std::string place_of(const Entry& entry) {
  return entry.source->manifest.file + ':' + std::to_string(entry.archive->sha256.at.line);
}

Finding finding_at(Rule rule, const Entry& entry, Position at, std::string subject, std::string explanation) {
  Finding found = finding(rule, entry.source->manifest.file, at, std::move(subject), std::move(explanation));
  found.package = entry.package->key;
  found.platform = entry.archive->platform;
  found.entry = entry.archive->at;
  return found;
}

std::vector<Entry> entries_of(std::span<const CheckedManifest> manifests) {
  std::vector<Entry> entries;
  for (const CheckedManifest& one : manifests)
    for (const Package& package : one.manifest.packages)
      for (const Archive& archive : package.archives)
        entries.push_back({&one, &package, &archive});
  return entries;
}

bool same_text(const Text& left, const Text& right) {
  return left.is_present() && right.is_present() && left.value == right.value;
}

void compare_hashes(const Entry& first, const Entry& other, std::vector<Finding>& findings) {
  const Archive& one = *other.archive;
  const Archive& before = *first.archive;
  const std::string& path = one.path.value;
  if (before.sha256.value != one.sha256.value) {
    const bool same_file = same_text(before.md5, one.md5) && before.size && before.size == one.size;
    findings.push_back(
        finding_at(same_file ? Rule::mistaken_hash : Rule::two_hashes, other, one.sha256.at, path,
                   "The SHA-256 is " + one.sha256.value + ", and in " + place_of(first) + " it is " +
                       before.sha256.value + (same_file ? "; MD5 and size agree." : ".")));
  } else if ((before.md5.is_present() && one.md5.is_present() && before.md5.value != one.md5.value) ||
             (before.size && one.size && before.size != one.size)) {
    findings.push_back(finding_at(Rule::two_hashes, other, one.at, path,
                                  "The SHA-256 is that in " + place_of(first) +
                                      ", and MD5 or size is not: one of them is wrong."));
  }
}

/// One path of a product has one hash, whichever manifest lists it.
void check_hashes(const std::vector<Entry>& entries, std::vector<Finding>& findings) {
  std::map<std::pair<std::string, std::string_view>, const Entry*> by_path;
  std::map<std::string_view, const Entry*> by_hash;
  for (const Entry& entry : entries) {
    const Archive& archive = *entry.archive;
    if (!archive.path.is_present() || !archive.sha256.is_present())
      continue;
    const auto [before, is_new] =
        by_path.try_emplace({product_of(entry.source->manifest), archive.path.value}, &entry);
    if (!is_new)
      compare_hashes(*before->second, entry, findings);
    const auto [same, is_first] = by_hash.try_emplace(archive.sha256.value, &entry);
    if (!is_first && same->second->archive->path.value != archive.path.value)
      findings.push_back(finding_at(Rule::duplicate_content, entry, archive.sha256.at, archive.path.value,
                                    "The content is that of '" + same->second->archive->path.value + "' in " +
                                        place_of(*same->second) + '.'));
  }
}

/// Numbers of a label; what is not a number ends it.
std::vector<int> numbers_of(std::string_view label) {
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin <= label.size();) {
    const std::size_t end = std::min(label.find('.', begin), label.size());
    const std::string_view part = label.substr(begin, end - begin);
    if (part.empty() || part.size() > 8 || part.find_first_not_of("0123456789") != std::string_view::npos)
      break;
    numbers.push_back(std::stoi(std::string(part)));
    begin = end + 1;
  }
  return numbers;
}

std::set<std::string> platforms_of(const Manifest& manifest) {
  std::set<std::string> platforms;
  for (const Package& package : manifest.packages)
    for (const Archive& archive : package.archives)
      if (archive.platform != "source" && archive.platform != "linux-all")
        platforms.insert(archive.platform);
  return platforms;
}

std::string replacement_of(const Facts& facts, const Package& package) {
  const Rename* const rename = facts.rename_of(package.key);
  if (rename == nullptr)
    return "No new name of it is known.";
  return "Since " + rename->since +
         (rename->to.empty() ? " it is not published any more." : " it is " + joined(rename->to) + '.');
}

bool is_only_for(const Package& package, const std::set<std::string>& platforms) {
  return std::ranges::all_of(package.archives,
                             [&](const Archive& one) { return platforms.contains(one.platform); });
}

void add_package(Rule rule, const Manifest& manifest, Position at, const std::string& package,
                 std::string explanation, std::vector<Finding>& findings) {
  findings.push_back(finding(rule, manifest.file, at, package, std::move(explanation)));
  findings.back().package = package;
}

/// Packages that are there in both, and parts of which have other names since a release between them.
void find_splits(const Manifest& before, const Manifest& after, const Facts& facts,
                 std::vector<Finding>& findings) {
  for (const Rename& rename : facts.renames) {
    const Package* const package = find_package(after, rename.from);
    const bool is_between = numbers_of(label_of(before)) < numbers_of(rename.since) &&
                            numbers_of(rename.since) <= numbers_of(label_of(after));
    if (package != nullptr && is_between && find_package(before, rename.from) != nullptr)
      add_package(Rule::renamed_package, after, package->at, rename.from,
                  "Since " + rename.since + " it is split into " + joined(rename.to) + '.', findings);
  }
}

/// What a release has no more, compared with the one before it.
void compare_releases(const Manifest& before, const Manifest& after, const Facts& facts,
                      std::vector<Finding>& findings) {
  std::set<std::string> lost = platforms_of(before);
  for (const std::string& platform : platforms_of(after))
    lost.erase(platform);
  for (const std::string& platform : lost) {
    findings.push_back(finding(Rule::lost_platform, after.file, {1, 1}, platform,
                               "The last release here that has it is " + label_of(before) + '.'));
    findings.back().platform = platform;
  }
  for (const Package& package : before.packages)
    if (find_package(after, package.key) == nullptr && !is_only_for(package, lost))
      add_package(Rule::renamed_package, after, {1, 1}, package.key,
                  "'" + package.key + "' is in " + label_of(before) + ". " + replacement_of(facts, package),
                  findings);
  find_splits(before, after, facts, findings);
}

/// Of one product, in ascending order: `8.9.7` is part of `8.9.7.29`.
void check_labels(const std::vector<const Manifest*>& releases, std::vector<Finding>& findings) {
  for (const Manifest* const shorter : releases)
    for (const Manifest* const longer : releases)
      if (label_of(*longer).starts_with(label_of(*shorter) + '.'))
        findings.push_back(finding(
            Rule::two_labels, longer->file, longer->label.is_present() ? longer->label.at : Position{1, 1},
            label_of(*longer), "There is '" + label_of(*shorter) + "' too, in " + shorter->file + '.'));
}

void changed_entry(const CheckedManifest& one, const LockedArchive& locked, std::vector<Finding>& findings) {
  const Package* const package = find_package(one.manifest, locked.package);
  const Archive* listed = nullptr;
  if (package != nullptr)
    for (const Archive& archive : package->archives)
      if (archive.platform == locked.platform && archive.variant == locked.variant)
        listed = &archive;
  std::string what;
  if (listed == nullptr)
    what = name_of(locked) + " is not listed any more.";
  else if (listed->sha256.value != locked.sha256)
    what = "The SHA-256 of " + name_of(locked) + " is " + listed->sha256.value + ", and " + locked.sha256 +
           " was locked.";
  else if (listed->path.value != locked.path)
    what = "The path of " + name_of(locked) + " is '" + listed->path.value + "', and '" + locked.path +
           "' was locked.";
  else if (locked.size && listed->size != locked.size)
    what = "The size of " + name_of(locked) + " is " +
           (listed->size ? std::to_string(*listed->size) : "not listed") + ", and " +
           std::to_string(*locked.size) + " was locked.";
  else
    return;
  Finding found = finding(Rule::replaced_manifest, one.manifest.file,
                          listed == nullptr ? Position{1, 1} : listed->at, locked.path, std::move(what));
  found.package = locked.package;
  found.platform = locked.platform;
  findings.push_back(std::move(found));
}

/// Of a manifest that claims to be a part of the locked one: archives that were not locked.
void added_entries(const CheckedManifest& one, const LockedManifest& locked, const Lock& lock,
                   std::vector<Finding>& findings) {
  for (const Package& package : one.manifest.packages)
    for (const Archive& archive : package.archives) {
      const bool is_locked = std::ranges::any_of(lock.archives, [&](const LockedArchive& each) {
        return each.product == locked.product && each.label == locked.label && each.package == package.key &&
               each.platform == archive.platform && each.variant == archive.variant;
      });
      if (is_locked)
        continue;
      findings.push_back(
          finding(Rule::replaced_manifest, one.manifest.file, archive.at, archive.path.value,
                  "It is not in the lock, and the manifest claims to be a part of the locked one."));
      findings.back().package = package.key;
      findings.back().platform = archive.platform;
    }
}

/// A lock has the product that a manifest names, or the product of its directory.
bool is_same_release(const LockedManifest& locked, const Manifest& manifest) {
  const bool is_product =
      product_of(manifest) == locked.product || product_of_directory(manifest) == locked.product;
  return (is_product && label_of(manifest) == locked.label) ||
         (!locked.url.empty() && manifest.file == locked.url);
}

std::string title(const std::string& product, const std::string& label) {
  return (product.empty() ? "an unknown product" : product) + ' ' + label;
}

} // namespace

void check_releases(std::span<const CheckedManifest> manifests, const Facts& facts,
                    std::vector<Finding>& findings) {
  check_hashes(entries_of(manifests), findings);
  std::map<std::string, std::vector<const Manifest*>> products;
  for (const CheckedManifest& one : manifests)
    products[product_of(one.manifest)].push_back(&one.manifest);
  for (auto& [product, releases] : products) {
    std::ranges::stable_sort(releases, {}, [](const Manifest* one) { return numbers_of(label_of(*one)); });
    check_labels(releases, findings);
    for (std::size_t index = 1; index < releases.size(); ++index)
      if (label_of(*releases[index - 1]) != label_of(*releases[index])) // else copies of one manifest
        compare_releases(*releases[index - 1], *releases[index], facts, findings);
  }
}

std::size_t check_against(const Lock& lock, std::span<const CheckedManifest> manifests,
                          std::vector<Finding>& findings) {
  std::size_t compared = 0;
  for (const LockedManifest& locked : lock.manifests)
    for (const CheckedManifest& one : manifests) {
      const Text& whole = one.manifest.reduced_from.sha256;
      const bool is_same = is_same_release(locked, one.manifest);
      if (!is_same && whole.value != locked.sha256)
        continue;
      ++compared;
      if (!is_same) {
        findings.push_back(finding(Rule::replaced_manifest, one.manifest.file, whole.at, locked.label,
                                   "It is of " + title(product_of(one.manifest), label_of(one.manifest)) +
                                       ", and claims to be a part of the locked manifest of " +
                                       title(locked.product, locked.label) + '.'));
        continue;
      }
      if (one.sha256 == locked.sha256)
        continue;
      if (whole.value != locked.sha256)
        findings.push_back(
            finding(Rule::replaced_manifest, one.manifest.file, {1, 1}, locked.label,
                    "Its SHA-256 is " + one.sha256 + ", and " + locked.sha256 + " was locked."));
      else
        added_entries(one, locked, lock, findings);
      for (const LockedArchive& archive : lock.archives)
        if (archive.product == locked.product && archive.label == locked.label)
          changed_entry(one, archive, findings);
    }
  return compared;
}

} // namespace hostpin::redist
