// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_lists.hpp"

#include "hooks/leak-check/needles/path_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::array<std::string_view, 5> pkg_config_fields = {"Libs", "Libs.private", "Cflags",
                                                               "Cflags.private", "CFlags"};
constexpr std::array<std::string_view, 2> libtool_variables = {"dependency_libs='",
                                                               "inherited_linker_flags='"};

/// Where the line that begins at `begin` ends: at its line feed, or at the end of the text.
std::size_t line_end(std::string_view text, std::size_t begin) {
  return std::min(text.find('\n', begin), text.size());
}

/// The same, with the lines that a backslash at a line end continues.
std::size_t joined_end(std::string_view text, std::size_t begin) {
  std::size_t end = line_end(text, begin);
  for (;;) {
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.ends_with('\\') || end == text.size())
      return end;
    begin = end + 1;
    end = line_end(text, begin);
  }
}

void add_pkg_config(std::string_view text, std::size_t begin, std::size_t end, std::vector<LinkList>& lists) {
  const std::string_view line = text.substr(begin, end - begin);
  const std::size_t mark = line.find_first_of("=:#");
  if (mark == std::string_view::npos || line[mark] != ':')
    return;
  const std::string_view key = trimmed(line.substr(0, mark));
  if (std::find(pkg_config_fields.begin(), pkg_config_fields.end(), key) == pkg_config_fields.end())
    return;
  const std::size_t comment = std::min(line.find('#'), line.size());
  lists.push_back({begin + mark + 1, begin + comment});
}

void add_libtool(std::string_view text, std::size_t begin, std::size_t end, std::vector<LinkList>& lists) {
  std::string_view line = text.substr(begin, end - begin);
  for (const std::string_view variable : libtool_variables) {
    if (!line.starts_with(variable))
      continue;
    const std::size_t quote = line.find('\'', variable.size());
    const bool is_all = quote != std::string_view::npos &&
                        line.find_first_not_of(blanks, quote + 1) == std::string_view::npos;
    if (is_all)
      lists.push_back({begin + variable.size(), begin + quote});
  }
}

} // namespace

std::vector<LinkList> link_lists(TextFacts::Kind kind, std::string_view text) {
  if (kind == TextFacts::Kind::cmake)
    return cmake_link_lists(text);
  std::vector<LinkList> lists;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = kind == TextFacts::Kind::pkg_config ? joined_end(text, begin) : line_end(text, begin);
    if (kind == TextFacts::Kind::pkg_config)
      add_pkg_config(text, begin, end, lists);
    else if (kind == TextFacts::Kind::libtool)
      add_libtool(text, begin, end, lists);
  }
  return lists;
}

namespace {

/// A property for what its users link, or one for each configuration (`..._RELEASE`).
struct Property {
  std::string_view name;
  bool of_configuration;
  LinkList::Holds holds;
};
constexpr std::array properties = {
    Property{"INTERFACE_LINK_LIBRARIES", false, LinkList::Holds::arguments},
    Property{"INTERFACE_LINK_OPTIONS", false, LinkList::Holds::arguments},
    Property{"INTERFACE_LINK_DIRECTORIES", false, LinkList::Holds::directories},
    Property{"IMPORTED_LINK_INTERFACE_LIBRARIES", true, LinkList::Holds::arguments},
    Property{"IMPORTED_LINK_DEPENDENT_LIBRARIES", true, LinkList::Holds::arguments},
};

const Property* property_named(std::string_view name) {
  const auto* const found = std::find_if(properties.begin(), properties.end(), [&](const Property& one) {
    return name == one.name || (one.of_configuration && name.starts_with(one.name) &&
                                name.substr(one.name.size()).starts_with('_'));
  });
  return found == properties.end() ? nullptr : found;
}

struct Argument {
  std::size_t begin = 0; ///< without quotes
  std::size_t end = 0;
  bool quoted = false;
};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_command(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); });
}

