// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/choice.hpp"

#include "toolchains/fatbin/holding.hpp"

#include <tuple>

namespace hostpin::fatbin {

using binary::DeviceCode;
using binary::DeviceCodeHead;

namespace {

Version ptx_version(const DeviceCodeHead& head) {
  return {static_cast<int>(head.major), static_cast<int>(head.minor), 0};
}

Fit fit(const DeviceCodeHead& head, const ChoiceTerms& terms) {
  if (head.code != DeviceCode::cubin && head.code != DeviceCode::ptx)
    return Fit::never;
  const bool is_ptx = head.code == DeviceCode::ptx;
  const gpus::Capability code = capability_of(head);
  if (!(is_ptx ? gpus::compiles_ptx : gpus::runs_machine_code)(terms.gpus, code, terms.gpu))
    return Fit::other_gpu;
  if (terms.driver && head.packing == binary::DevicePacking::zstd && !terms.driver->zstd)
    return Fit::newer_pack;
  if (is_ptx && terms.driver && ptx_version(head) > terms.driver->ptx)
    return Fit::newer_ptx;
  return is_ptx ? Fit::compiles : Fit::runs;
}

/// Greater is better; of equal ones the first entry is loaded.
auto rank(const DeviceCodeHead& head, Fit fit) {
  const gpus::Capability code = capability_of(head);
  return std::tuple(fit == Fit::runs, gpus::baseline(code),
                    code.variant == gpus::Capability::Variant::architecture_specific,
                    code.variant == gpus::Capability::Variant::family_specific);
}

} // namespace

Choice choice(const std::vector<binary::EmbeddedCode>& entries, const ChoiceTerms& terms) {
  Choice result;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fit of_this = fit(entries[i], terms);
    result.fits.push_back(of_this);
    if (of_this != Fit::runs && of_this != Fit::compiles)
      continue;
    if (!result.entry || rank(entries[i], of_this) > rank(entries[*result.entry], result.fits[*result.entry]))
      result.entry = i;
  }
  return result;
}

} // namespace hostpin::fatbin
