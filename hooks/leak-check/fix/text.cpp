// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/text.hpp"

#include "hooks/leak-check/fix/mend_words.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/needles/scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace hostpin {

namespace {

struct MendedList {
  LinkList list;
  std::vector<LinkWord> words;
};

/// Libraries that every C++ compiler finds by itself, each its own.
bool is_of_compiler(std::string_view name) {
  constexpr std::array<std::string_view, 14> names = {"stdc++", "supc++",  "stdc++fs", "stdc++exp", "gcc_s",
                                                      "gcc",    "gcc_eh",  "m",        "c",         "atomic",
                                                      "gomp",   "pthread", "dl",       "rt"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Mending {
public:
  Mending(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted, const UnwantedRows& rows,
          const Files& files)
      : kind_(kind), text_(text), unwanted_(unwanted), rows_(rows), files_(files) {}

  MendedText run() {
    read_lists();
    const LinkRules rules{[this](std::string_view path) { return is_unwanted(path); },
                          [this](const std::string& directory) { return is_needed(directory); }};
    for (MendedList& one : lists_)
      mend(one.words, one.list.holds, rules);
    result_.text = rebuilt();
    tell_changes();
    tell_left();
    return std::move(result_);
  }

private:
  void read_lists() {
    for (const LinkList& list : link_lists(kind_, text_)) {
      std::vector<LinkWord> words = link_words(text_, list);
      for (std::string& name : libraries_by_name(words, list))
        if (!is_of_compiler(name))
          names_.insert(std::move(name));
      for (std::string& directory : searched_directories(words, list.holds))
        if (!is_unwanted(directory))
          searched_.insert(std::move(directory));
      lists_.push_back({list, std::move(words)});
    }
  }

  bool is_unwanted(std::string_view path) const {
    if (!path.starts_with('/'))
      return false;
    const std::string normal = lexically_normal(path);
    if (const UnwantedPath* const row = unwanted_.covering(normal))
      return rows_.contains(row);
    const auto real = files_.real_path(normal);
    return real && rows_.contains(unwanted_.covering(*real));
  }

  bool has_library(const std::string& directory, const std::string& name) const {
    if (name.starts_with(':'))
      return files_.status(directory + '/' + name.substr(1)).has_value();
    return files_.status(directory + "/lib" + name + ".so") ||
           files_.status(directory + "/lib" + name + ".a");
  }
  bool is_needed(const std::string& directory) const {
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return has_library(directory, name) &&
             std::none_of(searched_.begin(), searched_.end(),
                          [&](const std::string& other) { return has_library(other, name); });
    });
  }

  std::string_view as_it_stood(const LinkWord& word) const {
    return text_.substr(word.begin, word.end - word.begin);
  }

  std::string rebuilt() const {
    std::string text;
    std::size_t at = 0;
    for (const MendedList& one : lists_) {
      text += text_.substr(at, one.list.begin - at);
      text += one.list.separator == LinkList::Separator::blanks ? with_blanks(one) : with_semicolons(one);
      at = one.list.end;
    }
    text += text_.substr(at);
    return text;
  }
  std::string with_blanks(const MendedList& one) const {
    std::string text;
    std::size_t at = one.list.begin;
    for (const LinkWord& word : one.words) {
      text += text_.substr(at, word.begin - at);
      if (word.text.empty())
        text.resize(text.find_last_not_of(" \t") + 1); // the blanks before it go, too
      text += word.text;
      at = word.end;
    }
    text += text_.substr(at, one.list.end - at);
    return text;
  }
  static std::string with_semicolons(const MendedList& one) {
    std::string text;
    bool first = true;
    for (const LinkWord& word : one.words) {
      if (word.text.empty() && word.begin != word.end)
        continue;
      text += (first ? "" : ";") + word.text;
      first = false;
    }
    return text;
  }

  void tell_changes() {
    std::string_view before = text_;
    std::string_view after = result_.text;
    for (std::size_t line = 1; before != after; ++line) {
      const std::string_view old = before.substr(0, before.find('\n'));
      const std::string_view now = after.substr(0, after.find('\n'));
      if (old != now)
        result_.changes.push_back({line, std::string(old), std::string(now)});
      before.remove_prefix(std::min(old.size() + 1, before.size()));
      after.remove_prefix(std::min(now.size() + 1, after.size()));
    }
  }

  /// Whatever a scan of the new text would find again.
  void tell_left() {
    number_lines();
    const std::string& text = result_.text;
    constexpr std::size_t piece = 4096; // texts are short
    NeedleScan scan(
        unwanted_.needles(),
        [&](const Hit& hit) {
          if (rows_.contains(&unwanted_.row(hit.needle)))
            tell_left(static_cast<std::size_t>(hit.offset));
        },
        piece);
    for (std::size_t at = 0; at < text.size();) {
      const auto space = scan.space();
      const std::size_t count = std::min(space.size(), text.size() - at);
      std::memcpy(space.data(), text.data() + at, count);
      scan.advance(count);
      at += count;
    }
    scan.finish();
    std::sort(result_.left.begin(), result_.left.end(), [](const LineLeft& a, const LineLeft& b) {
      return std::tie(a.line, a.word) < std::tie(b.line, b.word);
    });
    result_.left.erase(std::unique(result_.left.begin(), result_.left.end()), result_.left.end());
  }
  void tell_left(std::size_t at) {
    const std::string_view text = result_.text;
    const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
    const auto line = static_cast<std::size_t>(next - line_begins_.begin());
    const std::string path(path_around(text, at, NeedleSet::longest));
    const auto [begin, end] = left_words_.equal_range(line);
    for (auto word = begin; word != end; ++word)
      if (word->second->text.find(path) != std::string::npos)
        return; // told with the words
    const std::size_t line_begin = *std::prev(next);
    result_.left.push_back({line, path, reason(text.substr(line_begin, at - line_begin))});
  }

  /// No line comes or goes, so that a word's line is the same in both texts.
  void number_lines() {
    std::size_t line = 1;
    std::size_t at = 0;
    for (const MendedList& one : lists_)
      for (const LinkWord& word : one.words)
        if (!word.left.empty()) {
          line += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                                      text_.begin() + static_cast<std::ptrdiff_t>(word.begin),
                                                      '\n'));
          at = word.begin;
          left_words_.emplace(line, &word);
          result_.left.push_back({line, word.text, std::string(word.left)});
        }
    line_begins_.push_back(0);
    for (at = 0; (at = result_.text.find('\n', at)) != std::string::npos;)
      line_begins_.push_back(++at);
  }

  /// Of what stands in no list. `before`: its line up to there.
  std::string reason(std::string_view before) const {
    if (before.find('#') != std::string_view::npos)
      return "a comment is not touched";
    if (before.find("INCLUDE_DIRECTORIES") != std::string_view::npos)
      return std::string(headers_may_be_needed);
    const std::size_t mark = before.find_first_of("=:");
    if (kind_ != TextFacts::Kind::cmake && mark != std::string_view::npos && before[mark] == '=')
      return "a variable is not touched, for other lines and packages are made of it";
    return "only words for a linker are touched";
  }

  TextFacts::Kind kind_;
  std::string_view text_;
  const Unwanted& unwanted_;
  const UnwantedRows& rows_;
  const Files& files_;
  std::vector<MendedList> lists_;
  std::set<std::string> names_, searched_;
  std::multimap<std::size_t, const LinkWord*> left_words_; ///< by line
  std::vector<std::size_t> line_begins_;                   ///< of the new text
  MendedText result_;
};

} // namespace

MendedText mended_text(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted,
                       const UnwantedRows& rows, const Files& files) {
  return Mending(kind, text, unwanted, rows, files).run();
}

} // namespace hostpin
