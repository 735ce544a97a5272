// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/expansion.hpp"
#include "toolchains/gpus/item.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hostpin {

/// Collects what is wrong with a list, so that all of it is told at once.
class Problems {
public:
  /// `item` as it stands in the list; `what` is said behind it.
  void add(std::string_view item, const std::string& what);
  bool any() const { return count_ != 0; }
  /// All of it, or the first of very many.
  tl::unexpected<Error> error(std::string_view list, const ExpansionTerms& terms) const;

private:
  std::string text_;
  std::size_t count_ = 0;
};

/// Adds what these toolkits do not compile for, alone or in one call.
void refuse(std::span<const ListedCapability> items, const ExpansionTerms& terms, Problems& problems);

/// What else to do about a list that cannot be used.
std::string how_to_see_gpus(const ExpansionTerms& terms);

/// `CUDA 12.4`, without the patch.
std::string cuda_release(const Version& version);

} // namespace hostpin
