// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

} // namespace hostpin::loader
