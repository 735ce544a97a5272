// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/tokens.hpp"

#include <algorithm>
#include <cstddef>

namespace hostpin::cmdline {

namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Copies one argument to `out`, starting at `in`; advances both. `out` never overtakes `in`.
std::string_view take_argument(const char*& in, const char* end, char*& out) {
  char* const begin = out;
  char quote = '\0';
  for (; in != end && (quote != '\0' || !is_space(*in)); ++in) {
    if (*in == '\\') {
      if (++in == end)
        break;
      *out++ = *in;
    } else if (quote != '\0') {
      if (*in == quote)
        quote = '\0';
      else
        *out++ = *in;
    } else if (*in == '\'' || *in == '"') {
      quote = *in;
    } else {
      *out++ = *in;
    }
  }
  return {begin, static_cast<std::size_t>(out - begin)};
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_file_blank(char c) {
  return is_blank(c) || c == '\n' || c == '\r';
}

// The bytes of an options file as nvcc's line reader returns them: the rest of a line after a NUL is skipped.
class FileBytes {
public:
  explicit FileBytes(std::string_view text) : text_(text) { skip_hidden(); }

  bool done() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  char take() {
    const char c = text_[at_++];
    skip_hidden();
    return c;
  }

private:
  void skip_hidden() {
    while (at_ < text_.size() && text_[at_] == '\0') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Between arguments even an escaped space or tab is a blank; an escaped line end starts an argument.
void skip_blanks(FileBytes& bytes) {
  while (!bytes.done()) {
    FileBytes ahead = bytes;
    const char c = ahead.take();
    const bool escaped = c == '\\' && !ahead.done() && is_blank(ahead.take());
    if (!escaped && !is_file_blank(c))
      return;
    bytes = ahead;
  }
}

// Appends one argument; false if the text ends within quotes or after a backslash.
bool take_word(FileBytes& bytes, std::string& storage) {
  bool quoted = false;
  char last = '\0';
  // nvcc first resolves backslashes and then removes quotes, grouping or not: only a quote that is then
  // preceded by a backslash stays.
  const auto put = [&](char c) {
    if (c != '"' || last == '\\')
      storage += c;
    last = c;
  };
  while (!bytes.done() && (quoted || !is_file_blank(bytes.peek()))) {
    const char c = bytes.take();
    quoted ^= c == '"';
    if (c == '\\' && bytes.done())
      return false;
    put(c == '\\' ? bytes.take() : c);
  }
  return !quoted;
}

// Where the double quotes of a flags variable or a list open and close.
class Quotes {
public:
  explicit Quotes(bool escaped) : escaped_(escaped) {}

  /// Whether this character is a quote that opens or closes.
  bool take(char c) {
    const bool counts = c == '"' && !(open_ && escaped_ && last_ == '\\');
    open_ ^= counts;
    last_ = c;
    return counts;
  }
  bool open() const { return open_; }

private:
  bool escaped_;
  bool open_ = false;
  char last_ = '\0';
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

} // namespace

Result<std::vector<std::string>> command_words(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote == 0 && blanks.find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
      continue;
    }
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      continue;
    }
    // Within double quotes a backslash is special only before a character that is special there.
    const bool escapes = c == '\\' && i + 1 < text.size() &&
                         (quote == 0 || (quote == '"' && std::string_view("\"\\$`").find(text[i + 1]) !=
                                                             std::string_view::npos));
    if (escapes)
      c = text[++i];
    words.back() += c;
  }
  if (quote != 0)
    return failure(std::string("the quote ") + quote + " in '" + std::string(text) + "' is not closed");
  return words;
}

std::vector<std::string_view> split_response(std::string& text) {
  std::vector<std::string_view> arguments;
  const char* in = text.data();
  const char* const end = in + std::min(text.find('\0'), text.size());
  char* out = text.data();
  while (true) {
    while (in != end && is_space(*in))
      ++in;
    if (in == end)
      return arguments;
    arguments.push_back(take_argument(in, end, out));
  }
}

bool split_option_file(std::string_view text, std::string& storage, std::vector<std::string_view>& words) {
  storage.clear();
  words.clear();
  // Every argument but the last is followed by a blank, which leaves space for its NUL: the views stay valid.
  storage.reserve(text.size() + 1);
  FileBytes bytes(text);
  while (true) {
    skip_blanks(bytes);
    if (bytes.done())
      return true;
    const std::size_t start = storage.size();
    if (!take_word(bytes, storage))
      return false;
    words.emplace_back(storage.data() + start, storage.size() - start);
    storage += '\0';
  }
}

bool split_flags(std::string_view value, bool escaped_quotes, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t at = 0;
  while (true) {
    while (at < value.size() && is_blank(value[at]))
      ++at;
    if (at == value.size())
      return true;
    const std::size_t start = at;
    Quotes quotes(escaped_quotes);
    while (at < value.size() && (quotes.open() || !is_blank(value[at])))
      quotes.take(value[at++]);
    if (quotes.open())
      return false;
    words.push_back(value.substr(start, at - start));
  }
}

std::optional<std::vector<std::string>> split_list(std::string_view value, bool escaped_quotes) {
  std::vector<std::string> elements;
  std::string element;
  Quotes quotes(escaped_quotes);
  const auto finish = [&] {
    if (const std::string_view kept = trimmed(element); !kept.empty())
      elements.emplace_back(kept);
    element.clear();
  };
  for (const char c : value) {
    if (quotes.take(c))
      continue;
    if (c == ',' && !quotes.open())
      finish();
    else
      element += c;
  }
  if (quotes.open())
    return std::nullopt;
  finish();
  return elements;
}

} // namespace hostpin::cmdline
