// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/cmdline/responses.hpp"
#include "toolchains/cmdline/nvcc_command.hpp"

#include <string>
#include <vector>

namespace hostpin::cmdline {

using MappedTexts = ResponseMap;
using TextMap = ResponseMap::Texts;

/// A call that owns what an NvccCall points to.
struct OwnedCall {
  std::vector<std::string> arguments;
  std::optional<std::string> prepend = std::nullopt;
  std::optional<std::string> append = std::nullopt;
  std::optional<std::string> variable = std::nullopt;
  bool reads_variable = true;
  std::vector<const char*> pointers = {};

  NvccCall call() {
    pointers.clear();
    for (const std::string& argument : arguments)
      pointers.push_back(argument.c_str());
    return {prepend, pointers, append, variable, reads_variable};
  }
};

} // namespace hostpin::cmdline
