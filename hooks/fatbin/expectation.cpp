// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/expectation.hpp"

#include "hooks/lto-check/bitstream/inputs.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace hostpin {

namespace {

bool is_linked(CarrierKind kind) {
  return kind == CarrierKind::program || kind == CarrierKind::library;
}

std::uint64_t fatbins_with(const Holding& held, const HeldCode& code) {
  const auto found = held.codes.find(code);
  return found == held.codes.end() ? 0 : found->second.fatbins;
}

} // namespace

std::uint64_t fatbins_for(const HeldCode& asked, const Holding& held, CarrierKind kind) {
  const std::uint64_t fatbins = fatbins_with(held, asked);
  return asked.code == DeviceCode::cubin && !is_linked(kind)
             ? std::max(fatbins, fatbins_with(held, {asked.capability, DeviceCode::ltoir}))
             : fatbins;
}

std::uint64_t fatbins_without(const HeldCode& asked, const Holding& held, CarrierKind kind) {
  return held.fatbins - held.idle - fatbins_for(asked, held, kind);
}

std::vector<std::string> members_without(const HeldCode& asked, const FileInventory& file,
                                         std::size_t limit) {
  std::vector<std::string> names;
  for (const MemberHolding& member : file.members) {
    if (names.size() == limit)
      break;
    if (fatbins_without(asked, member.holding, file.kind) == 0)
      continue;
    const std::vector<std::string> inner(member.name.begin() + 1, member.name.end());
    names.push_back(to_string(InputName{member.name.front(), inner}));
  }
  return names;
}

Comparison comparison(const GpuExpansion& asked, const Holding& held, CarrierKind kind) {
  Comparison result;
  std::set<HeldCode> wanted;
  std::set<Capability> capabilities;
  for (const GpuTarget& target : asked.targets) {
    capabilities.insert(target.capability);
    if (target.cubin)
      wanted.insert({target.capability, DeviceCode::cubin});
    if (target.ptx)
      wanted.insert({target.capability, DeviceCode::ptx});
  }
  for (const HeldCode& code : wanted) {
    if (fatbins_for(code, held, kind) == 0)
      result.missing.push_back(code);
    else if (fatbins_without(code, held, kind) != 0)
      result.partial.push_back(code);
  }
  for (const auto& [code, amount] : held.codes) {
    if (code.use == CodeUse::none) // nvcc's, which nobody asked for and nobody can leave out
      continue;
    // Whatever else there is for a capability that was asked for belongs to it.
    const bool by_capability =
        code.code == DeviceCode::ltoir || code.code == DeviceCode::other || code.use == CodeUse::link;
    if (by_capability ? capabilities.contains(code.capability) : wanted.contains(code))
      continue;
    result.surplus.push_back(code);
    result.surplus_bytes = sum(result.surplus_bytes, amount.bytes);
  }
  return result;
}

bool can_prune_to(const GpuExpansion& asked, const Holding& held, CarrierKind kind) {
  if (kind != CarrierKind::object && kind != CarrierKind::archive)
    return false;
  // It drops all LTO-IR, whatever it is told to keep (12.4).
  return std::none_of(asked.targets.begin(), asked.targets.end(), [&](const GpuTarget& target) {
    return held.codes.contains({target.capability, DeviceCode::ltoir});
  });
}

std::string prune_arguments(const GpuExpansion& asked, const Holding& held) {
  std::string words;
  const auto keep = [&](const Capability& capability, DeviceCode code, const char* prefix) {
    if (!held.codes.contains({capability, code}))
      return;
    const std::string number = digits(capability);
    words += words.empty() ? "" : " ";
    words += "-gencode=arch=compute_" + number + ",code=";
    words += prefix + number;
  };
  for (const GpuTarget& target : asked.targets) {
    if (target.cubin)
      keep(target.capability, DeviceCode::cubin, "sm_");
    if (target.ptx)
      keep(target.capability, DeviceCode::ptx, "compute_");
  }
  return words;
}

} // namespace hostpin
