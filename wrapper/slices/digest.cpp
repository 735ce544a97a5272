// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/digest.hpp"

#include "toolchains/base/text.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/BLAKE3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace hostpin::slices {

struct Digest::State {
  llvm::BLAKE3 hasher;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

Digest& Digest::add(std::string_view text) {
  begin(text.size());
  state_->hasher.update(llvm::StringRef(text.data(), text.size()));
  return *this;
}

void Digest::begin(std::uint64_t size) {
  state_->hasher.update(llvm::StringRef(std::to_string(size) + ' '));
}

bool Digest::add_file(int descriptor, std::uint64_t size) {
  constexpr std::size_t fits_the_cache = std::size_t{256} << 10U;
  std::vector<char> piece(fits_the_cache);
  begin(size);
  for (std::uint64_t done = 0;;) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count == 0 && done == size;
    state_->hasher.update(llvm::StringRef(piece.data(), static_cast<std::size_t>(count)));
    done += static_cast<std::uint64_t>(count);
  }
}

std::string Digest::text() {
  const auto digest = state_->hasher.final<16>();
  return hex_of({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string digest_of(std::string_view text) {
  return Digest().add(text).text();
}

std::string digest_of_file(const std::string& path) {
  // A FIFO in place of the file must not block this.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return {};
  struct stat status {};
  Digest digest;
  const bool whole = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                     digest.add_file(descriptor, static_cast<std::uint64_t>(status.st_size));
  ::close(descriptor);
  return whole ? digest.text() : std::string();
}

} // namespace hostpin::slices
