// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/text_variables.hpp"

#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/text.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::leak {

namespace {

// Values are limited because each variable may name the one before it twice, and so double with every line.

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

} // namespace

PkgConfig::PkgConfig(std::string directory) {
  if (!directory.empty())
    variables_["pcfiledir"] = std::move(directory);
}

std::optional<PkgConfig::Entry> PkgConfig::line(std::string_view text) {
  const std::size_t mark = text.find_first_of("=:");
  if (mark == std::string_view::npos || trimmed(text).starts_with('#'))
    return std::nullopt;
  const std::string_view key = trimmed(text.substr(0, mark));
  if (!is_name(key))
    return std::nullopt;
  Entry entry{std::string(key), replaced(trimmed(text.substr(mark + 1)), variables_)};
  if (text[mark] == '=' && key.size() <= longest_key)
    variables_[entry.key] = entry.value;
  return entry;
}

std::string replaced(std::string_view value, const Variables& variables) {
  std::string result;
  while (!value.empty() && result.size() < longest_value) {
    const std::size_t dollar = std::min(value.find("${"), value.size());
    result += value.substr(0, dollar);
    value.remove_prefix(dollar);
    const std::size_t end = value.find('}');
    if (value.empty() || end == std::string_view::npos)
      break;
    const auto known = variables.find(value.substr(2, end - 2));
    result += known == variables.end() ? value.substr(0, end + 1) : std::string_view(known->second);
    value.remove_prefix(end + 1);
  }
  result += value;
  result.resize(std::min(result.size(), longest_value));
  return result;
}

namespace {

constexpr std::size_t most_words = 10000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ';';
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The end of a bracket that opens there, `]==]`; empty if none does.
std::string bracket_end(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && text[end] == '=')
    ++end;
  if (at >= text.size() || text[at] != '[' || end >= text.size() || text[end] != '[')
    return {};
  return ']' + std::string(end - at - 1, '=') + ']';
}

} // namespace

std::optional<CMakeVariables::Composed> CMakeVariables::line(std::string_view text) {
  composed_.reset();
  for (std::size_t at = 0; at < text.size();) {
    if (!bracket_end_.empty()) {
      if (skip_bracket(text, at))
        continue;
      break;
    }
    if (quoted_)
      in_quotes(text, at);
    else if (text[at] == '#') {
      bracket_end_ = bracket_end(text, at + 1);
      is_comment_ = true;
      if (bracket_end_.empty())
        break;
      at += bracket_end_.size() + 1;
    } else if (depth_ > 0)
      in_command(text, at);
    else
      between_commands(text, at);
  }
  const bool in_bracket = !bracket_end_.empty() && !is_comment_;
  if (quoted_ || (in_bracket && has_word_))
    word_ += '\n';
  else if (in_bracket)
    has_word_ = true; // a line end right after the opening bracket is not part of it
  else if (depth_ > 0 && bracket_end_.empty())
    end_word();
  // Drop arguments that never end, as in a text that is not CMake.
  if (word_.size() > longest_value || words_.size() > most_words) {
    is_cut_ = true;
    depth_ = 0;
    quoted_ = has_word_ = false;
    words_.clear();
    word_.clear();
  }
  return std::exchange(composed_, std::nullopt);
}

/// Returns whether it ends in this line.
bool CMakeVariables::skip_bracket(std::string_view text, std::size_t& at) {
  const std::size_t end = text.find(bracket_end_, at);
  if (!is_comment_) {
    word_ += text.substr(at, end == std::string_view::npos ? end : end - at);
    has_word_ = true;
  }
  if (end == std::string_view::npos)
    return false;
  at = end + bracket_end_.size();
  bracket_end_.clear();
  return true;
}

void CMakeVariables::in_quotes(std::string_view text, std::size_t& at) {
  if (text[at] == '"')
    quoted_ = false;
  else if (text[at] == '\\' && at + 1 < text.size() && !is_alphanumeric(text[at + 1]))
    word_ += text[++at];
  else
    word_ += text[at];
  ++at;
}

