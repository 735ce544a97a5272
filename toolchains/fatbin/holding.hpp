// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/fatbin/heads.hpp"
#include "toolchains/gpus/capability.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace hostpin {

/// One kind of code for one capability.
struct HeldCode {
  Capability capability; ///< major 0: the file does not tell, as a raw .ltoir
  DeviceCode code = DeviceCode::other;

  auto operator<=>(const HeldCode&) const = default;
};

/// `9.0a machine code`, `8.0 PTX`.
std::string to_string(const HeldCode& held);

/// `machine code`, `PTX`, `LTO-IR`, `other code`.
const char* name_of(DeviceCode code);

/// For programs: `cubin`, `ptx`, `ltoir`, `other`.
const char* word_of(DeviceCode code);

struct HeldAmount {
  std::uint64_t entries = 0;
  std::uint64_t fatbins = 0;             ///< that have at least one of them
  std::uint64_t bytes = 0;               ///< in the file, with heads and padding
  std::uint64_t unpacked = 0;            ///< of the code when all of it is unpacked
  std::array<std::uint64_t, 3> packed{}; ///< entries by DevicePacking
  /// Oldest and newest version of the PTX ISA or the LTO-IR container, as major and minor.
  std::pair<std::uint32_t, std::uint32_t> oldest{}, newest{};
};

/// The device code of a file, a member of an archive or a tree.
struct Holding {
  std::map<HeldCode, HeldAmount> codes;
  std::uint64_t fatbins = 0;     ///< a raw cubin, PTX or LTO-IR counts as one
  std::set<std::string> sources; ///< names of sources, where a compiler left them (-g, -lineinfo)

  bool empty() const { return codes.empty(); }
  std::uint64_t bytes() const;
  std::uint64_t unpacked() const;

  /// The entries of one fatbin.
  void add(std::span<const DeviceCodeHead> fatbin);
  void add(const Holding& other);
};

/// A sum that stays at the largest number: what a damaged file claims may be anything.
std::uint64_t sum(std::uint64_t a, std::uint64_t b);

} // namespace hostpin
