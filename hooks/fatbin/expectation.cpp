// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/expectation.hpp"

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
    const std::uint64_t fatbins = fatbins_for(code, held, kind);
    if (fatbins == 0)
      result.missing.push_back(code);
    else if (fatbins < held.fatbins)
      result.partial.push_back(code);
  }
  for (const auto& [code, amount] : held.codes) {
    // Whatever else there is for a capability that was asked for belongs to it.
    const bool by_capability = code.code == DeviceCode::ltoir || code.code == DeviceCode::other;
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
