// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/merge.hpp"

#include "toolchains/devicecode/interface.hpp"
#include "toolchains/fatbin/functions.hpp"
#include "toolchains/fatbin/writer.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::devicecode {

using binary::DeviceCode;
using binary::EmbeddedCode;

namespace {

/// The kind of an entry: two of one kind are for the same GPU.
fatbin::HeldCode kind_of(const EmbeddedCode& entry) {
  return {fatbin::capability_of(entry), entry.code};
}

/// The order of code for one capability.
int rank(DeviceCode code) {
  switch (code) {
  case DeviceCode::cubin:
    return 0;
  case DeviceCode::ptx:
    return 1;
  case DeviceCode::ltoir:
    return 2;
  case DeviceCode::other:
    break;
  }
  return 3;
}

struct Entry {
  fatbin::HeldCode kind;
  std::string bytes;
  const Source* from;
};

bool precedes(const Entry& one, const Entry& other) {
  if (one.kind.capability != other.kind.capability)
    return one.kind.capability < other.kind.capability;
  return rank(one.kind.code) < rank(other.kind.code);
}

/// Whether it is only there because nvcc and nvlink write something for each capability.
bool is_empty(const Entry& entry) {
  const auto head = binary::device_code_head(entry.bytes);
  return head && head->header + head->size <= entry.bytes.size() &&
         fatbin::lacks_functions(*head, std::string_view(entry.bytes)
                                            .substr(static_cast<std::size_t>(head->header),
                                                    static_cast<std::size_t>(head->size)));
}

/// Whether the code is the same, however it is compressed. Encrypted code is compared as it is; code without
/// functions is not compared, because nvlink stores its command line in it.
bool is_same(const Entry& one, const Entry& other) {
  if (one.bytes == other.bytes || (is_empty(one) && is_empty(other)))
    return true;
  const auto first = fatbin::code_of_entry(one.bytes), second = fatbin::code_of_entry(other.bytes);
  return first && second && *first == *second;
}

/// One fatbin while entries are added to it.
class Growing {
public:
  Growing(const Source& file, std::size_t index, Merged& result)
      : file_(file), index_(index), result_(result) {}

  Result<std::string> with(const std::vector<Source>& others) {
    TRY_ASSIGN(auto own, entries_of(file_));
    entries_ = std::move(own);
    for (const Entry& entry : entries_)
      add_interface(interface_, interface_of_entry(entry));
    for (const Source& other : others)
      TRY(add(other));
    std::stable_sort(entries_.begin(), entries_.end(), precedes);
    std::vector<std::string_view> bytes;
    for (const Entry& entry : entries_)
      bytes.push_back(entry.bytes);
    return fatbin::fatbin_of_entries(bytes);
  }
  bool changed() const { return changed_; }

private:
  Result<std::vector<Entry>> entries_of(const Source& source) const {
    std::vector<Entry> entries;
    for (const EmbeddedCode& entry : source.code.fatbins[index_].entries) {
      auto bytes = entry_bytes(source.bytes, entry);
      if (!bytes)
        return failure(source.name + ": its device code cannot be read");
      entries.push_back({kind_of(entry), *std::move(bytes), &source});
    }
    return entries;
  }

  static Interface interface_of_entry(const Entry& entry) {
    if (entry.kind.code != DeviceCode::cubin)
      return {};
    const auto code = fatbin::code_of_entry(entry.bytes);
    return code ? interface_of(*code) : Interface();
  }

  /// Whether the entry is from the link that made the file.
  bool is_of_this_build(const Entry& entry) const {
    return file_.code.build != 0 && entry.from->code.build == file_.code.build;
  }

  /// Returns a name that has another size in the file.
  std::optional<std::string> conflict_of(const Entry& entry) {
    const Interface more = interface_of_entry(entry);
    if (!is_of_this_build(entry))
      return conflict(interface_, more);
    add_interface(interface_, more);
    return std::nullopt;
  }

