// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/sections.hpp"

#include "toolchains/binary/blob.hpp"

#include <algorithm>

namespace hostpin::binary {

namespace {

// elf.h of the GNU C library; the ELF header of 32-bit files is 52 bytes.
constexpr std::size_t largest_header = 64;
constexpr std::uint64_t no_section = 0, relocatable = 1, names_elsewhere = 0xffff;
/// Link-time code of a whole program, merged by `ld -r`, has hundreds of thousands.
constexpr std::uint64_t most_sections = std::uint64_t{1} << 22U;
constexpr std::uint64_t names_before = 4096;
constexpr auto past_end = "its section headers are past its end";
constexpr std::uint64_t most_loaded_names = std::uint64_t{4} << 20U;
constexpr std::size_t piece_size = std::size_t{64} * 40 * 24; ///< a whole number of headers of either class

} // namespace

Reading<std::optional<SectionTable>> SectionTable::open(const Bytes& file, ElfKinds kinds) {
  auto table = open_header(file, kinds);
  if (!table || !*table)
    return table;
  for (const auto step : {&SectionTable::load_sections, &SectionTable::load_names})
    TRY(((**table).*step)());
  return table;
}

Reading<std::optional<SectionTable>> SectionTable::open_header(const Bytes& file, ElfKinds kinds) {
  const std::string_view head = file.up_to(0, largest_header);
  if (!head.starts_with("\x7f"
                        "ELF"))
    return std::nullopt;
  constexpr auto cut = "it ends within its ELF header";
  if (head.size() < 6)
    return damaged(cut);
  const bool wide = head[4] == 2;
  const bool little = head[5] == 1;
  if ((!wide && head[4] != 1) || (!little && head[5] != 2))
    return damaged("its ELF header names no class and byte order");
  const ElfBytes header(head, wide, little);
  const auto kind = header.number(16, 2);
  if (kinds == ElfKinds::relocatable && kind && *kind != relocatable)
    return std::nullopt;
  SectionTable table(file, wide, little);
  table.type_ = kind.value_or(0);
  const auto offset = header.word(wide ? 40 : 32);
  const auto entry = header.number(wide ? 58 : 46, 2);
  const auto count = header.number(wide ? 60 : 48, 2);
  const auto names = header.number(wide ? 62 : 50, 2);
  if (!offset || !entry || !count || !names)
    return damaged(cut);
  if (*offset == 0)
    return table; // no sections at all
  if (*entry != table.entry())
    return damaged("its section headers have another size than those of ELF");
  table.offset_ = *offset;
  table.count_ = *count;
  table.header_names_ = *names;
  if (table.count_ == 0) { // a count too large for the ELF header is in the first section
    const auto first = file.view(table.offset_, table.entry());
    if (!first)
      return damaged(past_end);
    table.count_ = table.section(first->data()).size;
  }
  return table;
}

Reading<bool> SectionTable::load_sections() {
  if (count_ > most_sections)
    return damaged("it has more sections than any real object");
  const auto table = file_.part(offset_, count_ * entry());
  if (!table)
    return damaged(past_end);
  // Most compilers write the names right before the headers; then one system call reads both.
  const std::uint64_t before = std::min(offset_, names_before);
  if (table->size() <= Bytes::view_limit - names_before)
    static_cast<void>(file_.view(offset_ - before, before + table->size()));
  const auto loaded =
      load(*table->part(0, std::min<std::uint64_t>(table->size(), piece_size)), own_sections_);
  if (!loaded)
    return damaged("its section headers cannot be read");
  loaded_sections_ = *loaded;
  return true;
}

std::optional<std::string_view> SectionTable::load(const Bytes& bytes, std::vector<char>& own) {
  if (const auto kept = bytes.stable_view(0, bytes.size()))
    return kept;
  own.resize(static_cast<std::size_t>(bytes.size()));
  return bytes.read(0, own.data(), own.size()) ? std::optional(std::string_view(own.data(), own.size()))
                                               : std::nullopt;
}

Reading<bool> SectionTable::load_names() {
  if (count_ == 0)
    return true;
  const auto first = at(0); // and so is the number of the section with the names
  const auto index = header_names_ == names_elsewhere && first ? first->link : header_names_;
  if (index == 0)
    return true; // no section has a name
  const auto table = at(index);
  names_ = table ? content(*table) : std::nullopt;
  if (table && table->type == no_section) // as if the file has a hole instead of written data
    return damaged("its table of sections does not hold the one with their names");
  if (!names_)
    return damaged("the names of its sections are past its end");
  if (names_->size() > most_loaded_names)
    return true;
  const auto loaded = load(*names_, own_names_);
  if (!loaded)
    return damaged("the names of its sections cannot be read");
  loaded_names_ = *loaded;
  return true;
}

std::string_view SectionTable::piece(std::uint64_t at, std::vector<char>& own) const {
  if (at == 0)
    return loaded_sections_;
  own.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, count_ * entry() - at)));
  return file_.read(offset_ + at, own.data(), own.size()) ? std::string_view(own.data(), own.size())
                                                          : std::string_view();
}

std::optional<ObjectSection> SectionTable::at(std::uint64_t index) const {
  if (index >= count_)
    return std::nullopt;
  const std::uint64_t offset = index * entry();
  if (offset < loaded_sections_.size())
    return section(loaded_sections_.data() + offset);
  const auto header = file_.view(offset_ + offset, entry());
  return header ? std::optional(section(header->data())) : std::nullopt;
}

std::optional<std::string_view> SectionTable::name_bytes(const ObjectSection& section,
                                                         std::size_t longest) const {
  if (!names_)
    return std::string_view();
  if (section.name >= names_->size())
    return std::nullopt;
  if (loaded_names_.empty())
    return names_->up_to(section.name, longest);
  return loaded_names_.substr(static_cast<std::size_t>(section.name), longest);
}

std::optional<Bytes> SectionTable::content(const ObjectSection& section) const {
  if (section.type == ObjectSection::no_bits)
    return file_.part(0, 0);
  return file_.part(section.offset, section.size);
}

} // namespace hostpin::binary
