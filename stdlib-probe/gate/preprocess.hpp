// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// What one reading of a header yields.
struct Reading {
  struct Place {
    std::string file; ///< as opened
    unsigned line = 0;
    std::string text; ///< of the directive or of the mistake
  };

  std::optional<Place> refusal;   ///< the first #error directive
  std::optional<Place> mistake;   ///< the first other error: the header could not be read to its end
  bool looked_at_watched = false; ///< it expanded, or asked for, the watched macro
};

/// Reads one header again and again under different macros, with Clang's preprocessor and nothing predefined.
class HeaderReader {
public:
  /// The header's directory and the one above it are where its own includes are found.
  explicit HeaderReader(const std::string& header);
  HeaderReader(const HeaderReader&) = delete;
  HeaderReader& operator=(const HeaderReader&) = delete;
  ~HeaderReader();

  /// `macros`: text of #define lines. `watched`: a macro's name.
  Reading read(const std::string& macros, const std::string& watched);

  /// Absolute paths of every file that was opened so far.
  std::vector<std::string> files() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
