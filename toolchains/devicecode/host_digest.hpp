// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf_headers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hostpin::devicecode {

/// What identifies the host half of an object, program or library, whichever GPUs it was compiled for: a
/// checksum for each of its parts. Of a linked file they are free of addresses, because the size of the
/// device code moves what follows it; of an object they include all bytes that a link uses.
struct HostDigest {
  enum Part : std::size_t {
    format,   ///< object, program or library, and for which processor
    sections, ///< names, types and sizes
    text,     ///< strings in data, such as the names of kernels; of an object all data
    modules,  ///< `__nv_module_id`
    symbols,  ///< dynamic symbols without their addresses; of an object all its symbols
    code,     ///< of an object only: instructions and relocations
  };
  static constexpr std::size_t parts = 6;

  std::array<std::uint64_t, parts> sums{}; ///< zeros for a fatbin, which has no host half

  bool operator==(const HostDigest&) const = default;
};

/// Damage if the sections or symbols cannot be read.
binary::Reading<HostDigest> host_digest(const binary::Bytes& file, const binary::ElfHeaders& headers);

/// The names of the parts that differ: `sections, symbols`; empty if none does.
std::string differences(const HostDigest& one, const HostDigest& other);

} // namespace hostpin::devicecode
