// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// How a use was found.
enum class Evidence {
  object,  ///< the object refers to the symbol from this line
  syntax,  ///< the syntax tree leads from this line to the symbol
  include, ///< a header that this line includes refers to it
};

/// A line in the user's files that needs a symbol.
struct NeedUse {
  Place place;
  Evidence evidence = Evidence::object;
  std::vector<std::string> through; ///< functions from `place` to the symbol, demangled
};

/// A symbol that the library must define under a version.
struct Need {
  std::string symbol;             ///< mangled
  std::string demangled;          ///< the same, readable
  std::string version;            ///< such as `GLIBCXX_3.4.32`; empty if no library defines it
  std::optional<std::string> gcc; ///< the release that introduced the version
  std::vector<NeedUse> uses;      ///< empty: the object needs it, and no line was found
};

/// What was found about one source.
struct SourceAnswer {
  std::string source;      ///< absolute
  std::string compiler;    ///< as called
  std::string library;     ///< the libstdc++ whose versions were used; empty if there was none
  bool predicted = false;  ///< from the source alone: what an object may need at most
  std::vector<Need> needs; ///< above the limit; newest version first
  std::vector<std::string> notes;
  std::optional<Error> error; ///< could not be checked
};

/// The query, as repeated in the answer.
struct WhyQuestion {
  std::string limit; ///< as text, such as `GLIBCXX_3.4.30 and CXXABI_1.3.13`; empty without one
  bool chain = false;
  std::string here; ///< absolute directory to which printed paths are relative
};

/// One JSON object, as README.md describes it.
std::string why_json(const WhyQuestion& question, std::span<const SourceAnswer> answers);

/// Lines of a mangled symbol, a tab, and `file:line`, each once.
std::string why_lines(const WhyQuestion& question, std::span<const SourceAnswer> answers);

/// As text: by source, then version, newest first.
std::string why_text(const WhyQuestion& question, std::span<const SourceAnswer> answers,
                     const Terminal& terminal = endless);

} // namespace hostpin::probe
