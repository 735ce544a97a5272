// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/damage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::binary {

enum class ArchiveKind { none, ordinary, thin };

/// What the first bytes say.
ArchiveKind archive_kind(std::string_view head);

struct ArchiveMember {
  std::string name;
  /// The content; nothing in a thin archive, where `name` is a path, relative to the archive's directory.
  std::optional<Bytes> content;
  /// A thin archive may name a member of another archive: where its header stands in the file `name`.
  std::optional<std::uint64_t> nested_at;
};

/// The members of an archive one after another: of GNU, BSD and Darwin make, with long names in a table or
/// before the content. Symbol and name tables are no members.
class ArchiveReader {
public:
  /// `archive` begins with an archive's magic.
  explicit ArchiveReader(Bytes archive, ArchiveKind kind);

  /// Nothing after the last one. After an error there are no more.
  Reading<std::optional<ArchiveMember>> next();
  /// The member whose header stands there.
  Reading<std::optional<ArchiveMember>> at(std::uint64_t header);

private:
  struct Header;
  std::optional<Header> read_header(std::uint64_t at) const;
  std::optional<ArchiveMember> member(const Header& header, Bytes content);
  std::optional<std::string> long_name(std::uint64_t offset) const;

  Bytes archive_;
  bool thin_;
  std::uint64_t position_;
  std::optional<Bytes> names_;
  std::string loaded_names_; ///< all of `names_`, where that is not too much
};

} // namespace hostpin::binary
