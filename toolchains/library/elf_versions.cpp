// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/elf_versions.hpp"

#include "toolchains/library/elf_strings.hpp"

#include <utility>

namespace hostpin {

namespace {

/// One chain of Vernaux records; `room` is how many more of them the file can hold, whatever its chains say.
std::optional<std::vector<std::string>> read_needed_versions(const ElfBytes& file, std::string_view strings,
                                                             std::uint64_t offset, std::uint64_t& room) {
  constexpr std::uint64_t record_size = 16;
  std::vector<std::string> names;
  for (; room > 0; --room) {
    constexpr std::uint64_t flag_weak = 2; // the loader warns at most
    const auto flags = file.number(offset + 4, 2);
    const auto index = file.number(offset + 8, 4);
    const auto next = file.number(offset + 12, 4);
    auto name = index && next ? string_at(strings, *index) : std::nullopt;
    if (!name)
      return std::nullopt;
    if ((*flags & flag_weak) == 0)
      names.push_back(std::move(*name));
    if (*next == 0)
      return names;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return std::nullopt;
}

} // namespace

/// The chain of Verdef records; each names itself by its first Verdaux record.
std::optional<std::vector<std::string>> read_definitions(const ElfBytes& file, std::string_view strings,
                                                         std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t record_size = 20;
  constexpr std::uint64_t flag_base = 1; // names the file itself, not a version
  std::vector<std::string> names;
  // Records cannot overlap, so a count that the file has no room for is a lie that must not cost time.
  for (std::uint64_t i = 0; i < count; ++i) {
    if (names.size() == most_names)
      return std::nullopt;
    const auto flags = file.number(offset + 2, 2);
    const auto auxiliary = file.number(offset + 12, 4);
    const auto next = file.number(offset + 16, 4);
    if (!flags || !auxiliary || !next)
      return std::nullopt;
    const auto index = file.number(offset + *auxiliary, 4);
    auto name = index ? string_at(strings, *index) : std::nullopt;
    if (!name)
      return std::nullopt;
    if ((*flags & flag_base) == 0)
      names.push_back(std::move(*name));
    if (*next == 0)
      break;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return names;
}

/// The chain of Verneed records, each of one library and with a chain of its versions.
std::optional<std::vector<VersionNeed>> read_needs(const ElfBytes& file, std::string_view strings,
                                                   std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t record_size = 16;
  std::uint64_t room = most_names;
  std::vector<VersionNeed> needs;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto library = file.number(offset + 4, 4);
    const auto auxiliary = file.number(offset + 8, 4);
    const auto next = file.number(offset + 12, 4);
    auto name = library && auxiliary && next ? string_at(strings, *library) : std::nullopt;
    auto versions = name ? read_needed_versions(file, strings, offset + *auxiliary, room) : std::nullopt;
    if (!versions)
      return std::nullopt;
    needs.push_back({std::move(*name), std::move(*versions)});
    if (*next == 0)
      break;
    if (*next < record_size)
      return std::nullopt;
    offset += *next;
  }
  return needs;
}

} // namespace hostpin
