// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// A member of an object, and what it has to be. `path`: names with dots between them, such as `user.login`.
struct AnswerTerm {
  std::string path, value;
  bool is_beginning = false; ///< the member begins with `value`; otherwise it is `value`
};

/// What to take of the answer of an API.
struct AnswerQuery {
  std::string list; ///< path of the list in the answer; empty: the answer is the list, or one object
  std::vector<AnswerTerm> terms;
  std::vector<std::string> print; ///< paths
};

/// The elements of the answer that fulfil all terms.
struct Answered {
  std::size_t count = 0;                        ///< of all elements
  std::vector<std::vector<std::string>> values; ///< of each that does, in the order of `print`
  std::vector<std::string> skipped;             ///< messages: why an element of a list is not in `values`
};

/// Reads a JSON answer of at most 64 levels. Numbers and truths count by their text. An element that lacks a
/// value to be printed, or has one that is not a word of printable ASCII, is skipped, so that a line of
/// values for a shell has as many words, and one element does not end what is done for the others; an answer
/// that is one object is an error then. `of`: for messages, the file.
Result<Answered> answered(std::string_view json, const AnswerQuery& query, const std::string& of);

} // namespace hostpin::matrix
