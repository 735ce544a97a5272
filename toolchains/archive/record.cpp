// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/record.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t most_rows = std::size_t{4} << 20U;

/// Reads rows of CSV (RFC 4180), whose lines end with LF or CRLF.
class Rows {
public:
  explicit Rows(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  std::size_t line() const { return line_; }

  /// Nothing if a quoted field does not end, or text follows its quote.
  std::optional<std::vector<std::string>> next() {
    std::vector<std::string> fields;
    ++line_;
    for (;;) {
      auto field = take_field();
      if (!field)
        return std::nullopt;
      fields.push_back(*std::move(field));
      if (text_.starts_with(','))
        text_.remove_prefix(1);
      else
        break;
    }
    if (text_.starts_with("\r\n"))
      text_.remove_prefix(2);
    else if (text_.starts_with('\n'))
      text_.remove_prefix(1);
    else if (!text_.empty())
      return std::nullopt;
    return fields;
  }

private:
  std::optional<std::string> take_field() {
    if (text_.starts_with('"'))
      return take_quoted();
    std::size_t end = text_.find_first_of(",\n");
    end = end == std::string_view::npos ? text_.size() : end;
    if (end > 0 && text_[end - 1] == '\r' && text_.substr(end).starts_with('\n'))
      --end;
    std::string field(text_.substr(0, end));
    text_.remove_prefix(end);
    return field;
  }

  std::optional<std::string> take_quoted() {
    std::string field;
    text_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = text_.find('"');
      if (quote == std::string_view::npos)
        return std::nullopt;
      field += text_.substr(0, quote);
      text_.remove_prefix(quote + 1);
      if (!text_.starts_with('"'))
        return field;
      field += '"'; // two quotes are one
      text_.remove_prefix(1);
    }
  }

  std::string_view text_;
  std::size_t line_ = 0;
};

/// A field, in quotes if it has characters that separate fields.
std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(field);
  std::string text = "\"";
  for (const char c : field)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

tl::unexpected<Error> wrong(std::size_t line, const std::string& what) {
  return failure("line " + std::to_string(line) + " of RECORD " + what);
}

} // namespace

Result<std::vector<RecordRow>> read_record(std::string_view text) {
  constexpr std::size_t columns = 3;
  std::vector<RecordRow> rows;
  for (Rows lines(text); !lines.at_end();) {
    auto fields = lines.next();
    if (!fields)
      return wrong(lines.line(), "has a quote that does not end");
    if (fields->size() == 1 && fields->front().empty())
      continue; // an empty line
    if (fields->size() != columns)
      return wrong(lines.line(), "does not have three fields");
    RecordRow row{std::move((*fields)[0]), std::move((*fields)[1]), std::nullopt};
    if (const std::string& size = (*fields)[2]; !size.empty()) {
      std::uint64_t number = 0;
      const auto read = std::from_chars(size.data(), size.data() + size.size(), number);
      if (read.ec != std::errc() || read.ptr != size.data() + size.size())
        return wrong(lines.line(), "has a size that is not a number");
      row.size = number;
    }
    if (rows.size() == most_rows)
      return wrong(lines.line(), "is one too many");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string record_text(const std::vector<RecordRow>& rows) {
  std::string text;
  for (const RecordRow& row : rows)
    text += quoted(row.path) + ',' + row.hash + ',' + (row.size ? std::to_string(*row.size) : "") + '\n';
  return text;
}

bool is_record(std::string_view member, std::string_view info) {
  if (!member.starts_with(info))
    return false;
  member.remove_prefix(info.size());
  return member == "/RECORD" || member == "/RECORD.jws" || member == "/RECORD.p7s";
}

std::string record_hash(std::string_view digest) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr unsigned bits = 6, bits_of_digit = 4;
  std::string text = "sha256=";
  std::uint32_t held = 0;
  unsigned count = 0;
  for (const char c : digest) {
    const int digit = c >= 'a' ? c - 'a' + 10 : c - '0';
    held = held << bits_of_digit | static_cast<std::uint32_t>(digit);
    count += bits_of_digit;
    if (count >= bits) {
      count -= bits;
      text += letters[held >> count & 63U];
    }
  }
  if (count > 0)
    text += letters[held << (bits - count) & 63U];
  return text;
}

} // namespace hostpin
