// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// What one reading of a header yields.
struct Reading {
  struct Place {
    std::string file; ///< as opened; never empty in what a reading yields
    unsigned line = 0;
    std::string text; ///< of the directive or of the mistake
  };

  std::optional<Place> refusal;    ///< the first #error directive, or pragma of that meaning
  std::optional<Place> mistake;    ///< the first other error: the header could not be read to its end
  std::set<std::string> looked_at; ///< macros that it expanded, or asked whether they are defined
};

/// Reads one header again and again under different macros, with Clang's preprocessor and nothing predefined.
class HeaderReader {
public:
  /// The header's directory and the one above it are where its own includes are found; `files` must outlive
  /// this.
  HeaderReader(const std::string& header, const Files& files);
  HeaderReader(const HeaderReader&) = delete;
  HeaderReader& operator=(const HeaderReader&) = delete;
  ~HeaderReader();

  /// `macros`: text of #define and #undef lines.
  Reading read(const std::string& macros);

  /// Every path that was looked for so far, absolute, as it was before it was read; zeros where nothing was.
  std::vector<std::pair<std::string, FileStatus>> files() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
