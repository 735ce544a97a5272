// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/refusal.hpp"

#include <algorithm>

namespace hostpin {

namespace {

using Variant = Capability::Variant;
using Listed = std::span<const ListedCapability>;

constexpr std::size_t most_listed = 20;

std::string name(const Gpu& gpu, Variant variant) {
  Capability capability = gpu.capability;
  capability.variant = variant;
  return to_string(capability) + " (" + gpu.architecture + ')';
}

/// Why a toolkit does not support it; empty if it does.
std::string objection(const Capability& capability, const ExpansionTerms& terms) {
  const Gpu* const gpu = find_gpu(terms.gpus, capability);
  if (!gpu)
    return "no known GPU has this compute capability";
  if (terms.toolkit && gpu->is_taken_by(*terms.toolkit, capability.variant))
    return {};
  const auto first = gpu->first_with(capability.variant);
  if (!first)
    return name(*gpu, Variant::baseline) + " has no variant of this kind";
  if (!terms.toolkit)
    return {};
  if (*first > Version{terms.toolkit->major, terms.toolkit->minor, 0})
    return cuda_release(*terms.toolkit) + " does not know " + name(*gpu, capability.variant) +
           " yet: " + cuda_release(*first) + " is the first that does";
  std::string text =
      cuda_release(*terms.toolkit) + " no longer compiles for " + name(*gpu, capability.variant);
  if (gpu->last)
    text += ": " + cuda_release(*gpu->last) + " is the last that does";
  if (gpu->successor)
    text += "; newer releases know the same GPU as " + to_string(*gpu->successor);
  return text;
}

void refuse_jetsons_beside_others(Listed items, const ExpansionTerms& terms, Problems& problems) {
  const auto is_jetson = [&](const ListedCapability& item) {
    const Gpu* const gpu = find_gpu(terms.gpus, item.capability);
    return gpu && gpu->jetson;
  };
  const auto jetsons = std::count_if(items.begin(), items.end(), is_jetson);
  if (jetsons == 0 || jetsons == std::ssize(items))
    return;
  for (const ListedCapability& item : items)
    if (is_jetson(item))
      problems.add(to_string(item.capability),
                   "a Jetson, whose programs run on no other kind of machine: build for it separately");
}

/// nvcc gives the code of 10.0 and 10.0f the same name and fails with "The same GPU code (`sm_100`) generated
/// for non family-specific and family-specific GPU arch"; it accepts 10.0a with either of them, and 10.3f
/// with 10.0. Without a toolkit nothing is compiled in one call.
void refuse_families_beside_baselines(Listed items, const ExpansionTerms& terms, Problems& problems) {
  if (!terms.toolkit)
    return;
  const auto has = [&](const Capability& capability) {
    return std::any_of(items.begin(), items.end(),
                       [&](const ListedCapability& item) { return item.capability == capability; });
  };
  for (const ListedCapability& item : items)
    if (item.capability.variant == Variant::family_specific && has(baseline(item.capability))) {
      const std::string plain = to_string(baseline(item.capability));
      problems.add(to_string(item.capability), "nvcc does not compile for it and for " + plain +
                                                   " in one call: remove " + plain +
                                                   ", whose GPUs run this code too, or name only " + plain +
                                                   " if no family feature is used");
    }
}

} // namespace

std::string cuda_release(const Version& version) {
  return "CUDA " + to_string(Version{version.major, version.minor, 0});
}

void Problems::add(std::string_view item, const std::string& what) {
  if (++count_ <= most_listed)
    text_ += "\n  " + (item.empty() ? std::string("(nothing)") : visible(item, 60)) + ": " + what;
}

std::string how_to_see_gpus(const ExpansionTerms& terms) {
  return terms.command + " without a list shows what the toolkit supports";
}

tl::unexpected<Error> Problems::error(std::string_view list, const ExpansionTerms& terms) const {
  std::string message = "the list \"" + visible(list, 200) + "\" cannot be used:" + text_;
  if (count_ > most_listed)
    message += "\n  and " + std::to_string(count_ - most_listed) + " more like these";
  return failure(message, how_to_see_gpus(terms));
}

void refuse(std::span<const ListedCapability> items, const ExpansionTerms& terms, Problems& problems) {
  for (const ListedCapability& item : items)
    if (const std::string text = objection(item.capability, terms); !text.empty())
      problems.add(to_string(item.capability), text);
  refuse_jetsons_beside_others(items, terms, problems);
  refuse_families_beside_baselines(items, terms, problems);
}

} // namespace hostpin
