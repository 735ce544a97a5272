// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/python_source.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin::wheel {

namespace {

constexpr std::string_view of_pathfinder = "load_nvidia_dynamic_lib(";
constexpr std::array<std::string_view, 4> opening_calls = {"CDLL(", "LoadLibrary(", "dlopen(", of_pathfinder};

bool is_of_name(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '_';
}

bool is_blank(char one) {
  return one == ' ' || one == '\t' || one == '\r' || one == '\f';
}

/// Whether a text ends with `def NAME` or `class NAME`.
bool ends_with_definition(std::string_view text) {
  while (!text.empty() && is_of_name(text.back()))
    text.remove_suffix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text.ends_with("def") || text.ends_with("class");
}

bool is_library_name(std::string_view name) {
  constexpr std::size_t longest = 128;
  const std::size_t suffix = name.find(".so");
  return name.starts_with("lib") && suffix != std::string_view::npos && suffix > 3 &&
         name.size() <= longest &&
         (suffix + 3 == name.size() || name[suffix + 3] == '.' || name[suffix + 3] == '*') &&
         std::all_of(name.begin(), name.end(), [](char one) {
           return is_of_name(one) || std::string_view("-+.*?[]").find(one) != std::string_view::npos;
         });
}

/// Separates string constants from code. No character is read more than a few times, however long the line.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  PythonSource run() {
    while (at_ < text_.size()) {
      const char one = text_[at_];
      if (one == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (one == '"' || one == '\'')
        read_constant(one);
      else
        read_code(one);
    }
    end_line();
    return std::move(source_);
  }

private:
  void read_code(char one) {
    if (one == '\n')
      end_line();
    else if (!is_blank(one))
      begin_argument(text_.substr(at_).starts_with("None"));
    ++at_;
    if (one == '(')
      called_ = opening_call();
  }

  /// The one whose `(` was read last; empty: another call, or a definition.
  std::string_view opening_call() const {
    const std::string_view before = text_.substr(0, at_);
    const auto* const found = std::find_if(opening_calls.begin(), opening_calls.end(),
                                           [&](std::string_view one) { return before.ends_with(one); });
    return found == opening_calls.end() || ends_with_definition(before.substr(0, before.size() - 1))
               ? std::string_view()
               : *found;
  }

  /// Returns the opening call whose first argument begins here; empty: none.
  std::string_view begin_argument(bool is_none) {
    source_.opens |= !called_.empty() && !is_none;
    return std::exchange(called_, {});
  }

  void read_constant(char quote) {
    const std::string_view call = begin_argument(false);
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string_view end = is_long ? std::string_view(three) : std::string_view(three).substr(0, 1);
    at_ += end.size();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end) && (is_long || text_[at_] != '\n'))
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    add_constant(base_name(text_.substr(begin, at_ - begin)), call);
    at_ = std::min(at_ + end.size(), text_.size());
  }

  void add_constant(std::string_view constant, std::string_view call) {
    if (call == of_pathfinder)
      if (const std::string name = "lib" + std::string(constant) + ".so"; is_library_name(name))
        source_.libraries.insert(name + ".*");
    if (is_library_name(constant))
      source_.libraries.emplace(constant);
  }

  void end_line() {
    std::string_view line = text_.substr(line_, at_ - line_);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    for (const std::string_view keyword : {"import ", "from "})
      if (line.starts_with(keyword))
        add_import(line.substr(keyword.size()));
    line_ = at_ + 1;
  }

  /// Of several in one line, the first.
  void add_import(std::string_view names) {
    names.remove_prefix(std::min(names.find_first_not_of(' '), names.size()));
    const auto end = std::find_if_not(names.begin(), names.end(), is_of_name);
    if (end != names.begin())
      source_.imports.emplace(names.begin(), end);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;    ///< where the line begins
  std::string_view called_; ///< an opening call of which nothing but `(` was read
  PythonSource source_;
};

} // namespace

bool is_package_file(std::string_view path) {
  return base_name(path) == "__init__.py";
}

bool may_have_libraries(std::string_view text) {
  return text.find(".so") != std::string_view::npos ||
         std::any_of(opening_calls.begin(), opening_calls.end(),
                     [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

bool is_python_source(std::string_view file_name) {
  return file_name.ends_with(".py") || file_name.ends_with(".json");
}

PythonSource read_python_source(std::string_view text) {
  return text.size() > longest_source ? PythonSource() : Scanner(text).run();
}

} // namespace hostpin::wheel
