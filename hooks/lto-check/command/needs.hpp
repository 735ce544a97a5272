// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/linker/linker.hpp"
#include "hooks/lto-check/symbols/resolution.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::lto {

/// Which members of archives, and which lazy objects, a link needs. Computed on first use, because most links
/// do not need it.
class Needs {
public:
  /// All must outlive this. Answers are wrong if symbols do not fit within the bound.
  Needs(const std::vector<LinkFile>& files, const cmdline::LinkerCommand& words, const Linker& linker,
        MemoryBound& bound);

  Need of(const Judgement& judgement);

  /// Whether the link names an object only for its symbols.
  bool only_symbols(const Judgement& judgement);

  /// Whether the link needs the member but its linker would not find it, because the index does not list it.
  bool would_miss(const Judgement& judgement);

  /// Whether the linker rejects the member's archive because it has no index.
  bool refuses_archive(const Judgement& judgement);

  /// What the linker does with a member that it does not need.
  Glance glance(const Judgement& judgement);

private:
  /// How a file of a link is used; for a file that is named twice the stronger use counts.
  struct Use {
    bool whole = false;   ///< every member is used
    bool eagerly = false; ///< not after --start-lib
    bool code = false;    ///< not only for its symbols
  };

  bool is_missed(const Judgement& judgement);
  bool is_optional(const Judgement& judgement);
  bool waits(const Judgement& judgement) const;
  bool lacks(const std::string& archive);
  bool unindexed(const std::string& archive);
  const std::map<std::string, Use>& uses();
  const Resolution& resolution(std::optional<Resolution>& kept, Index index);

  const std::vector<LinkFile>& files_;
  std::optional<std::map<std::string, Use>> uses_; ///< by path
  std::vector<std::string> wanted_;
  bool renames_; ///< symbols are needed that no input names
  bool any_for_symbols_ = false;
  bool by_index_; ///< GNU ld and gold use the archive's index, others read the members
  Resolving how_;
  const Linker& linker_;
  MemoryBound& bound_;
  std::map<std::string, bool> lacking_, unindexed_;
  std::map<std::string, Resolution> missed_;
  std::optional<Resolution> own_, members_;
};

} // namespace hostpin::lto
