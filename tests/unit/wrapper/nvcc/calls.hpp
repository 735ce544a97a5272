// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/nvcc/host_naming.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::nvcc {

using TextMap = std::map<std::string, OptionText>;

/// Options files out of a map; a name that is missing cannot be opened.
class MappedTexts final : public OptionTexts {
public:
  MappedTexts() = default;
  explicit MappedTexts(TextMap texts) : texts_(std::move(texts)) {}

  std::optional<OptionText> read(const std::string& path) override {
    ++reads;
    const auto found = texts_.find(path);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }

  std::size_t reads = 0;

private:
  TextMap texts_;
};

/// A call that owns what a Call points to.
struct OwnedCall {
  std::vector<std::string> arguments;
  std::optional<std::string> prepend = std::nullopt;
  std::optional<std::string> append = std::nullopt;
  std::optional<std::string> variable = std::nullopt;
  bool reads_variable = true;
  std::vector<const char*> pointers = {};

  Call call() {
    pointers.clear();
    for (const std::string& argument : arguments)
      pointers.push_back(argument.c_str());
    return {prepend, pointers, append, variable, reads_variable};
  }
};

} // namespace hostpin::nvcc
