// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/json.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

constexpr int lock_schema = 1;

/// Reads objects member by member. The first error is stored; a member that nobody reads is one too.
class Reader {
public:
  explicit Reader(const std::string& file) : file_(file) {}

  void refuse(Position at, const std::string& what) {
    if (!error_)
      error_ = Error{file_ + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + what,
                     "make the lock again with `hostpin redist lock`"};
  }

  /// Whether the value is an object whose keys are all among `known`, each once.
  bool is_object(const JsonValue& value, const std::set<std::string_view>& known) {
    if (value.kind != JsonValue::Kind::object) {
      refuse(value.at, "this is not an object");
      return false;
    }
    std::set<std::string_view> seen;
    for (const JsonMember& member : value.members)
      if (!known.contains(member.key))
        refuse(member.at, "unknown key '" + escaped(member.key) + "'");
      else if (!seen.insert(member.key).second)
        refuse(member.at, "the key '" + member.key + "' occurs twice");
    return true;
  }

  std::string string(const JsonValue& object, std::string_view key, bool required = true) {
    const JsonValue* const value = object.find(key);
    if (value == nullptr && required)
      refuse(object.at, "there is no '" + std::string(key) + "'");
    if (value == nullptr)
      return {};
    if (value->kind != JsonValue::Kind::string || (required && value->text.empty()))
      refuse(value->at, "'" + std::string(key) + "' is not a string, or empty");
    return value->text;
  }

  std::string digest(const JsonValue& object, std::string_view key, bool required = true) {
    std::string text = string(object, key, required);
    if (!text.empty() && !is_hex_digest(text, 64))
      refuse(object.find(key)->at, "'" + std::string(key) + "' is not 64 lower-case hexadecimal digits");
    return text;
  }

  const std::vector<JsonValue>& array(const JsonValue& object, std::string_view key) {
    static const std::vector<JsonValue> none;
    const JsonValue* const value = object.find(key);
    if (value == nullptr || value->kind != JsonValue::Kind::array) {
      refuse(value == nullptr ? object.at : value->at, "there is no array '" + std::string(key) + "'");
      return none;
    }
    return value->items;
  }

  LockedManifest manifest(const JsonValue& value) {
    if (!is_object(value, {"product", "label", "date", "sha256", "base"}))
      return {};
    LockedManifest manifest{string(value, "product"), string(value, "label"), string(value, "date", false),
                            digest(value, "sha256"), string(value, "base")};
    if (!manifest.base.ends_with('/'))
      refuse(value.at, "'base' does not end with a slash");
    return manifest;
  }

  LockedArchive archive(const JsonValue& value) {
    if (!is_object(value, {"product", "label", "package", "version", "platform", "variant", "license", "path",
                           "sha256", "size", "tree"}))
      return {};
    LockedArchive archive{string(value, "product"),        string(value, "label"),
                          string(value, "package"),        string(value, "version"),
                          string(value, "platform"),       string(value, "variant", false),
                          string(value, "license", false), string(value, "path"),
                          digest(value, "sha256"),         size(value),
                          digest(value, "tree", false)};
    if (!is_safe_path(archive.path))
      refuse(value.at, "the path '" + escaped(archive.path) + "' is not below its directory");
    return archive;
  }

  std::optional<std::uint64_t> size(const JsonValue& object) {
    const JsonValue* const value = object.find("size");
    if (value == nullptr)
      return std::nullopt;
    std::uint64_t bytes = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, error] = std::from_chars(value->text.data(), end, bytes);
    if (value->kind != JsonValue::Kind::number || error != std::errc() || stop != end)
      refuse(value->at, "'size' is not a number of bytes");
    return bytes;
  }

  Result<Lock> lock(const JsonValue& root) {
    Lock lock;
    if (is_object(root, {"schema", "manifests", "archives"})) {
      const JsonValue* const schema = root.find("schema");
      if (schema == nullptr || schema->text != std::to_string(lock_schema))
        refuse(schema == nullptr ? root.at : schema->at,
               "this is not a lock of schema " + std::to_string(lock_schema));
      for (const JsonValue& value : array(root, "manifests"))
        lock.manifests.push_back(manifest(value));
      for (const JsonValue& value : array(root, "archives"))
        lock.archives.push_back(archive(value));
      for (const LockedArchive& one : lock.archives)
        if (url_of(lock, one).empty())
          refuse(root.at, "no manifest is listed for " + name_of(one));
    }
    if (error_)
      return tl::unexpected(*std::move(error_));
    return lock;
  }

private:
  const std::string& file_;
  std::optional<Error> error_;
};

} // namespace

Result<Lock> read_lock(std::string_view content, const std::string& file) {
  const auto json = parse_json(content);
  Reader reader(file);
  if (json)
    return reader.lock(*json);
  reader.refuse(json.error().at, json.error().what);
  return reader.lock({});
}

std::string lock_text(Lock lock) {
  std::ranges::sort(lock.manifests, {},
                    [](const LockedManifest& one) { return std::tie(one.product, one.label); });
  std::ranges::sort(lock.archives, {}, [](const LockedArchive& one) {
    return std::tie(one.product, one.label, one.package, one.platform, one.variant, one.path);
  });
  using Json = nlohmann::ordered_json;
  Json json{{"schema", lock_schema}};
  Json& manifests = json["manifests"] = Json::array();
  for (const LockedManifest& one : lock.manifests) {
    Json& row = manifests.emplace_back(Json{{"product", one.product}, {"label", one.label}});
    if (!one.date.empty())
      row["date"] = one.date;
    row["sha256"] = one.sha256;
    row["base"] = one.base;
  }
  Json& archives = json["archives"] = Json::array();
  for (const LockedArchive& one : lock.archives) {
    Json& row = archives.emplace_back(Json{{"product", one.product},
                                           {"label", one.label},
                                           {"package", one.package},
                                           {"version", one.version},
                                           {"platform", one.platform}});
    if (!one.variant.empty())
      row["variant"] = one.variant;
    if (!one.license.empty())
      row["license"] = one.license;
    row["path"] = one.path;
    row["sha256"] = one.sha256;
    if (one.size)
      row["size"] = *one.size;
    if (!one.tree.empty())
      row["tree"] = one.tree;
  }
  return json.dump(1) + '\n';
}

std::string url_of(const Lock& lock, const LockedArchive& archive) {
  const auto found = std::ranges::find_if(lock.manifests, [&](const LockedManifest& one) {
    return one.product == archive.product && one.label == archive.label;
  });
  return found == lock.manifests.end() ? std::string() : found->base + archive.path;
}

std::string name_of(const LockedArchive& archive) {
  return archive.package + ' ' + archive.version + ' ' + archive.platform +
         (archive.variant.empty() ? "" : ' ' + archive.variant);
}

bool is_safe_path(std::string_view path) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-/";
  if (path.empty() || path.find_first_not_of(letters) != std::string_view::npos)
    return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..")
      return false;
    begin = end + 1;
  }
  return true;
}

bool is_hex_digest(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

} // namespace hostpin::redist