  std::vector<const Entry*> of_kind(const std::vector<Entry>& entries, const fatbin::HeldCode& kind) const {
    std::vector<const Entry*> found;
    for (const Entry& entry : entries)
      if (entry.kind == kind)
        found.push_back(&entry);
    return found;
  }

  Result<void> add(const Source& other) {
    TRY_ASSIGN(auto entries, entries_of(other));
    std::vector<Entry> more;
    for (Entry& entry : entries) {
      const auto present = of_kind(entries_, entry.kind);
      if (present.empty())
        more.push_back(std::move(entry));
      else if (auto same = compare(entry, present, of_kind(entries, entry.kind).size()); !same)
        return same;
    }
    for (Entry& entry : more)
      TRY(add(std::move(entry)));
    return {};
  }

  Result<void> compare(const Entry& entry, const std::vector<const Entry*>& present, std::size_t count) {
    if (present.size() != count || std::none_of(present.begin(), present.end(),
                                                [&](const Entry* each) { return is_same(*each, entry); }))
      return failure(entry.from->name + " and " + present.front()->from->name + " have different " +
                         to_string(entry.kind) + in_fatbin(),
                     "merge builds of the same source, with the same options, for different GPUs");
    ++result_.present;
    return {};
  }

  Result<void> add(Entry entry) {
    if (const auto name = conflict_of(entry))
      return failure("the kernel or variable " + *name + " has another size in the " + to_string(entry.kind) +
                         " of " + entry.from->name + in_fatbin(),
                     "merge builds of the same source, with the same options");
    ++result_.added[entry.kind];
    changed_ = true;
    entries_.push_back(std::move(entry));
    return {};
  }

  std::string in_fatbin() const {
    return " (fatbin " + std::to_string(index_ + 1) + " of " + std::to_string(file_.code.fatbins.size()) +
           ')';
  }

  const Source& file_;
  std::size_t index_;
  Merged& result_;
  std::vector<Entry> entries_;
  Interface interface_;
  bool changed_ = false;
};

Result<void> belongs(const Source& file, const Source& other) {
  const std::string differ = differences(file.code.host, other.code.host);
  if (!differ.empty())
    return failure(other.name + " belongs to another host half than " + file.name + ": they differ in " +
                       differ,
                   "merge builds of the same source, with the same options and the same list of GPUs in "
                   "__CUDA_ARCH_LIST__, if the source uses CUB or Thrust");
  if (file.code.fatbins.size() != other.code.fatbins.size())
    return failure(other.name + " has " + std::to_string(other.code.fatbins.size()) + " fatbins, and " +
                       file.name + " has " + std::to_string(file.code.fatbins.size()),
                   "merge builds of the same source, with the same options");
  for (std::size_t i = 0; i < file.code.fatbins.size(); ++i)
    if (file.code.fatbins[i].relocatable != other.code.fatbins[i].relocatable)
      return failure(other.name + " and " + file.name + " have different kinds of fatbins",
                     "merge builds of the same source, with the same options");
  return {};
}

} // namespace

Result<Merged> merged(const Source& file, const std::vector<Source>& others) {
  if (file.code.slice_of)
    return failure(file.name + " is a slice, and has no host half", "name the file to add slices to first");
  for (const Source& other : others)
    TRY(belongs(file, other));
  Merged result;
  for (std::size_t i = 0; i < file.code.fatbins.size(); ++i) {
    Growing fatbin(file, i, result);
    TRY_ASSIGN(auto bytes, fatbin.with(others));
    if (fatbin.changed() && file.code.fatbins[i].fixed)
      return failure(file.name +
                         " has a fatbin that no wrapper points to, so that nothing can be added to it",
                     "build it for all GPUs at once");
    result.fatbins.push_back(std::move(bytes));
    result.changed.push_back(fatbin.changed());
  }
  return result;
}

} // namespace hostpin::devicecode
