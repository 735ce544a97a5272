// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/config/config.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view file_below = "/hostpin/config.toml";

/// One file's settings, before they are merged with those of less important files.
struct Layer {
  std::optional<std::string> toolkit, stdenv, host;
  std::optional<Family> family;
  std::optional<std::vector<std::string>> compilers, toolkits;
  std::optional<bool> named_as_is, only_named;
  std::optional<CheckPolicy> link_proof, lto_check;
  std::optional<bool> lto_dropped, asks_identity;
  std::map<std::string, std::string> runtime, places;
};

bool is_absolute(std::string_view path) {
  return !path.empty() && path.front() == '/';
}

/// Stores the position of a value that is checked later, for error messages.
void keep_place(Layer& layer, const TomlReader& reader, const std::string& key, const TomlMember* member) {
  if (member != nullptr)
    layer.places[key] =
        reader.path() + ':' + std::to_string(member->value.line) + ':' + std::to_string(member->value.column);
}

/// A path that depends on where the build runs would let a directory decide what compiles.
void check_directory(TomlReader& reader, std::string_view key, const std::string& path) {
  if (!is_absolute(path))
    reader.refuse(key, quoted(key) + " must be absolute, not " + quoted(path));
}

void check_driver(TomlReader& reader, std::string_view key, const std::string& command) {
  std::string_view driver = std::string_view(command).substr(0, command.find(' '));
  if (driver.size() > 1 && (driver.front() == '\'' || driver.front() == '"')) // around a path with blanks
    driver.remove_prefix(1);
  if (driver.empty())
    reader.refuse(key, quoted(key) + " must begin with the driver, not with a space");
  else if (driver.find('/') != std::string_view::npos && !is_absolute(driver))
    reader.refuse(key, quoted(key) + " must be a name on PATH or an absolute path, not " + quoted(driver));
}

using Check = void (*)(TomlReader&, std::string_view, const std::string&);

std::optional<std::string> checked(TomlReader& reader, std::string_view key, Check check) {
  auto text = reader.string(key);
  if (text)
    check(reader, key, *text);
  return text;
}

std::optional<std::vector<std::string>> checked_list(TomlReader& reader, std::string_view key, Check check) {
  if (reader.member(key) == nullptr)
    return std::nullopt;
  auto texts = reader.strings(key);
  for (const std::string& text : texts)
    check(reader, key, text);
  return texts;
}

/// `"error", "warn" or "off"`.
std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "\"" : i + 1 == words.size() ? " or \"" : ", \"") + std::string(words[i]) + '"';
  return text;
}

/// The value of a key that must be one of `words`.
std::optional<std::string> one_of(TomlReader& reader, std::string_view key,
                                  std::span<const std::string_view> words) {
  auto word = reader.string(key);
  if (word && std::find(words.begin(), words.end(), *word) == words.end())
    reader.refuse(key, quoted(key) + " must be " + listed(words) + ", not " + quoted(*word));
  return word;
}

/// True if the value is `second`, false if it is `first`.
std::optional<bool> choice(TomlReader& reader, std::string_view key, std::string_view first,
                           std::string_view second) {
  const std::array words = {first, second};
  const auto word = one_of(reader, key, words);
  return word ? std::optional(*word == second) : std::nullopt;
}

std::optional<CheckPolicy> policy(TomlReader& reader, std::string_view key) {
  return check_policy(one_of(reader, key, check_policy_names).value_or(""));
}

void take_lto(TomlReader& reader, Layer& layer) {
  const TomlValue* const table = reader.table("lto");
  if (table == nullptr)
    return;
  TomlReader rules(reader.path(), *table);
  layer.lto_check = policy(rules, "check");
  layer.lto_dropped = choice(rules, "on-mismatch", "refuse", "drop");
  if (auto error = rules.finish("known keys of [lto]: check, on-mismatch"))
    reader.adopt(std::move(*error));
}

void take_runtime(TomlReader& reader, Layer& layer) {
  const TomlValue* const table = reader.table("runtime");
  if (table == nullptr)
    return;
  TomlReader rules(reader.path(), *table);
  for (const TomlMember& member : table->members)
    if (const auto one = choice(rules, member.key, "refuse", "one-compiler"))
      layer.runtime[member.key] = *one ? "one-compiler" : "refuse";
  for (const TomlMember& member : table->members)
    keep_place(layer, reader, "runtime." + member.key, &member);
  if (auto error = rules.finish())
    reader.adopt(std::move(*error));
}

Result<Layer> layer_of(const std::string& path, const TomlValue& table) {
  TomlReader reader(path, table);
  Layer layer;
  layer.toolkit = checked(reader, "toolkit", check_directory);
  layer.stdenv = checked(reader, "stdenv", check_driver);
  layer.host = checked(reader, "host", check_driver);
  if (const auto clang = choice(reader, "family", "gcc", "clang"))
    layer.family = *clang ? Family::clang : Family::gcc;
  layer.compilers = checked_list(reader, "compilers", check_driver);
  layer.toolkits = checked_list(reader, "toolkits", check_directory);
  layer.only_named = choice(reader, "search", "machine", "named");
  layer.named_as_is = choice(reader, "named-host", "pin", "as-is");
  layer.link_proof = policy(reader, "link-proof");
  layer.asks_identity = choice(reader, "identity", "on", "off");
  for (const char* const key : {"toolkit", "stdenv", "host"})
    keep_place(layer, reader, key, reader.member(key));
  take_lto(reader, layer);
  take_runtime(reader, layer);
  if (auto error = reader.finish("known keys: toolkit, stdenv, host, family, compilers, toolkits, search, "
                                 "named-host, link-proof, identity, [lto], [runtime]"))
    return tl::unexpected(*std::move(error));
  return layer;
}

