// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/functions.hpp"

#include "toolchains/fatbin/small_unpacking.hpp"
#include "toolchains/library/elf_bytes.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace hostpin {

namespace {

// A kernel or function is a section .text.NAME, variables are in the others; behind .nv.constant stands the
// number of its bank.
constexpr auto sections_of_code = std::to_array<std::string_view>({".text", ".nv.global", ".nv.constant"});

constexpr auto directives_of_code =
    std::to_array<std::string_view>({".entry", ".func", ".global", ".const", ".alias", ".tex", ".surf"});

bool is_code(std::string_view section) {
  return std::any_of(sections_of_code.begin(), sections_of_code.end(),
                     [&](std::string_view prefix) { return section.starts_with(prefix); });
}

/// Offsets in the ELF header and in those of sections, by class.
struct Layout {
  std::uint64_t table, table_size, entry_bytes, count, names, name_offset;
};
constexpr Layout wide_layout{40, 8, 58, 60, 62, 24}, narrow_layout{32, 4, 46, 48, 50, 16};

/// Whether all of its section names can be read, and none is that of code.
bool lacks_sections_of_code(std::string_view cubin) {
  if (!cubin.starts_with("\x7f"
                         "ELF") ||
      cubin.size() < 5)
    return false;
  const bool is_wide = cubin[4] == 2;
  const Layout& layout = is_wide ? wide_layout : narrow_layout;
  const ElfBytes elf(cubin, is_wide, true);
  const auto word = static_cast<std::size_t>(layout.table_size);
  const auto table = elf.number(layout.table, word);
  const auto entry = elf.number(layout.entry_bytes, 2), count = elf.number(layout.count, 2),
             names = elf.number(layout.names, 2);
  // The table lies within these few bytes, so that no sum overflows.
  if (!table || !entry || !count || !names || *count == 0 || *table > cubin.size() ||
      *count * *entry > cubin.size() - *table)
    return false;
  const auto name_table = elf.number(*table + *names * *entry + layout.name_offset, word);
  if (!name_table || *name_table > cubin.size())
    return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto name = elf.number(*table + i * *entry, 4);
    if (!name || *name_table + *name >= cubin.size())
      return false;
    const std::string_view text = cubin.substr(static_cast<std::size_t>(*name_table + *name));
    if (is_code(text.substr(0, text.find('\0'))))
      return false;
  }
  return true;
}

bool lacks_directives_of_code(std::string_view ptx) {
  return ptx.find(".version") != std::string_view::npos &&
         std::none_of(directives_of_code.begin(), directives_of_code.end(), [&](std::string_view directive) {
           return ptx.find(directive) != std::string_view::npos;
         });
}

} // namespace

bool may_lack_functions(const DeviceCodeHead& head) {
  return (head.code == DeviceCode::cubin || head.code == DeviceCode::ptx) &&
         head.size <= most_bytes_without_functions && head.unpacked <= most_bytes_without_functions;
}

bool lacks_functions(const DeviceCodeHead& head, std::string_view payload) {
  if (!may_lack_functions(head))
    return false;
  std::string own;
  if (head.packing != DevicePacking::none) {
    auto unpacked = unpacked_small(head.packing, payload, most_bytes_without_functions);
    if (!unpacked)
      return false;
    own = *std::move(unpacked);
    payload = own;
  }
  return head.code == DeviceCode::ptx ? lacks_directives_of_code(payload) : lacks_sections_of_code(payload);
}

} // namespace hostpin
