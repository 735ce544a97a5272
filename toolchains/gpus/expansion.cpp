// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/expansion.hpp"

#include "toolchains/gpus/item.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace hostpin {

namespace {

using Variant = Capability::Variant;
using Listed = std::vector<ListedCapability>;

constexpr const char* how_to_see = "hostpin capabilities without a list shows what the toolkit takes";

std::string release(const Version& version) {
  return "CUDA " + to_string(Version{version.major, version.minor, 0});
}

std::string name(const Gpu& gpu, Variant variant) {
  Capability capability = gpu.capability;
  capability.variant = variant;
  return to_string(capability) + " (" + gpu.architecture + ')';
}

/// Everything that the toolkit takes for boards that one program can serve.
std::vector<const Gpu*> taken(const ExpansionTerms& terms) {
  std::vector<const Gpu*> result;
  for (const Gpu& gpu : terms.gpus)
    if (!gpu.jetson && terms.toolkit && gpu.is_taken_by(*terms.toolkit, Variant::baseline))
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
  if (!terms.native)
    return failure("the GPUs of this machine cannot be asked for");
  const auto found = terms.native();
  if (!found)
    return tl::unexpected(found.error());
  const std::set<Capability> distinct(found->begin(), found->end());
  Listed result;
  for (const Capability& capability : distinct)
    result.push_back({capability, false});
  return result;
}

struct Word {
  std::string_view name;
  Result<Listed> (*meaning)(const ExpansionTerms&);
  bool of_toolkit; ///< stands for what the toolkit takes
};
constexpr auto words = std::to_array<Word>({{"all", all, true},
                                            {"all-major", all_major, true},
                                            {"default", by_default, true},
                                            {"native", native, false}});

/// Collects what is wrong, so that all of it is told at once.
class Problems {
public:
  void add(std::string_view item, const std::string& what) {
    text_ += "\n  " + (item.empty() ? std::string("(nothing)") : std::string(item)) + ": " + what;
  }
  bool any() const { return !text_.empty(); }
  tl::unexpected<Error> error(std::string_view list) const {
    return failure("the list \"" + std::string(list) + "\" cannot be used:" + text_, how_to_see);
  }

private:
  std::string text_;
};

Listed read_items(std::string_view list, Problems& problems) {
  Listed result;
  std::set<Capability> seen;
  for (const std::string_view item : items_of(list)) {
    if (std::any_of(words.begin(), words.end(), [&](const Word& word) { return word.name == item; })) {
      problems.add(item, "stands alone, without others beside it");
      continue;
    }
    const auto read = listed_capability(item);
    if (!read)
      problems.add(item, read.error().message);
    else if (!seen.insert(read->capability).second)
      problems.add(item, to_string(read->capability) + " comes twice");
    else
      result.push_back(*read);
  }
  return result;
}

Result<Listed> read_list(std::string_view list, const ExpansionTerms& terms, Problems& problems) {
  for (const Word& word : words)
    if (word.name == list) {
      if (word.of_toolkit && !terms.toolkit)
        return failure("what \"" + std::string(list) +
                           "\" stands for depends on the toolkit, and there is none",
                       "name one with --toolkit");
      return word.meaning(terms);
    }
  if (list.find_first_not_of(' ') == std::string_view::npos)
    return failure("the list of compute capabilities is empty",
                   "name some, such as \"8.0;9.0\", or all, all-major, default or native");
  return read_items(list, problems);
}

/// Why a toolkit does not take it; empty when it does.
std::string objection(const Capability& capability, const ExpansionTerms& terms) {
  const Gpu* const gpu = find_gpu(terms.gpus, capability);
  if (!gpu)
    return "no GPU has this compute capability, as far as is known here";
  if (terms.toolkit && gpu->is_taken_by(*terms.toolkit, capability.variant))
    return {};
  const auto first = gpu->first_with(capability.variant);
  if (!first)
    return name(*gpu, Variant::baseline) + " has no variant of this kind";
  if (!terms.toolkit)
    return {};
  if (*first > Version{terms.toolkit->major, terms.toolkit->minor, 0})
    return release(*terms.toolkit) + " does not know " + name(*gpu, capability.variant) +
           " yet: " + release(*first) + " is the first that does";
  std::string text = release(*terms.toolkit) + " no longer compiles for " + name(*gpu, capability.variant);
  if (gpu->last)
    text += ": " + release(*gpu->last) + " is the last that does";
  if (gpu->successor)
    text += "; newer releases know the same GPU as " + to_string(*gpu->successor);
  return text;
}

void refuse_mixture(const Listed& items, const ExpansionTerms& terms, Problems& problems) {
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
                   "a Jetson, whose programs run on no other kind of machine: build for it on its own");
}

/// PTX of the newest capability whose PTX later GPUs can run.
void add_forward_compatibility(GpuExpansion& expansion) {
  std::vector<GpuTarget>& targets = expansion.targets;
  const auto is_plain = [](const GpuTarget& target) {
    return target.capability.variant == Variant::baseline;
  };
  const auto newest = std::find_if(targets.rbegin(), targets.rend(), is_plain);
  if (newest == targets.rend()) {
    expansion.notes.emplace_back(
        "no PTX for later GPUs: code of `a` and `f` variants runs only where it was made for");
    return;
  }
  newest->ptx = true;
}

} // namespace

Result<GpuExpansion> expand(std::string_view list, const ExpansionTerms& terms) {
  Problems problems;
  const auto items = read_list(list, terms, problems);
  if (!items)
    return tl::unexpected(items.error());
  for (const ListedCapability& item : *items)
    if (const std::string text = objection(item.capability, terms); !text.empty())
      problems.add(to_string(item.capability), text);
  refuse_mixture(*items, terms, problems);
  if (problems.any())
    return problems.error(list);
  if (items->empty())
    return failure((terms.toolkit ? release(*terms.toolkit) : "the toolkit") +
                       " takes none of the known compute capabilities",
                   how_to_see);
  GpuExpansion expansion;
  for (const ListedCapability& item : *items)
    expansion.targets.push_back({item.capability, true, item.ptx});
  std::sort(expansion.targets.begin(), expansion.targets.end(),
            [](const GpuTarget& a, const GpuTarget& b) { return a.capability < b.capability; });
  const bool asked = std::any_of(expansion.targets.begin(), expansion.targets.end(),
                                 [](const GpuTarget& target) { return target.ptx; });
  if (terms.forward_compatible && !asked)
    add_forward_compatibility(expansion);
  return expansion;
}

bool depends_on_toolkit(std::string_view list) {
  return std::any_of(words.begin(), words.end(),
                     [&](const Word& word) { return word.of_toolkit && word.name == list; });
}

} // namespace hostpin
