// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/termination.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

FileLock opened(const std::string& path) {
  return FileLock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

} // namespace

TEST_CASE("a lock is held once, until it is destroyed") {
  const test::Tree tree;
  const std::string path = tree.path("lock");
  {
    const FileLock first = FileLock::of_file(path);
    CHECK(opened(path).take_if_free() == EWOULDBLOCK);
  }
  CHECK(opened(path).take_if_free() == 0);
  const FileLock directory = FileLock::of_directory(tree.root());
  const FileLock again(::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(again.take_if_free() == EWOULDBLOCK);
}

TEST_CASE("a lock is waited for, which is reported once") {
  const test::Tree tree;
  std::optional<FileLock> first = FileLock::of_file(tree.path("lock"));
  const FileLock second = opened(tree.path("lock"));
  int waits = 0;
  CHECK(second.take([&] { ++waits, first.reset(); }) == 0);
  CHECK(waits == 1);
}

TEST_CASE("a pending termination ends the wait") {
  const test::Tree tree;
  const FileLock first = FileLock::of_file(tree.path("lock"));
  struct sigaction former {
  }, ignored{};
  const DeferTermination deferred;
  ::raise(SIGTERM);
  CHECK_THROWS_AS(opened(tree.path("lock")).take(), Interrupted);
  ignored.sa_handler = SIG_IGN; // discards the pending signal
  ::sigaction(SIGTERM, &ignored, &former);
  ::sigaction(SIGTERM, &former, nullptr);
}

TEST_CASE("what cannot be opened is not locked") {
  CHECK(FileLock(-1).take() == EBADF);
  const FileLock none = FileLock::of_file("/absent/lock");
  CHECK(none.descriptor() < 0);
}
