// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/object_reader.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

constexpr int lock_schema = 1;

class LockReader : private ObjectReader {
public:
  explicit LockReader(const std::string& file)
      : ObjectReader(file, "make the lock again with `hostpin redist lock`") {}

  using ObjectReader::refuse;

  LockedManifest manifest(const JsonValue& value) {
    if (!is_object(value, {"product", "label", "date", "sha256", "url", "base"}))
      return {};
    LockedManifest manifest{string(value, "product"), string(value, "label"), optional_string(value, "date"),
                            digest(value, "sha256"),  string(value, "base"),  optional_string(value, "url")};
    if (!manifest.base.ends_with('/'))
      refuse(value.at, "'base' does not end with a slash");
    return manifest;
  }

  LockedArchive archive(const JsonValue& value) {
    if (!is_object(value, {"product", "label", "package", "version", "platform", "variant", "license", "path",
                           "sha256", "size", "tree", "name", "license_path", "md5"}))
      return {};
    LockedArchive archive{string(value, "product"),
                          string(value, "label"),
                          string(value, "package"),
                          string(value, "version"),
                          string(value, "platform"),
                          optional_string(value, "variant"),
                          optional_string(value, "license"),
                          string(value, "path"),
                          digest(value, "sha256"),
                          optional_number(value, "size", "a number of bytes"),
                          optional_digest(value, "tree"),
                          optional_string(value, "name"),
                          optional_string(value, "license_path"),
                          optional_string(value, "md5")};
    if (!archive.md5.empty() && !is_hex_digest(archive.md5, 32))
      refuse(value.at, "'md5' is not 32 lower-case hexadecimal digits");
    if (!archive.license_path.empty() && !is_safe_path(archive.license_path))
      refuse(value.at, "the path '" + escaped(archive.license_path) + "' is not below its directory");
    if (!is_safe_path(archive.path))
      refuse(value.at, "the path '" + escaped(archive.path) + "' is not below its directory");
    return archive;
  }

  Result<Lock> lock(const JsonValue& root) {
    Lock lock;
    if (!error() && root.find("manifests") == nullptr && root.find("archives") == nullptr)
      return failure(file() + ": this is not a lock", "make one of a manifest with `hostpin redist lock`");
    if (is_object(root, {"schema", "manifests", "archives"})) {
      has_schema(root, lock_schema, "a lock");
      for (const JsonValue& value : array(root, "manifests"))
        lock.manifests.push_back(manifest(value));
      for (const JsonValue& value : array(root, "archives"))
        lock.archives.push_back(archive(value));
      for (const LockedArchive& one : lock.archives)
        if (url_of(lock, one).empty())
          refuse(root.at, "no manifest is listed for " + name_of(one));
    }
    if (error())
      return tl::unexpected(*error());
    return lock;
  }
};

} // namespace

Result<Lock> read_lock(std::string_view content, const std::string& file) {
  const auto json = parse_json(content);
  LockReader reader(file);
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
    if (!one.url.empty())
      row["url"] = one.url;
    row["base"] = one.base;
  }
  Json& archives = json["archives"] = Json::array();
  for (const LockedArchive& one : lock.archives) {
    Json& row =
        archives.emplace_back(Json{{"product", one.product}, {"label", one.label}, {"package", one.package}});
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty())
        row[key] = value;
    };
    add("name", one.name);
    row["version"] = one.version;
    row["platform"] = one.platform;
    add("variant", one.variant);
    add("license", one.license);
    add("license_path", one.license_path);
    row["path"] = one.path;
    row["sha256"] = one.sha256;
    add("md5", one.md5);
    if (one.size)
      row["size"] = *one.size;
    add("tree", one.tree);
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

bool is_url(std::string_view argument) {
  return argument.find("://") != std::string_view::npos;
}

Result<void> check_no_user(std::string_view url) {
  if (without_user(url) == url)
    return {};
  return failure("a URL has a user or password, which would be in locks and messages",
                 "write them to ~/.netrc instead");
}

bool is_safe_path(std::string_view path) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-/";
  return path.find_first_not_of(letters) == std::string_view::npos && is_path_below(path);
}

bool is_path_below(std::string_view path) {
  if (path.empty() || !is_utf8(path) || std::ranges::any_of(path, [](char letter) {
        return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
      }))
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

std::string_view archive_stem(std::string_view name) {
  for (const std::string_view extension : {".tar.xz", ".tar.gz", ".tar.zst", ".zip"})
    if (name.ends_with(extension))
      return name.substr(0, name.size() - extension.size());
  return name;
}

bool fits_cuda(std::string_view variant, std::string_view release) {
  constexpr std::string_view prefix = "cuda";
  if (!variant.starts_with(prefix) || release.empty())
    return false;
  const std::string one = std::string(variant.substr(prefix.size())) + '.',
                    other = std::string(release) + '.';
  return one.starts_with(other) || other.starts_with(one);
}

bool is_hex_digest(std::string_view text, std::size_t digits) {
  return text.size() == digits && is_hex(text);
}

} // namespace hostpin::redist
