// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hostpin::slices {

/// BLAKE3 over a sequence of texts; no two sequences have the same input.
class Digest {
public:
  Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest();

  Digest& add(std::string_view text);
  /// The same for what is left of a file; false if that is not `size` bytes, or cannot be read.
  bool add_file(int descriptor, std::uint64_t size);
  /// 32 hexadecimal digits; nothing may be added afterwards.
  std::string text();

private:
  void begin(std::uint64_t size);

  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of one text.
std::string digest_of(std::string_view text);

/// The digest of a regular file's content, without having it in memory; empty if it cannot be read, or is
/// written to meanwhile.
std::string digest_of_file(const std::string& path);

} // namespace hostpin::slices
