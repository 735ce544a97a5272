// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/system_call.hpp"

#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a file is read to its end, whatever size is expected, and up to the limit") {
  const test::Tree tree;
  const std::string content(10'000, 'x');
  tree.write("file", content);
  for (const std::size_t expected : std::initializer_list<std::size_t>{0, 1, 9'999, 10'000, 20'000}) {
    const Descriptor file(::open(tree.path("file").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(read_all(file.number(), content.size(), expected) == content);
    ::lseek(file.number(), 0, SEEK_SET);
    CHECK_FALSE(read_all(file.number(), content.size() - 1, expected));
    CHECK(errno == EFBIG);
  }
  CHECK_FALSE(read_all(-1, 1));
  CHECK(errno == EBADF);
}
