// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/config/bound.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>

namespace hostpin {

namespace {

/// Of a string: numbers have a text as well.
std::optional<Version> text_version(const document::Value& value) {
  return value.kind == document::Value::Kind::string ? parse_version(value.text) : std::nullopt;
}

} // namespace

const document::Value* BoundFields::find(std::string_view key) const {
  return table == nullptr ? nullptr : table->find(key);
}

BoundFields BoundFields::operator[](std::string_view key) const {
  const document::Value* const value = find(key);
  return {value != nullptr && value->kind == document::Value::Kind::object ? value : nullptr};
}

void BoundFields::take(const document::Value& value, std::string& text) {
  text = value.kind == document::Value::Kind::string ? value.text : "";
}

void BoundFields::take(const document::Value& value, std::vector<std::string>& texts) {
  for (const document::Value& item : value.items)
    take(item, texts.emplace_back());
}

void BoundFields::take(const document::Value& value, int& number) {
  number =
      static_cast<int>(std::clamp<std::int64_t>(value.integer().value_or(0), 0, 999999)); // as in a version
}

void BoundFields::take(const document::Value& value, Version& version) {
  version = text_version(value).value_or(Version{});
}

void BoundFields::take(const document::Value& value, std::optional<Version>& version) {
  version = text_version(value);
}

void BoundFields::take(const document::Value& value, Family& family) {
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

Result<document::Value> read_bound(const Files& files, const std::string& directory) {
  const std::string path = directory + "/binding.toml";
  auto toml = document::read_toml(files, path);
  if (toml)
    return toml;
  // bind makes no directory of its own out of one that holds other files.
  const bool is_others = files.status(directory) && !files.status(path);
  return failure(directory + " is not a bound directory: " + toml.error().message,
                 "make one: hostpin bind " + shell_word(is_others ? directory + "/toolchain" : directory));
}

Result<BoundTools> bound_tools(const document::Value& toml, const std::string& directory) {
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
