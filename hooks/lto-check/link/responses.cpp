// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/words.hpp"
#include "toolchains/base/files.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace hostpin {

namespace {

constexpr std::size_t longest_file = std::size_t{64} << 20U;
constexpr std::size_t most_files = 2000; // GCC's own bound
constexpr std::string_view white = " \t\r\n\f\v";

/// White space separates, both quotes group, a backslash takes the next byte as it is.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
    const char c = text[i];
    if (quote == 0 && white.find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == '\\' && i + 1 < text.size())
      words.back() += text[++i];
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (quote == c)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

class Expansion {
public:
  void add(std::span<const std::string> words) {
    for (const std::string& word : words) {
      const auto content = content_of(word);
      if (content)
        add(split(*content));
      else
        result.push_back(word);
    }
  }

  std::vector<std::string> result;

private:
  /// What stands in the file that a word names, if it names one; no more than so many, in case they name each
  /// other.
  std::optional<std::string> content_of(const std::string& word) {
    if (word.size() < 2 || word.front() != '@' || read_ == most_files)
      return std::nullopt;
    const std::string path = word.substr(1);
    const auto status = files_.status(path);
    // A pipe is left alone: the linker must still find its content in it.
    if (!status || status->kind != FileStatus::Kind::regular)
      return std::nullopt;
    ++read_;
    auto content = files_.read(path, longest_file);
    return content ? std::optional(*std::move(content)) : std::nullopt;
  }

  DiskFiles files_;
  std::size_t read_ = 0;
};

} // namespace

std::optional<Error> unread_response(std::span<const std::string> words) {
  const DiskFiles files;
  for (const std::string& word : words) {
    if (word.size() < 2 || word.front() != '@')
      continue;
    const std::string path = word.substr(1);
    const auto status = files.status(path);
    if (!status)
      continue; // to compilers and linkers the name of an input
    if (status->kind == FileStatus::Kind::regular)
      return Error{"the response file " + path + " cannot be read, or too many name each other",
                   "make it readable, and shorter"};
    return Error{"the response file " + path + " is no regular file: what is in it could not be read twice",
                 "write the words into a file, and name that"};
  }
  return std::nullopt;
}

std::vector<std::string> with_responses(std::span<const std::string> words) {
  Expansion expansion;
  expansion.add(words);
  return std::move(expansion.result);
}

} // namespace hostpin
