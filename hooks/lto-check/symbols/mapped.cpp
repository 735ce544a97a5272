// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin {

MappedInput::MappedInput(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    void* const data =
        ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data != MAP_FAILED) {
      data_ = static_cast<const char*>(data);
      size_ = static_cast<std::size_t>(status.st_size);
    }
  }
  ::close(descriptor);
}

MappedInput::MappedInput(MappedInput&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedInput::~MappedInput() {
  if (data_ != nullptr)
    ::munmap(const_cast<char*>(data_), size_);
}

void MappedInput::forget() const {
  if (data_ != nullptr)
    static_cast<void>(::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED));
}

} // namespace hostpin
