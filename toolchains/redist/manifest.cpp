// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/manifest.hpp"

#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <utility>

namespace hostpin::redist {

namespace {

std::string quoted_key(std::string_view key) {
  return "'" + std::string(key) + "'";
}

/// Reads one manifest, and notes what does not follow the format.
class Reader {
public:
  Reader(const std::string& file, std::vector<Finding>& findings) : file_(file), findings_(findings) {}

  std::optional<Manifest> read(const document::Value& root) {
    if (root.kind != document::Value::Kind::object) {
      wrong_type(root, "the manifest", document::Value::Kind::object);
      return std::nullopt;
    }
    Manifest manifest;
    manifest.file = file_;
    for (const document::Member* const member : members(root)) {
      if (member->key == "release_date")
        manifest.date = text(*member);
      else if (member->key == "release_label")
        manifest.label = text(*member);
      else if (member->key == "release_product")
        manifest.product = text(*member);
      else if (member->key == "release_reduced_from")
        manifest.reduced_from = whole(member->value);
      else if (is_object(member->value, "the package " + quoted_key(member->key)))
        manifest.packages.push_back(package(*member));
    }
    return manifest;
  }

private:
  /// The members of an object; of those with the same key the last one, the others are findings.
  std::vector<const document::Member*> members(const document::Value& object) {
    std::map<std::string_view, const document::Member*> last;
    for (const document::Member& member : object.members)
      last[member.key] = &member;
    std::vector<const document::Member*> chosen;
    for (const document::Member& member : object.members)
      if (last[member.key] == &member)
        chosen.push_back(&member);
      else
        add(Rule::duplicate_key, member.at, member.key,
            quoted_key(member.key) + " occurs again in line " + std::to_string(last[member.key]->at.line) +
                "; most readers silently take the last one.");
    return chosen;
  }

  void add(Rule rule, Position at, std::string subject, std::string explanation) {
    Finding found = finding(rule, file_, at, std::move(subject), std::move(explanation));
    found.package = package_;
    found.platform = platform_;
    found.entry = entry_;
    findings_.push_back(std::move(found));
  }

  void wrong_type(const document::Value& value, const std::string& what, document::Value::Kind wanted) {
    add(Rule::wrong_type, value.at, what,
        what + " is a value of type " + std::string(to_string(value.kind)) + ", and should be of type " +
            std::string(to_string(wanted)) + ".");
  }

  bool is_object(const document::Value& value, const std::string& what) {
    if (value.kind == document::Value::Kind::object)
      return true;
    wrong_type(value, what, document::Value::Kind::object);
    return false;
  }

  Text text(const document::Member& member) {
    if (member.value.kind == document::Value::Kind::string)
      return {member.value.text, member.value.at};
    wrong_type(member.value, quoted_key(member.key), document::Value::Kind::string);
    return {};
  }

  std::vector<Text> texts(const document::Member& member) {
    std::vector<Text> all;
    if (member.value.kind != document::Value::Kind::array)
      wrong_type(member.value, quoted_key(member.key), document::Value::Kind::array);
    for (const document::Value& item : member.value.items)
      if (item.kind == document::Value::Kind::string)
        all.push_back({item.text, item.at});
      else
        wrong_type(item, "an item of " + quoted_key(member.key), document::Value::Kind::string);
    return all;
  }

  Whole whole(const document::Value& value) {
    Whole whole;
    if (is_object(value, "'release_reduced_from'"))
      for (const document::Member* const member : members(value)) {
        if (member->key == "sha256")
          whole.sha256 = text(*member);
        else if (member->key == "base")
          whole.base = text(*member);
        else if (member->key == "url")
          whole.url = text(*member);
        else
          add(Rule::wrong_type, member->at, member->key,
              quoted_key(member->key) + " is not a key of 'release_reduced_from'.");
      }
    return whole;
  }

  Package package(const document::Member& member) {
    Package package;
    package.key = package_ = member.key;
    package.at = member.at;
    for (const document::Member* const inner : members(member.value)) {
      if (inner->key == "name")
        package.name = text(*inner);
      else if (inner->key == "license")
        package.license = text(*inner);
      else if (inner->key == "license_path")
        package.license_path = text(*inner);
      else if (inner->key == "version")
        package.version = text(*inner);
      else if (inner->key == "cuda_variant")
        package.cuda_variants = texts(*inner);
      else
        platform(*inner, package.archives);
    }
    if (!package.version.is_present())
      add(Rule::wrong_type, member.at, "version", "'version' is missing.");
    package_.clear();
    return package;
  }

  /// Variants, or the keys of one archive without a variant. cuDNN 9.27.0 has both for windows-arm64.
  void platform(const document::Member& member, std::vector<Archive>& archives) {
    platform_ = member.key;
    if (is_object(member.value, "the platform " + quoted_key(member.key))) {
      const bool has_archive = member.value.find("relative_path") != nullptr;
      if (has_archive)
        archives.push_back(archive(member, {}));
      for (const document::Member* const variant : variants(member.value, has_archive))
        if (is_object(variant->value, "the variant " + quoted_key(variant->key)))
          archives.push_back(archive(*variant, variant->key));
    }
    platform_.clear();
  }

