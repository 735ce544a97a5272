// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/loader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// A link that has just succeeded.
struct LinkToProve {
  std::string output;  ///< what was written
  std::string loader;  ///< path of the loader that links are made for
  LoaderPlaces places; ///< where that one looks
  std::string library; ///< the file of the C++ library that links are to use; may be empty
  std::function<std::vector<std::string>()>
      inputs; ///< paths of the link's inputs; asked only when something is wrong
};

struct Disproof {
  /// The program cannot start where it was built. Else it depends on what loads the library that was made.
  bool certain = true;
  std::string message;
  std::string hint;
};

/// Holds every symbol version that the output and the libraries it will load need against what those
/// libraries define. Nothing when all are there, when the output has nothing to be loaded, or is for another
/// loader or machine, of which nothing is known.
std::optional<Disproof> disprove(const LinkToProve& link);

} // namespace hostpin
