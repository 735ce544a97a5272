// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::test {

/// Writes the smallest shared library that a loader would recognise: program headers, a dynamic segment,
/// strings and version definitions, in either class and byte order. The load address differs from the file
/// offset.
class ElfBuilder {
public:
  ElfBuilder(bool wide, bool little) : wide_(wide), little_(little) {}

  using Needs = std::vector<std::pair<std::string, std::vector<std::string>>>;

  /// `needs` are the libraries it loads and the versions it wants of each; `run_path` its RUNPATH, if any;
  /// `interpreter` the loader of a program.
  std::string build(const std::string& soname, const std::vector<std::string>& versions,
                    const Needs& needs = {}, const std::string& run_path = {},
                    const std::string& interpreter = {}) const {
    std::string strings(1, '\0');
    const auto intern = [&](const std::string& text) {
      const std::size_t at = strings.size();
      strings += text + '\0';
      return at;
    };
    const std::size_t soname_at = intern(soname);
    std::string definitions = definition(1, soname_at, versions.empty());
    for (std::size_t i = 0; i < versions.size(); ++i)
      definitions += definition(0, intern(versions[i]), i + 1 == versions.size());

    std::vector<std::size_t> needed_at;
    std::string wanted;
    for (const auto& [library, names] : needs) {
      needed_at.push_back(intern(library));
      const bool last = needed_at.size() == needs.size();
      wanted += number(1, 2) + number(names.size(), 2) + number(needed_at.back(), 4) + number(16, 4) +
                number(last ? 0 : 16 * (1 + names.size()), 4);
      for (std::size_t i = 0; i < names.size(); ++i)
        wanted += number(0, 4) + number(0, 2) + number(2, 2) + number(intern(names[i]), 4) +
                  number(i + 1 == names.size() ? 0 : 16, 4);
    }

    const std::size_t header_size = wide_ ? 64 : 52;
    const std::size_t segments = interpreter.empty() ? 3 : 4;
    const std::size_t dynamic_at = header_size + segments * std::size_t{wide_ ? 56U : 32U};
    const std::size_t run_path_at = run_path.empty() ? 0 : intern(run_path);
    const std::size_t dynamic_size =
        ((needs.empty() ? 7 : 9 + needs.size()) + (run_path_at > 0 ? 1 : 0)) * std::size_t{wide_ ? 16U : 8U};
    const std::size_t strings_at = dynamic_at + dynamic_size;
    const std::size_t definitions_at = strings_at + strings.size();
    const std::size_t needs_at = definitions_at + definitions.size();
    const std::size_t end = needs_at + wanted.size();

    std::vector<std::pair<std::size_t, std::size_t>> entries{
        {5, base + strings_at},
        {10, strings.size()},
        {14, soname_at},
        {0x6ffffff0, base + definitions_at}, // DT_VERSYM, which nothing reads
        {0x6ffffffc, base + definitions_at},
        {0x6ffffffd, versions.size() + 1}};
    for (const std::size_t name_at : needed_at)
      entries.emplace_back(1, name_at);
    if (!needs.empty())
      entries.insert(entries.end(), {{0x6ffffffe, base + needs_at}, {0x6fffffff, needs.size()}});
    if (run_path_at > 0)
      entries.emplace_back(29, run_path_at);
    entries.emplace_back(0, 0);
    std::string dynamic;
    for (const auto& [tag, value] : entries)
      dynamic += word(tag) + word(value);
    return header(header_size, segments) + segment(1, 0, end) + segment(2, dynamic_at, dynamic_size) +
           segment(0x6474e551, 0, 0) + // PT_GNU_STACK, not executable
           (interpreter.empty() ? "" : segment(3, end, interpreter.size() + 1)) + dynamic + strings +
           definitions + wanted + (interpreter.empty() ? "" : interpreter + '\0');
  }

  std::string number(std::size_t value, std::size_t size) const {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
      bytes[little_ ? i : size - 1 - i] = static_cast<char>(value >> (8 * i) & 0xffU);
    return bytes;
  }

private:
  static constexpr std::size_t base = 0x10000;

  std::string word(std::size_t value) const { return number(value, wide_ ? 8 : 4); }

  std::string header(std::size_t size, std::size_t segments) const {
    std::string bytes("\x7f"
                      "ELF");
    bytes += wide_ ? '\2' : '\1';
    bytes += little_ ? '\1' : '\2';
    bytes += std::string("\1") + std::string(9, '\0');
    bytes += number(3, 2) + number(62, 2) + number(1, 4) + word(0) + word(size) + word(0) + number(0, 4);
    return bytes + number(size, 2) + number(wide_ ? 56 : 32, 2) + number(segments, 2) + std::string(6, '\0');
  }

  std::string segment(std::size_t type, std::size_t offset, std::size_t size) const {
    const std::string place =
        word(offset) + word(base + offset) + word(base + offset) + word(size) + word(size);
    const std::size_t alignment = type == 1 ? 0x1000 : 8;
    return wide_ ? number(type, 4) + number(6, 4) + place + word(alignment)
                 : number(type, 4) + place + number(6, 4) + word(alignment);
  }

  std::string definition(std::size_t flags, std::size_t name_at, bool last) const {
    return number(1, 2) + number(flags, 2) + number(1, 2) + number(1, 2) + number(0, 4) + number(20, 4) +
           number(last ? 0 : 28, 4) + number(name_at, 4) + number(0, 4);
  }

  bool wide_;
  bool little_;
};

} // namespace hostpin::test
