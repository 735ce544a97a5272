// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::json;

constexpr std::string_view schema = "https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json";
constexpr const char* priorities_key = "default-priorities";
constexpr std::size_t longest_label = 16;

bool consists_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || more.find(c) != std::string_view::npos;
  });
}

bool is_name(std::string_view text) {
  return consists_of(text, "_");
}

/// Reads JSON of the format; the first thing that is wrong with it is stored.
class Reader {
public:
  VariantsFile read(const Json& json) {
    VariantsFile file;
    if (!is_object(json, "it"))
      return file;
    const Json& version = member(json, "$schema");
    if (!version.is_string())
      refuse("it has no $schema");
    else if (version.get<std::string>() != schema)
      refuse("it is of another version of the format than " + std::string(schema));
    if (const Json& priorities = member(json, priorities_key); is_object(priorities, priorities_key))
      read_priorities(priorities, file);
    if (const Json& variants = member(json, "variants"); is_object(variants, "variants"))
      for (const auto& [label, properties] : variants.items()) {
        if (!is_label(label))
          refuse("a label is 1 to 16 of 0-9, a-z, _ and .");
        file.variants.emplace(label, properties_in(properties));
      }
    for (const auto& [label, properties] : file.variants)
      for (const auto& [space, features] : properties)
        if (std::find(file.namespaces.begin(), file.namespaces.end(), space) == file.namespaces.end())
          refuse("the namespace " + space + " has no priority");
    if (const auto null = file.variants.find(std::string(null_label));
        null != file.variants.end() && !null->second.empty())
      refuse("the null variant has properties");
    return file;
  }

  const std::string& trouble() const { return trouble_; }

private:
  void refuse(std::string what) {
    if (trouble_.empty())
      trouble_ = std::move(what);
  }

  bool is_object(const Json& json, const std::string& name) {
    if (!json.is_object())
      refuse(name + " is not an object");
    return json.is_object();
  }

  static const Json& member(const Json& json, const char* key) {
    static const Json none;
    const auto found = json.find(key);
    return found == json.end() ? none : *found;
  }

  std::vector<std::string> words(const Json& json, const std::string& name, std::string_view more) {
    std::vector<std::string> list;
    if (!json.is_array())
      refuse(name + " is not a list");
    else
      for (const Json& item : json) {
        const std::string word = item.is_string() ? item.get<std::string>() : std::string();
        if (!consists_of(word, more))
          refuse("a name in " + name + " is not of 0-9, a-z and _");
        else if (std::find(list.begin(), list.end(), word) == list.end())
          list.push_back(word);
      }
    return list;
  }

  void read_priorities(const Json& json, VariantsFile& file) {
    file.namespaces = words(member(json, "namespace"), "namespace", "_");
    if (const Json& features = member(json, "feature"); !features.is_null() && is_object(features, "feature"))
      for (const auto& [space, names] : features.items())
        file.features[space] = words(names, "feature", "_");
    if (const Json& values = member(json, "property"); !values.is_null() && is_object(values, "property"))
      for (const auto& [space, features] : values.items())
        if (is_object(features, "property"))
          for (const auto& [feature, names] : features.items())
            file.values[space][feature] = words(names, "property", "_.");
  }

  Properties properties_in(const Json& json) {
    Properties properties;
    if (is_object(json, "a variant"))
      for (const auto& [space, features] : json.items()) {
        if (!is_name(space))
          refuse("a namespace is not of 0-9, a-z and _");
        if (is_object(features, space))
          for (const auto& [feature, values] : features.items()) {
            if (!is_name(feature))
              refuse("a feature is not of 0-9, a-z and _");
            const auto list = words(values, feature, "_.");
            if (list.empty())
              refuse(feature + " has no value");
            properties[space][feature].insert(list.begin(), list.end());
          }
      }
    return properties;
  }

  std::string trouble_;
};

/// The position in a list; its size if it is not there.
std::size_t position(const std::vector<std::string>& list, const std::string& name) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
}

void append_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (std::find(list.begin(), list.end(), name) == list.end())
      list.push_back(name);
}

const CompatibleValues* compatible_values(const Compatible& machine, const std::string& space,
                                          const std::string& feature) {
  const auto found = machine.find(space);
  if (found != machine.end())
    for (const auto& [name, values] : found->second)
      if (name == feature)
        return &values;
  return nullptr;
}

