// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/memory_bound.hpp"
#include "hooks/lto-check/symbols/resolution.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <llvm/Object/Archive.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::lto {

/// Whether the bytes are an archive, thin or not.
bool is_symbol_archive(std::string_view bytes);

/// Whether an archive has members and no index, not even an empty one.
bool lacks_index(std::string_view archive);

/// The bytes of a member, during the lifetime of the value. Members of a thin archive are separate files,
/// each mapped only temporarily, because there may be thousands.
class MemberBytes {
public:
  explicit MemberBytes(std::string_view inside = {}) : inside_(inside) {}
  explicit MemberBytes(binary::MappedFile file) : file_(std::move(file)) {}

  std::string_view view() const { return file_ ? file_->bytes() : inside_; }

private:
  std::string_view inside_;
  std::optional<binary::MappedFile> file_;
};

/// One definition in an archive, or in its index.
struct Definition {
  enum class Kind { real, common, unknown };
  std::string_view name; ///< valid during the call
  std::size_t member = 0;
  Kind kind = Kind::unknown; ///< `unknown` by an index
};

/// An archive as a linker uses it: members, and which of them defines what. With `Index::members` the symbols
/// of each member are read once, when the archive is opened.
class SymbolArchive {
public:
  /// Null if it is damaged. Opens a thin one's files. Symbols that do not fit are ignored.
  static std::unique_ptr<SymbolArchive> open(const std::string& path, binary::MappedFile file, Index index,
                                             MemoryBound& bound);

  SymbolArchive(const SymbolArchive&) = delete;
  SymbolArchive& operator=(const SymbolArchive&) = delete;

  using IsWanted = std::function<bool(std::string_view name)>;
  using Visit = std::function<void(const Definition&)>;
  /// Visits each definition of a wanted name, except in members that are marked.
  void each_definition(const IsWanted& is_wanted, const Visit& visit) const;

  std::size_t members() const { return starts_.size(); }
  std::string name(std::size_t member) const;
  MemberBytes bytes(std::size_t member) const;
  /// The offset of the member's content in the archive; nothing for a separate file.
  std::optional<std::uint64_t> place(std::size_t member) const;
  /// Visits the symbols of a member; false if not all of them can be read.
  bool each_symbol_of(std::size_t member, const SymbolVisit& visit) const;
  /// Whether a member is intermediate code; only with `Index::members`.
  bool is_bytecode(std::size_t member) const { return !bytecode_.empty() && bytecode_[member]; }
  /// Marks a member as taken; whether it was not before.
  bool mark(std::size_t member);
  /// How many times a member's symbols were read.
  std::size_t readings() const { return readings_; }
  /// Whether the symbols of every object that was read are known.
  bool is_complete() const { return complete_; }

  /// Whether a member defines symbols none of which is in the index: that was written by an ar without a
  /// plugin for such members.
  bool lacks_symbols() const;

private:
  using Child = llvm::object::Archive::Child;
  struct Defined {
    std::string name;
    std::size_t member;
    Definition::Kind kind;
  };

  SymbolArchive(std::string path, binary::MappedFile file) : path_(std::move(path)), file_(std::move(file)) {}

  bool is_sound(const Child& child) const;
  bool find_members();
  void read_members(MemoryBound& bound);
  bool is_index_sound() const;
  std::optional<Child> child(std::size_t member) const;
  std::optional<std::size_t> member_of(const llvm::object::Archive::Symbol& symbol) const;
  template <typename Each>
  void each_in_index(const Each& each) const;
  void release_pages() const;

  std::string path_;
  binary::MappedFile file_;
  std::unique_ptr<llvm::object::Archive>
      archive_;                       ///< refers to the path: a thin one's members are relative to it
  std::vector<std::uint64_t> starts_; ///< of the members' headers, ascending
  std::vector<bool> taken_, bytecode_;
  std::optional<std::vector<Defined>> defined_; ///< what the members define, with `Index::members`
  mutable std::size_t readings_ = 0, accesses_ = 0;
  mutable bool complete_ = true;
};

} // namespace hostpin::lto
