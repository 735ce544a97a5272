// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::test {

inline std::string pe_number(std::size_t value, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size && i < sizeof value; ++i)
    bytes[i] = static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

/// The smallest PE32+ file that a loader would take: one section at address 0x1000 with the tables of exports
/// (if it has a name) and imports.
inline std::string pe_file(std::size_t machine, const std::string& name,
                           const std::vector<std::string>& imports) {
  constexpr std::size_t address = 0x1000, optional_size = 112 + 16 * 8;
  std::string descriptors, names;
  const std::size_t exports_size = name.empty() ? 0 : 40;
  const std::size_t names_at = address + exports_size + 20 * (imports.size() + 1);
  std::string exports;
  if (!name.empty())
    exports = std::string(12, '\0') + pe_number(names_at, 4) + std::string(24, '\0');
  names = name.empty() ? "" : name + '\0';
  for (const std::string& import : imports) {
    descriptors += std::string(12, '\0') + pe_number(names_at + names.size(), 4) + std::string(4, '\0');
    names += import + '\0';
  }
  descriptors += std::string(20, '\0');
  const std::string section = exports + descriptors + names;
  std::string file = "MZ" + std::string(0x3a, '\0') + pe_number(0x40, 4) + std::string("PE\0\0", 4) +
                     pe_number(machine, 2) + pe_number(1, 2) + std::string(12, '\0') +
                     pe_number(optional_size, 2) + pe_number(name.empty() ? 2 : 0x2002, 2);
  std::string directories(16 * 8, '\0');
  if (!name.empty())
    directories.replace(0, 4, pe_number(address, 4));
  directories.replace(8, 4, pe_number(address + exports_size, 4));
  file += pe_number(0x20b, 2) + std::string(106, '\0') + pe_number(16, 4) + directories;
  const std::size_t section_at = file.size() + 40;
  return file + std::string(".rdata\0\0", 8) + pe_number(section.size(), 4) + pe_number(address, 4) +
         pe_number(section.size(), 4) + pe_number(section_at, 4) + std::string(16, '\0') + section;
}

/// A member of an import library: a symbol of a DLL.
inline std::string short_import(std::size_t machine, const std::string& symbol, const std::string& dll) {
  return pe_number(0, 2) + pe_number(0xffff, 2) + pe_number(0, 2) + pe_number(machine, 2) +
         std::string(12, '\0') + symbol + '\0' + dll + '\0';
}

} // namespace hostpin::test
