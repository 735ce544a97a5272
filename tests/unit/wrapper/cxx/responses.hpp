// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/cxx/response.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace hostpin {

/// Response files that exist only in a test.
class ResponseMap final : public ResponseFiles {
public:
  explicit ResponseMap(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  std::unique_ptr<std::string> read(const std::string& path) const override {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : std::make_unique<std::string>(found->second);
  }

private:
  std::map<std::string, std::string> files_;
};

} // namespace hostpin
