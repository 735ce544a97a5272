// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

const TomlValue* table_of(const TomlValue& toml, std::string_view name) {
  const auto found = std::find_if(toml.members.begin(), toml.members.end(),
                                  [&](const TomlMember& member) { return member.key == name; });
  const bool is_table = found != toml.members.end() && found->value.kind == TomlValue::Kind::table;
  return is_table ? &found->value : nullptr;
}

/// The variables that were worked out when the binding was made.
std::vector<std::pair<std::string, std::string>> variables_of(const TomlValue& toml) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (const TomlValue* const table = table_of(toml, "capabilities"))
    for (const TomlMember& member : table->members)
      if (member.value.kind == TomlValue::Kind::string)
        variables.emplace_back(member.key, member.value.text);
  return variables;
}

} // namespace

Result<Recorded> read_recorded(const Files& files, const std::string& directory) {
  const std::string path = directory + "/binding.toml";
  const auto toml = read_toml(files, path);
  if (!toml) {
    // bind makes no directory of its own out of one that holds other files.
    const bool is_others = files.status(directory) && !files.status(path);
    return failure(fmt::format("{} is not a bound directory: {}", directory, toml.error().message),
                   is_others ? "make one under a new name: hostpin bind DIR"
                             : "make one: hostpin bind " + directory);
  }
  const TomlValue* const request = table_of(*toml, "request");
  if (request == nullptr)
    return failure(path + " does not say what it was made from", "make it anew: hostpin bind " + directory);

  Recorded recorded;
  TomlReader reader(path, *request);
  recorded.request.toolkit = reader.string("toolkit");
  recorded.request.stdenv = reader.string("stdenv");
  recorded.request.host = reader.string("host");
  recorded.request.host_by = reader.string("host-by").value_or("--host");
  recorded.request.allow_unsupported = reader.boolean("allow-unsupported").value_or(false);
  recorded.named = reader.boolean("named").value_or(false);
  recorded.view = reader.boolean("view").value_or(false);
  const auto list = reader.string("capabilities");
  const bool exactly = reader.boolean("no-forward-compatibility").value_or(false);
  if (list)
    recorded.capabilities = BoundCapabilities{*list, !exactly, variables_of(*toml)};
  if (auto wrong = reader.finish())
    return tl::unexpected(std::move(*wrong));
  return recorded;
}

} // namespace hostpin
