// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/identity.hpp"

#include "wrapper/plan/fields.hpp"

#include <algorithm>

namespace hostpin {

namespace {

// A reader refuses unknown fields, so every addition needs another magic.
constexpr std::string_view magic("hostpin identity 1\0", 19);

bool take_flag(std::string_view value, bool& flag) {
  flag = value == "1";
  return flag;
}

bool read_field(std::string_view key, std::string_view value, Identity& identity) {
  if (key == "question")
    identity.question = value;
  else if (key == "answer")
    identity.answer.push_back(value);
  else if (key == "specs")
    identity.specs.push_back(value);
  else if (key == "translated")
    return take_flag(value, identity.translated);
  else if (key == "shared")
    return take_flag(value, identity.shared);
  else
    return read_file_field(key, value, identity.files) == FileField::taken;
  return true;
}

} // namespace

std::optional<Identity> read_identity(std::string_view bytes) {
  if (!bytes.starts_with(magic))
    return std::nullopt;
  bytes.remove_prefix(magic.size());
  Identity identity;
  while (!bytes.empty())
    if (!next_field(bytes, [&](std::string_view key, std::string_view value) {
          return read_field(key, value, identity);
        }))
      return std::nullopt;
  if (identity.question.empty() || identity.answer.size() < 2)
    return std::nullopt;
  return identity;
}

std::string write_identity(const Identity& identity) {
  std::string bytes(magic);
  append_field(bytes, "question", identity.question);
  for (const std::string_view piece : identity.answer)
    append_field(bytes, "answer", piece);
  for (const std::string_view name : identity.specs)
    append_field(bytes, "specs", name);
  if (identity.translated)
    append_field(bytes, "translated", "1");
  if (identity.shared)
    append_field(bytes, "shared", "1");
  for (const PlanFile& file : identity.files)
    append_file_field(bytes, file);
  return bytes;
}

std::vector<std::string_view> pieces(std::string_view output, std::string_view name) {
  std::vector<std::string_view> cut;
  for (;;) {
    const std::size_t at = output.find(name);
    cut.push_back(output.substr(0, at));
    if (at == std::string_view::npos)
      return cut;
    output.remove_prefix(at + name.size());
  }
}

std::string answer_for(const Identity& identity, std::string_view name) {
  std::size_t size = 0;
  for (const std::string_view piece : identity.answer)
    size += piece.size() + name.size();
  std::string text;
  text.reserve(size);
  for (std::size_t i = 0; i < identity.answer.size(); ++i)
    text.append(i == 0 ? std::string_view() : name).append(identity.answer[i]);
  return text;
}

bool is_repeated_as_it_is(std::string_view name) {
  return name.starts_with('/') && std::all_of(name.begin(), name.end(), [](char c) {
           return c >= ' ' && c <= '~' && c != '"' && c != '\\';
         });
}

std::string_view asked_file(std::span<const char* const> arguments) {
  constexpr std::string_view ending = ".cpp"; // makes compilers read it as C++
  if (arguments.size() != 2 || std::string_view(arguments[0]) != "-E")
    return {};
  const std::string_view name = arguments[1];
  const bool usual = is_repeated_as_it_is(name) && name.ends_with(ending) &&
                     name[name.size() - ending.size() - 1] != '/' &&
                     name.find("//") == std::string_view::npos;
  return usual ? name : std::string_view();
}

} // namespace hostpin