  /// Those next to the keys of an archive are its objects. Keys that occur twice are found by `archive` then.
  std::vector<const document::Member*> variants(const document::Value& platform, bool has_archive) {
    if (!has_archive)
      return members(platform);
    std::vector<const document::Member*> objects;
    for (const document::Member& member : platform.members)
      if (is_variant(member))
        objects.push_back(&member);
    return objects;
  }

  static bool is_variant(const document::Member& member) {
    constexpr std::array<std::string_view, 4> archive_keys{"relative_path", "sha256", "md5", "size"};
    return member.value.kind == document::Value::Kind::object &&
           std::ranges::find(archive_keys, member.key) == archive_keys.end();
  }

  Archive archive(const document::Member& member, const std::string& variant) {
    Archive archive;
    archive.platform = platform_;
    archive.variant = variant;
    archive.at = entry_ = member.at;
    for (const document::Member* const inner : members(member.value)) {
      if (inner->key == "relative_path")
        archive.path = text(*inner);
      else if (inner->key == "sha256")
        archive.sha256 = text(*inner);
      else if (inner->key == "md5")
        archive.md5 = text(*inner);
      else if (inner->key == "size")
        size(inner->value, archive);
      else if (!variant.empty() || !is_variant(*inner))
        add(Rule::wrong_type, inner->at, inner->key, quoted_key(inner->key) + " is not a key of an archive.");
    }
    for (const auto& [key, value] :
         {std::pair("relative_path", &archive.path), std::pair("sha256", &archive.sha256)})
      if (!value->is_present())
        add(Rule::wrong_type, member.at, key, quoted_key(key) + " is missing.");
    entry_ = {};
    return archive;
  }

  /// NVIDIA writes sizes as strings of digits; numbers are read too.
  void size(const document::Value& value, Archive& archive) {
    archive.size_at = value.at;
    std::uint64_t bytes = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, bytes);
    const bool is_number = value.kind == document::Value::Kind::number;
    if ((!is_number && value.kind != document::Value::Kind::string) || error != std::errc() || stop != end) {
      add(Rule::wrong_type, value.at, "size", "'size' is not a number of bytes in decimal digits.");
      return;
    }
    archive.size = bytes;
    if (is_number) {
      add(Rule::wrong_type, value.at, "size",
          "'size' is a number, and a string in all manifests that are published.");
      findings_.back().severity = Severity::warning;
    }
  }

  const std::string& file_;
  std::vector<Finding>& findings_;
  std::string package_, platform_; // that are being read
  Position entry_;                 // the archive's; zeros outside of one
};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view path_of(const Manifest& manifest) {
  return manifest.path.empty() ? manifest.file : manifest.path;
}

} // namespace

std::optional<Manifest> read_manifest(const document::Value& json, const std::string& file,
                                      std::vector<Finding>& findings) {
  return Reader(file, findings).read(json);
}

std::optional<Manifest> read_manifest(std::string_view content, const std::string& file,
                                      std::vector<Finding>& findings) {
  const auto json = document::parse_json(content);
  if (json)
    return read_manifest(*json, file, findings);
  findings.push_back(finding(Rule::not_json, file, json.error().at, {}, json.error().what + '.'));
  return std::nullopt;
}

std::string label_in_name(std::string_view file) {
  constexpr std::string_view before = "redistrib_", after = ".json";
  std::string_view name = base_name(file);
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() < before.size() + after.size())
    return {};
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  return std::string(name);
}

std::string label_of(const Manifest& manifest) {
  return manifest.label.value.empty() ? label_in_name(path_of(manifest)) : manifest.label.value;
}

std::string product_of(const Manifest& manifest) {
  return manifest.product.value.empty() ? product_of_directory(manifest) : manifest.product.value;
}

std::string product_of_directory(const Manifest& manifest) {
  const std::string_view path = path_of(manifest);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos)
    return {};
  std::string_view directory = path.substr(0, slash);
  if (base_name(directory) == "redist" &&
      directory.rfind('/') != std::string_view::npos) // as on NVIDIA's server
    directory = directory.substr(0, directory.rfind('/'));
  return std::string(base_name(directory));
}

std::string path_as_published(const Files& files, const std::string& file) {
  if (is_url(file))
    return {};
  if (label_in_name(file).empty())
    return files.real_path(file).value_or("");
  const std::size_t name = file.rfind('/') + 1; // 0 if there is no directory
  const auto directory = files.real_path(name == 0 ? "." : file.substr(0, name));
  return directory ? *directory + '/' + file.substr(name) : std::string();
}

bool serves(std::string_view listed, std::string_view platform) {
  return listed == platform || listed == "source" ||
         (listed == "linux-all" && platform.starts_with("linux-"));
}

bool is_about(const Finding& finding, std::span<const std::string> platforms,
              std::span<const std::string> packages) {
  const auto any = [](std::span<const std::string> names, const std::string& name, auto matches) {
    return names.empty() || name.empty() ||
           std::ranges::any_of(names, [&](const std::string& one) { return matches(name, one); });
  };
  return any(platforms, finding.platform, serves) && any(packages, finding.package, std::equal_to<>());
}

const Package* find_package(const Manifest& manifest, std::string_view key) {
  const auto found = std::ranges::find(manifest.packages, key, &Package::key);
  return found == manifest.packages.end() ? nullptr : &*found;
}

} // namespace hostpin::redist
