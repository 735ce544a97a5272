// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/hashing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::redist {

/// Which file on a server a part was downloaded from.
struct PartOrigin {
  std::string url;
  std::string validator; ///< the value of its ETag or Last-Modified header, for If-Range (RFC 9110, 13.1.5)

  bool operator==(const PartOrigin&) const = default;
};

/// The text of the file `.from`, and back; nothing if it is damaged.
std::string origin_text(const PartOrigin& origin);
std::optional<PartOrigin> read_origin(std::string_view text);

/// A file that is being downloaded, with its hash. Next to it `.from` contains the origin, without which it
/// is not continued. At every moment the bytes of the file are the first ones of that origin, so that a
/// process that is killed leaves something to continue.
class PartialFile {
public:
  /// Opens or creates it. What is there is continued if its origin is known and it is not longer than `most`.
  static Result<PartialFile> open(const std::string& path, std::uint64_t most);
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  std::uint64_t size() const { return size_; }
  const std::optional<PartOrigin>& origin() const { return origin_; }
  int descriptor() const { return descriptor_; }

  /// Empties the file, for content of this origin; without a validator it will not be continued.
  Result<void> restart(const PartOrigin& origin);
  Result<void> append(std::string_view bytes);
  Result<std::string> sha256() { return hashing_->finish(); }

  /// Removes a partial file and its origin.
  static void remove(const std::string& path);

private:
  PartialFile(std::string path, int descriptor);

  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::optional<PartOrigin> origin_;
  std::unique_ptr<HashingThread> hashing_;
};

} // namespace hostpin::redist
