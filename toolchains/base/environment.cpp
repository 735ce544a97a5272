// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/environment.hpp"

#include <charconv>

namespace hostpin {

Environment Environment::from(const char* const* envp) {
  Variables variables;
  for (; *envp != nullptr; ++envp) {
    const std::string_view entry(*envp);
    if (const auto equals = entry.find('='); equals != std::string_view::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::operator[](std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.empty())
    return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Environment::columns() const {
  constexpr std::size_t narrowest = 20;
  std::size_t width = 0;
  const std::string text = (*this)["COLUMNS"].value_or("");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && width >= narrowest ? std::optional(width) : std::nullopt;
}

} // namespace hostpin
