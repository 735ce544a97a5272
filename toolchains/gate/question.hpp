// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A compiler that need not exist: the header is preprocessed with its macros.
struct Hypothesis {
  Family family = Family::gcc;
  int major = 0;

  bool operator==(const Hypothesis&) const = default;
};

/// Every GCC and Clang major to ask about, between two mentions of one compiler of each family that no gate
/// lets through. The last two must be answered like the first two: else the header remembered that it was
/// read before.
std::vector<Hypothesis> hypotheses();
inline constexpr std::size_t sentinels = 2;

/// A translation unit that includes one header once for every hypothesis.
struct Question {
  std::string text;
  std::vector<unsigned> include_lines; ///< the line of each #include, ascending
};

/// `forget` are the macros to undefine before each #include, the header's guards among them. An error means
/// that the path cannot be written in an #include.
Result<Question> ask(const std::string& header, const Version& toolkit, const std::vector<Hypothesis>& cases,
                     const std::vector<std::string>& forget);

/// What the preprocessed text shows of one hypothesis: a marker, then what the header did.
struct Trace {
  bool entered = false;             ///< the header was opened
  std::vector<std::string> defined; ///< macros defined by files of the header's directory, in order

  bool operator==(const Trace&) const = default;
};

/// One trace for each hypothesis; an error when the text does not hold a marker for every one and the end
/// mark.
Result<std::vector<Trace>> traces(std::string_view preprocessed, const std::string& header,
                                  std::size_t count);

} // namespace hostpin
