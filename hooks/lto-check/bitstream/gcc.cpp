// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/gcc.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <zlib.h>

namespace hostpin {

namespace {

// struct lto_section of GCC's lto-streamer.h: i16 major, i16 minor, u8 slim, u8 padding, u16 flags.
constexpr std::size_t version_size = 4, version_section_size = 8, slim_at = 4;
/// A deflate block's own tables come first and take up to some 300 bytes.
constexpr std::size_t enough_to_inflate = 1024;
constexpr std::size_t most_units = std::size_t{1} << 18U;
constexpr std::uint32_t symbol_table = 2;
constexpr std::uint64_t most_symbol_names = std::uint64_t{1} << 28U;
constexpr std::string_view slim_symbol("\0__gnu_lto_slim\0", 16);

/// The number in base 16 at the end, behind a dot.
std::uint64_t unit_of(std::string_view name) {
  std::uint64_t id = 0;
  unsigned shift = 0;
  for (std::size_t at = name.substr(0, name.find('\0')).size(); at > 0 && name[at - 1] != '.' && shift < 64;
       --at, shift += 4) {
    const char digit = name[at - 1];
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    id |= static_cast<std::uint64_t>(value & 15) << shift;
  }
  return id;
}

Reading<bool> found_in(const Bytes& bytes, std::string_view text) {
  for (std::uint64_t at = 0; at + text.size() <= bytes.size(); at += Bytes::view_limit - text.size() + 1) {
    const std::string_view piece = bytes.up_to(at, Bytes::view_limit);
    if (piece.empty())
      return damaged("its symbols' names cannot be read");
    if (piece.find(text) != std::string_view::npos)
      return true;
  }
  return false;
}

} // namespace

std::optional<GccVersion> gcc_version(std::string_view bytes) {
  if (bytes.size() < version_size)
    return std::nullopt;
  const auto number = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const bool little = number(1) == 0;
  const std::uint32_t major = little ? number(0) : number(1);
  if (major == 0 || (!little && number(0) != 0))
    return std::nullopt;
  const std::uint32_t low = little ? number(2) : number(3);
  const std::uint32_t high = little ? number(3) : number(2);
  return GccVersion{major, high << 8U | low};
}

std::optional<GccVersion> gcc_version_in_zlib(std::string_view stream) {
  std::array<char, version_size> head{};
  z_stream inflater{};
  if (inflateInit(&inflater) != Z_OK)
    return std::nullopt;
  inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data())); // zlib does not write there
  inflater.avail_in = static_cast<uInt>(stream.size());
  inflater.next_out = reinterpret_cast<Bytef*>(head.data());
  inflater.avail_out = head.size();
  const int code = inflate(&inflater, Z_SYNC_FLUSH);
  inflateEnd(&inflater);
  if ((code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) || inflater.avail_out != 0)
    return std::nullopt;
  return gcc_version({head.data(), head.size()});
}

Reading<bool> GccCode::add(const ObjectSection& section, std::string_view name, SectionRole role) {
  seen_ = true;
  if (role == SectionRole::gcc_other)
    return true;
  if (versioned_.size() + declared_.size() >= most_units)
    return damaged("it has more translation units than any real object");
  const std::uint64_t unit = unit_of(name);
  if (role == SectionRole::gcc_declarations) {
    declared_.push_back({unit, section.offset, section.size});
    return true;
  }
  versioned_.push_back(unit);
  return add_version(section);
}

Reading<bool> GccCode::add_version(const ObjectSection& section) {
  const auto content = sections_.content(section);
  if (!content)
    return damaged("a section of GCC's LTO code lies past its end");
  const auto bytes = content->view(0, version_section_size);
  const auto version = bytes ? gcc_version(*bytes) : std::nullopt;
  if (!version)
    return damaged("the section .gnu.lto_.lto holds no version");
  found_.push_back({LtoFormat::gcc_lto, version->major, version->minor, {}, (*bytes)[slim_at] != 0, 0});
  // Almost all objects have one; of those that `ld -r` made of many, every unit would count.
  if (found_.size() > 1 && found_.back() == found_[found_.size() - 2])
    found_.pop_back();
  return true;
}

Reading<bool> GccCode::add_older(const Unit& unit, bool slim) {
  const auto content = sections_.content({0, 1, 0, unit.offset, unit.size});
  if (!content)
    return damaged("a section of GCC's LTO code lies past its end");
  const auto version = gcc_version_in_zlib(content->up_to(0, enough_to_inflate));
  if (!version)
    return damaged(
        "its GCC LTO code has no version: neither a section .gnu.lto_.lto, as from GCC 10 on, nor a zlib "
        "stream of GCC 9 or older");
  found_.push_back({LtoFormat::gcc_lto, version->major, version->minor, {}, slim, 0});
  return true;
}

Reading<bool> GccCode::is_slim() const {
  std::optional<ObjectSection> symbols;
  auto read = sections_.each([&](const ObjectSection& section) {
    if (section.type == symbol_table)
      symbols = section;
    return !symbols;
  });
  if (!read)
    return read;
  const auto strings = symbols ? sections_.at(symbols->link) : std::nullopt;
  const auto names = strings ? sections_.content(*strings) : std::nullopt;
  if (symbols && !names)
    return damaged("its symbols' names lie past its end");
  if (names && names->size() > most_symbol_names)
    return damaged("it has more symbols than any real object");
  return names ? found_in(*names, slim_symbol) : false;
}

Reading<bool> GccCode::finish(const std::string& producer, Streams& streams) {
  std::sort(versioned_.begin(), versioned_.end());
  std::erase_if(declared_, [&](const Unit& unit) {
    return std::binary_search(versioned_.begin(), versioned_.end(), unit.id);
  });
  const bool unknown = seen_ && versioned_.empty() && declared_.empty();
  if (!declared_.empty() || unknown) {
    auto slim = is_slim();
    if (!slim)
      return slim;
    for (const Unit& unit : declared_)
      if (auto added = add_older(unit, *slim); !added)
        return added;
    if (unknown)
      found_.push_back({LtoFormat::gcc_lto, std::nullopt, 0, {}, *slim, 0});
  }
  for (Bitstream& stream : found_) {
    stream.producer = producer;
    if (auto added = streams.add(std::move(stream)); !added)
      return added;
  }
  return true;
}

} // namespace hostpin
