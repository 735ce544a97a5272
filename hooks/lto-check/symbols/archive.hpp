// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/mapped.hpp"

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

/// By which symbols are told apart before anybody reads their names.
std::size_t symbol_hash(std::string_view name);

/// The bytes of a member, for as long as the value lives: a thin archive's are a file of their own, which is
/// mapped for one look only, for there may be thousands.
class MemberBytes {
public:
  explicit MemberBytes(std::string_view inside = {}) : inside_(inside) {}
  explicit MemberBytes(MappedInput file) : file_(std::move(file)) {}

  std::string_view view() const { return file_ ? file_->view() : inside_; }

private:
  std::string_view inside_;
  std::optional<MappedInput> file_;
};

/// An archive as a linker uses it: members, and which of them defines what. Costs 8 bytes a member, and where
/// the members themselves are asked 16 a symbol; everything else is read again when it is wanted.
class SymbolArchive {
public:
  /// Null when it is damaged. `file` must outlive the archive, and may be moved; a thin one opens its
  /// members' files.
  static std::unique_ptr<SymbolArchive> open(const std::string& path, const MappedInput& file, Index index);

  SymbolArchive(const SymbolArchive&) = delete;
  SymbolArchive& operator=(const SymbolArchive&) = delete;
  ~SymbolArchive();

  using Asked = std::function<bool(std::size_t hash)>;
  using Visit = std::function<void(std::string_view name, std::size_t member)>;
  /// Each symbol of the index whose hash is asked for, with the number of the member that defines it, but for
  /// those of members that are taken. A name lasts as long as the call. `file`, of which this reads much, is
  /// made to forget it now and then.
  void each_symbol(const MappedInput& file, const Asked& asked, const Visit& visit) const;

  std::size_t members() const;
  std::string name(std::size_t member) const;
  MemberBytes bytes(std::size_t member) const;
  /// Where the member's content begins in the archive; nothing for a file of its own.
  std::optional<std::uint64_t> place(std::size_t member) const;
  /// Whether it was not taken before; from now on it is.
  bool mark(std::size_t member);

  /// Whether a member defines symbols of which its own index names none: it was written by an ar without a
  /// plugin for such members.
  bool lacks_symbols(const MappedInput& file) const;

private:
  struct Members;
  explicit SymbolArchive(std::unique_ptr<Members> members);
  std::unique_ptr<Members> members_;
};

} // namespace hostpin
