// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/origin.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/object_reader.hpp"
#include "toolchains/toolkit/composed.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

constexpr int origin_schema = 1;

using Json = nlohmann::ordered_json;

void add(Json& row, const char* key, const std::string& text) {
  if (!text.empty())
    row[key] = text;
}

void add(Json& row, const char* key, bool truth) {
  if (truth)
    row[key] = true;
}

Json archive_json(const LockedArchive& one) {
  Json row{
      {"product", one.product}, {"label", one.label}, {"package", one.package}, {"version", one.version}};
  row["platform"] = one.platform;
  add(row, "variant", one.variant);
  add(row, "license", one.license);
  row["path"] = one.path;
  row["sha256"] = one.sha256;
  return row;
}

Json entry_json(const OriginEntry& one) {
  Json row{{"path", one.path}};
  if (one.archive) {
    row["archive"] = *one.archive;
    row["member"] = one.member;
  }
  add(row, "sha256", one.sha256);
  add(row, "link", one.link);
  add(row, "output", one.output);
  add(row, "executable", one.executable);
  add(row, "changed", one.changed);
  add(row, "now", one.now);
  return row;
}

class OriginReader : private ObjectReader {
public:
  explicit OriginReader(const std::string& file)
      : ObjectReader(file, "compose the tree again with `hostpin redist compose`") {}

  using ObjectReader::refuse;

  LockedArchive archive(const JsonValue& value) {
    LockedArchive one;
    if (!is_object(value, {"product", "label", "package", "version", "platform", "variant", "license", "path",
                           "sha256"}))
      return one;
    one.product = string(value, "product");
    one.label = string(value, "label");
    one.package = string(value, "package");
    one.version = string(value, "version");
    one.platform = string(value, "platform");
    one.variant = optional_string(value, "variant");
    one.license = optional_string(value, "license");
    one.path = string(value, "path");
    one.sha256 = digest(value, "sha256");
    return one;
  }

  std::optional<std::size_t> index(const JsonValue& object, std::size_t count) {
    const auto number = optional_number(object, "archive", "the index of an archive");
    if (number && *number >= count)
      refuse(object.find("archive")->at, "'archive' is not the index of an archive");
    return number;
  }

  OriginEntry entry(const JsonValue& value, std::size_t archives) {
    OriginEntry one;
    if (!is_object(value,
                   {"path", "archive", "member", "sha256", "link", "output", "executable", "changed", "now"}))
      return one;
    one.path = string(value, "path");
    one.archive = index(value, archives);
    one.member = one.archive ? string(value, "member") : optional_string(value, "member");
    one.sha256 = optional_digest(value, "sha256");
    one.link = optional_string(value, "link");
    one.output = optional_string(value, "output");
    one.executable = truth(value, "executable");
    one.changed = optional_string(value, "changed");
    one.now = optional_digest(value, "now");
    if (!is_path_below(one.path) || (one.archive && !is_path_below(one.member)))
      refuse(value.at, "the path '" + escaped(one.path) + "' is not below the root");
    if (one.link.empty() == one.digest().empty())
      refuse(value.at, "'" + escaped(one.path) + "' is either a file with a digest or a link");
    return one;
  }

  Result<Origin> origin(const JsonValue& root) {
    Origin origin;
    if (is_object(root, {"schema", "lock", "lock_sha256", "host", "targets", "outputs", "one_target",
                         "patched", "compat", "driver", "expected_at_run", "archives", "entries"})) {
      has_schema(root, origin_schema, "an origin");
      origin.lock = string(root, "lock");
      origin.lock_sha256 = digest(root, "lock_sha256");
      origin.host = string(root, "host");
      origin.targets = strings(root, "targets");
      if (origin.targets.empty())
        refuse(root.at, "there are no 'targets'");
      origin.outputs = strings(root, "outputs");
      origin.one_target = truth(root, "one_target");
      origin.patched = truth(root, "patched");
      origin.compat = truth(root, "compat");
      origin.driver = optional_string(root, "driver");
      origin.expected_at_run = strings(root, "expected_at_run");
      for (const JsonValue& value : array(root, "archives"))
        origin.archives.push_back(archive(value));
      for (const JsonValue& value : array(root, "entries"))
        origin.entries.push_back(entry(value, origin.archives.size()));
      const auto unordered = [](const OriginEntry& left, const OriginEntry& right) {
        return left.path >= right.path;
      };
      if (std::ranges::adjacent_find(origin.entries, unordered) != origin.entries.end())
        refuse(root.at, "the entries are not sorted by path, each once");
    }
    if (error())
      return tl::unexpected(*error());
    return origin;
  }
};

} // namespace

std::string origin_text(const Origin& origin) {
  Json json{{"schema", origin_schema}, {"lock", origin.lock}, {"lock_sha256", origin.lock_sha256}};
  json["host"] = origin.host;
  json["targets"] = origin.targets;
  json["outputs"] = origin.outputs;
  add(json, "one_target", origin.one_target);
  add(json, "patched", origin.patched);
  add(json, "compat", origin.compat);
  add(json, "driver", origin.driver);
  json["expected_at_run"] = origin.expected_at_run;
  // One line for each archive and entry: a root has thousands of them, and their differences are read.
  std::string text = json.dump(1);
  text.resize(text.size() - 2);
  const auto append = [&](const char* key, const auto& rows, const auto& row_json) {
    text += std::string(",\n \"") + key + "\": [";
    const char* separator = "\n";
    for (const auto& row : rows)
      text += std::exchange(separator, ",\n") + ("  " + row_json(row).dump());
    text += "\n ]";
  };
  append("archives", origin.archives, archive_json);
  append("entries", origin.entries, entry_json);
  return text + "\n}\n";
}

Result<Origin> read_origin(std::string_view content, const std::string& file) {
  const auto json = parse_json(content);
  OriginReader reader(file);
  if (json)
    return reader.origin(*json);
  reader.refuse(json.error().at, json.error().what);
  return reader.origin({});
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
