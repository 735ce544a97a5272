// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/symlinks.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

constexpr unsigned most_links = 40; // the limit of Linux

/// Last one first.
void push_components(std::vector<std::string>& left, std::string_view path) {
  for (;;) {
    const std::size_t slash = path.rfind('/');
    left.emplace_back(path.substr(slash == std::string_view::npos ? 0 : slash + 1));
    if (slash == std::string_view::npos)
      return;
    path = path.substr(0, slash);
  }
}

} // namespace

std::optional<std::string> resolved(const std::string& path, const LinkAt& link_at) {
  std::string found;
  std::vector<std::string> left;
  push_components(left, path);
  for (unsigned links = 0; !left.empty();) {
    const std::string name = std::move(left.back());
    left.pop_back();
    if (name == "..")
      found.resize(found.empty() ? 0 : found.rfind('/'));
    if (name.empty() || name == "." || name == "..")
      continue;
    std::string next = found + '/' + name;
    const auto target = link_at(next);
    if (!target || (!target->empty() && ++links > most_links))
      return std::nullopt;
    if (target->empty()) {
      found = std::move(next);
      continue;
    }
    if (target->starts_with('/'))
      found.clear();
    push_components(left, *target);
  }
  return found.empty() ? "/" : found;
}

} // namespace hostpin
