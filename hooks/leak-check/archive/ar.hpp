// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/archive.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace hostpin {

/// A member of an archive made by `ar`.
struct ArMember {
  std::string name;
  std::uint64_t header = 0; ///< where its header begins in the archive
  std::uint64_t offset = 0; ///< of its content
  std::uint64_t size = 0;   ///< 0 in a thin archive, which holds names only
  bool is_index = false;    ///< the archive's own: a table of symbols or of long names
};

/// Calls `visit` for each member in the archive's order, while it says so. Reads names as GNU, BSD and COFF
/// tools write them. The error says what is damaged; members before it were told. Memory does not grow with
/// the archive.
Result<void> read_ar(const Blob& archive, const std::function<bool(const ArMember&)>& visit);

/// Members that were told, to be found again: of each the place of its header is kept, and no name, as a
/// small archive can give a million members one that is long.
class ArIndex {
public:
  explicit ArIndex(const Blob& archive);

  /// In the archive's order.
  void add(const ArMember& member) { headers_.push_back(member.header); }
  std::size_t size() const { return headers_.size(); }
  /// Read again; nothing when the archive is not what it was.
  std::optional<ArMember> member(std::size_t index) const;
  /// The one in whose content a byte stands, if it does in any.
  std::optional<std::size_t> at(std::uint64_t offset) const;

private:
  std::unique_ptr<const binary::InputFile> file_;
  mutable binary::ArchiveReader reader_;
  std::deque<std::uint64_t> headers_; ///< ascending
};

} // namespace hostpin
