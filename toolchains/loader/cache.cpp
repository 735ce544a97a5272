// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/cache.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hostpin::loader {

namespace {

constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t old_header_size = 16, old_entry_size = 12;
constexpr std::size_t header_size = 48, entry_size = 24;

/// A number in the byte order of this machine, which is that of its loader; nothing outside the bytes.
template <typename Number>
std::optional<Number> number_at(std::string_view bytes, std::size_t offset) {
  Number number = 0;
  if (offset > bytes.size() || bytes.size() - offset < sizeof number)
    return std::nullopt;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// Up to the next NUL; empty outside the bytes.
std::string_view string_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size())
    return {};
  const std::string_view rest = bytes.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

/// The newer part follows the older one if ldconfig wrote both.
std::string_view newer_part(std::string_view cache) {
  if (cache.substr(0, old_magic.size()) != old_magic)
    return cache;
  const auto count = number_at<std::uint32_t>(cache, old_magic.size() + 1);
  const std::uint64_t end = old_header_size + std::uint64_t{count.value_or(0)} * old_entry_size;
  const std::uint64_t aligned = (end + 7) / 8 * 8;
  return count && aligned < cache.size() ? cache.substr(static_cast<std::size_t>(aligned))
                                         : std::string_view();
}

// The upper half of an entry's extensions: this bit means that the lower one is an index into the table of
// subdirectories; ten others are the level of x86-64 that the file itself requires.
constexpr std::uint64_t extension_mark = std::uint64_t{1} << 30U, level_mask = 0x3FF;

bool has_subdirectory(std::uint64_t extensions) {
  return ((extensions >> 32U) & ~level_mask) == extension_mark;
}

/// The n-th name in the table of glibc-hwcaps subdirectories; empty when there is none.
std::string_view capability(std::string_view part, std::uint32_t index) {
  constexpr std::uint32_t magic = 0xEAA42174, tag_capabilities = 1;
  const auto extension = number_at<std::uint32_t>(part, 32);
  if (!extension || *extension == 0 || number_at<std::uint32_t>(part, *extension) != magic)
    return {};
  const auto count = number_at<std::uint32_t>(part, std::size_t{*extension} + 4);
  for (std::uint32_t i = 0; count && i < *count && i < 16; ++i) { // there are two kinds so far
    const std::size_t section = std::size_t{*extension} + 8 + std::size_t{i} * 16;
    const auto offset = number_at<std::uint32_t>(part, section + 8);
    const auto size = number_at<std::uint32_t>(part, section + 12);
    if (!offset || !size)
      return {};
    if (number_at<std::uint32_t>(part, section) == tag_capabilities && index < *size / 4) {
      const auto name = number_at<std::uint32_t>(part, *offset + std::size_t{index} * 4);
      return name ? string_at(part, *name) : std::string_view();
    }
  }
  return {};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes a run of digits from the text. Overflows where glibc does, and for no real name.
unsigned take_number(std::string_view& text) {
  unsigned value = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1))
    value = value * 10 + static_cast<unsigned>(text.front() - '0');
  return value;
}

/// glibc's _dl_cache_libcmp: runs of digits compare as numbers, and sort after all other characters.
int compared(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) != is_digit(b.front()))
      return is_digit(a.front()) ? 1 : -1;
    if (is_digit(a.front())) {
      const unsigned first = take_number(a);
      const unsigned second = take_number(b);
      if (first != second)
        return first < second ? -1 : 1;
    } else if (a.front() != b.front()) {
      return a.front() < b.front() ? -1 : 1;
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() && b.empty())
    return 0;
  const bool rest_is_greater =
      (a.empty() ? b : a).front() > '\0'; // char is signed here, so bytes of UTF-8 are not
  return a.empty() == rest_is_greater ? -1 : 1;
}

