// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_arguments.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/linker_options.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace hostpin::leak {

namespace {

/// Words whose value is the next word, besides the options of compilers and linkers: libtool's, nvcc's, those
/// of Apple's linker, and CMake's words for a configuration.
constexpr auto takes_next = std::to_array<std::string_view>({
    "debug",
    "optimized",
    "general",
    "-V",
    "-allowable_client",
    "-bindir",
    "-bundle_loader",
    "-ccbin",
    "-code",
    "-compatibility_version",
    "-current_version",
    "-dlopen",
    "-dlpreopen",
    "-dyld_prefix",
    "-export-symbols",
    "-export-symbols-regex",
    "-exported_symbols_list",
    "-filelist",
    "-force_load",
    "-gencode",
    "-inst-prefix-dir",
    "-install_name",
    "-needed_framework",
    "-objectlist",
    "-odir",
    "-precious-files-regex",
    "-reexport_library",
    "-release",
    "-sectcreate",
    "-shrext",
    "-unexported_symbols_list",
    "-version-info",
    "-version-number",
    "-weak",
    "-weak_framework",
    "-weak_library",
});
/// Of the options that begin like those of `may_take_next`, those that are known to take none.
constexpr auto takes_none = std::to_array<std::string_view>({
    "-m16",
    "-m32",
    "-m64",
    "-mx32",
    "-mthreads",
    "-mwindows",
    "-mt",
    "--as-needed",
    "--no-as-needed",
    "--start-group",
    "--end-group",
    "--whole-archive",
    "--no-whole-archive",
    "--no-undefined",
    "--gc-sections",
    "--enable-new-dtags",
    "--disable-new-dtags",
    "--export-dynamic",
    "--push-state",
    "--pop-state",
    "--no-allow-shlib-undefined",
    "--allow-shlib-undefined",
    "--coverage",
    "--static",
    "--shared",
});
constexpr std::array<std::string_view, 7> include_options = {
    "-I", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot", "-B"};
constexpr std::array<std::string_view, 5> run_path_options = {"-rpath", "--rpath", "-rpath-link",
                                                              "--rpath-link", "-R"};

bool is_any(std::string_view text, const auto& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

} // namespace

bool may_take_next(std::string_view option) {
  const cmdline::DriverOption* const known = cmdline::find_driver_option(option);
  if (is_any(option, takes_next) || (known != nullptr && cmdline::takes_next(*known, option)) ||
      cmdline::linker_argument(option).takes_next())
    return true;
  return (option.starts_with("-X") || option.starts_with("-m") || option.starts_with("--")) &&
         option.find('=') == std::string_view::npos && !is_any(option, takes_none);
}

bool is_header_option(std::string_view word) {
  return std::any_of(include_options.begin(), include_options.end(),
                     [&](std::string_view option) { return word.starts_with(option); });
}

bool is_run_path_option(std::string_view word) {
  return is_any(word, run_path_options);
}

std::string_view linker_prefix(std::string_view word) {
  for (const std::string_view prefix : {"-Wl,", "LINKER:"})
    if (word.starts_with(prefix))
      return prefix;
  return {};
}

std::string_view last_linker_argument(std::string_view word) {
  word.remove_prefix(linker_prefix(word).size());
  const std::size_t comma = word.rfind(',');
  return comma == std::string_view::npos ? word : word.substr(comma + 1);
}

namespace {

constexpr std::string_view unparsed = "an argument with quotes, blanks or variables is not changed";
constexpr std::string_view value = "it may be the value of the argument before it";
constexpr std::string_view other = "the right replacement is not known";

struct Library {
  std::string_view file; ///< up to its suffix
  std::string_view word;
};
constexpr std::array own_libraries = {Library{"libstdc++", "-lstdc++"}, Library{"libgcc_s", "-lgcc_s"}};

/// Without quotes; the last one of several words in it.
std::string plain(std::string_view word) {
  std::string text = bare_argument(std::string(word));
  std::erase_if(text, [](char c) { return c == '"' || c == '\'' || c == '\\'; });
  if (text.starts_with("SHELL:"))
    text.erase(0, std::string_view("SHELL:").size());
  return text.substr(text.find_last_of(" \t\r\n") + 1);
}

/// The option for a library of the compiler that a path names; empty for other files.
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

class WordFixer {
public:
  explicit WordFixer(const LinkRules& rules) : rules_(rules) {}

  /// The new text of a word; `why` is set if it is not changed although something in it is unwanted.
  std::string fixed(const std::string& word, std::string_view previous, std::string_view& why) const {
    if (is_not_plain(word))
      return unchanged(word, holds_unwanted(word) ? unparsed : std::string_view(), why);
    if (may_take_next(last_linker_argument(previous)))
      return unchanged(word, holds_unwanted(word) ? reason_of(word, previous) : std::string_view(), why);
    if (const std::string_view prefix = linker_prefix(word); !prefix.empty())
      return linker_words(word, prefix, why);
    for (const std::string_view option : {"-L", "-R"})
      if (word.starts_with(option) && word.size() > option.size())
        return directory(word, word.substr(option.size()), why);
    if (word.starts_with('/') && rules_.unwanted(word))
      if (const std::string_view instead = own_library(word); !instead.empty())
        return std::string(instead);
    return unchanged(word, holds_unwanted(word) ? reason_of(word) : std::string_view(), why);
  }

  /// A word that is a directory: empty if removed, else as it is.
  std::string directory(const std::string& word, const std::string& path, std::string_view& why) const {
    if (is_not_plain(path) || !rules_.unwanted(path))
      return unchanged(word, holds_unwanted(word) ? unparsed : std::string_view(), why);
    const std::string_view need = rules_.need(path);
    return need.empty() ? std::string() : unchanged(word, need, why);
  }

private:
  static std::string unchanged(const std::string& word, std::string_view reason, std::string_view& why) {
    if (!reason.empty())
      why = reason;
    return word;
  }
  static std::string_view reason_of(std::string_view word) {
    return is_header_option(word) ? headers_may_be_needed : other;
  }
  /// For the value of an option, which may look like an option itself.
  static std::string_view reason_of(std::string_view word, std::string_view option) {
    return word.starts_with('-') ? value : reason_of(option);
  }

  /// Each byte is part of one path only, whose length is limited: the time is linear.
  bool holds_unwanted(std::string_view word) const {
    for (std::size_t at = word.find('/'); at != std::string_view::npos;) {
      const std::size_t end = std::min(word.find_first_of(" \t\"'`,;:=<>()$\\", at), word.size());
      if (rules_.unwanted(word.substr(at, std::min(end - at, NeedleSet::longest))))
        return true;
      at = word.find('/', end);
    }
    return false;
  }

  std::string linker_words(const std::string& word, std::string_view prefix, std::string_view& why) const {
    std::vector<std::string> kept_words;
    const std::vector<std::string> words = split(std::string_view(word).substr(prefix.size()), ",");
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const bool is_value = i > 0 && may_take_next(words[i - 1]);
      if (is_value) {
        if (holds_unwanted(words[i]))
          why = value;
        kept_words.push_back(words[i]);
      } else if (is_run_path_option(words[i]) && i + 1 < words.size()) {
        if (const std::string list = run_path(words[i + 1], why); !list.empty() || words[i + 1].empty())
          kept_words.insert(kept_words.end(), {words[i], list});
        ++i;
      } else if (equals != std::string::npos && is_run_path_option(words[i].substr(0, equals))) {
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
    for (std::string& entry : split(list, ":"))
      if (std::string same = directory(entry, entry, why); !same.empty() || entry.empty())
        entries.push_back(std::move(entry));
    return joined(entries, ':');
  }

  const LinkRules& rules_;
};

/// Whether the value of the last linker option is in the next word.
bool continues(std::string_view word, std::string_view next) {
  const std::string_view prefix = linker_prefix(word);
  return !prefix.empty() && linker_prefix(next) == prefix && !is_not_plain(word) && !is_not_plain(next) &&
         is_run_path_option(last_linker_argument(word));
}

/// The word at `i` joined with those that continue it; `i` becomes the last of them.
std::string whole_word(const std::vector<LinkArgument>& words, std::size_t& i) {
  std::string whole = words[i].text;
  for (; i + 1 < words.size() && continues(words[i].text, words[i + 1].text); ++i)
    whole += ',' + words[i + 1].text.substr(linker_prefix(whole).size());
  return whole;
}

} // namespace

void fix_arguments(std::vector<LinkArgument>& words, LinkList::Holds holds, const LinkRules& rules) {
  const WordFixer fixer(rules);
  std::string previous;
  for (std::size_t i = 0; i < words.size(); ++i) {
    LinkArgument& word = words[i];
    if (holds == LinkList::Holds::directories) {
      word.text = fixer.directory(word.text, word.text, word.left);
      continue;
    }
    const std::size_t first = i;
    const std::string before = whole_word(words, i);
    const std::string bare = bare_argument(before);
    if (const std::string fixed = fixer.fixed(bare, previous, word.left); fixed != bare) {
      word.text = fixed.empty() ? fixed : as_wrapped(before, fixed);
      for (std::size_t rest = first + 1; rest <= i; ++rest)
        words[rest].text.clear();
    }
    previous = plain(before);
  }
}

} // namespace hostpin::leak
