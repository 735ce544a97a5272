// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/config/config.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view file_below = "/hostpin/config.toml";

bool is_absolute(std::string_view path) {
  return !path.empty() && path.front() == '/';
}

/// Replaces a setting, if a file has it.
template <typename Setting, typename Value>
void set(Setting& setting, std::optional<Value> value) {
  if (value)
    setting = *std::move(value);
}

/// Stores the position of a value that is checked later, for error messages.
void store_place(Config& config, const document::Reader& reader, const std::string& key,
                 const document::Member* member) {
  if (member != nullptr)
    config.places[key] = reader.path() + ':' + std::to_string(member->value.at.line) + ':' +
                         std::to_string(member->value.at.column);
}

/// A path that depends on where the build runs would let a directory decide what compiles.
void check_directory(document::Reader& reader, std::string_view key, const std::string& path) {
  if (!is_absolute(path))
    reader.refuse(key, document::quoted(key) + " must be absolute, not " + document::quoted(path));
}

void check_driver(document::Reader& reader, std::string_view key, const std::string& command) {
  std::string_view driver = std::string_view(command).substr(0, command.find(' '));
  if (driver.size() > 1 && (driver.front() == '\'' || driver.front() == '"')) // around a path with blanks
    driver.remove_prefix(1);
  if (driver.empty())
    reader.refuse(key, document::quoted(key) + " must begin with the driver, not with a space");
  else if (driver.find('/') != std::string_view::npos && !is_absolute(driver))
    reader.refuse(key, document::quoted(key) + " must be a name on PATH or an absolute path, not " +
                           document::quoted(driver));
}

using Check = void (*)(document::Reader&, std::string_view, const std::string&);

std::optional<std::string> checked(document::Reader& reader, std::string_view key, Check check) {
  auto text = reader.string(key);
  if (text)
    check(reader, key, *text);
  return text;
}

