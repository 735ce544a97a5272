// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/pieces.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t longest_piece = std::size_t{16} << 20U;
constexpr std::size_t deepest = 8, most_members = 64;
constexpr std::size_t most_values = std::size_t{1} << 18U; ///< of a piece; each takes far more than its text

/// What a parser reads, and no more of it at once than a piece may have.
class Source final : public std::streambuf {
public:
  explicit Source(const ReadReport& read) : read_(read) {}

  /// Bytes that were given out.
  std::uint64_t at() const { return read_so_far_ - static_cast<std::uint64_t>(egptr() - gptr()); }
  /// A piece has ended: the next one may be as long.
  void begin_piece() { piece_ = 0; }
  const std::optional<std::string>& trouble() const { return trouble_; }

protected:
  int_type underflow() override {
    if (trouble_)
      return traits_type::eof();
    if (piece_ > longest_piece) {
      trouble_ = "one piece of it is longer than any that is written";
      return traits_type::eof();
    }
    const auto count = read_(buffer_.data(), buffer_.size());
    if (!count)
      trouble_ = count.error().message;
    if (!count || *count == 0)
      return traits_type::eof();
    read_so_far_ += *count;
    piece_ += *count;
    setg(buffer_.data(), buffer_.data(), buffer_.data() + *count);
    return traits_type::to_int_type(*gptr());
  }

private:
  const ReadReport& read_;
  std::array<char, std::size_t{64} << 10U> buffer_;
  std::uint64_t read_so_far_ = 0;
  std::size_t piece_ = 0;
  std::optional<std::string> trouble_;
};

/// Builds each piece from the parser's events, and hands it on.
class Pieces final : public nlohmann::json_sax<ReportJson> {
public:
  Pieces(Source& source, const TakePiece& take) : source_(source), take_(take) {}

  bool null() override { return add(ReportJson()); }
  bool boolean(bool value) override { return add(ReportJson(value)); }
  bool number_integer(number_integer_t value) override { return add(ReportJson(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(ReportJson(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(ReportJson(value)); }
  bool string(string_t& value) override { return add(ReportJson(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return fail("it is no JSON"); }

  bool start_object(std::size_t /*count*/) override { return open(ReportJson::object()); }
  bool start_array(std::size_t /*count*/) override { return open(ReportJson::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      key_ = std::move(name);
      index_ = 0;
    } else {
      keys_.back() = std::move(name);
    }
    return true;
  }

  bool parse_error(std::size_t /*at*/, const std::string& /*last*/,
                   const nlohmann::detail::exception& /*what*/) override {
    if (!error_)
      error_ = Error{source_.trouble().value_or("it is no JSON any more here, or not all of it"), {}};
    return false;
  }

  const std::optional<Error>& error() const { return error_; }
  std::string place() const {
    std::string text = ", byte " + std::to_string(source_.at());
    if (!key_.empty())
      text += ", " + key_ + (in_list_ ? '[' + std::to_string(index_) + ']' : std::string());
    return text + ": ";
  }

private:
  bool fail(const char* message) {
    error_ = Error{message, {}};
    return false;
  }

  bool open(ReportJson value) {
    if (++depth_ == 1)
      return value.is_object() ? true : fail("it is no JSON object");
    if (depth_ > deepest)
      return fail("it is nested deeper than any report");
    if (depth_ == 2 && value.is_array()) {
      in_list_ = true;
      return true;
    }
    open_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    if (--depth_ == 0)
      return true;
    if (depth_ == 1 && in_list_) {
      in_list_ = false;
      return hand_on(ReportJson::array(), false);
    }
    ReportJson value = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(value));
  }

  bool add(ReportJson value) {
    if (depth_ == 0)
      return fail("it is no JSON object");
    if (open_.empty())
      return hand_on(value, in_list_);
    if (++values_ > most_values)
      return fail("one piece of it has more values than any that is written");
    if (ReportJson& in = open_.back(); in.is_array())
      in.push_back(std::move(value));
    else if (in.size() == most_members) // each is looked for among the others
      return fail("it has more members than any report");
    else
      in[keys_.back()] = std::move(value);
    return true;
  }

  bool hand_on(const ReportJson& value, bool is_element) {
    auto taken = take_(key_, value, is_element);
    if (!taken) {
      error_ = taken.error();
      return false;
    }
    index_ += is_element ? 1U : 0U;
    values_ = 0;
    source_.begin_piece();
    return true;
  }

  Source& source_;
  const TakePiece& take_;
  std::size_t depth_ = 0;
  std::string key_;         ///< of the member at hand
  std::uint64_t index_ = 0; ///< in it, where it is a list
  bool in_list_ = false;
  std::size_t values_ = 0;        ///< in the piece at hand
  std::vector<ReportJson> open_;  ///< objects and lists of the piece at hand, the innermost last
  std::vector<std::string> keys_; ///< of what stands next in each of them
  std::optional<Error> error_;
};

} // namespace

Result<void> read_pieces(const ReadReport& read, const TakePiece& take) {
  Source source(read);
  std::istream stream(&source);
  Pieces pieces(source, take);
  if (ReportJson::sax_parse(stream, &pieces))
    return {};
  const Error error = pieces.error().value_or(Error{"it is no JSON", {}});
  return error.hint.empty() ? failure(pieces.place() + error.message) : tl::unexpected(error);
}

} // namespace hostpin
