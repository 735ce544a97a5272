// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/archive.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace hostpin::binary {

namespace {

// ar.h of the GNU C library: name 16, date 12, user 6, group 6, mode 8, size 10, end 2.
constexpr std::uint64_t magic_size = 8;
constexpr std::size_t name_field = 16, size_at = 48, size_field = 10, end_at = 58;
constexpr std::string_view header_end = "`\n";
constexpr std::size_t longest_name = 4096;
constexpr std::uint64_t most_loaded_names = std::uint64_t{1} << 20U;

/// Symbol tables, by the names that bfd, LLVM, Darwin and Microsoft give them.
constexpr auto symbol_tables = std::to_array<std::string_view>(
    {"", "/SYM64", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64", "__.SYMDEF_64 SORTED", "/<ECSYMBOLS>"});
constexpr auto name_tables = std::to_array<std::string_view>({"/", "ARFILENAMES"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view without_slash(std::string_view text) {
  if (!text.empty() && text.back() == '/')
    text.remove_suffix(1);
  return text;
}

/// The value of a text that is a decimal number as a whole.
std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

} // namespace

ArchiveKind archive_kind(std::string_view head) {
  if (head.starts_with("!<arch>\n"))
    return ArchiveKind::ordinary;
  return head.starts_with("!<thin>\n") ? ArchiveKind::thin : ArchiveKind::none;
}

struct ArchiveReader::Header {
  std::array<char, name_field> field; ///< a copy, because views expire
  std::uint64_t begin = 0;            ///< of the content
  std::uint64_t size = 0;

  std::string_view name() const { return without_spaces({field.data(), field.size()}); }
  bool is_name_table() const { return contains(name_tables, without_slash(name())); }
  bool is_table() const { return is_name_table() || contains(symbol_tables, without_slash(name())); }
};

ArchiveReader::ArchiveReader(Bytes archive, ArchiveKind kind)
    : archive_(archive), thin_(kind == ArchiveKind::thin), position_(magic_size) {}

std::optional<ArchiveReader::Header> ArchiveReader::read_header(std::uint64_t at) const {
  const auto bytes = archive_.view(at, header_size);
  if (!bytes || bytes->substr(end_at) != header_end)
    return std::nullopt;
  const auto size = decimal(without_spaces(bytes->substr(size_at, size_field)));
  if (!size)
    return std::nullopt;
  Header header;
  std::copy_n(bytes->begin(), name_field, header.field.begin());
  header.begin = at + header_size;
  header.size = *size;
  return header;
}

std::optional<std::string> ArchiveReader::long_name(std::uint64_t offset) const {
  if (!names_ || offset >= names_->size())
    return std::nullopt;
  std::string_view text = loaded_names_.empty()
                              ? names_->up_to(offset, longest_name)
                              : std::string_view(loaded_names_).substr(offset, longest_name);
  // A name ends in "/\n"; in a thin archive it can contain slashes too. Microsoft's names end in a NUL.
  const std::size_t end = text.find_first_of(std::string_view("\n\0", 2));
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::string(without_slash(text.substr(0, end)));
}

/// Nothing if its name cannot be read.
std::optional<ArchiveMember> ArchiveReader::member(const Header& header, Bytes content) const {
  const std::string_view name = header.name();
  if (header.is_table())
    return ArchiveMember{.name = std::string(name), .content = content, .is_table = true};
  if (name.starts_with("#1/")) { // BSD: the name comes before the content
    const auto length = decimal(name.substr(3));
    const auto bytes = length && *length <= longest_name ? content.view(0, *length) : std::nullopt;
    if (!bytes)
      return std::nullopt;
    std::string long_form(bytes->substr(0, bytes->find('\0')));
    const bool is_table = contains(symbol_tables, long_form);
    return ArchiveMember{.name = std::move(long_form),
                         .content = content.part(*length, content.size() - *length),
                         .is_table = is_table};
  }
  if (name.size() > 1 && name.front() == '/') {
    const std::size_t colon = name.find(':');
    const auto offset = decimal(name.substr(1, colon - 1));
    auto found = offset ? long_name(*offset) : std::nullopt;
    const auto nested_at = colon != std::string_view::npos ? decimal(name.substr(colon + 1)) : std::nullopt;
    if (!found || (colon != std::string_view::npos && !(thin_ && nested_at)))
      return std::nullopt;
    return ArchiveMember{.name = *std::move(found), .content = content, .nested_at = nested_at};
  }
  return ArchiveMember{.name = std::string(without_slash(name)), .content = content};
}

bool ArchiveReader::load_names(const Bytes& content) {
  names_ = content;
  loaded_names_.assign(content.size() <= most_loaded_names ? static_cast<std::size_t>(content.size()) : 0,
                       '\0');
  return content.read(0, loaded_names_.data(), loaded_names_.size());
}

Reading<std::optional<ArchiveMember>> ArchiveReader::next_or_table() {
  if (position_ >= archive_.size())
    return std::nullopt;
  const std::uint64_t at = std::exchange(position_, archive_.size()); // stays on any error
  const auto header = read_header(at);
  if (!header) {
    const std::string_view rest = archive_.up_to(at, header_size);
    if (!rest.empty() && rest.find_first_not_of('\n') == std::string_view::npos)
      return std::nullopt; // padding to an even size
    return damaged("there is no member header where one is expected", at, rest.size() < header_size);
  }
  const bool elsewhere = thin_ && !header->is_table();
  const auto content = archive_.part(header->begin, elsewhere ? 0 : header->size);
  if (!content)
    return damaged("a member reaches past its end", at, true);
  if (header->is_name_table() && !load_names(*content))
    return damaged("its table of names cannot be read", at);
  position_ = header->begin + content->size();
  position_ += position_ % 2;
  auto found = member(*header, *content);
  if (!found)
    found = ArchiveMember{.name = std::string(header->name()), .content = content, .is_named = false};
  found->header = at;
  found->begin = found->content->begin() - archive_.begin();
  if (elsewhere)
    found->content.reset();
  return found;
}

Reading<std::optional<ArchiveMember>> ArchiveReader::next() {
  auto found = next_or_table();
  while (found && *found && (*found)->is_table)
    found = next_or_table();
  if (!found || !*found || (*found)->is_named)
    return found;
  position_ = archive_.size();
  return damaged("the name of a member cannot be read", (*found)->header);
}

Reading<std::optional<ArchiveMember>> ArchiveReader::at(std::uint64_t header) {
  // The table of names, if there is one, precedes all members.
  for (bool is_table = true; !names_ && is_table && position_ < header;) {
    const auto table = next_or_table();
    is_table = table && *table && (*table)->is_table;
  }
  position_ = header;
  return next_or_table();
}

} // namespace hostpin::binary
