// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/expansion.hpp"
#include "toolchains/gpus/item.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hostpin {

/// Collects what is wrong with a list, so that all of it is reported at once.
class Problems {
public:
  /// `item` as written in the list; `what` follows it in the message.
  void add(std::string_view item, const std::string& what);
  bool any() const { return count_ != 0; }
  /// One error for all of them, cut if there are very many.
  tl::unexpected<Error> error(std::string_view list, const ExpansionTerms& terms) const;

private:
  std::string text_;
  std::size_t count_ = 0;
};

/// Adds what the toolkit does not compile for, alone or in one call.
void refuse(std::span<const ListedCapability> items, const ExpansionTerms& terms, Problems& problems);

/// The hint for a list that cannot be used.
std::string how_to_see_gpus(const ExpansionTerms& terms);

/// `CUDA 12.4`, without the patch.
std::string cuda_release(const Version& version);

} // namespace hostpin
