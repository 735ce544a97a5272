// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/plan/fields.hpp"

#include <charconv>

namespace hostpin {

namespace {

struct KindName {
  std::string_view key;
  PlanFile::Kind kind;
};
constexpr KindName kind_names[] = {{"file", PlanFile::Kind::file},
                                   {"directory", PlanFile::Kind::directory},
                                   {"absent", PlanFile::Kind::absent}};

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto word = take_word(text);
  if (!word)
    return false;
  const char* const end = word->data() + word->size();
  const auto [next, error] = std::from_chars(word->data(), end, number);
  return error == std::errc() && next == end;
}

bool read_file(PlanFile::Kind kind, std::string_view value, std::vector<PlanFile>& files) {
  PlanFile file;
  file.kind = kind;
  if (kind == PlanFile::Kind::file && !take_number(value, file.size))
    return false;
  if (kind != PlanFile::Kind::absent && !take_number(value, file.modified))
    return false;
  if (value.empty())
    return false;
  file.path = value;
  files.push_back(file);
  return true;
}

} // namespace

std::optional<std::string_view> take_word(std::string_view& text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos)
    return std::nullopt;
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space + 1);
  return word;
}

void append_field(std::string& bytes, std::string_view key, std::string_view value) {
  bytes.append(key).append(1, '=').append(value).append(1, '\0');
}

void append_file_field(std::string& bytes, const PlanFile& file) {
  for (const KindName& row : kind_names) {
    if (row.kind != file.kind)
      continue;
    std::string value;
    if (file.kind == PlanFile::Kind::file)
      value += std::to_string(file.size) + ' ';
    if (file.kind != PlanFile::Kind::absent)
      value += std::to_string(file.modified) + ' ';
    append_field(bytes, row.key, value.append(file.path));
  }
}

FileField read_file_field(std::string_view key, std::string_view value, std::vector<PlanFile>& files) {
  for (const KindName& row : kind_names)
    if (row.key == key)
      return read_file(row.kind, value, files) ? FileField::taken : FileField::damaged;
  return FileField::not_a_file;
}

} // namespace hostpin
