// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/sha256.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <unistd.h>

namespace hostpin {

struct Sha256::State {
  struct Free {
    void operator()(EVP_MD_CTX* used) const { EVP_MD_CTX_free(used); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

// OpenSSL fails here only if there is no memory.
Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();
}
Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1)
    throw std::bad_alloc();
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1)
    throw std::bad_alloc();
  return hex_of({reinterpret_cast<const char*>(digest.data()), size});
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

Result<std::uint64_t> update_from_file(Sha256& hash, int descriptor, std::uint64_t length,
                                       const std::string& path) {
  constexpr std::uint64_t piece = std::uint64_t{256} << 10U; // fits the second-level cache
  const auto buffer = std::make_unique_for_overwrite<char[]>(std::min(length, piece));
  std::uint64_t done = 0;
  while (done < length) {
    const std::size_t wanted = std::min(length - done, piece);
    const ssize_t count = ::pread(descriptor, buffer.get(), wanted, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return os_failure("read " + path);
    if (count == 0)
      break;
    hash.update({buffer.get(), static_cast<std::size_t>(count)});
    done += static_cast<std::uint64_t>(count);
  }
  return done;
}

Result<std::string> sha256_of_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0)
    return os_failure("read " + path);
  Sha256 hash;
  TRY(update_from_file(hash, file.number(), std::numeric_limits<std::uint64_t>::max(), path));
  return hash.hex();
}

} // namespace hostpin
