// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// By name.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Bytes that a value may have after expansion.
inline constexpr std::size_t longest_value = 65536;

/// Limit for names of variables and properties (`IMPORTED_LOCATION_RELEASE`): real ones are far shorter.
inline constexpr std::size_t longest_key = 256;

/// Replaces each `${NAME}` that is known by its value.
std::string replaced(std::string_view value, const Variables& variables);

/// A pkg-config file, read line by line.
class PkgConfig {
public:
  /// `directory`: of the file, for `${pcfiledir}` unless the file sets it; empty: not known.
  explicit PkgConfig(std::string directory = {});

  struct Entry {
    std::string key;   ///< a field (`Libs`) or a variable (`libdir`), of any length
    std::string value; ///< with known variables replaced
  };

  /// Nothing for a line that sets nothing. Variables with names longer than `longest_key` are not stored.
  std::optional<Entry> line(std::string_view text);
  /// As they are after the last line.
  const Variables& variables() const { return variables_; }

private:
  Variables variables_;
};

/// The variables of a CMake file, read line by line: as set by `set`, `unset`, `list(APPEND)`,
/// `list(PREPEND)`, `string(CONCAT)`, `string(JOIN)`, `string(APPEND)` and `string(PREPEND)`, each over any
/// number of lines, whatever `if` they are in: the last one counts.
class CMakeVariables {
public:
  struct Composed {
    std::string name;
    std::string value;
  };

  /// The value that a command that ends in this line has joined from several arguments, which may not be
  /// adjacent in the file; at most one for each line.
  std::optional<Composed> line(std::string_view text);

  const Variables& values() const { return values_; }
  /// Bytes of all arguments and values so far; after `most_composed` nothing is set any more.
  std::size_t spent() const { return spent_; }
  /// Whether a limit was reached: `longest_value` by a value, 10,000 arguments by a command, or
  /// `most_composed` by all together.
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
  std::string bracket_end_; ///< of an open bracket argument or comment
  bool is_comment_ = false; ///< the open bracket
};

} // namespace hostpin::leak
