// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace hostpin::leak {

/// A member of an archive made by `ar`.
struct ArMember {
  std::string name;
  std::uint64_t header = 0; ///< offset of its header in the archive
  std::uint64_t offset = 0; ///< of its content
  std::uint64_t size = 0;   ///< 0 in a thin archive, which holds only names
  bool is_index = false;    ///< the archive's own table of symbols or of long names
};

/// Calls `visit` for each member in order, until it returns false. Reads names as GNU, BSD and COFF tools
/// write them. The error describes the damage; members before it have been visited. Memory does not grow with
/// the archive.
Result<void> read_ar(const binary::Blob& archive, const std::function<bool(const ArMember&)>& visit);

/// Members that were visited, to be found again: it stores only the offset of each header and no name,
/// because a small archive can give a million members one long name.
class ArIndex {
public:
  explicit ArIndex(const binary::Blob& archive);

  /// In the archive's order.
  void add(const ArMember& member) { headers_.push_back(member.header); }
  std::size_t size() const { return headers_.size(); }
  /// Reads the member again; nothing if the archive has changed.
  std::optional<ArMember> member(std::size_t index) const;
  /// The member whose content includes a byte, if there is one.
  std::optional<std::size_t> at(std::uint64_t offset) const;

private:
  std::unique_ptr<const binary::InputFile> file_;
  mutable binary::ArchiveReader reader_;
  std::deque<std::uint64_t> headers_; ///< ascending
};

/// A piece of device code in a section such as .nv_fatbin.
struct FatbinEntry {
  binary::EmbeddedCode head;
  bool is_scrambled = false; ///< compressed by a method that its header does not name

  std::uint64_t offset() const { return head.at + head.header; } ///< of the payload in the section
  std::string name() const;                                      ///< `sm_90 cubin`
};

/// Calls `visit` for each entry in order, until it returns false; the error describes the damage, entries
/// before it have been visited.
Result<void> read_fatbins(const binary::Blob& section, const std::function<bool(const FatbinEntry&)>& visit);

/// Whether a section of this name holds them: .nv_fatbin, and __nv_relfatbin of `nvcc -dc`.
bool holds_fatbins(std::string_view section);

} // namespace hostpin::leak
