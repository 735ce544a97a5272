// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/expectation.hpp"

#include "toolchains/binary/inputs.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace hostpin::fatbin {

using namespace binary;

namespace {

bool is_linked(CarrierKind kind) {
  return kind == CarrierKind::program || kind == CarrierKind::library;
}

std::uint64_t fatbins_with(const Holding& held, const HeldCode& code) {
  const auto found = held.codes.find(code);
  return found == held.codes.end() ? 0 : found->second.fatbins;
}

/// With what a request for machine code is for.
std::uint64_t fatbins_with_machine_code(const Holding& held, const gpus::Capability& requested) {
  if (requested != gpus::baseline(requested))
    return fatbins_with(held, {requested, DeviceCode::cubin});
  const auto found = held.machine_code.find(requested);
  return found == held.machine_code.end() ? 0 : found->second.fatbins;
}

/// Whether all fatbins without this PTX come from a device link, which makes machine code from its inputs and
/// writes no PTX.
bool is_lost_in_link(const HeldCode& ptx, const Holding& held, CarrierKind kind) {
  const std::uint64_t lacking = fatbins_without(ptx, held, kind);
  return lacking != 0 && lacking <= held.linked;
}

/// Whether the driver links it for GPUs that the device link left no code for, when the program starts:
/// relocatable PTX of the objects (launches.txt: `linked`). Not each object is examined: nvcc's
/// libcudadevrt.a is for other capabilities.
bool is_linked_at_start(const HeldCode& ptx, const Holding& held, CarrierKind kind) {
  return is_linked(kind) && is_lost_in_link(ptx, held, kind) &&
         held.codes.contains({ptx.capability, DeviceCode::ptx, CodeUse::link});
}

/// Whether the objects of a finished program's link had LTO-IR instead, which no driver loads.
bool is_from_ltoir(const HeldCode& ptx, const Holding& held) {
  return held.codes.contains({ptx.capability, DeviceCode::ltoir, CodeUse::link});
}

} // namespace

bool is_requested(const gpus::GpuExpansion& requested, const HeldCode& code) {
  return std::any_of(requested.targets.begin(), requested.targets.end(), [&](const gpus::GpuTarget& target) {
    return code.code == DeviceCode::ptx
               ? target.ptx && target.capability == code.capability
               : target.cubin && gpus::baseline(target.capability) == gpus::baseline(code.capability);
  });
}

std::uint64_t fatbins_for(const HeldCode& requested, const Holding& held, CarrierKind kind) {
  if (requested.code != DeviceCode::cubin)
    return fatbins_with(held, requested);
  const std::uint64_t fatbins = fatbins_with_machine_code(held, requested.capability);
  return is_linked(kind) ? fatbins
                         : std::max(fatbins, fatbins_with(held, {requested.capability, DeviceCode::ltoir}));
}

std::uint64_t fatbins_without(const HeldCode& requested, const Holding& held, CarrierKind kind) {
  return held.fatbins - held.idle - fatbins_for(requested, held, kind);
}

std::vector<std::string> members_without(const HeldCode& requested, const FileInventory& file,
                                         std::size_t limit) {
  std::vector<std::string> names;
  for (const MemberHolding& member : file.members) {
    if (names.size() == limit)
      break;
    if (fatbins_without(requested, member.holding, file.kind) == 0)
      continue;
    const std::vector<std::string> inner(member.name.begin() + 1, member.name.end());
    names.push_back(to_string(InputName{member.name.front(), inner}));
  }
  return names;
}

Comparison comparison(const gpus::GpuExpansion& requested, const Holding& held, CarrierKind kind) {
  Comparison result;
  std::set<HeldCode> wanted;
  std::set<gpus::Capability> capabilities;
  for (const gpus::GpuTarget& target : requested.targets) {
    capabilities.insert(target.capability);
    if (target.cubin)
      wanted.insert({target.capability, DeviceCode::cubin});
    if (target.ptx)
      wanted.insert({target.capability, DeviceCode::ptx});
  }
  const bool has_machine_code = std::all_of(wanted.begin(), wanted.end(), [&](const HeldCode& code) {
    return code.code != DeviceCode::cubin || fatbins_for(code, held, kind) != 0;
  });
  for (const HeldCode& code : wanted) {
    if (code.code == DeviceCode::ptx && is_linked_at_start(code, held, kind))
      continue;
    if (code.code == DeviceCode::ptx && has_machine_code && (!is_linked(kind) || is_from_ltoir(code, held)) &&
        is_lost_in_link(code, held, kind)) {
      result.lost.push_back(code);
      if (requested.added_ptx == code.capability)
        continue;
    }
    if (fatbins_for(code, held, kind) == 0)
      result.missing.push_back(code);
    else if (fatbins_without(code, held, kind) != 0)
      result.partial.push_back(code);
  }
  for (const auto& [code, amount] : held.codes) {
    if (code.use == CodeUse::none) // written by nvcc for every capability, requested or not
      continue;
    // All code for a requested capability belongs to it.
    const bool by_capability =
        code.code == DeviceCode::ltoir || code.code == DeviceCode::other || code.use == CodeUse::link;
    if (by_capability ? capabilities.contains(code.capability) : is_requested(requested, code))
      continue;
    result.surplus.push_back(code);
    result.surplus_bytes = sum(result.surplus_bytes, amount.bytes);
  }
  return result;
}

bool can_prune_to(const gpus::GpuExpansion& requested, const Holding& held, CarrierKind kind) {
  if (kind != CarrierKind::object && kind != CarrierKind::archive)
    return false;
  // nvprune drops all LTO-IR, whatever its arguments (12.4).
  return std::none_of(requested.targets.begin(), requested.targets.end(), [&](const gpus::GpuTarget& target) {
    return held.codes.contains({target.capability, DeviceCode::ltoir});
  });
}

std::string prune_arguments(const gpus::GpuExpansion& requested, const Holding& held) {
  std::string arguments;
  for (const auto& [code, amount] : held.codes) {
    const bool is_ptx = code.code == DeviceCode::ptx;
    if (code.use != CodeUse::run || !(is_ptx || code.code == DeviceCode::cubin) ||
        !is_requested(requested, code))
      continue;
    const std::string number = gpus::digits(code.capability);
    arguments += arguments.empty() ? "" : " ";
    arguments += "-gencode=arch=compute_" + number + ",code=";
    arguments += (is_ptx ? "compute_" : "sm_") + number;
  }
  return arguments;
}

} // namespace hostpin::fatbin
