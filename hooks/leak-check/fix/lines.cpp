// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/lines.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin::leak {

namespace {

using IsUnwanted = std::function<bool(std::string_view path)>;

constexpr std::string_view between_words = " \t\r\"';";
constexpr std::string_view link_only = "\\$<LINK_ONLY:"; // as `install(EXPORT)` writes it
constexpr std::array<std::string_view, 5> run_path_options = {"-rpath", "--rpath", "-rpath-link",
                                                              "--rpath-link", "-R"};

bool is_run_path_option(std::string_view word) {
  return std::ranges::find(run_path_options, word) != run_path_options.end();
}

/// The prefix before arguments of the linker that are separated by commas; or empty.
std::string_view linker_prefix(std::string_view word) {
  for (const std::string_view prefix : {"-Wl,", "LINKER:"})
    if (word.starts_with(prefix))
      return prefix;
  return {};
}

/// The option for a library of the compiler that a path names; empty for other files.
std::string_view own_library(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const auto& [file, option] :
       {std::pair<std::string_view, std::string_view>{"libstdc++.", "-lstdc++"}, {"libgcc_s.", "-lgcc_s"}})
    if (name.starts_with(file) &&
        (name.substr(file.size()).starts_with("so") || name.substr(file.size()) == "la"))
      return option;
  return {};
}

/// Whether the next word may be the option's value, or, of a CMake keyword, the library that it is about.
bool may_have_value(std::string_view word) {
  return word.starts_with("-X") || word == "debug" || word == "optimized" || word == "general";
}

/// Whether CMake reads the paths of a line as files: an option is none.
bool names_files(std::string_view line) {
  constexpr std::array<std::string_view, 4> properties = {"IMPORTED_LOCATION", "IMPORTED_SONAME",
                                                          "_import_check_files", "_IMPORT_CHECK_FILES"};
  return std::ranges::any_of(properties, [&](std::string_view one) { return line.find(one) != line.npos; });
}

class LineFixer {
public:
  explicit LineFixer(const IsUnwanted& unwanted) : unwanted_(unwanted) {}

  bool holds_unwanted(std::string_view text) const {
    for (std::size_t at = text.find('/'); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(" \t\"'`,;:=<>()$\\\r", at), text.size());
      if (unwanted_(text.substr(at, std::min(end - at, NeedleSet::longest))))
        return true;
      at = text.find('/', end);
    }
    return false;
  }

  std::string fixed(std::string_view line) const {
    if (names_files(line))
      return std::string(line);
    std::string text, previous;
    const bool directories = line.find("INTERFACE_LINK_DIRECTORIES") != line.npos;
    for (std::size_t at = 0; at < line.size();) {
      if (between_words.find(line[at]) != between_words.npos) {
        text += line[at++];
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(between_words, at), line.size());
      const std::string word(line.substr(at, end - at));
      std::string now = directories && unwanted_(word) ? std::string() : fixed_word(word, previous, text);
      if (now.empty() && may_have_value(previous))
        now = word;
      text += now;
      previous = word;
      at = now.empty() ? after_mark(text, line, end) : end;
    }
    return text;
  }

private:
  /// The new word; if it is the value of the option before it, which is then removed from `text`.
  std::string fixed_word(const std::string& word, const std::string& previous, std::string& text) const {
    if (word.starts_with(link_only) && word.ends_with('>')) {
      const std::string bare = word.substr(link_only.size(), word.size() - link_only.size() - 1);
      const std::string now = fixed_word(bare, previous, text);
      return now == bare || now.empty() ? (now.empty() ? now : word) : std::string(link_only) + now + '>';
    }
    if (const std::string_view prefix = linker_prefix(word); !prefix.empty()) {
      const std::string_view value = std::string_view(word).substr(prefix.size());
      if (linker_prefix(previous) == prefix && unwanted_(value) && text.ends_with(previous + ' ') &&
          is_run_path_option(previous.substr(prefix.size()))) {
        text.resize(text.size() - previous.size() - 1);
        return {};
      }
      return linker_word(word, prefix);
    }
    if ((word.starts_with("-L") || word.starts_with("-R")) && unwanted_(std::string_view(word).substr(2)))
      return {};
    const std::string_view instead = unwanted_(word) ? own_library(word) : std::string_view();
    return instead.empty() ? word : std::string(instead);
  }

  std::string linker_word(const std::string& word, std::string_view prefix) const {
    std::vector<std::string> kept;
    const std::vector<std::string> parts = split(std::string_view(word).substr(prefix.size()), ",");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t equals = parts[i].find('=');
      if (is_run_path_option(parts[i]) && i + 1 < parts.size()) {
        if (const std::string list = run_path(parts[++i]); !list.empty())
          kept.insert(kept.end(), {parts[i - 1], list});
      } else if (equals != std::string::npos && is_run_path_option(parts[i].substr(0, equals))) {
        if (const std::string list = run_path(parts[i].substr(equals + 1)); !list.empty())
          kept.push_back(parts[i].substr(0, equals + 1) + list);
      } else if (!parts[i].starts_with("-L") || !unwanted_(std::string_view(parts[i]).substr(2))) {
        kept.push_back(parts[i]);
      }
    }
    return kept.empty() ? std::string() : std::string(prefix) + joined(kept, ",");
  }

  std::string run_path(const std::string& list) const {
    std::vector<std::string> entries = split(list, ":");
    std::erase_if(entries, [&](const std::string& entry) { return unwanted_(entry); });
    return joined(entries, ":");
  }

  /// Removes the blanks, or the semicolon, between a removed word and its neighbours: those before it from
  /// `text`; the result is where `line` goes on.
  static std::size_t after_mark(std::string& text, std::string_view line, std::size_t end) {
    const char next = end < line.size() ? line[end] : ' ';
    if (next == ';' && !text.ends_with(';'))
      return end + 1;
    if (next == ';' || text.ends_with(';')) {
      text.pop_back();
      return end;
    }
    while (text.ends_with(' ') || text.ends_with('\t'))
      text.pop_back();
    return end;
  }

  const IsUnwanted& unwanted_;
};

} // namespace

WrongLines wrong_lines(std::string_view text, const IsUnwanted& unwanted) {
  WrongLines result;
  const LineFixer fixer(unwanted);
  for (std::size_t number = 1; !text.empty() && result.more_from == 0; ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (fixer.holds_unwanted(line)) {
      if (result.lines.size() < most_wrong_lines)
        result.lines.push_back({number, std::string(line), fixer.fixed(line)});
      else
        result.more_from = number;
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

} // namespace hostpin::leak
