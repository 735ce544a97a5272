// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/allowance.hpp"
#include "hooks/lto-check/symbols/hashes.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// Whether the bytes are an archive, thin or not.
bool is_symbol_archive(std::string_view bytes);

/// Whether an archive has members and no index, not even an empty one.
bool lacks_index(std::string_view archive);

/// What a linker uses as an archive's index.
enum class Index {
  own,     ///< the one that `ar` wrote, if any: GNU ld, gold
  members, ///< the definitions of the members themselves: lld, mold
};

/// The bytes of a member, during the lifetime of the value. Members of a thin archive are separate files,
/// each mapped only temporarily, because there may be thousands.
class MemberBytes {
public:
  explicit MemberBytes(std::string_view inside = {}) : inside_(inside) {}
  explicit MemberBytes(MappedFile file) : file_(std::move(file)) {}

  std::string_view view() const { return file_ ? file_->bytes() : inside_; }
  /// Releases the memory of a separate file.
  void forget() const {
    if (file_)
      file_->forget();
  }

private:
  std::string_view inside_;
  std::optional<MappedFile> file_;
};

/// One definition in an archive, or in its index.
struct Definition {
  enum class Kind { for_good, common, untold };
  std::uint64_t hash = 0; ///< `symbol_hash` of the name
  std::size_t member = 0;
  Kind kind = Kind::untold; ///< `untold` by an index
};

/// An archive as a linker uses it: members, and which of them defines what. Costs 8 bytes for each member,
/// and with `Index::members` 8 more and 8 for each symbol; each member's symbols are then read once, when the
/// archive is opened.
class SymbolArchive {
public:
  /// Null if damaged, or more expensive than `allowance`, which must outlive it. Opens a thin one's files.
  static std::unique_ptr<SymbolArchive> open(const std::string& path, MappedFile file, Index index,
                                             Allowance& allowance);

  SymbolArchive(const SymbolArchive&) = delete;
  SymbolArchive& operator=(const SymbolArchive&) = delete;
  ~SymbolArchive();

  using Asked = std::function<bool(std::uint64_t hash)>;
  using Visit = std::function<void(const Definition&)>;
  /// Visits each definition whose hash is asked for, except those of members that are marked.
  void each_definition(const Asked& asked, const Visit& visit) const;

  std::size_t members() const;
  std::string name(std::size_t member) const;
  MemberBytes bytes(std::size_t member) const;
  /// The offset of the member's content in the archive; nothing for a separate file.
  std::optional<std::uint64_t> place(std::size_t member) const;
  /// Visits the symbols of a member; false if not all of them can be read.
  bool each_symbol_of(std::size_t member, const SymbolVisit& visit) const;
  /// Whether a member is intermediate code; only with `Index::members`.
  bool is_bytecode(std::size_t member) const;
  /// Marks a member as taken; whether it was not before.
  bool mark(std::size_t member);
  /// Releases the memory of what was read.
  void forget() const;
  /// How many times a member's symbols were read.
  std::size_t readings() const;
  /// Whether the symbols of every object that was read are known.
  bool tells() const;

  /// Whether a member defines symbols none of which is in the index: that was written by an ar without a
  /// plugin for such members.
  bool lacks_symbols() const;

private:
  struct Members;
  explicit SymbolArchive(std::unique_ptr<Members> members);
  std::unique_ptr<Members> members_;
};

} // namespace hostpin
