// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin {

/// A private directory, gone with everything in it when this ends.
class Workplace {
public:
  /// Below $TMPDIR, else /tmp.
  static Result<Workplace> make(const Environment& environment);

  Workplace(Workplace&& other) noexcept;
  Workplace& operator=(Workplace&&) = delete;
  ~Workplace();

  const std::string& path() const { return path_; }

private:
  explicit Workplace(std::string path);
  std::string path_;
};

} // namespace hostpin