/// The number of entries that are in the file; nothing for bytes that are not such a cache. The declared
/// number may be greater.
std::optional<std::size_t> count_of(std::string_view part) {
  const auto declared = number_at<std::uint32_t>(part, new_magic.size());
  if (part.substr(0, new_magic.size()) != new_magic || !declared || part.size() < header_size)
    return std::nullopt;
  return std::min<std::size_t>(*declared, (part.size() - header_size) / entry_size);
}

/// ldconfig writes the byte order since glibc 2.33, and 0 before. A loader ignores a cache of another order.
bool has_own_byte_order(std::string_view part) {
  constexpr std::size_t at = 28;
  constexpr std::uint8_t mask = 3, own = std::endian::native == std::endian::little ? 2 : 3;
  const auto flags = number_at<std::uint8_t>(part, at).value_or(0);
  return (flags & mask) == 0 || (flags & mask) == own;
}

std::string_view name_at(std::string_view part, std::size_t index) {
  return string_at(part, number_at<std::uint32_t>(part, header_size + index * entry_size + 4).value_or(0));
}

CacheEntry entry_at(std::string_view part, std::size_t index) {
  const std::size_t at = header_size + index * entry_size;
  const auto number = [&](std::size_t offset) {
    return number_at<std::uint32_t>(part, at + offset).value_or(0);
  };
  CacheEntry entry{name_at(part, index), string_at(part, number(8)), {}, number(0), number(12), {}};
  entry.extensions = number_at<std::uint64_t>(part, at + 16).value_or(0);
  if (has_subdirectory(entry.extensions)) {
    entry.capability = capability(part, static_cast<std::uint32_t>(entry.extensions));
    entry.extensions &= ~std::uint64_t{std::numeric_limits<std::uint32_t>::max()};
  }
  return entry;
}

/// Binary search, as in the loader: ldconfig sorts the names, the greatest first.
std::vector<CacheEntry> entries_of(std::string_view part, std::string_view name) {
  std::vector<CacheEntry> found;
  const std::size_t count = count_of(part).value_or(0);
  std::size_t first = 0;
  for (std::size_t end = count; first < end;) {
    const std::size_t middle = first + (end - first) / 2;
    if (compared(name_at(part, middle), name) > 0)
      first = middle + 1;
    else
      end = middle;
  }
  for (std::size_t i = first; i < count && compared(name_at(part, i), name) == 0; ++i)
    if (const CacheEntry entry = entry_at(part, i); !entry.path.empty())
      found.push_back(entry);
  return found;
}

} // namespace

std::vector<std::string_view> cached_libraries(std::string_view cache, std::string_view name,
                                               std::span<const std::string> capabilities) {
  const std::string_view part = newer_part(cache);
  const std::vector<CacheEntry> entries = entries_of(part, name);
  std::vector<std::string_view> found;
  for (const std::string& wanted : capabilities)
    for (const CacheEntry& entry : entries)
      if (has_subdirectory(entry.extensions) && entry.capability == wanted)
        found.push_back(entry.path);
  for (const CacheEntry& entry : entries)
    if (entry.extensions == 0)
      found.push_back(entry.path);
  return found;
}

std::optional<std::vector<CacheEntry>> cache_entries(std::string_view cache) {
  const std::string_view part = newer_part(cache);
  const auto count = count_of(part);
  if (!count || *count != number_at<std::uint32_t>(part, new_magic.size()) || !has_own_byte_order(part))
    return std::nullopt;
  std::vector<CacheEntry> entries;
  entries.reserve(*count);
  for (std::size_t i = 0; i < *count; ++i) {
    const CacheEntry entry = entry_at(part, i);
    const bool lacks_capability = has_subdirectory(entry.extensions) && entry.capability.empty();
    const bool is_sorted = entries.empty() || compared(entries.back().name, entry.name) >= 0;
    if (entry.name.empty() || entry.path.empty() || lacks_capability || !is_sorted)
      return std::nullopt;
    entries.push_back(entry);
  }
  return entries;
}

} // namespace hostpin::loader
