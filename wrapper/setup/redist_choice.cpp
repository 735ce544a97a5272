// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/redist_choice.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace {

constexpr std::string_view prefix = "redistrib_", suffix = ".json";

std::string label_text(const Version& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

Result<std::string> label_of_url(const std::string& url) {
  const std::string name(base_name(url));
  if (name.starts_with(prefix) && name.ends_with(suffix) && name.size() > prefix.size() + suffix.size())
    if (std::string label = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
        parse_version(label))
      return label;
  return failure(escaped(url) + " is not the address of a manifest",
                 "manifests have names such as redistrib_12.4.1.json");
}

Result<std::string> newest_label(const redist::Facts& facts, const Asked& asked) {
  // The versions of nvcc are larger than any label's last number, which counts updates.
  constexpr int most_updates = 9;
  if (asked.cuda && asked.cuda->patch > 0 && asked.cuda->patch <= most_updates)
    return label_text(*asked.cuda);
  std::string known;
  for (const redist::Newest& each : facts.newest) {
    const auto release = parse_version(each.release);
    if (asked.cuda && release && is_wanted({release->major, release->minor, asked.cuda->patch}, asked))
      return each.label;
    known += (known.empty() ? "" : ", ") + each.release;
  }
  if (!asked.cuda && !facts.newest.empty())
    return facts.newest.back().label;
  return failure(
      fmt::format("the newest manifest of CUDA {} is not in the tables of this hostpin, which have {}",
                  asked.cuda ? to_string(*asked.cuda) : "", known),
      "name the manifest: --from redist:https://.../redistrib_RELEASE.json");
}

bool is_since(const std::string& label, const std::string& since) {
  const auto release = parse_version(label), first = parse_version(since);
  return !first || (release && *release >= *first);
}

/// The library and what it needs, once each.
Result<void> add_library(const redist::Facts& facts, const std::string& name, const std::string& label,
                         std::vector<std::string>& packages) {
  const auto row = std::ranges::find(facts.libraries, name, &redist::Library::name);
  if (row == facts.libraries.end()) {
    std::vector<std::string> known;
    for (const redist::Library& each : facts.libraries)
      known.push_back(each.name);
    return failure("--libraries: there is no library '" + escaped(name) + '\'',
                   fmt::format("there are {}; a lock of `hostpin redist lock` can have all packages",
                               fmt::join(known, ", ")));
  }
  if (!is_since(label, row->since) || std::ranges::find(packages, row->package) != packages.end())
    return {};
  packages.push_back(row->package);
  for (const std::string& need : row->needs)
    TRY(add_library(facts, need, label, packages));
  return {};
}

/// As that release names them.
std::vector<std::string> renamed(const redist::Facts& facts, const std::string& label) {
  std::vector<std::string> names;
  for (const std::string& package : facts.toolkit)
    if (const redist::Rename* const rename = facts.rename_of(package);
        rename != nullptr && is_since(label, rename->since))
      names.insert(names.end(), rename->to.begin(), rename->to.end());
    else
      names.push_back(package);
  return names;
}

} // namespace

Result<RedistChoice> redist_choice(const redist::Facts& facts, const Asked& asked) {
  TRY_ASSIGN(const auto label, asked.path.empty() ? newest_label(facts, asked) : label_of_url(asked.path));
  const redist::Product* const cuda = facts.product("cuda");
  RedistChoice choice{asked.path, renamed(facts, label)};
  if (choice.manifest.empty())
    choice.manifest = fmt::format("{}{}{}{}", cuda == nullptr ? "" : cuda->base, prefix, label, suffix);
  for (const std::string& library : asked.libraries)
    TRY(add_library(facts, library, label, choice.packages));
  return choice;
}

Result<std::vector<std::string>> library_packages(const redist::Facts& facts,
                                                  const std::vector<std::string>& libraries,
                                                  const Version& release) {
  std::vector<std::string> packages;
  for (const std::string& library : libraries)
    TRY(add_library(facts, library, label_text(release), packages));
  return packages;
}

} // namespace hostpin::setup
