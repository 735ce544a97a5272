// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/demangle.hpp"

#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin {

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) // __cxa_demangle takes other names as types: f is float
    return symbol;
  const auto attempt = [](const std::string& name) -> std::optional<std::string> {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? std::optional<std::string>(text.get()) : std::nullopt;
  };
  if (auto text = attempt(symbol))
    return *std::move(text);
  // libstdc++ before 13 does not know _Float128, which std::to_chars of libstdc++ 13 takes.
  constexpr std::string_view code = "DF128_", shown = "__float128";
  const std::size_t at = symbol.find(code);
  if (at == std::string::npos)
    return symbol;
  auto text = attempt(std::string(symbol).replace(at, code.size(), "g"));
  const std::size_t type = text ? text->find(shown) : std::string::npos;
  return type == std::string::npos ? symbol : text->replace(type, shown.size(), "_Float128");
}

} // namespace hostpin
