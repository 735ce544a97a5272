// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::probe {

/// The result of preprocessing a header once.
struct Reading {
  struct Place {
    std::string file; ///< as opened; never empty in a result
    unsigned line = 0;
    std::string text; ///< of the directive or of the mistake
  };

  std::optional<Place> refusal;      ///< the first #error directive, or equivalent pragma
  std::optional<Place> mistake;      ///< the first other error: the header could not be read to its end
  std::set<std::string> used_macros; ///< macros that it expanded, or tested whether they are defined
};

/// Reads one header repeatedly with different macros, by Clang's preprocessor without its own predefined
/// ones.
class HeaderReader {
public:
  /// The header's directory and its parent are searched for its includes; `files` must outlive
  /// this.
  HeaderReader(const std::string& header, const Files& files);
  HeaderReader(const HeaderReader&) = delete;
  HeaderReader& operator=(const HeaderReader&) = delete;
  ~HeaderReader();

  /// `macros`: text of #define and #undef lines.
  Reading read(const std::string& macros);

  /// Every path that was looked for so far, absolute, with its status before it was read; zeros if it did not
  /// exist.
  std::vector<std::pair<std::string, FileStatus>> files() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin::probe
