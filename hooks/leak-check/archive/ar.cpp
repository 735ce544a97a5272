// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/archive/ar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t magic_size = 8, header_size = 60;
constexpr std::size_t longest_name = 4096;
constexpr std::string_view long_names_table = "//";

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class Reader {
public:
  /// `long_names`: the table of names, where that was read before.
  explicit Reader(const Blob& archive, Blob long_names = Blob(std::string()))
      : archive_(archive), long_names_(std::move(long_names)) {}

  /// The one whose header is there.
  Result<ArMember> member_at(std::uint64_t at) {
    std::array<char, header_size> header{};
    const auto count = archive_.read(at, header);
    if (!count)
      return tl::unexpected(count.error());
    return member_at(at, {header.data(), *count});
  }

  Result<void> read(const std::function<bool(const ArMember&)>& visit) {
    std::array<char, header_size> header{};
    for (std::uint64_t at = magic_size; at < archive_.size();) {
      const auto count = archive_.read(at, header);
      if (!count)
        return tl::unexpected(count.error());
      const std::string_view fields(header.data(), *count);
      if (fields.find_first_not_of('\n') == std::string_view::npos)
        return {}; // padding at the end
      auto member = member_at(at, fields);
      if (!member)
        return tl::unexpected(std::move(member.error()));
      const std::uint64_t end = member->offset + member->size;
      if (!visit(*member))
        return {};
      at = end + end % 2; // members start at even offsets
    }
    return {};
  }

private:
  Result<ArMember> member_at(std::uint64_t at, std::string_view fields) {
    if (fields.size() < header_size)
      return failure("it is cut short: the header of a member is not complete");
    const auto size = decimal(fields.substr(48, 10));
    if (!fields.ends_with("`\n") || !size)
      return failure("it is damaged: no member begins at byte " + std::to_string(at));
    ArMember member;
    member.header = at;
    member.offset = at + header_size;
    member.size = *size;
    const std::string_view name = trimmed(fields.substr(0, 16));
    member.is_index =
        name == "/" || name == long_names_table || name == "/SYM64/" || name.starts_with("__.SYMDEF");
    if (is_thin() && !member.is_index) {
      member.size = 0;
    } else if (member.size > archive_.size() - member.offset) {
      return failure("it is cut short: a member at byte " + std::to_string(at) + " ends behind its end");
    }
    if (name == long_names_table)
      long_names_ = archive_.part(member.offset, member.size);
    name_member(member, name);
    return member;
  }

  bool is_thin() {
    if (!thin_)
      thin_ = archive_.beginning(magic_size) == "!<thin>\n";
    return *thin_;
  }

  void name_member(ArMember& member, std::string_view name) const {
    if (member.is_index) {
      member.name = name;
    } else if (name.starts_with("#1/")) { // BSD: the name stands before the content
      const std::uint64_t length = std::min(decimal(name.substr(3)).value_or(0), member.size);
      const std::string text =
          archive_.part(member.offset, std::min<std::uint64_t>(length, longest_name)).beginning(longest_name);
      member.name = text.substr(0, text.find('\0'));
      member.is_index = member.name.starts_with("__.SYMDEF");
      member.offset += length;
      member.size -= length;
    } else if (name.size() > 1 && name.front() == '/') { // GNU: an offset into the table of long names
      const std::uint64_t begin = decimal(name.substr(1)).value_or(long_names_.size());
      if (begin < long_names_.size()) {
        const std::string rest = long_names_.part(begin, longest_name).beginning(longest_name);
        const std::string_view line = std::string_view(rest).substr(0, rest.find('\n'));
        member.name = line.ends_with('/') ? line.substr(0, line.size() - 1) : line;
      } else {
        member.name = name;
      }
    } else {
      member.name = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    }
  }

  const Blob& archive_;
  std::optional<bool> thin_;
  Blob long_names_;
};

} // namespace

Result<void> read_ar(const Blob& archive, const std::function<bool(const ArMember&)>& visit) {
  return Reader(archive).read(visit);
}

void ArIndex::add(const ArMember& member) {
  headers_.push_back(member.header);
  if (member.name == long_names_table && member.is_index)
    long_names_ = archive_.part(member.offset, member.size);
}

std::optional<ArMember> ArIndex::member(std::size_t index) const {
  auto member = Reader(archive_, long_names_).member_at(headers_[index]);
  return member ? std::optional(*std::move(member)) : std::nullopt;
}

std::optional<std::size_t> ArIndex::at(std::uint64_t offset) const {
  const auto behind = std::upper_bound(headers_.begin(), headers_.end(), offset);
  if (behind == headers_.begin())
    return std::nullopt;
  const auto index = static_cast<std::size_t>(std::prev(behind) - headers_.begin());
  const auto before = member(index);
  const bool within = before && offset >= before->offset && offset - before->offset < before->size;
  return within ? std::optional(index) : std::nullopt;
}

} // namespace hostpin
