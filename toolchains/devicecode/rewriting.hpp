// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/pieces.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// The content of a new file, as parts of an existing one and new bytes in between.
class Rewriting {
public:
  void copy(const binary::Bytes& part);
  void add(std::string bytes);
  void append(Rewriting other);
  void append(std::vector<binary::Piece> pieces);

  std::uint64_t size() const { return size_; }
  const std::vector<binary::Piece>& pieces() const { return pieces_; }

private:
  std::vector<binary::Piece> pieces_;
  std::uint64_t size_ = 0;
};

/// Changes to some bytes, collected in any order.
class Edits {
public:
  /// Replaces `size` bytes at the offset `at`; either side may be empty. Of several insertions at one offset
  /// the first comes first.
  void replace(std::uint64_t at, std::uint64_t size, std::string bytes);
  bool empty() const { return edits_.empty(); }

  /// The changed bytes; damage if edits overlap or are outside.
  binary::Reading<Rewriting> apply(const binary::Bytes& bytes) const;

private:
  struct Edit {
    std::uint64_t size;
    std::string bytes;
  };
  std::multimap<std::uint64_t, Edit> edits_;
};

/// Which properties of the existing file the new one gets.
enum class Properties {
  data, ///< permissions, without that to execute it
  mode, ///< permissions
  all,  ///< also owner and group, as far as the user may set them, and modes such as setuid
};

/// Writes a file that did not exist or is replaced. It appears at once and complete, as binary::Draft does.
/// An error if `source` changed since it was opened.
Result<void> write_file(const Rewriting& content, const binary::Blob& source, const std::string& path,
                        Properties properties);

} // namespace hostpin::devicecode
