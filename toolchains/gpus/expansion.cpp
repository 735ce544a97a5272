// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/expansion.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/gpus/item.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace hostpin::gpus {

namespace {

using Variant = Capability::Variant;
using Listed = std::vector<ListedCapability>;

/// `CUDA 12.4`, without the patch.
std::string cuda_release(const Version& version) {
  return "CUDA " + to_string(Version{version.major, version.minor, 0});
}

/// The hint for a list that cannot be used.
std::string how_to_see_gpus(const ExpansionTerms& terms) {
  return terms.command + " without a list shows what the toolkit supports";
}

/// Collects what is wrong with a list, so that all of it is reported at once.
class Problems {
public:
  /// `item` as written in the list; `what` follows it in the message.
  void add(std::string_view item, const std::string& what) {
    if (++count_ <= most_listed)
      text_ += "\n  " + (item.empty() ? std::string("(nothing)") : visible(item, 60)) + ": " + what;
  }
  bool any() const { return count_ != 0; }
  /// One error for all of them, cut if there are very many.
  tl::unexpected<Error> error(std::string_view list, const ExpansionTerms& terms) const {
    std::string message = "the list \"" + visible(list, 200) + "\" cannot be used:" + text_;
    if (count_ > most_listed)
      message += "\n  and " + std::to_string(count_ - most_listed) + " more like these";
    return failure(message, how_to_see_gpus(terms));
  }

private:
  static constexpr std::size_t most_listed = 20;

  std::string text_;
  std::size_t count_ = 0;
};

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
  if (terms.toolkit && gpu->is_supported_by(*terms.toolkit, capability.variant))
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

void refuse_for_target(const Listed& items, const ExpansionTerms& terms, Problems& problems) {
  const auto is_jetson = [&](const ListedCapability& item) {
    const Gpu* const gpu = find_gpu(terms.gpus, item.capability);
    return gpu && gpu->jetson;
  };
  if (terms.target_gpus == TargetGpus::jetsons || terms.target_gpus == TargetGpus::others) {
    const bool are_jetsons = terms.target_gpus == TargetGpus::jetsons;
    for (const ListedCapability& item : items)
      if (is_jetson(item) != are_jetsons)
        problems.add(to_string(item.capability),
                     are_jetsons
                         ? "no Jetson has it, and " + terms.target + " is for Jetsons alone"
                         : "a Jetson, and " + terms.target + " of this release is for other machines");
    return;
  }
  const auto jetsons = std::count_if(items.begin(), items.end(), is_jetson);
  if (terms.target_gpus == TargetGpus::both || jetsons == 0 || jetsons == std::ssize(items))
    return;
  for (const ListedCapability& item : items)
    if (is_jetson(item))
      problems.add(to_string(item.capability),
                   "a Jetson, whose programs run on no other kind of machine: build for it separately");
}

/// nvcc gives the code of 10.0 and 10.0f the same name and fails with "The same GPU code (`sm_100`) generated
/// for non family-specific and family-specific GPU arch"; it accepts 10.0a with either of them, and 10.3f
/// with 10.0. Without a toolkit nothing is compiled in one call.
void refuse_families_with_baselines(const Listed& items, const ExpansionTerms& terms, Problems& problems) {
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

/// Adds what the toolkit does not compile for, alone or in one call.
void refuse(const Listed& items, const ExpansionTerms& terms, Problems& problems) {
  for (const ListedCapability& item : items)
    if (const std::string text = objection(item.capability, terms); !text.empty())
      problems.add(to_string(item.capability), text);
  refuse_for_target(items, terms, problems);
  refuse_families_with_baselines(items, terms, problems);
}

/// Every GPU that the toolkit supports, without Jetsons unless the target is for them.
std::vector<const Gpu*> taken(const ExpansionTerms& terms) {
  std::vector<const Gpu*> result;
  const bool are_jetsons = terms.target_gpus == TargetGpus::jetsons;
  for (const Gpu& gpu : terms.gpus)
    if (gpu.jetson == are_jetsons && terms.toolkit && gpu.is_supported_by(*terms.toolkit, Variant::baseline))
      result.push_back(&gpu);
  return result;
}

Listed listed(const std::vector<const Gpu*>& gpus) {
  Listed result;
  for (const Gpu* const gpu : gpus)
    result.push_back({gpu->capability, false});
  return result;
}

Result<Listed> all(const ExpansionTerms& terms) {
  return listed(taken(terms));
}

Result<Listed> all_major(const ExpansionTerms& terms) {
  std::vector<const Gpu*> gpus = taken(terms);
  const auto same = [](const Gpu* a, const Gpu* b) { return a->capability.major == b->capability.major; };
  gpus.erase(std::unique(gpus.begin(), gpus.end(), same), gpus.end());
  return listed(gpus);
}

Result<Listed> by_default(const ExpansionTerms& terms) {
  std::vector<const Gpu*> gpus = taken(terms);
  const Version toolkit = terms.toolkit ? Version{terms.toolkit->major, terms.toolkit->minor, 0} : Version{};
  std::erase_if(gpus, [&](const Gpu* gpu) { return gpu->retired_after && toolkit > *gpu->retired_after; });
  return listed(gpus);
}

Result<Listed> native(const ExpansionTerms& terms) {
  if (!terms.target.empty())
    return failure("native means the GPUs of this machine, and " + terms.target + " is for other machines",
                   "name the capabilities of their GPUs");
  if (!terms.native)
    return failure("the GPUs of this machine cannot be queried");
  TRY_ASSIGN(const auto found, terms.native());
  const std::set<Capability> distinct(found.begin(), found.end());
  Listed result;
  for (const Capability& capability : distinct)
    result.push_back({capability, false});
  return result;
}

struct Word {
  std::string_view name;
  Result<Listed> (*meaning)(const ExpansionTerms&);
  bool of_toolkit; ///< its meaning depends on the toolkit
};
constexpr auto words = std::to_array<Word>({{"all", all, true},
                                            {"all-major", all_major, true},
                                            {"default", by_default, true},
                                            {"native", native, false}});

/// The keyword if the whole list is one, else null.
const Word* word_of(std::string_view list) {
  const auto items = items_of(list);
  if (items.size() != 1)
    return nullptr;
  const std::string text = lower_case(items.front());
  const auto* const found =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.name == text; });
  return found == words.end() ? nullptr : found;
}

