// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace hostpin {

/// Where words for a linker stand in a text that others build with.
struct LinkList {
  enum class Separator {
    blanks,    ///< as a shell splits words; a backslash at the end of a line counts as one
    semicolon, ///< a list of CMake
  };
  enum class Holds {
    link_words,  ///< options, libraries, files
    directories, ///< nothing but directories to search
  };
  std::size_t begin = 0; ///< bytes of the text
  std::size_t end = 0;   ///< one past the last
  Separator separator = Separator::blanks;
  Holds holds = Holds::link_words;

  bool operator==(const LinkList&) const = default;
};

/// `Libs`, `Libs.private` and `Cflags` of pkg-config, `dependency_libs` and `inherited_linker_flags` of
/// libtool, and what a CMake target hands to those who link it, in order. Only those that are spelt as the
/// tools spell them: a list that is not certain is none. Scripts have none.
std::vector<LinkList> link_lists(TextFacts::Kind kind, std::string_view text);

/// The same of CMake alone: quoted values of link properties in `set_target_properties` and `set_property`.
std::vector<LinkList> cmake_link_lists(std::string_view text);

} // namespace hostpin
