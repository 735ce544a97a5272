// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::slices {

/// The files that preprocessed sources name in their line markers, each once, in the order of appearance.
class Dependencies {
public:
  /// `system`: system headers too.
  explicit Dependencies(bool system) : system_(system) {}

  void add(std::string_view preprocessed);
  /// What `nvcc -MD` writes; `phony`: with an empty rule for each header (-MP).
  std::string rule(std::string_view target, bool phony) const;

private:
  bool system_;
  std::vector<std::string> files_;
};

} // namespace hostpin::slices
