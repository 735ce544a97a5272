// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/fatbin/holding.hpp"
#include "toolchains/fatbin/inventory.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::fatbin {

/// A file's device code compared with what was requested.
struct Comparison {
  std::vector<HeldCode> missing;
  std::vector<HeldCode> surplus; ///< in the file and not requested
  std::vector<HeldCode> partial; ///< requested, and only in some of the file's fatbins
  std::vector<HeldCode> lost;    ///< PTX that was requested and that no device link writes to an object
  std::uint64_t surplus_bytes = 0;

  bool agrees() const { return missing.empty() && surplus.empty(); }
};

/// Whether machine code or PTX belongs to what was requested.
bool is_requested(const gpus::GpuExpansion& requested, const HeldCode& code);

/// How many of a file's fatbins have what was requested.
std::uint64_t fatbins_for(const HeldCode& requested, const Holding& held, CarrierKind kind);

/// How many of its fatbins lack it: empty ones do, idle ones do not.
std::uint64_t fatbins_without(const HeldCode& requested, const Holding& held, CarrierKind kind);

/// The members of an archive in which some fatbin lacks it, as `a.o` or `inner.a(a.o)`, `limit` at most.
std::vector<std::string> members_without(const HeldCode& requested, const FileInventory& file,
                                         std::size_t limit);

/// Compares by kind of code and capability. Machine code of an `a` or `f` variant is code of its capability,
/// as `fatbin slim` keeps it and the driver prefers it: it is what a request without a variant asks for, and
/// surplus only if no variant of its capability is requested. A request for a variant is for that one alone,
/// and so is PTX. LTO-IR of a requested capability counts as machine code except in programs and shared
/// libraries, because a link compiles it. Relocatable code in those can only be surplus, except that
/// relocatable PTX counts as PTX where a device link wrote the rest, because the driver links it for later
/// GPUs. Code without functions is neither present nor surplus. PTX that was only added for later GPUs is
/// lost in the object of a device link without being missing; if the list asks for it, it is both.
Comparison comparison(const gpus::GpuExpansion& requested, const Holding& held, CarrierKind kind);

/// Whether nvprune could keep what was requested: it reads only objects and static archives.
bool can_prune_to(const gpus::GpuExpansion& requested, const Holding& held, CarrierKind kind);

/// Arguments of nvprune that keep what was requested and the file has.
std::string prune_arguments(const gpus::GpuExpansion& requested, const Holding& held);

} // namespace hostpin::fatbin
