// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

namespace hostpin {

/// The memory that may still be spent on the symbols of a link, in bytes. Once spent it remains so, because
/// the results are then incomplete.
class Allowance {
public:
  explicit Allowance(std::size_t bytes) : left_(bytes) {}

  /// Whether that many were left.
  bool take(std::size_t bytes) {
    spent_ = spent_ || bytes > left_;
    left_ -= std::min(bytes, left_);
    return !spent_;
  }
  void give_back(std::size_t bytes) { left_ += bytes; }
  bool spent() const { return spent_; }

private:
  std::size_t left_;
  bool spent_ = false;
};

} // namespace hostpin
