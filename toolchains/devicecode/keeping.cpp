// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/keeping.hpp"

#include "toolchains/fatbin/choice.hpp"
#include "toolchains/fatbin/functions.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin::devicecode {

using binary::DeviceCode;
using binary::EmbeddedCode;
using fatbin::capability_of;
using gpus::Capability;

namespace {

using Entries = std::vector<EmbeddedCode>;

/// The entries of one kind.
Entries of_kind(const Entries& entries, DeviceCode kind) {
  Entries found;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(found),
               [&](const EmbeddedCode& each) { return each.code == kind; });
  return found;
}

/// The capability of what is loaded of one kind on a GPU.
std::optional<Capability> loaded(const Entries& entries, DeviceCode kind, const Keeping& keeping,
                                 const Capability& gpu) {
  const Entries candidates = of_kind(entries, kind);
  const auto entry = fatbin::choice(candidates, {keeping.gpus, gpus::baseline(gpu)}).entry;
  return entry ? std::optional(capability_of(candidates[*entry])) : std::nullopt;
}

class Selection {
public:
  Selection(const Entries& entries, const Keeping& keeping, CodeReader reader)
      : entries_(entries), keeping_(keeping),
        reader_(reader), kept_{std::vector<bool>(entries.size(), false)} {}

  Kept take() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      kept_.entries[i] = entries_[i].code == DeviceCode::other;
    for (const gpus::GpuTarget& target : keeping_.targets)
      take_for(target);
    if (keeping_.ptx == PtxPolicy::all)
      keep(DeviceCode::ptx, [](const Capability&) { return true; });
    if (keeping_.ptx == PtxPolicy::newest)
      keep_newest_ptx();
    for (const gpus::GpuTarget& target : keeping_.targets)
      check(gpus::baseline(target.capability));
    return std::move(kept_);
  }

private:
  template <typename Condition>
  void keep(DeviceCode kind, const Condition& condition) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].code == kind && condition(capability_of(entries_[i])))
        kept_.entries[i] = true;
  }

  void take_for(const gpus::GpuTarget& target) {
    const Capability gpu = gpus::baseline(target.capability);
    const auto code =
        target.cubin ? loaded(entries_, DeviceCode::cubin, keeping_, gpu) : std::optional<Capability>();
    if (code)
      keep(DeviceCode::cubin, [&](const Capability& each) {
        return gpus::baseline(each) == gpus::baseline(*code) &&
               gpus::runs_machine_code(keeping_.gpus, each, gpu);
      });
    else if (keeping_.ptx != PtxPolicy::none || target.ptx)
      if (const auto ptx = loaded(entries_, DeviceCode::ptx, keeping_, gpu))
        keep(DeviceCode::ptx, [&](const Capability& each) { return each == *ptx; });
    if (target.ptx)
      keep(DeviceCode::ptx, [&](const Capability& each) { return each == target.capability; });
    if (reader_ == CodeReader::link)
      keep_link_time(gpu);
  }

  void keep_link_time(const Capability& gpu) {
    std::optional<Capability> newest;
    for (const EmbeddedCode& each : entries_)
      if (each.code == DeviceCode::ltoir && gpus::baseline(capability_of(each)) <= gpu)
        newest = std::max(newest, std::optional(gpus::baseline(capability_of(each))));
    if (newest)
      keep(DeviceCode::ltoir, [&](const Capability& each) { return gpus::baseline(each) == *newest; });
  }

  void keep_newest_ptx() {
    std::optional<Capability> newest;
    for (const EmbeddedCode& each : entries_)
      if (each.code == DeviceCode::ptx && gpus::reach_of_ptx(capability_of(each)) == gpus::PtxReach::later)
        newest = std::max(newest, std::optional(capability_of(each)));
    if (newest)
      keep(DeviceCode::ptx, [&](const Capability& each) { return each == *newest; });
  }

  /// Whether the driver loads some of `entries` for the GPU, or a link can make such code of them.
  bool is_served(const Entries& entries, const Capability& gpu) const {
    return fatbin::choice(entries, {keeping_.gpus, gpu}).entry ||
           (reader_ == CodeReader::link &&
            std::any_of(entries.begin(), entries.end(), [&](const EmbeddedCode& each) {
              return each.code == DeviceCode::ltoir && gpus::baseline(capability_of(each)) <= gpu;
            }));
  }

  void check(const Capability& gpu) {
    Entries left;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (kept_.entries[i])
        left.push_back(entries_[i]);
    if (is_served(left, gpu))
      return;
    kept_.unserved.push_back(gpu);
    if (is_served(entries_, gpu))
      kept_.lost.push_back(gpu);
  }

  const Entries& entries_;
  const Keeping& keeping_;
  const CodeReader reader_;
  Kept kept_;
};

} // namespace

std::size_t Kept::count() const {
  return static_cast<std::size_t>(std::count(entries.begin(), entries.end(), true));
}

Kept kept(const Entries& entries, const Keeping& keeping, CodeReader reader) {
  const binary::DevicePieces all = binary::pieces_of(entries);
  Kept result = Selection(all.pieces, keeping, reader).take();
  const std::vector<bool> pieces = std::exchange(result.entries, std::vector<bool>(entries.size(), false));
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i])
      result.entries[all.entries[i]] = true;
  return result;
}

bool is_idle(const Entries& entries, const binary::Bytes& bytes) {
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), [&](const EmbeddedCode& each) {
    if (!fatbin::may_lack_functions(each))
      return false;
    const auto payload = bytes.view(each.at + each.header, each.size);
    if (!payload || each.bundled.empty())
      return payload && fatbin::lacks_functions(each, *payload);
    const std::vector<bool> lack = fatbin::lack_functions(each, *payload);
    return std::all_of(lack.begin(), lack.end(), [](bool one) { return one; });
  });
}

} // namespace hostpin::devicecode
