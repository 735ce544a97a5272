// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/allowance.hpp"
#include "hooks/lto-check/symbols/hashes.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "toolchains/binary/mapped.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// Whether the bytes begin an archive, thin or not.
bool is_symbol_archive(std::string_view bytes);

/// Whether an archive has members and no index before them, not even an empty one.
bool lacks_index(std::string_view archive);

/// What a linker takes for an archive's index.
enum class Index {
  own,     ///< the one that `ar` wrote, if any: GNU ld, gold
  members, ///< what the members themselves define: lld, mold
};

/// The bytes of a member, for as long as the value lives: a thin archive's are a file of their own, which is
/// mapped for one look only, for there may be thousands.
class MemberBytes {
public:
  explicit MemberBytes(std::string_view inside = {}) : inside_(inside) {}
  explicit MemberBytes(MappedFile file) : file_(std::move(file)) {}

  std::string_view view() const { return file_ ? file_->bytes() : inside_; }
  /// Gives back the memory of what was read of a file of its own.
  void forget() const {
    if (file_)
      file_->forget();
  }

private:
  std::string_view inside_;
  std::optional<MappedFile> file_;
};

/// What an archive, or its index, says of one definition.
struct Definition {
  enum class Kind { for_good, common, untold };
  std::uint64_t hash = 0; ///< `symbol_hash` of the name
  std::size_t member = 0;
  Kind kind = Kind::untold; ///< an index does not tell
};

/// An archive as a linker uses it: members, and which of them defines what. Costs 8 bytes a member, and where
/// the members themselves are asked 8 more and 8 a symbol; then each member's symbols are read once, when it
/// is opened.
class SymbolArchive {
public:
  /// Null when it is damaged, or costs more than `allowance` has, which must outlive it. A thin one opens its
  /// members' files.
  static std::unique_ptr<SymbolArchive> open(const std::string& path, MappedFile file, Index index,
                                             Allowance& allowance);

  SymbolArchive(const SymbolArchive&) = delete;
  SymbolArchive& operator=(const SymbolArchive&) = delete;
  ~SymbolArchive();

  using Asked = std::function<bool(std::uint64_t hash)>;
  using Visit = std::function<void(const Definition&)>;
  /// Each definition whose hash is asked for, but for those of members that are taken.
  void each_definition(const Asked& asked, const Visit& visit) const;

  std::size_t members() const;
  std::string name(std::size_t member) const;
  MemberBytes bytes(std::size_t member) const;
  /// Where the member's content begins in the archive; nothing for a file of its own.
  std::optional<std::uint64_t> place(std::size_t member) const;
  /// Visits the symbols of a member; false when it does not tell all of them.
  bool each_symbol_of(std::size_t member, const SymbolVisit& visit) const;
  /// Whether a member is a compiler's code; known where the members themselves are asked.
  bool is_bytecode(std::size_t member) const;
  /// Whether it was not taken before; from now on it is.
  bool mark(std::size_t member);
  /// Gives back the memory of what was read.
  void forget() const;
  /// How many times a member's symbols were read.
  std::size_t readings() const;
  /// Whether every object among the members that were read told its symbols.
  bool tells() const;

  /// Whether a member defines symbols of which its own index names none: it was written by an ar without a
  /// plugin for such members.
  bool lacks_symbols() const;

private:
  struct Members;
  explicit SymbolArchive(std::unique_ptr<Members> members);
  std::unique_ptr<Members> members_;
};

} // namespace hostpin
