// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/sections.hpp"

#include <algorithm>

namespace hostpin {

namespace {

// elf.h of the GNU C library; the ELF header of 32-bit files is 52 bytes.
constexpr std::size_t largest_header = 64;
constexpr std::uint64_t relocatable = 1, no_bits = 8, names_elsewhere = 0xffff;
/// Link-time code of a whole program, joined by `ld -r`, has hundreds of thousands.
constexpr std::uint64_t most_sections = std::uint64_t{1} << 22U;
constexpr std::uint64_t most_loaded_names = std::uint64_t{4} << 20U;
constexpr std::size_t piece_size = std::size_t{64} << 10U;

} // namespace

std::optional<ObjectSection> SectionTable::section(const ElfBytes& bytes, std::uint64_t at) const {
  const auto name = bytes.number(at, 4);
  const auto type = bytes.number(at + 4, 4);
  const auto offset = bytes.word(at + (wide_ ? 24 : 16));
  const auto size = bytes.word(at + (wide_ ? 32 : 20));
  const auto link = bytes.number(at + (wide_ ? 40 : 24), 4);
  if (!name || !type || !offset || !size || !link)
    return std::nullopt;
  return ObjectSection{*name, static_cast<std::uint32_t>(*type), static_cast<std::uint32_t>(*link), *offset,
                       *size};
}

Reading<std::optional<SectionTable>> SectionTable::open(const Bytes& file) {
  const std::string_view head = file.up_to(0, largest_header);
  if (!head.starts_with("\x7f"
                        "ELF"))
    return std::nullopt;
  constexpr auto cut = "it ends within its ELF header";
  if (head.size() < 6)
    return damaged(cut);
  const bool wide = head[4] == 2, little = head[5] == 1;
  if ((!wide && head[4] != 1) || (!little && head[5] != 2))
    return damaged("its ELF header names no class and byte order");
  const ElfBytes header(head, wide, little);
  const auto kind = header.number(16, 2);
  if (kind && *kind != relocatable)
    return std::nullopt;
  SectionTable table(file, wide, little);
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
  if (auto found = table.find_names(*names); !found)
    return tl::unexpected(std::move(found.error()));
  return table;
}

Reading<bool> SectionTable::find_names(std::uint64_t header_names) {
  constexpr auto past_end = "its section headers lie past its end";
  const std::uint64_t header_count = count_;
  count_ = std::max<std::uint64_t>(count_, 1);
  // Numbers that the header is too small for stand in the first section.
  const auto first = at(0);
  if (!first)
    return damaged(past_end);
  count_ = header_count != 0 ? header_count : first->size;
  if (count_ > most_sections)
    return damaged("it has more sections than any real object");
  if (!file_.part(offset_, count_ * entry()))
    return damaged(past_end);
  const auto index = header_names == names_elsewhere ? first->link : header_names;
  if (index == 0)
    return true; // nothing has a name
  const auto table = at(index);
  names_ = table ? content(*table) : std::nullopt;
  if (!names_)
    return damaged("the names of its sections lie past its end");
  if (names_->size() > most_loaded_names)
    return true;
  loaded_names_.resize(static_cast<std::size_t>(names_->size()));
  if (!names_->read(0, loaded_names_.data(), loaded_names_.size()))
    return damaged("the names of its sections cannot be read");
  return true;
}

Reading<bool> SectionTable::each(const std::function<bool(const ObjectSection&)>& visit) const {
  const std::uint64_t size = count_ * entry();
  std::vector<char> piece(
      static_cast<std::size_t>(std::min<std::uint64_t>(size, piece_size - piece_size % entry())));
  for (std::uint64_t done = 0; done < size; done += piece.size()) {
    const std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - done));
    if (!file_.read(offset_ + done, piece.data(), now))
      return damaged("its section headers cannot be read");
    const ElfBytes bytes({piece.data(), now}, wide_, little_);
    for (std::size_t at = 0; at < now; at += entry())
      if (const auto one = section(bytes, at); one && !visit(*one))
        return false;
  }
  return true;
}

std::optional<ObjectSection> SectionTable::at(std::uint64_t index) const {
  const auto bytes = index < count_ ? file_.part(offset_, count_ * entry()) : std::nullopt;
  const auto header = bytes ? bytes->view(index * entry(), entry()) : std::nullopt;
  return header ? section(ElfBytes(*header, wide_, little_), 0) : std::nullopt;
}

std::optional<std::string_view> SectionTable::name(const ObjectSection& section) const {
  if (!names_)
    return std::string_view();
  if (section.name >= names_->size())
    return std::nullopt;
  const std::string_view text = loaded_names_.empty()
                                    ? names_->up_to(section.name, longest_name)
                                    : std::string_view(loaded_names_.data(), loaded_names_.size())
                                          .substr(static_cast<std::size_t>(section.name), longest_name);
  return text.substr(0, text.find('\0'));
}

std::optional<Bytes> SectionTable::content(const ObjectSection& section) const {
  if (section.type == no_bits)
    return file_.part(0, 0);
  return file_.part(section.offset, section.size);
}

} // namespace hostpin
