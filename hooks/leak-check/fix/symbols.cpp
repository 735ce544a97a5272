// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/symbols.hpp"

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/elf/sections.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hostpin {

namespace {

constexpr std::uint32_t section_dynamic_symbols = 11, section_strings = 3;
constexpr std::size_t most = std::size_t{1} << 30U; ///< bytes of one table

/// Nothing when there is no such section, or it is cut short.
std::optional<std::string> content(const Blob& blob, const ElfFrame& frame, std::uint32_t type,
                                   std::string_view name) {
  const auto section = std::find_if(frame.sections.begin(), frame.sections.end(), [&](const ElfSection& one) {
    return one.type == type && one.name == name;
  });
  if (section == frame.sections.end())
    return std::nullopt;
  auto bytes = blob.part(section->offset, section->size).all(most);
  return bytes && bytes->size() == section->size ? std::optional(*std::move(bytes)) : std::nullopt;
}

} // namespace

std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file) {
  const auto blob = open_blob(file);
  if (!blob)
    return std::nullopt;
  const BlobSource source(*blob);
  auto frame = read_header(source);
  if (!frame || !read_sections(source, *frame))
    return std::nullopt;
  const auto table = content(*blob, *frame, section_dynamic_symbols, ".dynsym");
  const auto strings = content(*blob, *frame, section_strings, ".dynstr");
  if (!table || !strings)
    return std::nullopt;
  const ElfBytes bytes(*table, frame->kind.wide, frame->little);
  const std::size_t each = frame->kind.wide ? 24 : 16; // of Elf64_Sym and Elf32_Sym; st_name is first in both
  std::vector<std::string> names;
  for (std::size_t at = 0; at + each <= table->size(); at += each) {
    const auto name = bytes.number(at, 4);
    if (!name || *name >= strings->size())
      return std::nullopt;
    const std::string_view rest = std::string_view(*strings).substr(static_cast<std::size_t>(*name));
    names.emplace_back(rest.substr(0, rest.find('\0')));
  }
  return names;
}

} // namespace hostpin