void CMakeVariables::in_command(std::string_view text, std::size_t& at) {
  const char c = text[at];
  if (c == '"') {
    quoted_ = has_word_ = true;
  } else if (is_blank(c)) {
    end_word();
  } else if (c == ')' && --depth_ == 0) {
    end_word();
    end_command();
  } else if (!has_word_ && !bracket_end(text, at).empty()) {
    bracket_end_ = bracket_end(text, at);
    is_comment_ = false;
    at += bracket_end_.size();
    return;
  } else {
    depth_ += c == '(' ? 1U : 0U;
    at += c == '\\' && at + 1 < text.size() && !is_alphanumeric(text[at + 1]) ? 1U : 0U;
    word_ += text[at];
    has_word_ = true;
  }
  ++at;
}

void CMakeVariables::between_commands(std::string_view text, std::size_t& at) {
  if (text[at] == '(') {
    depth_ = 1;
    ++at;
    return;
  }
  std::size_t end = at;
  while (end < text.size() && is_alphanumeric(text[end]))
    ++end;
  if (end > at)
    command_ = text.substr(at, end - at);
  else if (!is_blank(text[at]))
    command_.clear();
  at = std::max(end, at + 1);
}

void CMakeVariables::end_word() {
  const std::string word = std::exchange(word_, {});
  if (!std::exchange(has_word_, false))
    return;
  if (words_.size() > most_words)
    is_cut_ = true;
  else
    words_.push_back(word);
}

void CMakeVariables::end_command() {
  const std::string command = lower_case(std::exchange(command_, {}));
  if (command == "set" || command == "unset" || command == "list" || command == "string") {
    for (std::string& word : words_) {
      if (spent_ > most_composed) { // a line can have any number of words and commands
        is_cut_ = true;
        words_.clear();
        return;
      }
      word = replaced(word, values_);
      spent_ += word.size();
    }
    run(command);
  }
  words_.clear();
}

void CMakeVariables::run(std::string_view command) {
  if (words_.empty())
    return;
  if (command == "list")
    return run_list();
  if (command == "string")
    return run_string();
  // set(NAME VALUE... [PARENT_SCOPE | CACHE TYPE TEXT [FORCE]])
  const auto end = std::find_if(words_.begin() + 1, words_.end(), [](const std::string& word) {
    return word == "PARENT_SCOPE" || word == "CACHE";
  });
  words_.erase(end, words_.end());
  if (command == "unset" || words_.size() < 2)
    values_.erase(words_[0]);
  else
    put(words_[0], joined_from(1, ";"));
}

void CMakeVariables::run_list() {
  const bool appends = words_[0] == "APPEND";
  if (words_.size() < 3 || (!appends && words_[0] != "PREPEND"))
    return;
  std::string value = joined_from(2, ";");
  const std::string& before = values_[words_[1]];
  if (!before.empty())
    value = appends ? before + ';' + value : value.append(1, ';').append(before);
  put(words_[1], std::move(value));
}

void CMakeVariables::run_string() {
  const std::string& what = words_[0];
  const std::size_t name = what == "JOIN" ? 2 : 1;
  if (words_.size() < name + 2 ||
      (what != "CONCAT" && what != "JOIN" && what != "APPEND" && what != "PREPEND"))
    return;
  std::string value = joined_from(name + 1, what == "JOIN" ? std::string_view(words_[1]) : "");
  if (what == "APPEND")
    value.insert(0, values_[words_[1]]);
  else if (what == "PREPEND")
    value += values_[words_[1]];
  put(words_[name], std::move(value));
  composed_ = {words_[name], values_[words_[name]]};
}

void CMakeVariables::put(const std::string& name, std::string value) {
  is_cut_ = is_cut_ || value.size() >= longest_value;
  value.resize(std::min(value.size(), longest_value));
  spent_ += value.size();
  if (spent_ > most_composed)
    is_cut_ = true;
  else
    values_[name] = std::move(value);
}

std::string CMakeVariables::joined_from(std::size_t first, std::string_view glue) const {
  std::string value;
  for (std::size_t i = first; i < words_.size() && value.size() < longest_value; ++i)
    value.append(i > first ? glue : "").append(words_[i]);
  return value;
}

} // namespace hostpin::leak
