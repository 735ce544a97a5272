// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A symbol that a library needs from another one.
struct UndefinedSymbol {
  std::string name;
  std::string library; ///< soname of the library that has it; empty: any, as it has no version
  std::string version; ///< such as `NVRM_1.0`; empty without `library`

  auto operator<=>(const UndefinedSymbol&) const = default;
};

/// The dynamic symbols of a program or library of the 64-bit class and little-endian byte order.
struct DynamicSymbols {
  std::uint16_t machine = 0;           ///< e_machine
  std::set<UndefinedSymbol> undefined; ///< without weak ones, which may be missing, and those of threads
  std::set<std::string> defined;       ///< names that others can use
  /// Likewise with the version: `cudaMalloc@libcudart.so.12`, or only the name. Without the symbols that
  /// linkers define in each library and those that stand for a version.
  std::set<std::string> exported;
};

/// Reads them through the dynamic segment; their number is that of the section if there are section headers.
/// Never reads outside `bytes`; names have at most 4096 bytes, all of them at most 64 MiB. The error is the
/// end of a sentence about the file.
Result<DynamicSymbols> read_dynamic_symbols(std::string_view bytes);

} // namespace hostpin::redist
