// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <map>
#include <string>
#include <vector>

namespace hostpin {

/// Which files are the user's own: those that are not below a system directory. Among nested directories the
/// innermost decides, and symlinks make no difference.
class Ownership {
public:
  /// `system` are directories of system headers, `own` those that the user named with -I and -iquote.
  Ownership(const Files& files, const std::vector<std::string>& system, const std::vector<std::string>& own);

  bool is_own(const std::string& file) const;
  /// The file with symlinks resolved; unchanged if it does not exist.
  const std::string& real(const std::string& file) const;

private:
  struct Known {
    std::string real;
    bool own = true;
  };
  const Known& known(const std::string& file) const;

  const Files& files_;
  std::map<std::string, bool> directories_; ///< real path with a trailing slash; true: the user's own
  mutable std::map<std::string, Known> known_;
};

} // namespace hostpin
