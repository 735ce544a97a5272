// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace hostpin {

/// A piece of device code in a section such as .nv_fatbin.
struct FatbinEntry {
  enum class Packing { none, lz4, zstd, unknown };

  binary::DeviceCodeHead head;
  std::uint64_t fatbin = 0; ///< offset of its fatbin in the section
  std::uint64_t offset = 0; ///< of the payload in the section
  Packing packing = Packing::none;

  std::string name() const; ///< `sm_90 cubin`
};

/// Calls `visit` for each entry in order, until it returns false; the error describes the damage, entries
/// before it have been visited.
Result<void> read_fatbins(const Blob& section, const std::function<bool(const FatbinEntry&)>& visit);

/// Whether a section of this name holds them: .nv_fatbin, and __nv_relfatbin of `nvcc -dc`.
bool holds_fatbins(std::string_view section);

} // namespace hostpin
