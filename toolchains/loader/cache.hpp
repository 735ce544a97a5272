// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// The files that ld.so.cache lists for a library: those in a subdirectory of glibc-hwcaps, in the order of
/// `capabilities` (such as `x86-64-v3`), then the generic ones in the cache's order. Entries are for several
/// machines; the caller checks the files. Empty for bytes that are not such a cache. Format: glibc's
/// sysdeps/generic/dl-cache.h, written by ldconfig since 2.2, with extensions since 2.33.
std::vector<std::string_view> cached_libraries(std::string_view cache, std::string_view name,
                                               std::span<const std::string> capabilities = {});

/// A library as ld.so.cache lists it: all that a loader's choice can depend on.
struct CacheEntry {
  std::string_view name, path;
  std::string_view capability{}; ///< the subdirectory of glibc-hwcaps; empty: none
  std::uint32_t flags = 0;       ///< the machine and the C library that it is for
  std::uint32_t os_version = 0;
  std::uint64_t extensions = 0; ///< as in the file, but for the number of the subdirectory

  bool operator==(const CacheEntry&) const = default;
};

/// All entries in their order. Nothing if any part cannot be read, or if the names are not sorted as a loader
/// expects: then what it finds depends on more than the entries of a name.
std::optional<std::vector<CacheEntry>> cache_entries(std::string_view cache);

} // namespace hostpin::loader
