// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// The position of a linker's arguments in a text that others build with.
struct LinkList {
  enum class Separator {
    blanks,    ///< as a shell splits arguments; a backslash at the end of a line counts as one
    semicolon, ///< a list of CMake
  };
  enum class Holds {
    arguments,   ///< options, libraries, files
    directories, ///< nothing but directories to search
  };
  std::size_t begin = 0; ///< bytes of the text
  std::size_t end = 0;   ///< one past the last
  Separator separator = Separator::blanks;
  Holds holds = Holds::arguments;

  bool operator==(const LinkList&) const = default;
};

/// `Libs`, `Libs.private` and `Cflags` of pkg-config, `dependency_libs` and `inherited_linker_flags` of
/// libtool, and the link properties that a CMake target passes to its users, in order. Only lists that are
/// spelt as the tools spell them are found. Scripts have none.
std::vector<LinkList> link_lists(TextFacts::Kind kind, std::string_view text);

/// Those of a CMake file: quoted values of link properties in `set_target_properties` and `set_property`.
std::vector<LinkList> cmake_link_lists(std::string_view text);

/// An argument in a list, and what it becomes.
struct LinkArgument {
  std::size_t begin = 0; ///< byte of the text
  std::size_t end = 0;   ///< one past its last
  std::string text;      ///< the new text; empty: removed
  std::string_view left; ///< why it is not changed although something in it is unwanted; else empty
};

/// The arguments of a list, unchanged.
std::vector<LinkArgument> link_arguments(std::string_view text, const LinkList& list);

/// Whether an argument contains quotes, a variable or an expression.
bool is_not_plain(std::string_view word);

/// The content of CMake's `\$<LINK_ONLY:...>`; any other argument itself.
std::string bare_argument(const std::string& word);
/// `bare` in the expression around it in `word`.
std::string as_wrapped(const std::string& word, const std::string& bare);

/// The names after `-l`, and those that CMake turns into one: these libraries are searched in directories.
std::vector<std::string> libraries_by_name(const std::vector<LinkArgument>& words, const LinkList& list);

/// The directories of `-L`, or of a list of directories.
std::vector<std::string> searched_directories(const std::vector<LinkArgument>& words, LinkList::Holds holds);

} // namespace hostpin::leak
