// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/mapped.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin {

/// Whether the bytes begin an archive, thin or not.
bool is_symbol_archive(std::string_view bytes);

/// What a linker takes for an archive's index.
enum class Index {
  own,     ///< the one that `ar` wrote, if any: GNU ld, gold
  members, ///< what the members themselves define: lld, mold
};

/// An archive as a linker uses it: members, and which of them defines what.
class SymbolArchive {
public:
  /// Null when it is damaged. `file` must outlive the archive, and may be moved; a thin one opens its
  /// members' files.
  static std::unique_ptr<SymbolArchive> open(const std::string& path, const MappedInput& file, Index index);

  SymbolArchive(const SymbolArchive&) = delete;
  SymbolArchive& operator=(const SymbolArchive&) = delete;
  ~SymbolArchive();

  /// Symbol and number of the member that defines it.
  const std::vector<std::pair<std::string_view, std::size_t>>& index() const;
  void each(const std::function<void(std::size_t member)>& visit) const;
  std::string name(std::size_t member) const;
  std::string_view bytes(std::size_t member) const;
  /// Whether it was not taken before; from now on it is.
  bool mark(std::size_t member);

  /// Whether a member defines symbols of which its own index names none: it was written by an ar without a
  /// plugin for such members.
  bool lacks_symbols() const;

private:
  struct Members;
  explicit SymbolArchive(std::unique_ptr<Members> members);
  std::unique_ptr<Members> members_;
};

} // namespace hostpin
