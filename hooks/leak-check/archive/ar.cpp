// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/archive/ar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t magic_size = 8, header_size = 60;
constexpr std::size_t most_long_names = std::size_t{16} << 20U;
constexpr std::size_t longest_name = 4096;

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
  explicit Reader(const Blob& archive) : archive_(archive) {}

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
    member.is_index = name == "/" || name == "//" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
    if (is_thin() && !member.is_index) {
      member.size = 0;
    } else if (member.size > archive_.size() - member.offset) {
      return failure("it is cut short: a member at byte " + std::to_string(at) + " ends behind its end");
    }
    if (name == "//")
      read_long_names(member);
    name_member(member, name);
    return member;
  }

  bool is_thin() {
    if (!thin_)
      thin_ = archive_.beginning(magic_size) == "!<thin>\n";
    return *thin_;
  }

  void read_long_names(const ArMember& table) {
    long_names_ = archive_.part(table.offset, table.size).all(most_long_names).value_or(std::string());
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
        const std::string_view rest =
            std::string_view(long_names_).substr(static_cast<std::size_t>(begin), longest_name);
        const std::string_view line = rest.substr(0, rest.find('\n'));
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
  std::string long_names_;
};

} // namespace

Result<void> read_ar(const Blob& archive, const std::function<bool(const ArMember&)>& visit) {
  return Reader(archive).read(visit);
}

} // namespace hostpin
