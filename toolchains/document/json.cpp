// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/json.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::document {

namespace {

/// Iterates over a text and stores how much of it the parser has read, which its events do not contain.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *read_ = ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
  const char* at_;
  const char** read_;
};

/// Positions in a text that is read from its beginning to its end.
class Lines {
public:
  explicit Lines(std::string_view text) : at_(text.data()), line_begin_(at_) {}

  Position of(const char* place) {
    while (at_ < place) {
      const void* const found = std::memchr(at_, '\n', static_cast<std::size_t>(place - at_));
      if (found == nullptr)
        break;
      at_ = line_begin_ = static_cast<const char*>(found) + 1;
      ++line_;
    }
    at_ = std::max(at_, place);
    return {line_, static_cast<unsigned>(std::max(place, line_begin_) - line_begin_) + 1};
  }

private:
  const char* at_;
  const char* line_begin_;
  unsigned line_ = 1;
};

/// Receives the events of nlohmann's parser. `read_` is after the token of the event, or after one more
/// character if that is a number.
class Builder {
public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(std::string_view content, std::size_t most)
      : begin_(content.data()), end_(begin_ + content.size()), read_(begin_), lines_(content), most_(most) {}

  tl::expected<Value, Problem> parse() {
    if (nlohmann::json::sax_parse(CountingIterator(begin_, &read_), CountingIterator(end_, &read_), this))
      return std::move(root_);
    return tl::unexpected(std::move(error_));
  }

  bool null() { return scalar(Value::Kind::null, "null", 4); }
  bool boolean(bool truth) {
    add(Value::Kind::boolean, read_ - (truth ? 4 : 5)).truth = truth;
    return is_within_count();
  }
  bool number_integer(number_integer_t) { return number(); }
  bool number_unsigned(number_unsigned_t) { return number(); }
  bool number_float(number_float_t, const string_t&) { return number(); }
  bool string(string_t& text) {
    add(Value::Kind::string, quotation_mark()).text = std::move(text);
    return is_within_count();
  }
  bool binary(binary_t&) { return false; } // never in text
  bool start_object(std::size_t) { return open(Value::Kind::object); }
  bool start_array(std::size_t) { return open(Value::Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& text) {
    open_.back()->members.push_back({std::move(text), lines_.of(quotation_mark()), {}});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    // nlohmann's text is "[json.exception.parse_error.101] parse error at line 1, column 2: what".
    std::string_view what = error.what();
    if (const std::size_t colon = what.find(": "); colon != std::string_view::npos)
      what.remove_prefix(colon + 2);
    error_ = {std::string(what), lines_.of(read_ == begin_ ? begin_ : read_ - 1)};
    return false;
  }

private:
  Value& add(Value::Kind kind, const char* place) {
    Value& value = open_.empty()                              ? root_
                   : open_.back()->kind == Value::Kind::array ? open_.back()->items.emplace_back()
                                                              : open_.back()->members.back().value;
    value.kind = kind;
    value.at = lines_.of(place);
    ++count_;
    last_ = value.at;
    return value;
  }

  bool is_within_count() {
    if (count_ <= most_)
      return true;
    error_ = {"there are more than " + std::to_string(most_) + " values", last_};
    return false;
  }

  bool scalar(Value::Kind kind, std::string_view text, std::ptrdiff_t length) {
    add(kind, read_ - length).text = text;
    return is_within_count();
  }

  bool number() {
    const auto is_part = [](char letter) {
      return std::string_view("+-.0123456789Ee").find(letter) != std::string_view::npos;
    };
    const char* last = read_;
    while (last > begin_ && !is_part(last[-1]))
      --last;
    const char* first = last;
    while (first > begin_ && is_part(first[-1]))
      --first;
    add(Value::Kind::number, first).text.assign(first, last);
    return is_within_count();
  }

  /// Of the string that has just been read: the last one before its end that is not escaped.
  const char* quotation_mark() const {
    const char* place = read_ - 2;
    for (;; --place) {
      if (*place != '"')
        continue;
      const char* slash = place;
      while (slash > begin_ && slash[-1] == '\\')
        --slash;
      if ((place - slash) % 2 == 0)
        return place;
    }
  }

  bool open(Value::Kind kind) {
    Value& value = add(kind, read_ - 1);
    if (open_.size() == deepest_json) {
      error_ = {"arrays and objects are nested more than " + std::to_string(deepest_json) + " levels deep",
                value.at};
      return false;
    }
    open_.push_back(&value);
    return is_within_count();
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const char* begin_;
  const char* end_;
  const char* read_;
  Lines lines_;
  std::size_t most_; // values
  Value root_;
  std::size_t count_ = 0;    // of values
  Position last_;            // of the last of them
  std::vector<Value*> open_; // not moved while open: values are added to the innermost one only
  Problem error_;
};

} // namespace

tl::expected<Value, Problem> parse_json(std::string_view content, std::size_t most) {
  if (content.starts_with("\xef\xbb\xbf")) // which the library would skip
    return tl::unexpected(Problem{"it begins with a byte order mark", {1, 1}});
  return Builder(content, most).parse();
}

} // namespace hostpin::document
