// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/fatbin/inventory.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hostpin {

/// A file's device code held against what was asked for.
struct Comparison {
  std::vector<HeldCode> missing;
  std::vector<HeldCode> surplus; ///< held and not asked for
  std::vector<HeldCode> partial; ///< asked for, and only in some of the file's fatbins
  std::vector<HeldCode> lost;    ///< PTX that was asked for and that no device link keeps
  std::uint64_t surplus_bytes = 0;

  bool agrees() const { return missing.empty() && surplus.empty(); }
};

/// How many of a file's fatbins have what was asked for.
std::uint64_t fatbins_for(const HeldCode& asked, const Holding& held, CarrierKind kind);

/// How many of its fatbins lack it: those that hold nothing at all do, idle ones cannot.
std::uint64_t fatbins_without(const HeldCode& asked, const Holding& held, CarrierKind kind);

/// The members of an archive in which some fatbin lacks it, as `a.o` or `inner.a(a.o)`, `limit` at most.
std::vector<std::string> members_without(const HeldCode& asked, const FileInventory& file, std::size_t limit);

/// Compares by kind of code and capability, variants apart. LTO-IR of a capability that was asked for stands
/// for machine code in everything but programs and shared libraries, for a link makes that of it. Relocatable
/// code in those is no more than surplus, and what has no functions is neither there nor surplus. PTX that
/// was only added for later GPUs is lost in a device link without being missing; where the list asks for it,
/// it is both.
Comparison comparison(const GpuExpansion& asked, const Holding& held, CarrierKind kind);

/// Whether nvprune could leave what was asked for: it reads objects and static archives alone.
bool can_prune_to(const GpuExpansion& asked, const Holding& held, CarrierKind kind);

/// Arguments of nvprune that keep what was asked for and the file has.
std::string prune_arguments(const GpuExpansion& asked, const Holding& held);

} // namespace hostpin
