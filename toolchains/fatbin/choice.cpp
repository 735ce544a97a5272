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

/// Whether it is for this GPU, by what the driver selects by.
Fit by_capability(const DeviceCodeHead& head, const ChoiceTerms& terms) {
  const bool is_machine_code = head.code == DeviceCode::cubin;
  if (!is_machine_code && head.code != DeviceCode::ptx)
    return Fit::never;
  const auto serves = is_machine_code ? gpus::runs_machine_code : gpus::compiles_ptx;
  if (!serves(terms.gpus, capability_of(head), terms.gpu))
    return Fit::other_gpu;
  if (is_machine_code)
    return terms.jit == Jit::forced ? Fit::switched : Fit::runs;
  return Fit::compiles;
}

/// Whether the driver can load what it selected.
Fit loaded(const DeviceCodeHead& head, Fit selected, const ChoiceTerms& terms) {
  if (selected == Fit::compiles && terms.jit == Jit::disabled)
    return Fit::switched;
  if (!terms.driver)
    return selected;
  if (head.packing == binary::DevicePacking::zstd && !terms.driver->zstd)
    return Fit::newer_pack;
  return head.code == DeviceCode::ptx && ptx_version(head) > terms.driver->ptx ? Fit::newer_ptx : selected;
}

/// Greater is better.
auto rank(const DeviceCodeHead& head) {
  const gpus::Capability code = capability_of(head);
  return std::tuple(head.code == DeviceCode::cubin, gpus::baseline(code),
                    code.variant == gpus::Capability::Variant::architecture_specific,
                    code.variant == gpus::Capability::Variant::family_specific);
}

bool is_better(const DeviceCodeHead& head, const DeviceCodeHead& best, const ChoiceTerms& terms) {
  const bool last_counts = head.code == DeviceCode::ptx && capability_of(head) == gpus::baseline(terms.gpu);
  return rank(head) > rank(best) || (last_counts && rank(head) == rank(best));
}

} // namespace

Choice choice(const Entries& entries, const ChoiceTerms& terms) {
  Choice result;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fit fit = by_capability(entries[i], terms);
    const bool serves = fit == Fit::runs || fit == Fit::compiles;
    result.fits.push_back(serves ? loaded(entries[i], fit, terms) : fit);
    if (serves && (!result.selected || is_better(entries[i], entries[*result.selected], terms)))
      result.selected = i;
  }
  if (result.selected) {
    const Fit fit = result.fits[*result.selected];
    if (fit == Fit::runs || fit == Fit::compiles)
      result.entry = result.selected;
  }
  return result;
}

} // namespace hostpin::fatbin
