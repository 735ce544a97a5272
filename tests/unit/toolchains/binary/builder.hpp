// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

// The smallest files of each kind that a reader of intermediate code meets.

namespace hostpin::test {

inline std::string number(std::uint64_t value, std::size_t size, bool little = true) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[little ? i : size - 1 - i] = static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

/// A relocatable object of any class and byte order. Section 0 is there, the table of names comes last.
class ObjectBuilder {
public:
  explicit ObjectBuilder(bool wide = true, bool little = true) : wide_(wide), little_(little) {}

  ObjectBuilder& add(const std::string& name, const std::string& content, std::uint32_t type = 1,
                     std::uint32_t link = 0) {
    sections_.push_back({name, content, type, link});
    return *this;
  }
  ObjectBuilder& kind(std::uint16_t value) { return kind_ = value, *this; }
  /// As objects with more than 65279 sections have it: the true numbers stand in the first section.
  ObjectBuilder& numbers_in_first_section() { return elsewhere_ = true, *this; }

  std::string build() const {
    const std::size_t header = wide_ ? 64 : 52, entry = wide_ ? 64 : 40, count = sections_.size() + 2;
    std::string names(1, '\0'), contents, table;
    const auto describe = [&](std::size_t name, std::uint32_t type, std::size_t size, std::uint32_t link) {
      table += number(name, 4, little_) + number(type, 4, little_) + word(0) + word(0) +
               word(header + contents.size()) + word(size) + number(link, 4, little_) +
               number(0, 4, little_) + word(1) + word(0);
    };
    table += std::string(wide_ ? 32 : 20, '\0') + word(elsewhere_ ? count : 0) +
             number(elsewhere_ ? count - 1 : 0, 4, little_) + std::string(entry - (wide_ ? 44 : 28), '\0');
    for (const Section& section : sections_) {
      describe(names.size(), section.type, section.content.size(), section.link);
      names += section.name + '\0';
      contents += section.content;
    }
    describe(names.size(), 3, names.size() + 10, 0);
    names += std::string(".shstrtab") + '\0';
    contents += names;
    std::string head = std::string("\x7f"
                                   "ELF") +
                       (wide_ ? '\2' : '\1') + (little_ ? '\1' : '\2') + '\1';
    head.resize(16);
    head += number(kind_, 2, little_) + number(62, 2, little_) + number(1, 4, little_) + word(0) + word(0) +
            word(header + contents.size()) + number(0, 4, little_) + number(header, 2, little_) +
            number(0, 4, little_) + number(entry, 2, little_) + number(elsewhere_ ? 0 : count, 2, little_) +
            number(elsewhere_ ? 0xffff : count - 1, 2, little_);
    return head + contents + table;
  }

private:
  struct Section {
    std::string name, content;
    std::uint32_t type, link;
  };
  std::string word(std::uint64_t value) const { return number(value, wide_ ? 8 : 4, little_); }

