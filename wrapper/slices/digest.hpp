// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
  /// 32 hexadecimal digits; nothing may be added afterwards.
  std::string text();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of one text.
std::string digest_of(std::string_view text);

} // namespace hostpin::slices
