// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/response.hpp"

#include <map>
#include <string>
#include <utility>

namespace hostpin::cmdline {

/// Files of arguments that exist only in a test; a name that is missing cannot be read.
class ResponseMap final : public cmdline::ArgumentFiles {
public:
  using Texts = std::map<std::string, cmdline::ArgumentText>;

  explicit ResponseMap(Texts files = {}) : files_(std::move(files)) {}

  std::optional<cmdline::ArgumentText> read(const std::string& path, Pipes) const override {
    ++reads;
    const auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

  mutable std::size_t reads = 0;

private:
  Texts files_;
};

} // namespace hostpin::cmdline
