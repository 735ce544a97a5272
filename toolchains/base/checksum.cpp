// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/checksum.hpp"

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

namespace {

// Odd constants with well spread bits (2^64 / golden ratio, and xxHash64's second prime).
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
constexpr std::uint64_t prime = 0xC2B2AE3D27D4EB4F;

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state ^ (word * prime), 29) * golden;
}

/// Returns the bytes read: fewer than `piece` holds only at the end of the file, -1 on an error.
ssize_t fill(int descriptor, std::span<char> piece) {
  std::size_t filled = 0;
  while (filled < piece.size()) {
    const ssize_t count = read(descriptor, piece.data() + filled, piece.size() - filled);
    if (count == 0)
      break;
    if (count > 0)
      filled += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      return -1;
  }
  return static_cast<ssize_t>(filled);
}

} // namespace

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  // The length goes in first, so that trailing zero bytes count.
  std::uint64_t state = mix(seed ^ golden, bytes.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    state = mix(state, word);
  }
  std::uint64_t rest = 0;
  for (unsigned shift = 0; at < bytes.size(); ++at, shift += 8)
    rest |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at])) << shift;
  state = mix(state, rest);
  return mix(state ^ (state >> 32), prime);
}

std::optional<std::uint64_t> file_checksum(const char* path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  std::array<char, 262144> piece;
  struct stat status {};
  ssize_t count = fstat(descriptor, &status);
  if (count == 0 && !S_ISREG(status.st_mode)) {
    errno = EINVAL;
    count = -1;
  }
  std::uint64_t sum = 0;
  while (count >= 0 && (count = fill(descriptor, piece)) >= 0) {
    sum = checksum({piece.data(), static_cast<std::size_t>(count)}, sum);
    if (count < static_cast<ssize_t>(piece.size()))
      break;
  }
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return count < 0 ? std::nullopt : std::optional(sum);
}

std::array<char, 16> hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  for (std::size_t i = digits.size(); i-- > 0; number >>= 4)
    digits[i] = "0123456789abcdef"[number & 0xF];
  return digits;
}

} // namespace hostpin