  bool wide_, little_, elsewhere_ = false;
  std::uint16_t kind_ = 1;
  std::vector<Section> sections_;
};

/// The section .gnu.lto_.lto.ID of GCC 10 and newer, written on a machine of that byte order. `compression`:
/// 0 is zlib, 1 zstd.
inline std::string gcc_version_section(std::uint16_t major, std::uint16_t minor, bool slim,
                                       bool little = true, std::uint16_t compression = 0) {
  return number(major, 2, little) + number(minor, 2, little) + (slim ? '\1' : '\0') + '\0' +
         number(compression, 2, little);
}

inline std::string deflated(const std::string& plain) {
  uLongf size = compressBound(plain.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
           plain.size());
  packed.resize(size);
  return packed;
}

inline std::string gcc_object(std::uint16_t major, std::uint16_t minor, bool slim = true) {
  return ObjectBuilder()
      .add(".gnu.lto_.lto.4f2", gcc_version_section(major, minor, slim))
      .add(".gnu.lto_.decls.4f2", deflated("anything"))
      .add(".comment", std::string("\0GCC: (test) 1.2.3\0", 19))
      .build();
}

/// As GCC 9 and older write it.
inline std::string old_gcc_object(std::uint16_t major, std::uint16_t minor, bool slim) {
  return ObjectBuilder()
      .add(".gnu.lto_.decls.4f2", deflated(number(major, 2) + number(minor, 2) + std::string(500, 'x')))
      .add(".symtab", std::string(24, '\0'), 2, 3)
      .add(".strtab", std::string("\0main\0", 6) + (slim ? std::string("__gnu_lto_slim\0", 15) : ""), 3)
      .add(".comment", std::string("GCC: (test) 1.2.3\0", 18))
      .build();
}

/// Bits of an LLVM bitstream, lowest first.
class BitWriter {
public:
  BitWriter& fixed(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      bits_.push_back((value >> i & 1U) != 0);
    return *this;
  }
  BitWriter& variable(std::uint64_t value, unsigned width) {
    const std::uint64_t more = std::uint64_t{1} << (width - 1);
    for (; value >= more; value >>= width - 1)
      fixed((value & (more - 1)) | more, width);
    return fixed(value, width);
  }
  BitWriter& record(unsigned abbreviation_width, unsigned code, const std::string& operands) {
    fixed(3, abbreviation_width).variable(code, 6).variable(operands.size(), 6);
    for (const char operand : operands)
      variable(static_cast<unsigned char>(operand), 6);
    return *this;
  }
  /// Whole words.
  std::string bytes() const {
    std::string result((bits_.size() + 31) / 32 * 4, '\0');
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i])
        result[i / 8] = static_cast<char>(static_cast<unsigned char>(result[i / 8]) | 1U << i % 8);
    return result;
  }

private:
  std::vector<bool> bits_;
};

inline std::string block(std::uint32_t id, const std::string& content) {
  return BitWriter().fixed(1, 2).variable(id, 8).variable(5, 4).bytes() + number(content.size() / 4, 4) +
         content;
}

inline std::string identification(const std::string& producer, char epoch = 0) {
  return block(13,
               BitWriter().record(5, 1, producer).record(5, 2, std::string(1, epoch)).fixed(0, 5).bytes());
}

inline const std::string bitcode_magic("BC\xC0\xDE", 4);

/// A module without anything in it, and a table of symbols behind it.
inline std::string module_of(const std::string& producer) {
  return identification(producer) + block(8, std::string(40, '\0')) + block(25, std::string(16, '\0'));
}

inline std::string bitcode(const std::string& producer) {
  return bitcode_magic + module_of(producer);
}

inline std::string wrapped(const std::string& bitcode) {
  return number(0x0b17c0de, 4) + number(0, 4) + number(20, 4) + number(bitcode.size(), 4) + number(7, 4) +
         bitcode;
}

struct Piece {
  std::uint16_t kind;
  std::uint32_t architecture;
  std::uint16_t major, minor;
};

inline std::string fatbin(const std::vector<Piece>& pieces, std::uint16_t version = 1) {
  std::string content;
  for (const Piece& piece : pieces)
    content += number(piece.kind, 2) + number(0x101, 2) + number(0x40, 4) + number(24, 8) + number(20, 4) +
               number(0, 4) + number(piece.minor, 2) + number(piece.major, 2) +
               number(piece.architecture, 4) + std::string(32 + 24, '\x5a');
  return number(0xba55ed50, 4) + number(version, 2) + number(16, 2) + number(content.size(), 8) + content;
}

inline std::string padded(std::string text, std::size_t size) {
  text.resize(size, ' ');
  return text;
}

/// A member with its header. `size` is what the header says.
inline std::string member(const std::string& name, const std::string& content, std::size_t size) {
  std::string text = padded(name, 16) + padded("0", 12) + padded("0", 6) + padded("0", 6) + padded("644", 8) +
                     padded(std::to_string(size), 10) + "`\n" + content;
  return text.size() % 2 == 0 ? text : text + '\n';
}

inline std::string member(const std::string& name, const std::string& content) {
  return member(name, content, content.size());
}

/// BSD's and Darwin's way with long names.
inline std::string bsd_member(const std::string& name, const std::string& content) {
  const std::string field = name + std::string(8 - name.size() % 8, '\0');
  return member("#1/" + std::to_string(field.size()), field + content);
}

inline std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "!<arch>\n";
  for (const auto& [name, content] : members)
    text += member(name + '/', content);
  return text;
}

} // namespace hostpin::test
