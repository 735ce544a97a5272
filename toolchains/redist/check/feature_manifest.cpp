// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/feature_manifest.hpp"

#include "toolchains/redist/check/releases.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

/// Of both generations: cuda-redist-find-features has `sample`, cuda-packages adds `out`, `include`, `stubs`,
/// `python`.
constexpr std::string_view known_outputs[] = {"bin",    "dev",    "doc",     "include", "lib",  "out",
                                              "python", "sample", "samples", "static",  "stubs"};

class Reader {
public:
  Reader(FeatureManifest& into, std::vector<Finding>& findings) : into_(into), findings_(findings) {}

  void read(const document::Value& root) {
    check_keys(root);
    for (const document::Member& member : root.members) {
      package_ = member.key;
      if (into_.generation == 2)
        read_information(member);
      const document::Value* const platforms =
          into_.generation == 2 ? member.value.find("packages") : &member.value;
      if (platforms == nullptr)
        add(Rule::wrong_type, member.at, "packages", "'packages' is missing.");
      else
        each_member(*platforms, [&](const document::Member& platform) { read_platform(platform); });
    }
  }

private:
  void add(Rule rule, Position at, std::string subject, std::string explanation) {
    Finding& found =
        findings_.emplace_back(finding(rule, into_.file, at, std::move(subject), std::move(explanation)));
    found.package = package_;
    found.platform = platform_;
  }

  void check_keys(const document::Value& object) {
    std::set<std::string_view> seen;
    for (const document::Member& member : object.members)
      if (!seen.insert(member.key).second)
        add(Rule::duplicate_key, member.at, member.key, "'" + member.key + "' occurs twice.");
  }

  template <typename Visit>
  void each_member(const document::Value& object, Visit visit) {
    if (object.kind != document::Value::Kind::object)
      add(Rule::wrong_type, object.at, "object",
          "This is of type " + std::string(to_string(object.kind)) + ", and should be an object.");
    check_keys(object);
    for (const document::Member& member : object.members)
      visit(member);
  }

  /// Strings of generation 2 that say which release it is.
  void read_information(const document::Member& package) {
    check_keys(package.value);
    const document::Value* const information = package.value.find("releaseInfo");
    if (information == nullptr || information->kind != document::Value::Kind::object) {
      add(Rule::wrong_type, package.at, "releaseInfo", "There is no object 'releaseInfo'.");
      return;
    }
    check_keys(*information);
    for (const char* const key : {"license", "name", "version"})
      if (information->find(key) == nullptr)
        add(Rule::wrong_type, information->at, key, "'" + std::string(key) + "' is missing.");
    for (const document::Member& member : information->members)
      check_string(member.value, member.key);
    const document::Value* const version = information->find("version");
    if (version != nullptr && version->text.find_first_not_of("0123456789.") != std::string::npos)
      add(Rule::wrong_type, version->at, "version", "'" + version->text + "' is not a version.");
  }

  void check_string(const document::Value& value, const std::string& key) {
    if (value.kind != document::Value::Kind::string)
      add(Rule::wrong_type, value.at, key, "'" + key + "' is not a string.");
  }

  /// A list of strings, or one for each directory below lib.
  void check_lists(const document::Value& value, const std::string& key) {
    if (value.kind != document::Value::Kind::array && value.kind != document::Value::Kind::object)
      add(Rule::wrong_type, value.at, key, "'" + key + "' is neither a list nor an object with lists.");
    check_keys(value);
    for (const document::Value& item : value.items)
      check_string(item, key);
    for (const document::Member& member : value.members)
      check_lists(member.value, key);
  }

  void read_platform(const document::Member& platform) {
    platform_ = platform.key;
    if (platform.value.members.empty())
      add(Rule::wrong_type, platform.at, "outputs", "'outputs' is missing.");
    if (platform.value.find("outputs") != nullptr)
      read_archive(platform, {});
    else
      each_member(platform.value, [&](const document::Member& variant) {
        read_archive(variant, variant.key == "None" ? std::string() : variant.key);
      });
    platform_.clear();
  }