/// Parses as cmake-language(7) defines. Stops at anything unknown, because what follows is then not certain.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<LinkList> read() {
    while (anything_follows()) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_name(text_[at_]))
        ++at_;
      const std::string_view name = text_.substr(begin, at_ - begin);
      if (name.empty() || !anything_follows() || text_[at_] != '(')
        break;
      const auto arguments = read_arguments();
      if (!arguments)
        break;
      if (is_command(name, "set_target_properties"))
        add_pairs(*arguments);
      else if (is_command(name, "set_property"))
        add_values(*arguments);
    }
    return std::move(lists_);
  }

private:
  std::string_view text_of(const Argument& argument) const {
    return text_.substr(argument.begin, argument.end - argument.begin);
  }

  /// Skips blanks and comments; whether anything follows.
  bool anything_follows() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_]))
        ++at_;
      else if (text_[at_] != '#')
        return true;
      else if (const auto close = bracket(at_ + 1))
        at_ = *close;
      else
        at_ = std::min(text_.find('\n', at_), text_.size());
    }
    return false;
  }

  /// One past a bracket argument that begins there, such as `[=[ ... ]=]`.
  std::optional<std::size_t> bracket(std::size_t begin) const {
    if (begin >= text_.size() || text_[begin] != '[')
      return std::nullopt;
    const std::size_t open = text_.find_first_not_of('=', begin + 1);
    if (open == std::string_view::npos || text_[open] != '[')
      return std::nullopt;
    const std::string close = ']' + std::string(open - begin - 1, '=') + ']';
    const std::size_t found = text_.find(close, open + 1);
    return found == std::string_view::npos ? text_.size() : found + close.size();
  }

  /// Those of the command whose parenthesis is next, up to the closing one.
  std::optional<std::vector<Argument>> read_arguments() {
    std::vector<Argument> arguments;
    std::size_t depth = 0;
    while (anything_follows()) {
      const char c = text_[at_];
      if (c == '(' || c == ')') {
        ++at_;
        depth = c == '(' ? depth + 1 : depth - 1;
        if (depth == 0)
          return arguments;
      } else if (c == '"') {
        if (!read_quoted(arguments))
          return std::nullopt;
      } else if (const auto close = bracket(at_)) {
        arguments.push_back({at_, *close});
        at_ = *close;
      } else if (!read_unquoted(arguments)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool read_quoted(std::vector<Argument>& arguments) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size())
      return false;
    arguments.push_back({begin, at_++, true});
    return true;
  }

  bool read_unquoted(std::vector<Argument>& arguments) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) &&
           std::string_view("()#\"").find(text_[at_]) == std::string_view::npos)
      at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ > text_.size() || (at_ < text_.size() && text_[at_] == '"'))
      return false; // quotes within an argument, as in CMake 2
    arguments.push_back({begin, at_});
    return true;
  }

  void add_pairs(const std::vector<Argument>& arguments) {
    const auto marker = find(arguments, "PROPERTIES");
    for (std::size_t i = marker + 1; i + 1 < arguments.size(); i += 2)
      add(arguments[i], arguments[i + 1]);
  }
  void add_values(const std::vector<Argument>& arguments) {
    const auto marker = find(arguments, "PROPERTY");
    for (std::size_t i = marker + 2; i < arguments.size(); ++i)
      add(arguments[marker + 1], arguments[i]);
  }
  /// The index of an argument, or the number of arguments.
  std::size_t find(const std::vector<Argument>& arguments, std::string_view word) const {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument& one) { return text_of(one) == word; });
    return static_cast<std::size_t>(found - arguments.begin());
  }
  void add(const Argument& name, const Argument& value) {
    const Property* const property = property_named(text_of(name));
    if (property != nullptr && value.quoted)
      lists_.push_back({value.begin, value.end, LinkList::Separator::semicolon, property->holds});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<LinkList> lists_;
};

} // namespace

std::vector<LinkList> cmake_link_lists(std::string_view text) {
  return Reader(text).read();
}

