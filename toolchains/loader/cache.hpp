// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

namespace hostpin {

/// The files that ld.so.cache names for a library, in its order, those for processors with extensions left
/// out. Entries are for several machines; who asks looks at the files. Empty for bytes that are no such
/// cache. Format: glibc's sysdeps/generic/dl-cache.h, written by ldconfig since 2.2.
std::vector<std::string_view> cached_libraries(std::string_view cache, std::string_view name);

} // namespace hostpin
