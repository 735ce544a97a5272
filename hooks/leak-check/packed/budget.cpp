// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/budget.hpp"

#include <algorithm>

namespace hostpin {

namespace {

std::size_t entries_of(const ScannedPart& part) {
  std::size_t entries = 1 + (part.text ? part.text->references.size() : 0);
  if (part.elf && part.elf->image)
    entries += part.elf->image->needed.size() + part.elf->image->version_needs.size() +
               part.elf->image->version_definitions.size();
  return entries;
}

} // namespace

bool Budget::reserve_window(std::uint64_t bytes) {
  if (bytes > limits_.windows - std::min(limits_.windows, windows_))
    return false;
  windows_ += bytes;
  if (windows_ > limits_.small_windows && large_windows_.mutex() != nullptr && !large_windows_.owns_lock())
    large_windows_.lock();
  return true;
}

void Budget::count_entries(const ScannedFile& file) {
  for (; parts_ < file.parts.size(); ++parts_)
    part_entries_ += entries_of(file.parts[parts_]);
  entries_ = part_entries_ + file.found.size() + file.unseen.size();
}

bool Budget::is_spent() const {
  return unpacked_ > std::min(limits_.unpacked, ratio_limit_) || members_ > limits_.members ||
         entries_ > limits_.entries;
}

std::string Budget::reason(std::uint64_t begun) const {
  if (members_ > limits_.members)
    return "it has more than " + std::to_string(limits_.members) + " members; the rest was not looked at";
  if (entries_ > limits_.entries)
    return "there is more to report of it than " + std::to_string(limits_.entries) + " entries; " +
           (begun == 0   ? "the rest"
            : begun == 1 ? "what follows its first member"
                         : "what follows its first " + std::to_string(begun) + " members") +
           " was not looked at";
  if (unpacked_ > limits_.unpacked)
    return "it unpacks to more than " + std::to_string(limits_.unpacked) +
           " bytes; the rest was not looked at";
  return "it unpacks to more than " + std::to_string(limits_.ratio) +
         " times its size, as a bomb does; the rest was not looked at";
}

std::uint64_t Budget::ratio_limit(const ScanLimits& limits, std::uint64_t compressed) {
  const bool beyond = compressed > limits.unpacked / limits.ratio;
  return std::max(limits.ratio_from, beyond ? limits.unpacked : compressed * limits.ratio);
}

} // namespace hostpin
