// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_words.hpp"

#include "hooks/leak-check/needles/path_text.hpp"

namespace hostpin {

namespace {

constexpr std::string_view link_only = "\\$<LINK_ONLY:"; // as `install(EXPORT)` writes it

std::vector<LinkWord> words_by_blanks(std::string_view text, const LinkList& list) {
  std::vector<LinkWord> words;
  const auto is_blank = [&](std::size_t at) {
    const bool goes_on =
        text[at] == '\\' && at + 1 < list.end && (text[at + 1] == '\n' || text[at + 1] == '\r');
    return goes_on || std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
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

std::vector<LinkWord> words_by_semicolons(std::string_view text, const LinkList& list) {
  std::vector<LinkWord> words;
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

bool is_odd_word(std::string_view word) {
  return word.find_first_of("\"'`\\$<> \t\r\n") != std::string_view::npos;
}

std::string bare_word(const std::string& word) {
  if (!word.starts_with(link_only) || !word.ends_with('>'))
    return word;
  return word.substr(link_only.size(), word.size() - link_only.size() - 1);
}

std::string as_wrapped(const std::string& word, const std::string& bare) {
  return bare_word(word) == word ? bare : std::string(link_only) + bare + '>';
}

std::vector<LinkWord> link_words(std::string_view text, const LinkList& list) {
  return list.separator == LinkList::Separator::blanks ? words_by_blanks(text, list)
                                                       : words_by_semicolons(text, list);
}

std::vector<std::string> libraries_by_name(const std::vector<LinkWord>& words, const LinkList& list) {
  std::vector<std::string> names;
  if (list.holds == LinkList::Holds::directories)
    return names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string bare = bare_word(words[i].text);
    const std::string option = unquoted(bare);
    if (option == "-l" && i + 1 < words.size())
      names.push_back(unquoted(words[i + 1].text));
    else if (option.starts_with("-l"))
      names.push_back(option.substr(2));
    else if (option.starts_with("-Wl,") || option.starts_with("LINKER:"))
      add_linker_names(option, names);
    else if (list.separator == LinkList::Separator::semicolon && !bare.empty() && bare.front() != '-' &&
             !is_odd_word(bare) && bare.find_first_of("/:") == std::string::npos)
      names.push_back(bare);
  }
  return names;
}

std::vector<std::string> searched_directories(const std::vector<LinkWord>& words, LinkList::Holds holds) {
  std::vector<std::string> directories;
  for (const LinkWord& word : words) {
    const std::string bare = bare_word(word.text);
    if (holds == LinkList::Holds::directories)
      directories.push_back(bare);
    else if (bare.starts_with("-L"))
      directories.push_back(bare.substr(2));
  }
  return directories;
}

} // namespace hostpin
