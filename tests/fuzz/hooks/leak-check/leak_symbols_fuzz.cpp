// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a repaired file is compared by. The reader takes a path, so each input is written into memory first.
#include "hooks/leak-check/fix/run_path.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace hostpin;

namespace {

class InMemory {
public:
  InMemory() : path_("/dev/shm/fuzz_leak_symbols." + std::to_string(::getpid())) {}
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;
  ~InMemory() { ::unlink(path_.c_str()); }

  const std::string& with(const void* bytes, std::size_t size) const {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::write(descriptor, bytes, size) != static_cast<ssize_t>(size))
      std::abort();
    ::close(descriptor);
    return path_;
  }

private:
  std::string path_;
};

} // namespace

std::vector<std::string> seeds() {
  return {test::ElfBuilder(true, true).build("liba.so", {"V"}, {{"libb.so", {"W"}}}),
          test::ElfBuilder(false, false).build("liba.so", {}, {{"libb.so", {"W"}}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InMemory file;
  if (const auto names = leak::dynamic_symbols(file.with(data, size)))
    for (const std::string& name : *names)
      if (names->size() > size / 16 || name.size() >= size || name.find('\0') != std::string::npos)
        std::abort();
  return 0;
}