using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

/// The position of the best value of each feature, in the order of the features.
std::vector<Key> keys_of(const Properties& properties, const VariantsFile& file, const Compatible& machine) {
  std::vector<Key> keys;
  for (const auto& [space, features] : properties)
    for (const auto& [feature, values] : features) {
      std::vector<std::string> names, order;
      if (const auto found = file.features.find(space); found != file.features.end())
        names = found->second;
      for (const auto& [name, own] : machine.at(space))
        append_new(names, {name});
      if (const auto found = file.values.find(space); found != file.values.end())
        if (const auto own = found->second.find(feature); own != found->second.end())
          order = own->second;
      append_new(order, *compatible_values(machine, space, feature));
      std::size_t best = order.size();
      for (const std::string& value : values)
        best = std::min(best, position(order, value));
      keys.emplace_back(position(file.namespaces, space), position(names, feature), best);
    }
  std::sort(keys.begin(), keys.end());
  return keys;
}

} // namespace

bool is_label(std::string_view text) {
  return text.size() <= longest_label && consists_of(text, "_.");
}

std::string variants_file_name(std::string_view distribution, std::string_view version) {
  std::string name;
  for (const char c : distribution) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (!is_separator || name.empty() || name.back() != '_')
      name += is_separator ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name.append("-").append(version).append("-variants.json");
}

std::string variants_text(const VariantsFile& file) {
  nlohmann::ordered_json json{{"$schema", schema}};
  auto& priorities = json[priorities_key] = {{"namespace", file.namespaces}};
  if (!file.features.empty())
    priorities["feature"] = file.features;
  if (!file.values.empty())
    priorities["property"] = file.values;
  json["variants"] = nlohmann::ordered_json::object();
  for (const auto& [label, properties] : file.variants)
    json["variants"][label] =
        properties.empty() ? nlohmann::ordered_json::object() : nlohmann::ordered_json(properties);
  return json.dump(2) + '\n';
}

Result<VariantsFile> read_variants(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return failure("it is not JSON");
  Reader reader;
  VariantsFile file = reader.read(json);
  if (!reader.trouble().empty())
    return failure(reader.trouble());
  return file;
}

Result<void> merge_variants(VariantsFile& file, const VariantsFile& more) {
  if (std::tie(file.namespaces, file.features, file.values) !=
      std::tie(more.namespaces, more.features, more.values))
    return failure("it has other priorities");
  for (const auto& [label, properties] : more.variants)
    if (const auto [known, is_new] = file.variants.emplace(label, properties);
        !is_new && known->second != properties)
      return failure("its variant " + label + " has other properties");
  return {};
}

std::string incompatible(const Properties& properties, const Compatible& machine) {
  for (const auto& [space, features] : properties)
    for (const auto& [feature, values] : features) {
      const CompatibleValues* const own = compatible_values(machine, space, feature);
      if (own == nullptr || std::none_of(values.begin(), values.end(), [&](const std::string& value) {
            return std::find(own->begin(), own->end(), value) != own->end();
          })) {
        std::string text = space + " :: " + feature + " ::";
        for (const std::string& value : values)
          text += ' ' + value;
        return text;
      }
    }
  return {};
}

std::vector<std::string> ordered_variants(const VariantsFile& file, const Compatible& machine) {
  std::vector<std::pair<std::vector<Key>, std::string>> found;
  for (const auto& [label, properties] : file.variants)
    if (incompatible(properties, machine).empty())
      found.emplace_back(keys_of(properties, file, machine), label);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const std::size_t common = std::min(a.first.size(), b.first.size());
    for (std::size_t i = 0; i < common; ++i)
      if (a.first[i] != b.first[i])
        return a.first[i] < b.first[i];
    return a.first.size() != b.first.size() ? a.first.size() > b.first.size() : a.second < b.second;
  });
  std::vector<std::string> labels;
  for (auto& [keys, label] : found)
    labels.push_back(std::move(label));
  return labels;
}

std::vector<std::string> texts_of(const Properties& properties) {
  std::vector<std::string> texts;
  for (const auto& [space, features] : properties)
    for (const auto& [feature, values] : features)
      for (const std::string& value : values)
        texts.push_back(space + " :: " + feature + " :: " + value);
  return texts;
}

} // namespace hostpin::wheel
