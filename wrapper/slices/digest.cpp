// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/digest.hpp"

#include <array>
#include <cstdint>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/BLAKE3.h>

namespace hostpin::slices {

struct Digest::State {
  llvm::BLAKE3 hasher;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

Digest& Digest::add(std::string_view text) {
  const std::string size = std::to_string(text.size()) + ' ';
  state_->hasher.update(llvm::StringRef(size));
  state_->hasher.update(llvm::StringRef(text.data(), text.size()));
  return *this;
}

std::string Digest::text() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : state_->hasher.final<16>())
    text.append({digits[byte >> 4U], digits[byte & 15U]});
  return text;
}

std::string digest_of(std::string_view text) {
  return Digest().add(text).text();
}

} // namespace hostpin::slices
