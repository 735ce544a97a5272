// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::test {

inline std::string little(std::size_t value, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < std::min(size, sizeof value); ++i)
    bytes[i] = static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

struct SectionBytes {
  std::size_t type = 0;
  std::size_t link = 0;
  std::string content;
};

/// A 64-bit little-endian ELF file of sections alone; `type` is 1 for an object, 3 for a shared library.
inline std::string sections_file(std::size_t type, const std::vector<SectionBytes>& sections) {
  std::string body, table = std::string(64, '\0');
  for (const SectionBytes& section : sections) {
    table += little(0, 4) + little(section.type, 4) + little(0, 16) + little(64 + body.size(), 8) +
             little(section.content.size(), 8) + little(section.link, 4) + std::string(20, '\0');
    body += section.content;
  }
  std::string header("\x7f"
                     "ELF\2\1\1");
  header.resize(16);
  header += little(type, 2) + little(62, 2) + little(1, 4) + little(0, 16) + little(64 + body.size(), 8) +
            little(0, 4) + little(64, 2) + little(0, 4) + little(64, 2) + little(sections.size() + 1, 2) +
            little(0, 2);
  return header + body + table;
}

/// Symbols with the number of the section that defines them, 0 for undefined ones.
using Symbols = std::vector<std::pair<std::string, std::size_t>>;

inline std::pair<std::string, std::string> symbol_table(const Symbols& symbols) {
  std::string strings(1, '\0'), table(24, '\0');
  for (const auto& [name, section] : symbols) {
    table += little(strings.size(), 4) + little(0x12, 1) + little(0, 1) + little(section, 2) + little(0, 16);
    strings += name + '\0';
  }
  return {table, strings};
}

/// An object with a symbol table.
inline std::string object(const Symbols& symbols, const std::string& debug = {}) {
  const auto [table, strings] = symbol_table(symbols);
  return sections_file(1, {{2, 2, table}, {3, 0, strings}, {1, 0, debug}});
}

/// A library whose n-th undefined symbol wants the n-th version of `library`.
inline std::string wanting(const std::string& library,
                           const std::vector<std::pair<std::string, std::string>>& symbols) {
  Symbols undefined;
  for (const auto& [symbol, version] : symbols)
    undefined.emplace_back(symbol, 0);
  auto [table, strings] = symbol_table(undefined);
  const auto intern = [&strings = strings](const std::string& text) {
    strings += text + '\0';
    return strings.size() - text.size() - 1;
  };
  std::string needs =
      little(1, 2) + little(symbols.size(), 2) + little(intern(library), 4) + little(16, 4) + little(0, 4);
  std::string versions = little(0, 2);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    needs += little(0, 4) + little(0, 2) + little(i + 2, 2) + little(intern(symbols[i].second), 4) +
             little(i + 1 == symbols.size() ? 0 : 16, 4);
    versions += little(i + 2, 2);
  }
  return sections_file(3,
                       {{11, 2, table}, {3, 0, strings}, {0x6ffffffe, 2, needs}, {0x6fffffff, 1, versions}});
}

/// One member of an archive; names of more than 15 bytes belong into a `//` member.
inline std::string member(std::string name, const std::string& content) {
  name.resize(16, ' ');
  std::string size = std::to_string(content.size());
  size.resize(10, ' ');
  return name + std::string(32, ' ') + size + "`\n" + content + (content.size() % 2 == 1 ? "\n" : "");
}

} // namespace hostpin::test
