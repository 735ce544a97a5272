// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/bytes.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace hostpin::binary {

struct ObjectSection {
  std::uint64_t name = 0; ///< offset in the table of names
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  std::uint64_t offset = 0, size = 0;
  std::uint64_t flags = 0;

  static constexpr std::uint32_t no_bits = 8; ///< a type: it takes no bytes of the file
};

/// Which ELF files to read.
enum class ElfKinds {
  relocatable,
  any, ///< programs and shared libraries too
};

/// The sections of an ELF file of either class and byte order, read in pieces.
class SectionTable {
public:
  SectionTable(SectionTable&&) = default; // views into the vectors stay valid
  SectionTable& operator=(SectionTable&&) = default;
  SectionTable(const SectionTable&) = delete;
  SectionTable& operator=(const SectionTable&) = delete;
  ~SectionTable() = default;

  /// Nothing for another kind of file: not ELF, or a program or shared library that `kinds` excludes.
  static Reading<std::optional<SectionTable>> open(const Bytes& file, ElfKinds kinds = ElfKinds::relocatable);

  /// `open` in three steps, of which only the first is needed for `count`, and the last for names: the ELF
  /// header, the table, and the names.
  static Reading<std::optional<SectionTable>> open_header(const Bytes& file, ElfKinds kinds);
  Reading<bool> load_sections();
  Reading<bool> load_names();

  std::uint64_t type() const { return type_; } ///< e_type
  std::uint64_t count() const { return count_; }
  bool has_names() const { return names_.has_value(); }
  std::uint64_t end() const { return offset_ + count_ * entry(); } ///< of the table in the file
  /// Access to numbers in the file's byte order.
  ElfBytes numbers(std::string_view bytes) const { return {bytes, wide_, little_}; }
  bool is_wide() const { return wide_; }

  /// Visits the sections in order until `visit` returns false.
  template <typename Visit>
  Reading<bool> each(const Visit& visit) const;
  std::optional<ObjectSection> at(std::uint64_t index) const;
  /// The first `longest` bytes of the name, valid until the next call: a shorter name ends at a NUL. Empty if
  /// the object names no sections, nothing if the name is outside the table.
  std::optional<std::string_view> name_bytes(const ObjectSection& section,
                                             std::size_t longest = longest_name) const;
  static constexpr std::size_t longest_name = 48;

  /// Nothing if the section reaches past the end of the file.
  std::optional<Bytes> content(const ObjectSection& section) const;

private:
  SectionTable(const Bytes& file, bool wide, bool little) : file_(file), wide_(wide), little_(little) {}
  std::size_t entry() const { return wide_ ? 64 : 40; }
  ObjectSection section(const char* header) const;
  /// The headers from byte `at` of the table on, as many as are read at once; empty if they cannot be read.
  /// `own` stores them.
  std::string_view piece(std::uint64_t at, std::vector<char>& own) const;

  /// A view of what the file has in memory, or of a copy in `own`; nothing if it cannot be read.
  static std::optional<std::string_view> load(const Bytes& bytes, std::vector<char>& own);

  Bytes file_;
  bool wide_;
  bool little_;
  std::uint64_t offset_ = 0;
  std::uint64_t count_ = 0; ///< once loaded, all of them are inside the file
  std::uint64_t type_ = 0;
  std::uint64_t header_names_ = 0;   ///< as in the ELF header
  std::string_view loaded_sections_; ///< the first ones
  std::optional<Bytes> names_;
  std::string_view loaded_names_; ///< all of `names_`, unless it is too large
  std::vector<char> own_sections_, own_names_;
};

// Objects have thousands of sections; a scan spends most of its time here.
inline ObjectSection SectionTable::section(const char* header) const {
  const bool swapped = little_ != (std::endian::native == std::endian::little);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, header + at, sizeof value);
    return swapped ? __builtin_bswap32(value) : value;
  };
  const auto wide_word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, header + at, sizeof value);
    return swapped ? __builtin_bswap64(value) : value;
  };
  return wide_ ? ObjectSection{word(0), word(4), word(40), wide_word(24), wide_word(32), wide_word(8)}
               : ObjectSection{word(0), word(4), word(24), word(16), word(20), word(8)};
}

template <typename Visit>
Reading<bool> SectionTable::each(const Visit& visit) const {
  std::vector<char> own;
  std::string_view headers;
  for (std::uint64_t done = 0; done < count_ * entry(); done += headers.size()) {
    headers = piece(done, own);
    if (headers.empty())
      return damaged("its section headers cannot be read");
    for (std::size_t at = 0; at < headers.size(); at += entry())
      if (!visit(section(headers.data() + at)))
        return false;
  }
  return true;
}

} // namespace hostpin::binary
