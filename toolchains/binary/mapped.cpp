// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/mapped.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::binary {

std::optional<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status {};
  std::optional<MappedFile> file;
  errno = 0;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start != MAP_FAILED)
      file = MappedFile(std::string_view(static_cast<const char*>(start), size));
  }
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return file;
}

MappedFile MappedFile::or_empty(const std::string& path) {
  auto file = open(path);
  return file ? *std::move(file) : MappedFile(std::string_view());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::forget() const {
  if (!bytes_.empty())
    static_cast<void>(::madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty())
    ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

} // namespace hostpin::binary
