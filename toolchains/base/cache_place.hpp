// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// The three variables that locate the cache.
struct CachePlace {
  std::optional<std::string_view> own, xdg, home; ///< $HOSTPIN_CACHE_DIR, $XDG_CACHE_HOME, $HOME
};

/// $HOSTPIN_CACHE_DIR, else $XDG_CACHE_HOME/hostpin, else ~/.cache/hostpin; nothing if none is absolute. A
/// home that does not exist is none: it is not to be created.
std::optional<std::string> cache_directory(const CachePlace& place);

} // namespace hostpin