std::optional<std::vector<std::string>> checked_list(document::Reader& reader, std::string_view key,
                                                     Check check) {
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
std::optional<std::string> one_of(document::Reader& reader, std::string_view key,
                                  std::span<const std::string_view> words) {
  auto word = reader.string(key);
  if (word && std::find(words.begin(), words.end(), *word) == words.end())
    reader.refuse(key,
                  document::quoted(key) + " must be " + listed(words) + ", not " + document::quoted(*word));
  return word;
}

/// True if the value is `second`, false if it is `first`.
std::optional<bool> choice(document::Reader& reader, std::string_view key, std::string_view first,
                           std::string_view second) {
  const std::array words = {first, second};
  const auto word = one_of(reader, key, words);
  return word ? std::optional(*word == second) : std::nullopt;
}

std::optional<CheckPolicy> policy(document::Reader& reader, std::string_view key) {
  return check_policy(one_of(reader, key, check_policy_names).value_or(""));
}

void set_lto(document::Reader& reader, Config& config) {
  const document::Value* const table = reader.table("lto");
  if (table == nullptr)
    return;
  document::Reader rules(reader.path(), *table);
  set(config.lto_check, policy(rules, "check"));
  set(config.lto_dropped, choice(rules, "on-mismatch", "refuse", "drop"));
  reader.adopt(rules.finish("known keys of [lto]: check, on-mismatch"));
}

void set_gpus(document::Reader& reader, Config& config) {
  const document::Value* const table = reader.table("gpus");
  if (table == nullptr)
    return;
  document::Reader rules(reader.path(), *table);
  set(config.gpus, gpu_policy(one_of(rules, "policy", gpu_policy_names).value_or("")));
  reader.adopt(rules.finish("known keys of [gpus]: policy"));
}

void set_runtime(document::Reader& reader, Config& config) {
  const document::Value* const table = reader.table("runtime");
  if (table == nullptr)
    return;
  document::Reader rules(reader.path(), *table);
  for (const document::Member& member : table->members) {
    if (const auto one = choice(rules, member.key, "refuse", "one-compiler"))
      config.runtime[member.key] = *one ? "one-compiler" : "refuse";
    store_place(config, reader, "runtime." + member.key, &member);
  }
  reader.adopt(rules.finish());
}

/// Replaces what the file sets.
Result<void> apply(const std::string& path, const document::Value& table, Config& config) {
  document::Reader reader(path, table);
  set(config.toolkit, checked(reader, "toolkit", check_directory));
  set(config.stdenv, checked(reader, "stdenv", check_driver));
  set(config.host, checked(reader, "host", check_driver));
  if (const auto clang = choice(reader, "family", "gcc", "clang"))
    config.family = *clang ? Family::clang : Family::gcc;
  set(config.compilers, checked_list(reader, "compilers", check_driver));
  set(config.toolkits, checked_list(reader, "toolkits", check_directory));
  if (const auto named = choice(reader, "search", "machine", "named"))
    config.searches_machine = !*named;
  set(config.named_as_is, choice(reader, "named-host", "pin", "as-is"));
  set(config.link_proof, policy(reader, "link-proof"));
  if (const auto off = choice(reader, "identity", "on", "off"))
    config.answers_identity = !*off;
  for (const char* const key : {"toolkit", "stdenv", "host"})
    store_place(config, reader, key, reader.member(key));
  set_lto(reader, config);
  set_gpus(reader, config);
  set_runtime(reader, config);
  return reader.finish("known keys: toolkit, stdenv, host, family, compilers, toolkits, search, "
                       "named-host, link-proof, identity, [lto], [gpus], [runtime]");
}

Result<void> apply_file(const Files& files, const std::string& path, Config& config) {
  return document::read_toml(files, path).and_then([&](const document::Value& table) {
    return apply(path, table, config);
  });
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

std::optional<std::string> user_directory(const Environment& environment) {
  if (const auto user = environment["XDG_CONFIG_HOME"]; user && is_absolute(*user))
    return std::string(*user);
  if (const auto home = environment["HOME"]; home && is_absolute(*home))
    return std::string(*home) + "/.config";
  return std::nullopt;
}

/// Most important first.
std::vector<std::string> places(const Environment& environment) {
  std::vector<std::string> paths;
  if (const auto user = user_directory(environment))
    add(paths, *user);
  const std::string system = environment["XDG_CONFIG_DIRS"].value_or("/etc/xdg");
  for (std::size_t begin = 0; begin <= system.size();) {
    const std::size_t end = std::min(system.find(':', begin), system.size());
    add(paths, std::string_view(system).substr(begin, end - begin));
    begin = end + 1;
  }
  add(paths, "/etc");
  return paths;
}

/// Configuration names programs to run, so a file that is found by the user's home must not be another
/// user's. $HOSTPIN_CONFIG and $XDG_CONFIG_DIRS name files, such as those that another user has installed for
/// all.
Result<void> check_trust(const Files& files, const std::string& path) {
  const std::string theirs = files.exchangeable(path);
  if (theirs.empty())
    return {};
  return failure("the configuration " + path + " is not used: " + (theirs == path ? "it" : theirs) +
                     " belongs to another user, or others may write to it",
                 "if HOME is another user's, set your own; change the owner or mode (chown, chmod go-w); or "
                 "name the file "
                 "in HOSTPIN_CONFIG, /dev/null for none");
}

/// From $HOSTPIN_CONFIG.
Result<void> apply_named(const Files& files, const std::string& path, Config& config) {
  if (path == "/dev/null") // the usual way to name no file
    return {};
  if (!is_absolute(path))
    return failure("HOSTPIN_CONFIG must be an absolute path, not " + document::quoted(path),
                   "a relative path would name another file in each directory of a build");
  if (!files.status(path))
    return failure("HOSTPIN_CONFIG names " + document::quoted(path) + ", which cannot be reached",
                   "create it, or unset HOSTPIN_CONFIG");
  return apply_file(files, path, config);
}

} // namespace

std::optional<GpuPolicy> gpu_policy(std::string_view name) {
  const auto* const found = std::find(gpu_policy_names.begin(), gpu_policy_names.end(), name);
  if (found == gpu_policy_names.end())
    return std::nullopt;
  return static_cast<GpuPolicy>(found - gpu_policy_names.begin());
}

Result<Config> read_config(const std::string& path, const document::Value& table) {
  Config config;
  return apply(path, table, config).map([&] { return std::move(config); });
}

Result<Config> load_config(const Files& files, const Environment& environment) {
  Config config;
  if (const auto named = environment["HOSTPIN_CONFIG"]) {
    config.consulted = {*named};
    return apply_named(files, *named, config).map([&] { return std::move(config); });
  }
  config.consulted = places(environment);
  // The most important file comes last, so that it replaces what the others set.
  for (auto path = config.consulted.rbegin(); path != config.consulted.rend(); ++path)
    if (files.status(*path)) {
      const bool of_home = path == config.consulted.rend() - 1 && user_directory(environment);
      TRY(of_home ? check_trust(files, *path) : Result<void>());
      TRY(apply_file(files, *path, config));
    }
  return config;
}

} // namespace hostpin