Result<Layer> read_layer(const Files& files, const std::string& path) {
  return read_toml(files, path).and_then([&](const TomlValue& table) { return layer_of(path, table); });
}

/// Fills what no more important file has set.
void lay_under(Layer& above, Layer&& below) {
  const auto fill = [](auto& value, auto&& other) {
    if (!value)
      value = std::forward<decltype(other)>(other);
  };
  fill(above.toolkit, std::move(below.toolkit));
  fill(above.stdenv, std::move(below.stdenv));
  fill(above.host, std::move(below.host));
  fill(above.family, below.family);
  fill(above.compilers, std::move(below.compilers));
  fill(above.toolkits, std::move(below.toolkits));
  fill(above.only_named, below.only_named);
  fill(above.named_as_is, below.named_as_is);
  fill(above.link_proof, below.link_proof);
  fill(above.lto_check, below.lto_check);
  fill(above.lto_dropped, below.lto_dropped);
  fill(above.asks_identity, below.asks_identity);
  above.runtime.merge(below.runtime);
  above.places.merge(below.places);
}

/// Relative entries are ignored, as the XDG base directory specification requires.
void add(std::vector<std::string>& paths, std::string_view directory) {
  while (directory.size() > 1 && directory.back() == '/')
    directory.remove_suffix(1);
  if (!is_absolute(directory))
    return;
  std::string path = (directory == "/" ? "" : std::string(directory)) + std::string(file_below);
  for (const std::string& known : paths)
    if (known == path)
      return;
  paths.push_back(std::move(path));
}

/// Most important first.
std::vector<std::string> places(const Environment& environment) {
  std::vector<std::string> paths;
  const auto user = environment["XDG_CONFIG_HOME"];
  if (user && is_absolute(*user))
    add(paths, *user);
  else if (const auto home = environment["HOME"]; home && is_absolute(*home))
    add(paths, *home + "/.config");
  const std::string system = environment["XDG_CONFIG_DIRS"].value_or("/etc/xdg");
  for (std::size_t begin = 0; begin <= system.size();) {
    const std::size_t end = std::min(system.find(':', begin), system.size());
    add(paths, std::string_view(system).substr(begin, end - begin));
    begin = end + 1;
  }
  add(paths, "/etc");
  return paths;
}

Config config_of(Layer&& layer, std::vector<std::string> consulted) {
  Config config;
  config.toolkit = std::move(layer.toolkit);
  config.stdenv = std::move(layer.stdenv);
  config.host = std::move(layer.host);
  config.family = layer.family;
  config.compilers = std::move(layer.compilers).value_or(std::vector<std::string>{});
  config.toolkits = std::move(layer.toolkits).value_or(std::vector<std::string>{});
  config.searches_machine = !layer.only_named.value_or(false);
  config.named_as_is = layer.named_as_is.value_or(false);
  config.link_proof = layer.link_proof.value_or(config.link_proof);
  config.lto_check = layer.lto_check.value_or(config.lto_check);
  config.lto_dropped = layer.lto_dropped.value_or(false);
  config.answers_identity = !layer.asks_identity.value_or(false);
  config.runtime = std::move(layer.runtime);
  config.places = std::move(layer.places);
  config.consulted = std::move(consulted);
  return config;
}

Result<Config> load_named(const Files& files, const std::string& path) {
  if (path == "/dev/null") // the usual way to name no file
    return config_of({}, {path});
  if (!is_absolute(path))
    return failure("HOSTPIN_CONFIG must be an absolute path, not " + quoted(path),
                   "a relative path would name another file in each directory of a build");
  if (!files.status(path))
    return failure("HOSTPIN_CONFIG names " + quoted(path) + ", which cannot be reached",
                   "create it, or unset HOSTPIN_CONFIG");
  return read_layer(files, path).map([&](Layer&& layer) { return config_of(std::move(layer), {path}); });
}

} // namespace

Result<Config> read_config(const std::string& path, const TomlValue& table) {
  return layer_of(path, table).map([](Layer&& layer) { return config_of(std::move(layer), {}); });
}

Result<Config> load_config(const Files& files, const Environment& environment) {
  if (const auto named = environment["HOSTPIN_CONFIG"])
    return load_named(files, *named);
  std::vector<std::string> paths = places(environment);
  Layer merged;
  for (const std::string& path : paths) {
    if (!files.status(path))
      continue;
    Result<Layer> layer = read_layer(files, path);
    if (!layer)
      return tl::unexpected(layer.error());
    lay_under(merged, std::move(*layer));
  }
  return config_of(std::move(merged), std::move(paths));
}

} // namespace hostpin
