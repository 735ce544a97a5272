// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/text/pkg_config.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The variables of a CMake file, read line by line: what `set`, `unset`, `list(APPEND)` and `list(PREPEND)`,
/// `string(CONCAT)`, `string(JOIN)`, `string(APPEND)` and `string(PREPEND)` make of them, over as many lines
/// as they take, whatever `if` they stand in: the last one counts.
class CMakeVariables {
public:
  struct Composed {
    std::string name;
    std::string value;
  };

  /// What a command that ends in this line has put together of several words that may not stand side by side
  /// in the file; at most one is told of a line.
  std::optional<Composed> line(std::string_view text);

  const Variables& values() const { return values_; }
  /// Bytes that all words and values had so far; behind `most_composed` nothing is set any more.
  std::size_t spent() const { return spent_; }
  /// Whether a value came to its limit, `longest_value`, a command to 10,000 words, or all to
  /// `most_composed`.
  bool is_cut() const { return is_cut_; }

private:
  bool skip_bracket(std::string_view text, std::size_t& at);
  void in_quotes(std::string_view text, std::size_t& at);
  void in_command(std::string_view text, std::size_t& at);
  void between_commands(std::string_view text, std::size_t& at);
  void end_word();
  void end_command();
  void run(std::string_view command);
  void run_list();
  void run_string();
  void put(const std::string& name, std::string value);
  std::string joined_from(std::size_t first, std::string_view glue) const;

  Variables values_;
  std::size_t spent_ = 0;
  bool is_cut_ = false;
  std::optional<Composed> composed_;

  std::string command_;
  std::vector<std::string> words_;
  std::string word_;
  bool has_word_ = false, quoted_ = false;
  unsigned depth_ = 0;      ///< of parentheses
  std::string bracket_end_; ///< of a bracket argument or comment that is open
  bool is_comment_ = false; ///< that one
};

} // namespace hostpin
