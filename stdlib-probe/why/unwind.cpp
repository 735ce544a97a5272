// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/unwind.hpp"

#include <algorithm>
#include <map>

namespace hostpin {

namespace {

std::uint32_t number(std::string_view bytes, bool little) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[little ? 3 - i : i]);
  return value;
}

} // namespace

std::vector<UnwindEntry> unwind_entries(std::string_view content, bool little,
                                        std::span<const UnwindRelocation> relocations) {
  std::vector<UnwindRelocation> sorted(relocations.begin(), relocations.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const UnwindRelocation& a, const UnwindRelocation& b) { return a.at < b.at; });
  std::map<std::uint64_t, std::vector<std::size_t>> personalities; // by the common entry's offset
  std::vector<UnwindEntry> entries;
  // A record is its length, then 0 or the distance back to its common entry (CIE), then fields. 64-bit
  // lengths (0xffffffff) do not occur in objects.
  for (std::uint64_t at = 0; at + 8 <= content.size();) {
    const std::uint64_t length = number(content.substr(at, 4), little);
    const std::uint64_t end = at + 4 + length;
    if (length < 4 || length == 0xffffffff || end > content.size())
      break;
    const std::uint64_t back = number(content.substr(at + 4, 4), little);
    const auto first =
        std::lower_bound(sorted.begin(), sorted.end(), at + 8,
                         [](const UnwindRelocation& entry, std::uint64_t place) { return entry.at < place; });
    const auto last =
        std::lower_bound(first, sorted.end(), end,
                         [](const UnwindRelocation& entry, std::uint64_t place) { return entry.at < place; });
    if (back == 0) {
      for (auto entry = first; entry != last; ++entry)
        personalities[at].push_back(entry->target);
    } else if (first != last) {
      UnwindEntry entry{first->section, first->offset, {}, false, 0, 0};
      if (const auto common = personalities.find(at + 4 - back); common != personalities.end())
        entry.personality = common->second;
      if (std::next(first) != last) {
        entry.has_table = true;
        entry.table_section = std::next(first)->section;
        entry.table_offset = std::next(first)->offset;
      }
      entries.push_back(std::move(entry));
    }
    at = end;
  }
  return entries;
}

} // namespace hostpin
