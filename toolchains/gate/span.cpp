// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/span.hpp"

#include <algorithm>
#include <iterator>

namespace hostpin {

namespace {

std::string span(const std::string& min, const std::string& max) {
  if (!min.empty() && !max.empty())
    return min + '-' + max;
  if (!max.empty())
    return max == "0" ? "none" : "up to " + max;
  return min.empty() ? "any" : "from " + min;
}

std::string text(const std::optional<int>& bound) {
  return bound ? std::to_string(*bound) : "";
}

bool contiguous(const std::vector<int>& minors) {
  return !minors.empty() && minors.back() - minors.front() + 1 == static_cast<int>(minors.size());
}

/// Only the first minors of the lowest major, or only the last ones of the highest: printed as part of the
/// bound.
bool is_lower_end(const Gate::Refusal& hole, const Bounds& bounds) {
  return bounds.min == hole.major && contiguous(hole.minors) && hole.minors.front() == 0;
}

bool is_upper_end(const Gate::Refusal& hole, const Bounds& bounds) {
  return bounds.max == hole.major && contiguous(hole.minors) && hole.minors.front() > 0 &&
         hole.minors.back() == last_asked_minor;
}

/// `12`, `13.3`, `13.1-2, 13.4`.
std::string releases(const Gate::Refusal& refusal) {
  if (refusal.minors.empty())
    return std::to_string(refusal.major);
  std::string all;
  for (auto first = refusal.minors.begin(); first != refusal.minors.end();) {
    auto last = first;
    while (std::next(last) != refusal.minors.end() && *std::next(last) == *last + 1)
      ++last;
    all += (all.empty() ? "" : ", ") + std::to_string(refusal.major) + '.' + std::to_string(*first);
    if (last != first)
      all += '-' + std::to_string(*last);
    first = std::next(last);
  }
  return all;
}

} // namespace

std::string span(const Bounds& bounds) {
  return span(text(bounds.min), text(bounds.max));
}

std::vector<Gate::Refusal> holes(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::vector<Gate::Refusal> found;
  std::copy_if(gate.refusals.begin(), gate.refusals.end(), std::back_inserter(found), [&](const auto& each) {
    return each.family == family && (!bounds.min || *bounds.min <= each.major) &&
           (!bounds.max || each.major <= *bounds.max);
  });
  return found;
}

std::string span(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::string min = text(bounds.min);
  std::string max = text(bounds.max);
  std::string others;
  for (const Gate::Refusal& hole : holes(gate, family))
    if (is_lower_end(hole, bounds))
      min += '.' + std::to_string(hole.minors.back() + 1);
    else if (is_upper_end(hole, bounds))
      max += '.' + std::to_string(hole.minors.front() - 1);
    else
      others += (others.empty() ? " but not " : ", ") + releases(hole);
  return span(min, max) + others;
}

} // namespace hostpin
