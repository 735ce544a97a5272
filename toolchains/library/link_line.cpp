// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_line.hpp"

#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// The value of an option that stands alone, is joined by `=`, or has its value in the next word; with one
/// dash or two.
std::optional<std::string> value_of(const std::vector<std::string>& words, std::size_t at,
                                    std::string_view name) {
  std::string_view word = words[at];
  if (!word.starts_with('-'))
    return std::nullopt;
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  if (!word.starts_with(name))
    return std::nullopt;
  word.remove_prefix(name.size());
  if (word.starts_with('='))
    return std::string(word.substr(1));
  return word.empty() && at + 1 < words.size() ? std::optional(words[at + 1]) : std::nullopt;
}

/// `-lstdc++`, `-l:libc++.a`, `/usr/lib/libstdc++.so`: what a C++ driver adds by itself, and a C driver does
/// not.
bool names_cxx_library(std::string_view word) {
  if (word.starts_with("-l:"))
    word.remove_prefix(3);
  else if (word.starts_with("-l"))
    return word == "-lstdc++" || word == "-lc++";
  else if (word.starts_with('-'))
    return false;
  const std::string_view file = word.substr(word.rfind('/') + 1);
  return file.starts_with("libstdc++.") || file.starts_with("libc++.");
}

/// An object that is no start file. What stands before it need not serve it: with --as-needed, which some
/// drivers pass by themselves, and as an archive, a library serves what came earlier.
bool is_input(std::string_view word) {
  return !word.starts_with('-') && word.ends_with(".o") &&
         word.substr(word.rfind('/') + 1).find("crt") == std::string_view::npos;
}

LinkLine read(const std::vector<std::string>& words) {
  LinkLine line;
  bool c_library = false;
  bool cxx_library = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("-L") && words[i].size() > 2)
      line.library_directories.push_back(words[i].substr(2));
    c_library = c_library || words[i] == "-lc";
    cxx_library = (cxx_library || names_cxx_library(words[i])) && !is_input(words[i]);
    if (const auto loader = value_of(words, i, "dynamic-linker"))
      line.loader = *loader;
    if (const auto sysroot = value_of(words, i, "sysroot"))
      line.sysroot = *sysroot == "/" ? std::string() : *sysroot;
    if (const auto paths = value_of(words, i, "rpath"))
      for (std::size_t begin = 0; begin < paths->size();) {
        const std::size_t end = std::min(paths->find(':', begin), paths->size());
        line.run_paths.push_back(paths->substr(begin, end - begin));
        begin = end + 1;
      }
  }
  line.libraries = cxx_library ? StandardLibraries::cxx
                   : c_library ? StandardLibraries::c
                               : StandardLibraries::none;
  return line;
}

} // namespace

LinkLine link_line(std::string_view text) {
  const std::string_view whole = text;
  LinkLine result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // Commands are indented; other lines, such as COLLECT_GCC_OPTIONS, repeat options without being one.
    if (!line.starts_with(' '))
      continue;
    const auto words = cmdline::command_words(line);
    if (!words)
      continue;
    LinkLine candidate = read(*words);
    if (!candidate.loader.empty())
      result = std::move(candidate);
  }
  if (!result.loader.empty())
    return result;
  // Static programs and libraries need none; then the program's name says that it links.
  const std::vector<std::string> words = shown_linker_words(whole);
  return words.empty() ? result : read(words);
}

} // namespace hostpin
