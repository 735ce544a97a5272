// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/config/bound.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>

namespace hostpin {

const TomlValue* BoundFields::find(std::string_view key) const {
  if (table != nullptr)
    for (const TomlMember& member : table->members)
      if (member.key == key)
        return &member.value;
  return nullptr;
}

BoundFields BoundFields::operator[](std::string_view key) const {
  const TomlValue* const value = find(key);
  return {value != nullptr && value->kind == TomlValue::Kind::table ? value : nullptr};
}

void BoundFields::take(const TomlValue& value, std::vector<std::string>& texts) {
  for (const TomlValue& item : value.items)
    texts.push_back(item.text);
}

void BoundFields::take(const TomlValue& value, int& number) {
  number = static_cast<int>(std::clamp<std::int64_t>(value.number, 0, 999999)); // as in a version
}

void BoundFields::take(const TomlValue& value, Version& version) {
  version = parse_version(value.text).value_or(Version{});
}

void BoundFields::take(const TomlValue& value, std::optional<Version>& version) {
  version = parse_version(value.text);
}

void BoundFields::take(const TomlValue& value, Family& family) {
  family = value.text == "gcc" ? Family::gcc : value.text == "clang" ? Family::clang : Family::other;
}

Compiler bound_compiler(const BoundFields& fields) {
  Compiler compiler;
  compiler_fields(compiler, fields);
  library_fields(compiler.library, fields["libstdcxx"]);
  return compiler;
}

std::string bound_room(const Files& files, const std::string& directory) {
  std::string room = directory + "/hostpin";
  return !files.status(directory + "/binding.toml") && files.status(room + "/binding.toml") ? room
                                                                                            : directory;
}

Result<TomlValue> read_bound(const Files& files, const std::string& directory) {
  const std::string path = directory + "/binding.toml";
  auto toml = read_toml(files, path);
  if (toml)
    return toml;
  // bind makes no directory of its own out of one that holds other files.
  const bool is_others = files.status(directory) && !files.status(path);
  return failure(directory + " is not a bound directory: " + toml.error().message,
                 "make one: hostpin bind " + shell_word(is_others ? directory + "/toolchain" : directory));
}

Result<BoundTools> bound_tools(const TomlValue& toml, const std::string& directory) {
  const BoundFields document{&toml};
  const auto toolkit = document["toolkit"], host = document["host"], stdenv = document["stdenv"];
  if (toolkit.table == nullptr || host.table == nullptr || stdenv.table == nullptr)
    return failure(directory + "/binding.toml does not name the compilers and the toolkit of a binding",
                   "make it again: hostpin bind " + shell_word(directory));
  BoundTools tools{{}, bound_compiler(host), bound_compiler(stdenv), {}};
  loader_fields(tools.loader, stdenv["loader"]);
  toolkit_fields(tools.toolkit, toolkit);
  if (const auto target = document["target"]; target.table != nullptr)
    target_fields(tools.toolkit.target.emplace(), target);
  return tools;
}

} // namespace hostpin
