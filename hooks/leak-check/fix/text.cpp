// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/text.hpp"

#include "hooks/leak-check/fix/link_arguments.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/needles/scan.hpp"
#include "hooks/leak-check/scan/text.hpp"
#include "hooks/leak-check/scan/text_variables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::string_view needed = "a library that is linked by name is in that directory and in no other";
constexpr std::string_view unseen =
    "a library that is linked by name was not found, and may be in that directory, which does not exist here";
constexpr std::string_view unnamed =
    "a library whose name contains a variable is linked, and may be in that directory";
constexpr std::string_view too_many = "it links too many libraries to search for all of them";
constexpr std::size_t most_lookups = 100'000; ///< for one text: tens of libraries in tens of directories

/// Something unwanted that was not changed, in the new text.
struct LeftRange {
  std::size_t begin = 0, end = 0;
};

/// Positions of the marks that decide about the rest of their line; npos: none.
struct LineMarks {
  std::size_t line = 0; ///< from 1; 0: none
  std::size_t comment = 0, includes = 0, mark = 0;
};

struct FixedList {
  LinkList list;
  std::vector<LinkArgument> words;
};

/// Libraries that every C++ compiler brings and finds itself.
bool is_of_compiler(std::string_view name) {
  constexpr std::array<std::string_view, 14> names = {"stdc++", "supc++",  "stdc++fs", "stdc++exp", "gcc_s",
                                                      "gcc",    "gcc_eh",  "m",        "c",         "atomic",
                                                      "gomp",   "pthread", "dl",       "rt"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

class TextFixer {
public:
  TextFixer(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted, const UnwantedRows& rows,
            const Files& files, std::string directory)
      : kind_(kind), text_(text), unwanted_(unwanted), rows_(rows), files_(files),
        pkg_config_(std::move(directory)) {}

  FixedText run() {
    read_lists();
    const LinkRules rules{[this](std::string_view path) { return is_unwanted(path); },
                          [this](const std::string& directory) { return need(directory); }};
    for (FixedList& one : lists_)
      fix_arguments(one.words, one.list.holds, rules);
    result_.text = rebuilt();
    report_changes();
    report_left();
    return std::move(result_);
  }

private:
  void read_lists() {
    for (const LinkList& list : link_lists(kind_, text_)) {
      std::vector<LinkArgument> words = link_arguments(text_, list);
      for (std::string& name : libraries_by_name(words, list))
        if (!is_of_compiler(name))
          names_.insert(std::move(name));
      for (const std::string& written : searched_directories(words, list.holds))
        if (std::string directory = meant(written, list.begin); !is_unwanted(directory))
          searched_.insert(std::move(directory));
      lists_.push_back({list, std::move(words)});
    }
  }

  /// A directory with the variables expanded that lines before its list set; as written if the result is too
  /// long, or all results together.
  std::string meant(const std::string& directory, std::size_t list) {
    if (kind_ != TextFacts::Kind::pkg_config || directory.find("${") == std::string::npos)
      return directory;
    for (std::size_t end = 0; composed_ < most_composed && (end = text_.find('\n', variables_end_)) < list;
         variables_end_ = end + 1)
      if (const auto entry = pkg_config_.line(text_.substr(variables_end_, end - variables_end_)))
        composed_ += entry->value.size();
    if (composed_ >= most_composed)
      return directory;
    std::string whole = replaced(directory, pkg_config_.variables());
    composed_ += whole.size();
    return whole.size() > NeedleSet::longest ? directory : whole;
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

  bool has_library(const std::string& directory, const std::string& name) {
    const auto is_there = [&](const std::string& file) {
      ++lookups_;
      return files_.status(directory + '/' + file).has_value();
    };
    if (name.starts_with(':'))
      return is_there(name.substr(1));
    return is_there("lib" + name + ".so") || is_there("lib" + name + ".a") ||
           (kind_ == TextFacts::Kind::libtool && is_there("lib" + name + ".la"));
  }

  /// Why a directory is not removed; empty: it may be. Each library is searched for once in each directory.
  std::string_view need(const std::string& directory) {
    const auto [known, is_new] = needs_.try_emplace(directory);
    if (!is_new)
      return known->second;
    const std::vector<std::string>& names = found_nowhere_else();
    const bool is_here = files_.status(directory).has_value();
    std::string_view& why = known->second;
    for (const std::string& name : names) {
      if (lookups_ > most_lookups)
        return why = too_many;
      if (name.find('$') != std::string::npos)
        why = why.empty() ? unnamed : why;
      else if (!is_here)
        return why = unseen;
      else if (has_library(directory, name))
        return why = needed;
    }
    return why = lookups_ > most_lookups ? too_many : why;
  }

  /// The text's libraries that are in none of the directories that certainly remain.
  const std::vector<std::string>& found_nowhere_else() {
    if (elsewhere_known_)
      return nowhere_else_;
    elsewhere_known_ = true;
    // Past the limit nothing is removed anyway: the rest counts as not found, without a lookup of each pair.
    std::copy_if(names_.begin(), names_.end(), std::back_inserter(nowhere_else_),
                 [&](const std::string& name) {
                   return lookups_ > most_lookups ||
                          std::none_of(searched_.begin(), searched_.end(), [&](const std::string& other) {
                            return lookups_ <= most_lookups && has_library(other, name);
                          });
                 });
    return nowhere_else_;
  }

  /// Also stores where in the new text the words are that were not changed.
  std::string rebuilt() {
    std::string text;
    std::size_t at = 0;
    for (const FixedList& one : lists_) {
      text += text_.substr(at, one.list.begin - at);
      if (one.list.separator == LinkList::Separator::blanks)
        add_with_blanks(one, text);
      else
        add_with_semicolons(one, text);
      at = one.list.end;
    }
    text += text_.substr(at);
    return text;
  }
  void add_word(const LinkArgument& word, std::string& text) {
    if (!word.left.empty())
      left_ranges_.push_back({text.size(), text.size() + word.text.size()});
    text += word.text;
  }
  void add_with_blanks(const FixedList& one, std::string& text) {
    const std::size_t begin = text.size();
    std::size_t at = one.list.begin;
    for (const LinkArgument& word : one.words) {
      text += text_.substr(at, word.begin - at);
      while (word.text.empty() && text.size() > begin && (text.back() == ' ' || text.back() == '\t'))
        text.pop_back(); // the blanks before it are removed too
      add_word(word, text);
      at = word.end;
    }
    text += text_.substr(at, one.list.end - at);
  }
  void add_with_semicolons(const FixedList& one, std::string& text) {
    bool first = true;
    for (const LinkArgument& word : one.words) {
      if (word.text.empty() && word.begin != word.end)
        continue;
      text += first ? "" : ";";
      add_word(word, text);
      first = false;
    }
  }

  void report_changes() {
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

  /// Reports what a scan of the new text would find again.
  void report_left() {
    number_lines();
    const std::string& text = result_.text;
    constexpr std::size_t piece = 4096; // texts are short
    NeedleScan scan(
        unwanted_.needles(),
        [&](const Hit& hit) {
          if (rows_.contains(&unwanted_.row(hit.needle)))
            report_left(static_cast<std::size_t>(hit.offset));
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
      return std::tie(a.line, a.word, a.reason) < std::tie(b.line, b.word, b.reason);
    });
    result_.left.erase(std::unique(result_.left.begin(), result_.left.end()), result_.left.end());
  }
  /// Only the first of adjacent hits is reported, with the text around it, so that time and memory are linear
  /// in the text, however many hits there are.
  void report_left(std::size_t at) {
    const auto after =
        std::upper_bound(left_ranges_.begin(), left_ranges_.end(), at,
                         [](std::size_t place, const LeftRange& range) { return place < range.begin; });
    if (after != left_ranges_.begin() && at < std::prev(after)->end)
      return; // reported with the words
    if (at >= last_reported_.begin && at < last_reported_.end)
      return;
    const std::string_view text = result_.text;
    const std::string_view path = path_around(text, at, NeedleSet::longest);
    last_reported_.begin = static_cast<std::size_t>(path.data() - text.data());
    last_reported_.end = last_reported_.begin + path.size();
    const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
    const auto line = static_cast<std::size_t>(next - line_begins_.begin());
    result_.left.push_back({line, std::string(path), reason(line, at)});
  }

  /// No line is added or removed, so a word has the same line in both texts.
  void number_lines() {
    std::size_t line = 1;
    std::size_t at = 0;
    for (const FixedList& one : lists_)
      for (const LinkArgument& word : one.words)
        if (!word.left.empty()) {
          line += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                                      text_.begin() + static_cast<std::ptrdiff_t>(word.begin),
                                                      '\n'));
          at = word.begin;
          result_.left.push_back({line, word.text, std::string(word.left)});
        }
    line_begins_.push_back(0);
    for (at = 0; (at = result_.text.find('\n', at)) != std::string::npos;)
      line_begins_.push_back(++at);
  }

  /// For hits outside of lists. A line is read once, however many hits it has.
  std::string reason(std::size_t line, std::size_t at) {
    constexpr std::string_view includes = "INCLUDE_DIRECTORIES";
    if (marks_.line != line) {
      const std::size_t begin = line_begins_[line - 1];
      const std::size_t end = line < line_begins_.size() ? line_begins_[line] : result_.text.size();
      const std::string_view text = std::string_view(result_.text).substr(begin, end - begin);
      const auto place = [&](std::size_t found) {
        return found == std::string_view::npos ? found : begin + found;
      };
      marks_ = {line, place(text.find('#')), place(text.find(includes)), place(text.find_first_of("=:"))};
    }
    if (marks_.comment < at)
      return "comments are not changed";
    if (marks_.includes < at)
      return std::string(headers_may_be_needed);
    if (kind_ != TextFacts::Kind::cmake && marks_.mark < at && result_.text[marks_.mark] == '=')
      return "variables are not changed, because other lines and packages use them";
    return "only linker options are changed";
  }

  TextFacts::Kind kind_;
  std::string_view text_;
  const Unwanted& unwanted_;
  const UnwantedRows& rows_;
  const Files& files_;
  PkgConfig pkg_config_;          ///< variables that are set before the last list that was expanded
  std::size_t variables_end_ = 0; ///< of those lines
  std::size_t composed_ = 0;      ///< bytes that expanding variables gave
  std::vector<FixedList> lists_;
  std::set<std::string> names_, searched_;
  std::vector<std::string> nowhere_else_;
  bool elsewhere_known_ = false;
  std::map<std::string, std::string_view> needs_; ///< why it is not removed, by directory
  std::size_t lookups_ = 0;                       ///< of libraries, so far
  std::vector<LeftRange> left_ranges_;            ///< ascending
  LeftRange last_reported_;
  LineMarks marks_;                      ///< of the line that was reported last
  std::vector<std::size_t> line_begins_; ///< of the new text
  FixedText result_;
};

} // namespace

FixedText fixed_text(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted,
                     const UnwantedRows& rows, const Files& files, std::string directory) {
  return TextFixer(kind, text, unwanted, rows, files, std::move(directory)).run();
}

} // namespace hostpin::leak
