// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/mend_words.hpp"

#include "hooks/leak-check/text/words.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view odd = "what holds quotes, blanks or variables is not touched";
constexpr std::string_view needed = "a library that is linked by name lies there and in no other directory";
constexpr std::string_view other = "what should stand there instead is not known";

/// Options whose value is the next word.
constexpr std::array<std::string_view, 24> takes_next = {
    "-L",        "-R",        "-I",     "-B",      "-F",          "-T",       "-u",       "-z",
    "-e",        "-h",        "-o",     "-l",      "-isystem",    "-iquote",  "-include", "-idirafter",
    "-isysroot", "--sysroot", "-rpath", "--rpath", "-rpath-link", "-Xlinker", "-soname",  "-framework",
};
constexpr std::array<std::string_view, 7> include_options = {
    "-I", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot", "-B"};
constexpr std::array<std::string_view, 5> run_path_options = {"-rpath", "--rpath", "-rpath-link",
                                                              "--rpath-link", "-R"};

struct Library {
  std::string_view file; ///< up to its suffix
  std::string_view word;
};
constexpr std::array own_libraries = {Library{"libstdc++", "-lstdc++"}, Library{"libgcc_s", "-lgcc_s"}};

bool starts_with_any(std::string_view text, const auto& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}
bool is_any(std::string_view text, const auto& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// The prefix after which words for the linker follow, with commas between them; empty when there is none.
std::string_view linker_prefix(std::string_view word) {
  for (const std::string_view prefix : {"-Wl,", "LINKER:"})
    if (word.starts_with(prefix))
      return prefix;
  return {};
}

/// The word for a library of the compiler's own that a path names; empty for other files.
std::string_view own_library(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Library& library : own_libraries) {
    const std::string_view suffix = name.substr(std::min(library.file.size(), name.size()));
    if (name.starts_with(library.file) &&
        (suffix == ".so" || suffix == ".la" ||
         (suffix.starts_with(".so.") &&
          suffix.find_first_not_of("0123456789.", 4) == std::string_view::npos)))
      return library.word;
  }
  return {};
}

class Mender {
public:
  explicit Mender(const LinkRules& rules) : rules_(rules) {}

  /// The new text of a word; `why` is set when it stays although something in it is unwanted.
  std::string mended(const std::string& word, std::string_view previous, std::string_view& why) const {
    if (is_odd_word(word))
      return kept(word, holds_unwanted(word) ? odd : std::string_view(), why);
    if (is_any(previous, takes_next))
      return kept(word, holds_unwanted(word) ? reason_of(previous) : std::string_view(), why);
    if (const std::string_view prefix = linker_prefix(word); !prefix.empty())
      return linker_words(word, prefix, why);
    for (const std::string_view option : {"-L", "-R"})
      if (word.starts_with(option) && word.size() > option.size())
        return directory(word, word.substr(option.size()), why);
    if (word.starts_with('/') && rules_.unwanted(word))
      if (const std::string_view instead = own_library(word); !instead.empty())
        return std::string(instead);
    return kept(word, holds_unwanted(word) ? reason_of(word) : std::string_view(), why);
  }

  /// A word that is a directory: gone, or as it is.
  std::string directory(const std::string& word, const std::string& path, std::string_view& why) const {
    if (is_odd_word(path) || !rules_.unwanted(path))
      return kept(word, holds_unwanted(word) ? odd : std::string_view(), why);
    return rules_.needed(path) ? kept(word, needed, why) : std::string();
  }

private:
  static std::string kept(const std::string& word, std::string_view reason, std::string_view& why) {
    if (!reason.empty())
      why = reason;
    return word;
  }
  static std::string_view reason_of(std::string_view word) {
    return starts_with_any(word, include_options) ? headers_may_be_needed : other;
  }

  bool holds_unwanted(std::string_view word) const {
    for (std::size_t at = word.find('/'); at != std::string_view::npos; at = word.find('/', at + 1)) {
      const std::size_t end = std::min(word.find_first_of(" \t\"'`,;:<>()$\\", at), word.size());
      if (rules_.unwanted(word.substr(at, end - at)))
        return true;
    }
    return false;
  }

  std::string linker_words(const std::string& word, std::string_view prefix, std::string_view& why) const {
    std::vector<std::string> kept_words;
    const std::vector<std::string> words = split(std::string_view(word).substr(prefix.size()), ',');
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (is_any(words[i], run_path_options) && i + 1 < words.size()) {
        if (const std::string list = run_path(words[i + 1], why); !list.empty() || words[i + 1].empty())
          kept_words.insert(kept_words.end(), {words[i], list});
        ++i;
      } else if (equals != std::string::npos && is_any(words[i].substr(0, equals), run_path_options)) {
        if (const std::string list = run_path(words[i].substr(equals + 1), why); !list.empty())
          kept_words.push_back(words[i].substr(0, equals + 1) + list);
      } else if (words[i].starts_with("-L") && words[i].size() > 2) {
        if (std::string same = directory(words[i], words[i].substr(2), why); !same.empty())
          kept_words.push_back(std::move(same));
      } else {
        if (holds_unwanted(words[i]))
          why = other;
        kept_words.push_back(words[i]);
      }
    }
    return kept_words.empty() ? std::string() : std::string(prefix) + joined(kept_words, ',');
  }

  std::string run_path(const std::string& list, std::string_view& why) const {
    std::vector<std::string> entries;
    for (std::string& entry : split(list, ':'))
      if (std::string same = directory(entry, entry, why); !same.empty() || entry.empty())
        entries.push_back(std::move(entry));
    return joined(entries, ':');
  }

  const LinkRules& rules_;
};

/// Whether the value of an option for the linker is the next word's.
bool goes_on(const LinkWord& word, const LinkWord& next) {
  const std::string_view prefix = linker_prefix(word.text);
  if (prefix.empty() || linker_prefix(next.text) != prefix || is_odd_word(word.text) ||
      is_odd_word(next.text))
    return false;
  return is_any(split(word.text, ',').back(), run_path_options);
}

} // namespace

void mend(std::vector<LinkWord>& words, LinkList::Holds holds, const LinkRules& rules) {
  const Mender mender(rules);
  std::string previous;
  for (std::size_t i = 0; i < words.size(); ++i) {
    LinkWord& word = words[i];
    const std::string before = word.text;
    const std::string bare = bare_word(before);
    if (holds == LinkList::Holds::directories) {
      word.text = mender.directory(before, before, word.left);
    } else if (i + 1 < words.size() && goes_on(word, words[i + 1])) {
      LinkWord& next = words[i + 1];
      const std::string_view prefix = linker_prefix(before);
      const std::string both = before + ',' + next.text.substr(prefix.size());
      if (const std::string mended = mender.mended(both, previous, word.left); mended != both) {
        word.text = mended;
        next.text.clear();
      }
      previous.clear();
      ++i;
      continue;
    } else if (const std::string mended = mender.mended(bare, previous, word.left); mended != bare) {
      word.text = mended.empty() ? mended : as_wrapped(before, mended);
    }
    previous = before;
  }
}

} // namespace hostpin
