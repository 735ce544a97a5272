// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin {

namespace {

enum class Meaning { directory, library, sysroot, emulation, loader, other };

struct Row {
  std::string_view name;
  Meaning meaning;
};

// Options whose value is joined, or the next word. `other` are those whose value could look like a library.
constexpr auto short_options = std::to_array<Row>({{"L", Meaning::directory},
                                                   {"l", Meaning::library},
                                                   {"m", Meaning::emulation},
                                                   {"o", Meaning::other},
                                                   {"h", Meaning::other},
                                                   {"R", Meaning::other},
                                                   {"T", Meaning::other}});
// With one dash or two; the value is behind `=` or the next word.
constexpr auto long_options = std::to_array<Row>({{"library-path", Meaning::directory},
                                                  {"library", Meaning::library},
                                                  {"sysroot", Meaning::sysroot},
                                                  {"dynamic-linker", Meaning::loader},
                                                  {"rpath", Meaning::other},
                                                  {"rpath-link", Meaning::other},
                                                  {"soname", Meaning::other},
                                                  {"output", Meaning::other},
                                                  {"plugin", Meaning::other},
                                                  {"version-script", Meaning::other},
                                                  {"dynamic-list", Meaning::other},
                                                  {"Map", Meaning::other}});
constexpr auto archives_only = std::to_array<std::string_view>({"Bstatic", "dn", "non_shared", "static"});
constexpr auto shared_again = std::to_array<std::string_view>({"Bdynamic", "dy", "call_shared"});

template <typename Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class LinkerWords {
public:
  LinkCommand read(std::span<const std::string> words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with('-'))
        command_.inputs.push_back({word, true, shared_});
      else if (!toggle(word))
        i += option(word, i + 1 < words.size() ? &words[i + 1] : nullptr);
    }
    // A sysroot holds for all -L, wherever it stands.
    for (std::string& directory : command_.directories)
      for (const std::string_view mark : {"=", "$SYSROOT"})
        if (directory.starts_with(mark))
          directory.replace(0, mark.size(), command_.sysroot);
    return std::move(command_);
  }

private:
  /// Whether the word is a switch for how libraries are taken from here on.
  bool toggle(std::string_view word) {
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    if (holds(archives_only, word))
      shared_ = false;
    else if (holds(shared_again, word))
      shared_ = true;
    else if (word == "push-state")
      saved_.push_back(shared_);
    else if (word == "pop-state" && !saved_.empty())
      shared_ = saved_.back(), saved_.pop_back();
    else
      return false;
    return true;
  }

  /// Returns how many words were taken besides.
  std::size_t option(std::string_view word, const std::string* next) {
    const std::string_view bare = word.substr(word.starts_with("--") ? 2 : 1);
    for (const Row& row : long_options) {
      if (bare == row.name)
        return next == nullptr ? 0 : take(row.meaning, *next);
      if (bare.starts_with(row.name) && bare[row.name.size()] == '=')
        return take(row.meaning, bare.substr(row.name.size() + 1)) - 1;
    }
    if (word.starts_with("--"))
      return 0;
    for (const Row& row : short_options) {
      if (bare == row.name)
        return next == nullptr ? 0 : take(row.meaning, *next);
      if (bare.starts_with(row.name))
        return take(row.meaning, bare.substr(row.name.size())) - 1;
    }
    return 0;
  }

  std::size_t take(Meaning meaning, std::string_view value) {
    switch (meaning) {
    case Meaning::directory:
      command_.directories.emplace_back(value);
      break;
    case Meaning::library:
      command_.inputs.push_back({std::string(value), false, shared_});
      break;
    case Meaning::sysroot:
      command_.sysroot = value;
      break;
    case Meaning::emulation:
      command_.emulation = value;
      break;
    case Meaning::loader:
      command_.loader = value;
      break;
    case Meaning::other:
      break;
    }
    return 1;
  }

  LinkCommand command_;
  bool shared_ = true;
  std::vector<bool> saved_;
};

/// GCC runs its linker through collect2; others are named ld, ld.lld, aarch64-linux-gnu-ld, gold, mold.
bool is_linker(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "collect2" || name.find("ld") != std::string_view::npos;
}

} // namespace

LinkCommand link_command(std::span<const std::string> words) {
  return LinkerWords().read(words);
}

std::vector<std::string> shown_linker_words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // Commands are indented; other lines, such as COLLECT_GCC_OPTIONS, repeat options without being one.
    if (!line.starts_with(' '))
      continue;
    auto words = cmdline::command_words(line);
    if (words && !words->empty() && is_linker(words->front()))
      found = std::move(*words);
  }
  return found;
}

} // namespace hostpin
