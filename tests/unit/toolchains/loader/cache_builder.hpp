// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace hostpin::test {

struct CacheEntry {
  std::string name, path;
  std::uint64_t extensions = 0; ///< a processor's, for whom alone the file is
};

template <typename Number>
std::string raw(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

/// What ldconfig writes since glibc 2.32: one header, the entries, their strings.
inline std::string cache_bytes(const std::vector<CacheEntry>& entries) {
  const std::size_t strings_at = 48 + 24 * entries.size();
  std::string strings, table;
  const auto intern = [&](const std::string& text) {
    const auto at = static_cast<std::uint32_t>(strings_at + strings.size());
    strings += text + '\0';
    return at;
  };
  for (const CacheEntry& entry : entries) {
    const std::uint32_t name = intern(entry.name), path = intern(entry.path);
    table +=
        raw(std::int32_t{0x0303}) + raw(name) + raw(path) + raw(std::uint32_t{0}) + raw(entry.extensions);
  }
  std::string header = "glibc-ld.so.cache1.1" + raw(static_cast<std::uint32_t>(entries.size())) +
                       raw(static_cast<std::uint32_t>(strings.size()));
  header.resize(48);
  return header + table + strings;
}

/// The two parts that older ones wrote: entries for libc5 and older loaders before the others.
inline std::string two_part_cache(const std::vector<CacheEntry>& entries) {
  std::string old = std::string("ld.so-1.7.0") + '\0' + raw(std::uint32_t{1}) + std::string(12, '\x7f');
  old.resize((old.size() + 7) / 8 * 8);
  return old + cache_bytes(entries);
}

} // namespace hostpin::test
