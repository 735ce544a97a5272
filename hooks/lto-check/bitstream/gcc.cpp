// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/gcc.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <zlib.h>

namespace hostpin::lto {

using namespace binary;

namespace {

// struct lto_section of GCC's lto-streamer.h: i16 major, i16 minor, u8 slim, u8 padding, u16 flags.
constexpr std::size_t version_size = 4, version_section_size = 8, slim_at = 4, flags_at = 6;
/// A deflate block's own tables come first and take up to some 300 bytes.
constexpr std::size_t enough_to_inflate = 1024;
constexpr std::size_t most_units = std::size_t{1} << 18U;
constexpr std::size_t most_tables = 64, most_streams = 256;
constexpr std::uint32_t symbol_table = 2;
constexpr std::uint64_t most_symbol_names = std::uint64_t{1} << 28U;
constexpr std::string_view slim_symbol("\0__gnu_lto_slim\0", 16);
/// In the symbol table a name ends with a NUL, and another one ends its group.
constexpr std::string_view device_label("fatbinData\0\0", 12);

/// The hexadecimal number at the end, after a dot.
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

/// Whether the flags name zstd, in the major version's byte order. lto1 takes any other number as zlib.
bool names_zstd(std::string_view version_section) {
  const bool little = version_section[1] == '\0';
  return version_section.substr(flags_at) ==
         (little ? std::string_view("\1\0", 2) : std::string_view("\0\1", 2));
}

/// By RFC 1950: deflate in the low bits of the first byte, and both bytes together a multiple of 31.
bool begins_zlib(std::string_view bytes) {
  const auto number = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  return bytes.size() >= 2 && (number(0) & 15U) == 8 && (number(0) * 256U + number(1)) % 31 == 0;
}

bool begins_zstd(std::string_view bytes) {
  return bytes.starts_with("\x28\xB5\x2F\xFD");
}

} // namespace

Reading<bool> add_stream(std::vector<Bitstream>& streams, Bitstream stream) {
  if (std::find(streams.begin(), streams.end(), stream) != streams.end())
    return true;
  if (streams.size() == most_streams)
    return damaged("it contains more versions of LTO code than any real input");
  streams.push_back(std::move(stream));
  return true;
}

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
  assembler_ = assembler_ || role == SectionRole::gcc_assembler;
  if (role == SectionRole::gcc_symbols && symbols_.size() < most_tables)
    symbols_.push_back(section);
  if (role != SectionRole::gcc_version && role != SectionRole::gcc_declarations)
    return true;
  if (versioned_.size() + declared_.size() >= most_units)
    return damaged("it has more translation units than any real object");
  const std::uint64_t unit = unit_of(name);
  if (role == SectionRole::gcc_declarations) {
    declared_.push_back({unit, section.offset, section.size});
    return true;
  }
  return add_version(section, versioned_[unit]);
}

Reading<bool> GccCode::add_version(const ObjectSection& section, bool& zstd) {
  const auto content = sections_.content(section);
  if (!content)
    return damaged("a section of GCC's LTO code is past its end");
  const auto bytes = content->view(0, version_section_size);
  const auto version = bytes ? gcc_version(*bytes) : std::nullopt;
  if (!version)
    return damaged("the section .gnu.lto_.lto contains no version");
  zstd = names_zstd(*bytes);
  found_.push_back({LtoFormat::gcc_lto, version->major, version->minor, {}, (*bytes)[slim_at] != 0, 0});
  // Almost all objects have one; in objects that `ld -r` merged, every unit would count.
  if (found_.size() > 1 && found_.back() == found_[found_.size() - 2])
    found_.pop_back();
  return true;
}

Reading<bool> GccCode::add_older(const Unit& unit, bool slim) {
  const auto content = sections_.content({0, 1, 0, unit.offset, unit.size});
  if (!content)
    return damaged("a section of GCC's LTO code is past its end");
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
  TRY(sections_.each([&](const ObjectSection& section) {
    if (section.type == symbol_table)
      symbols = section;
    return !symbols;
  }));
  const auto strings = symbols ? sections_.at(symbols->link) : std::nullopt;
  const auto names = strings ? sections_.content(*strings) : std::nullopt;
  if (symbols && !names)
    return damaged("its symbols' names are past its end");
  if (names && names->size() > most_symbol_names)
    return damaged("it has more symbols than any real object");
  const auto found = names ? names->holds(slim_symbol) : false;
  if (!found)
    return damaged("its symbols' names cannot be read");
  return *found;
}

/// If sections are compressed in another way than the version's section declares, lto1 fails with an internal
/// error. One compiler wrote them all, so checking the sections of declarations, which every unit has, is
/// enough.
Reading<bool> GccCode::check_compression() const {
  for (const Unit& unit : declared_) {
    const auto version = versioned_.find(unit.id);
    if (version == versioned_.end())
      continue;
    const auto content = sections_.content({0, 1, 0, unit.offset, unit.size});
    if (!content)
      return damaged("a section of GCC's LTO code is past its end");
    const std::string_view bytes = content->up_to(0, version_size);
    const bool zstd = version->second;
    if (zstd ? !begins_zstd(bytes) : !begins_zlib(bytes))
      return damaged(std::string("the section .gnu.lto_.lto names ") + (zstd ? "zstd" : "zlib") +
                     " as the compression of its GCC LTO code, which " +
                     (begins_zstd(bytes)   ? "is zstd's"
                      : begins_zlib(bytes) ? "is zlib's"
                                           : "uses neither"));
  }
  return true;
}

/// The assembly text itself is compressed, but the label is referred to, so it is among the symbols.
bool GccCode::names_device_label() const {
  return assembler_ && std::any_of(symbols_.begin(), symbols_.end(), [&](const ObjectSection& table) {
           const auto content = sections_.content(table);
           return content && content->holds(device_label).value_or(false);
         });
}

Reading<bool> GccCode::finish(const std::string& producer, std::vector<Bitstream>& streams) {
  auto sound = check_compression();
  std::erase_if(declared_, [&](const Unit& unit) { return versioned_.contains(unit.id); });
  const bool unknown = seen_ && versioned_.empty() && declared_.empty();
  if (!declared_.empty() || unknown) {
    auto slim = is_slim();
    if (!slim)
      return slim;
    for (const Unit& unit : declared_)
      TRY(add_older(unit, *slim));
    if (unknown)
      found_.push_back({LtoFormat::gcc_lto, std::nullopt, 0, {}, *slim, 0});
  }
  const bool with_device_label = names_device_label();
  for (Bitstream& stream : found_) {
    stream.producer = producer;
    stream.device_label = with_device_label;
    TRY(add_stream(streams, std::move(stream)));
  }
  return sound;
}

} // namespace hostpin::lto
