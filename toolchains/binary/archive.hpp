// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

enum class ArchiveKind { none, ordinary, thin };

/// The kind by the first bytes.
ArchiveKind archive_kind(std::string_view head);

struct ArchiveMember {
  std::string name;
  /// The content; nothing in a thin archive, where `name` is a path relative to the archive's directory.
  std::optional<Bytes> content;
  /// A thin archive may name a member of another archive: the offset of its header in the file `name`.
  std::optional<std::uint64_t> nested_at = {};
  std::uint64_t header = 0; ///< its offset in the archive
  std::uint64_t begin = 0;  ///< of the content, or where the next header may be
  bool is_table = false;    ///< the archive's own table of symbols or of names
  bool is_named = true;     ///< else the name cannot be read, and is the raw field of the header
};

/// Reads the members of an archive in order: of the GNU, BSD and Darwin formats, with long names in a table
/// or before the content. `next` skips symbol and name tables.
class ArchiveReader {
public:
  static constexpr std::uint64_t header_size = 60;

  /// `archive` begins with an archive's magic.
  explicit ArchiveReader(Bytes archive, ArchiveKind kind);

  /// Nothing after the last one. After an error there are no more.
  Reading<std::optional<ArchiveMember>> next();
  /// The same, including the archive's tables and members whose name cannot be read.
  Reading<std::optional<ArchiveMember>> next_or_table();
  /// The member or table whose header is at that offset.
  Reading<std::optional<ArchiveMember>> at(std::uint64_t header);

private:
  struct Header;
  std::optional<Header> read_header(std::uint64_t at) const;
  bool load_names(const Bytes& content);
  std::optional<ArchiveMember> member(const Header& header, Bytes content) const;
  std::optional<std::string> long_name(std::uint64_t offset) const;

  Bytes archive_;
  bool thin_;
  std::uint64_t position_;
  std::optional<Bytes> names_;
  std::string loaded_names_; ///< all of `names_`, unless it is too large
};

} // namespace hostpin::binary
