// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/option_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::nvcc {
namespace {

constexpr std::size_t largest = std::size_t{16} << 20;

class Descriptor {
public:
  explicit Descriptor(const char* path) : number_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  int number() const { return number_; }

private:
  int number_;
};

bool read_all(int descriptor, std::string& text) {
  std::array<char, 8192> block;
  while (true) {
    const ssize_t n = ::read(descriptor, block.data(), block.size());
    if (n == 0)
      return true;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 || text.size() + static_cast<std::size_t>(n) > largest)
      return false;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
}

} // namespace

std::optional<OptionText> DiskOptionTexts::read(const std::string& path) {
  const Descriptor file(path.c_str());
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0)
    return std::nullopt;
  if (S_ISDIR(status.st_mode))
    return OptionText{};
  OptionText content;
  content.gone = !S_ISREG(status.st_mode);
  if (!read_all(file.number(), content.text))
    return std::nullopt;
  return content;
}

} // namespace hostpin::nvcc