namespace {

constexpr std::string_view link_only = "\\$<LINK_ONLY:"; // as `install(EXPORT)` writes it

std::vector<LinkArgument> words_by_blanks(std::string_view text, const LinkList& list) {
  std::vector<LinkArgument> words;
  const auto is_blank = [&](std::size_t at) {
    const bool continues =
        text[at] == '\\' && at + 1 < list.end && (text[at + 1] == '\n' || text[at + 1] == '\r');
    return continues || std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
  };
  for (std::size_t at = list.begin; at < list.end;) {
    if (is_blank(at)) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    char quote = 0;
    for (; at < list.end && (quote != 0 || !is_blank(at)); ++at) {
      if (text[at] == '\\' && quote != '\'' && at + 1 < list.end)
        ++at;
      else if (quote != 0 ? text[at] == quote : text[at] == '"' || text[at] == '\'')
        quote = quote != 0 ? char{0} : text[at];
    }
    words.push_back({begin, at, std::string(text.substr(begin, at - begin)), {}});
  }
  return words;
}

std::vector<LinkArgument> words_by_semicolons(std::string_view text, const LinkList& list) {
  std::vector<LinkArgument> words;
  std::size_t begin = list.begin;
  std::size_t depth = 0;
  for (std::size_t at = list.begin; at <= list.end; ++at) {
    if (at == list.end || (text[at] == ';' && depth == 0)) {
      words.push_back({begin, at, std::string(text.substr(begin, at - begin)), {}});
      begin = at + 1;
    } else if (text[at] == '\\' && at + 1 < list.end && text[at + 1] != '$') {
      ++at;
    } else if (text[at] == '$' && at + 1 < list.end && text[at + 1] == '<') {
      ++depth;
    } else if (text[at] == '>' && depth > 0) {
      --depth;
    }
  }
  return words;
}

std::string unquoted(std::string word) {
  std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
  return word;
}

/// `-Wl,-lx` and `LINKER:-lx`.
void add_linker_names(std::string_view word, std::vector<std::string>& names) {
  for (const std::string& part : split(word.substr(word.find_first_of(",:") + 1), ","))
    if (part.starts_with("-l"))
      names.push_back(part.substr(2));
}

} // namespace

bool is_not_plain(std::string_view word) {
  return word.find_first_of("\"'`\\$<> \t\r\n") != std::string_view::npos;
}

std::string bare_argument(const std::string& word) {
  if (!word.starts_with(link_only) || !word.ends_with('>'))
    return word;
  return word.substr(link_only.size(), word.size() - link_only.size() - 1);
}

std::string as_wrapped(const std::string& word, const std::string& bare) {
  return bare_argument(word) == word ? bare : std::string(link_only) + bare + '>';
}

std::vector<LinkArgument> link_arguments(std::string_view text, const LinkList& list) {
  return list.separator == LinkList::Separator::blanks ? words_by_blanks(text, list)
                                                       : words_by_semicolons(text, list);
}

std::vector<std::string> libraries_by_name(const std::vector<LinkArgument>& words, const LinkList& list) {
  std::vector<std::string> names;
  if (list.holds == LinkList::Holds::directories)
    return names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string bare = bare_argument(words[i].text);
    const std::string option = unquoted(bare);
    if (option == "-l" && i + 1 < words.size())
      names.push_back(unquoted(words[i + 1].text));
    else if (option.starts_with("-l"))
      names.push_back(option.substr(2));
    else if (option.starts_with("-Wl,") || option.starts_with("LINKER:"))
      add_linker_names(option, names);
    else if (list.separator == LinkList::Separator::semicolon && !bare.empty() && bare.front() != '-' &&
             !is_not_plain(bare) && bare.find_first_of("/:") == std::string::npos)
      names.push_back(bare);
  }
  return names;
}

std::vector<std::string> searched_directories(const std::vector<LinkArgument>& words, LinkList::Holds holds) {
  std::vector<std::string> directories;
  for (const LinkArgument& word : words) {
    const std::string bare = bare_argument(word.text);
    if (holds == LinkList::Holds::directories)
      directories.push_back(bare);
    else if (bare.starts_with("-L"))
      directories.push_back(bare.substr(2));
  }
  return directories;
}

} // namespace hostpin::leak
