// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/origin.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/document/json_writer.hpp"
#include "toolchains/toolkit/composed.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hostpin::redist {

using document::Field;

void fields(document::Of<OriginEntry> auto& one, auto& visit) {
  visit("path", one.path);
  visit.number("archive", one.archive, "the index of an archive");
  visit("member", one.member, one.archive ? Field::required : Field::optional);
  visit.digest("sha256", one.sha256, Field::optional);
  visit("link", one.link, Field::optional);
  visit("output", one.output, Field::optional);
  visit("executable", one.executable);
  visit("changed", one.changed, Field::optional);
  visit.digest("now", one.now, Field::optional);
}

void fields(document::Of<Origin> auto& origin, auto& visit) {
  visit.schema(1, "an origin");
  visit("lock", origin.lock);
  visit.digest("lock_sha256", origin.lock_sha256);
  visit("host", origin.host);
  visit("targets", origin.targets);
  visit("outputs", origin.outputs);
  visit("one_target", origin.one_target);
  visit("patched", origin.patched);
  visit("compat", origin.compat);
  visit("driver", origin.driver, Field::optional);
  visit("expected_at_run", origin.expected_at_run);
  visit.each("archives", origin.archives, [](auto& one, auto& inner) {
    inner("product", one.product);
    inner("label", one.label);
    inner("package", one.package);
    inner("version", one.version);
    inner("platform", one.platform);
    inner("variant", one.variant, Field::optional);
    inner("license", one.license, Field::optional);
    inner("path", one.path);
    inner.digest("sha256", one.sha256);
  });
  visit("entries", origin.entries);
}

std::string defect(const OriginEntry& one) {
  if (!is_path_below(one.path) || (one.archive && !is_path_below(one.member)))
    return "the path '" + escaped(one.path) + "' is not below the root";
  if (one.link.empty() == one.digest().empty())
    return "'" + escaped(one.path) + "' is either a file with a digest or a link";
  return {};
}

/// The first entry whose archive is not listed.
std::optional<document::Problem> wrong_index(const document::Value& json, const Origin& origin) {
  for (std::size_t i = 0; i < origin.entries.size(); ++i)
    if (const auto& archive = origin.entries[i].archive; archive && *archive >= origin.archives.size())
      return document::Problem{"'archive' is not the index of an archive",
                               json.find("entries")->items[i].find("archive")->at};
  return std::nullopt;
}

std::string defect(const Origin& origin) {
  if (origin.targets.empty())
    return "there are no 'targets'";
  const auto unordered = [](const OriginEntry& left, const OriginEntry& right) {
    return left.path >= right.path;
  };
  return std::ranges::adjacent_find(origin.entries, unordered) == origin.entries.end()
             ? ""
             : "the entries are not sorted by path, each once";
}

std::string origin_text(const Origin& origin) {
  auto json = document::JsonWriter::json_of(origin);
  const auto archives = std::move(json["archives"]), entries = std::move(json["entries"]);
  json.erase("archives");
  json.erase("entries");
  // One line for each archive and entry: a root has thousands of them, and their differences are read.
  std::string text = json.dump(1);
  text.resize(text.size() - 2);
  for (const auto& [key, rows] : {std::pair("archives", &archives), std::pair("entries", &entries)}) {
    text += std::string(",\n \"") + key + "\": [";
    const char* separator = "\n";
    for (const auto& row : *rows)
      text += std::exchange(separator, ",\n") + ("  " + row.dump());
    text += "\n ]";
  }
  return text + "\n}\n";
}

Result<Origin> read_origin(std::string_view content, const std::string& file) {
  return document::parse_json(content)
      .and_then([](const document::Value& json) {
        auto origin = document::record_of<Origin>(json);
        const auto wrong = origin ? wrong_index(json, *origin) : std::nullopt;
        if (wrong)
          origin = tl::unexpected(*wrong);
        return origin;
      })
      .map_error([&](const document::Problem& problem) {
        return document::error_at(file, problem, "compose the tree again with `hostpin redist compose`");
      });
}

std::vector<std::string> driver_path(const Origin& origin, const std::string& root) {
  return hostpin::driver_path(root, origin.compat, origin.driver);
}

std::string describe(const Origin& origin) {
  std::set<std::string> releases;
  for (const LockedArchive& archive : origin.archives)
    releases.insert(archive.product + ' ' + archive.label);
  return composed_from(releases, origin.targets, origin.lock);
}

} // namespace hostpin::redist