/// True if an item is a keyword, or a keyword with a suffix.
bool begins_like_word(std::string_view item) {
  const std::string text = lower_case(item);
  return std::any_of(words.begin(), words.end(), [&](const Word& word) {
    return text.starts_with(word.name) && (text.size() == word.name.size() || text[word.name.size()] == '+' ||
                                           text[word.name.size()] == '-');
  });
}

Listed read_items(std::string_view list, Problems& problems) {
  Listed result;
  std::set<Capability> seen;
  for (const std::string_view item : items_of(list)) {
    if (begins_like_word(item)) {
      problems.add(item, "this keyword must be the whole list, without other items or a suffix");
      continue;
    }
    const auto read = listed_capability(item);
    if (!read)
      problems.add(item, read.error().message);
    else if (!seen.insert(read->capability).second)
      problems.add(item, to_string(read->capability) + " is listed twice");
    else
      result.push_back(*read);
  }
  return result;
}

Result<Listed> read_list(std::string_view list, const ExpansionTerms& terms, Problems& problems) {
  if (const Word* const word = word_of(list)) {
    if (word->of_toolkit && !terms.toolkit)
      return failure("the meaning of \"" + std::string(word->name) +
                         "\" depends on the toolkit, and there is none",
                     "name one with --toolkit");
    return word->meaning(terms);
  }
  if (items_of(list) == std::vector<std::string_view>{""})
    return failure("the list of compute capabilities is empty",
                   "name some, such as \"8.0;9.0\", or all, all-major, default or native");
  return read_items(list, problems);
}

/// Adds PTX of the newest capability whose PTX later GPUs can run, unless the list has such PTX.
void add_forward_compatibility(GpuExpansion& expansion) {
  if (expansion.is_forward_compatible())
    return;
  std::vector<GpuTarget>& targets = expansion.targets;
  const auto newest = std::find_if(targets.rbegin(), targets.rend(), [](const GpuTarget& target) {
    return target.capability.variant == Variant::baseline;
  });
  if (newest == targets.rend()) {
    expansion.notes.emplace_back(
        "no PTX for later GPUs: PTX of an `a` variant runs on its own GPU only, PTX of "
        "an `f` variant on its family; add a capability without a letter");
    return;
  }
  newest->ptx = true;
  expansion.added_ptx = newest->capability;
  if (std::any_of(targets.begin(), targets.end(), [&](const GpuTarget& target) {
        return target.ptx && target.capability.variant != Variant::baseline;
      }))
    expansion.notes.push_back("PTX of " + to_string(newest->capability) +
                              " is added for later GPUs, which cannot use PTX of `a` and `f` variants; "
                              "--no-forward-compatibility leaves it out");
}

} // namespace

Result<GpuExpansion> expand(std::string_view list, const ExpansionTerms& terms) {
  Problems problems;
  TRY_ASSIGN(const auto items, read_list(list, terms, problems));
  refuse(items, terms, problems);
  if (problems.any())
    return problems.error(list, terms);
  if (items.empty())
    return failure((terms.toolkit ? cuda_release(*terms.toolkit) : "the toolkit") +
                       " supports none of the known compute capabilities",
                   how_to_see_gpus(terms));
  GpuExpansion expansion;
  for (const ListedCapability& item : items)
    expansion.targets.push_back({item.capability, item.cubin, item.ptx});
  std::sort(expansion.targets.begin(), expansion.targets.end(),
            [](const GpuTarget& a, const GpuTarget& b) { return a.capability < b.capability; });
  if (terms.forward_compatible)
    add_forward_compatibility(expansion);
  if (std::any_of(expansion.targets.begin(), expansion.targets.end(), [](const GpuTarget& target) {
        return target.capability.variant == Variant::family_specific;
      }))
    expansion.notes.emplace_back(note_for_cmake);
  return expansion;
}

bool depends_on_toolkit(std::string_view list) {
  const Word* const word = word_of(list);
  return word && word->of_toolkit;
}

bool GpuExpansion::is_forward_compatible() const {
  return std::any_of(targets.begin(), targets.end(), [](const GpuTarget& target) {
    return target.ptx && reach_of_ptx(target.capability) == PtxReach::later;
  });
}

} // namespace hostpin::gpus