  void read_archive(const document::Member& member, const std::string& variant) {
    const document::Value* const features =
        into_.generation == 2 ? member.value.find("features") : &member.value;
    const document::Value* const outputs = features == nullptr ? nullptr : features->find("outputs");
    if (outputs == nullptr) {
      add(Rule::wrong_type, member.at, "outputs", "'outputs' is missing.");
      return;
    }
    check_keys(member.value);
    if (into_.generation == 2)
      check_keys(*features);
    for (const document::Member& feature : features->members)
      if (feature.key.starts_with("cuda"))
        check_lists(feature.value, feature.key);
    if (const document::Value* const path = member.value.find("relativePath"))
      check_path(*path);
    ListedFeatures archive{package_, platform_, variant, outputs_of(*outputs), {}, member.at};
    if (const document::Value* const tree = member.value.find("recursiveHash")) {
      archive.tree = {tree->text, tree->at};
      if (hex_of_sri(tree->text).empty())
        add(Rule::malformed_hash, tree->at, "recursiveHash",
            "'" + tree->text + "' is not an SRI hash of 32 bytes.");
    } else if (into_.generation == 2) {
      add(Rule::wrong_type, member.at, "recursiveHash", "'recursiveHash' is missing.");
    }
    into_.archives.push_back(std::move(archive));
  }

  void check_path(const document::Value& path) {
    check_string(path, "relativePath");
    if (path.kind == document::Value::Kind::string && !is_safe_path(path.text))
      add(Rule::unsafe_path, path.at, path.text, "'" + path.text + "' is not a path below its directory.");
  }

  /// cuda-redist-find-features writes each of them.
  void check_outputs(const document::Value& value) {
    for (const char* const key : {"bin", "dev", "doc", "lib", "sample", "static"})
      if (value.find(key) == nullptr)
        add(Rule::wrong_type, value.at, key, "'" + std::string(key) + "' is missing.");
  }

  /// A list of names, or an object with a boolean for each.
  std::vector<std::string> outputs_of(const document::Value& value) {
    std::vector<std::string> outputs;
    for (const document::Value& item : value.items)
      if (item.kind == document::Value::Kind::string)
        add_output(item.text, item.at, outputs);
      else
        add(Rule::wrong_type, item.at, "outputs", "An output is not a string.");
    check_keys(value);
    for (const document::Member& member : value.members)
      if (member.value.kind != document::Value::Kind::boolean)
        add(Rule::wrong_type, member.value.at, member.key, "'" + member.key + "' is neither true nor false.");
      else if (member.value.truth)
        add_output(member.key, member.at, outputs);
    if (value.kind != (into_.generation == 2 ? document::Value::Kind::array : document::Value::Kind::object))
      add(Rule::wrong_type, value.at, "outputs",
          "'outputs' is of type " + std::string(to_string(value.kind)) + '.');
    else if (into_.generation == 1)
      check_outputs(value);
    std::ranges::sort(outputs);
    return outputs;
  }

  void add_output(const std::string& name, Position at, std::vector<std::string>& outputs) {
    if (std::ranges::find(known_outputs, name) == std::end(known_outputs))
      add(Rule::wrong_type, at, name, "'" + name + "' is not the name of an output.");
    outputs.push_back(name);
  }

  FeatureManifest& into_;
  std::vector<Finding>& findings_;
  std::string package_, platform_;
};

bool has_outputs(const document::Value& value, int levels) {
  return value.find("outputs") != nullptr ||
         (levels > 0 && std::ranges::any_of(value.members, [&](const document::Member& one) {
            return has_outputs(one.value, levels - 1);
          }));
}

} // namespace

int feature_generation(const document::Value& json) {
  for (const document::Member& package : json.members)
    if (package.value.find("packages") != nullptr)
      return 2;
  return has_outputs(json, 3) ? 1 : 0;
}

FeatureManifest read_feature_manifest(const document::Value& json, const std::string& file,
                                      std::vector<Finding>& findings) {
  FeatureManifest manifest;
  manifest.file = file;
  manifest.generation = feature_generation(json);
  Reader(manifest, findings).read(json);
  return manifest;
}

} // namespace hostpin::redist
