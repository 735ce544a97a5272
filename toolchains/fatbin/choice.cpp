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
  const binary::DevicePieces all = binary::pieces_of(entries);
  const DeviceCodeHead* best = nullptr;
  Choice result;
  for (std::size_t i = 0; i < all.pieces.size(); ++i) {
    const DeviceCodeHead& piece = all.pieces[i];
    Fit fit = by_capability(piece, terms);
    const bool is_for_gpu = fit == Fit::runs || fit == Fit::compiles;
    const bool is_seen =
        piece.packing != binary::DevicePacking::bundle || !terms.driver || terms.driver->bundles;
    if (is_for_gpu)
      fit = is_seen ? loaded(piece, fit, terms) : Fit::newer_pack;
    const std::size_t entry = all.entries[i];
    if (entry == result.fits.size())
      result.fits.push_back(fit);
    else if (is_for_gpu)
      result.fits[entry] = fit;
    if (is_for_gpu && is_seen && (best == nullptr || is_better(piece, *best, terms))) {
      best = &piece;
      result.selected = entry;
      result.entry = fit == Fit::runs || fit == Fit::compiles ? std::optional(entry) : std::nullopt;
    }
  }
  return result;
}

} // namespace hostpin::fatbin
