// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace hostpin {

/// Strings that are said again and again, each kept once: of a hundred thousand findings most differ in their
/// place alone. None ever goes.
class StringPool {
public:
  using Id = std::uint32_t;
  static constexpr Id empty = 0; ///< of the empty string

  Id add(std::string_view text);
  /// Remains valid.
  std::string_view at(Id id) const;
  /// Memory that all of it takes, `records` aside.
  std::size_t bytes() const { return bytes_; }

private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0, used = 0;
  };

  Id keep(std::string_view text);
  void grow();
  std::size_t slot_of(std::string_view text) const;

  std::vector<Chunk> chunks_;
  std::vector<Id> slots_; ///< a hash table; `empty` where nothing is
  std::size_t count_ = 0; ///< strings
  std::size_t bytes_ = 0;
};

} // namespace hostpin
