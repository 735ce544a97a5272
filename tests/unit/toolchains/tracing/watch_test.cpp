// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/tracing/watch.hpp"

#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin::tracing;

namespace {

constexpr std::uint64_t mega = std::uint64_t{1} << 20;

/// A process that has done something, and forks that share what it has then; all end with this object.
class Family {
public:
  template <typename Action>
  Family(const Action& action, int forks) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    first_ = ::fork();
    REQUIRE(first_ >= 0);
    if (first_ == 0) {
      ::setpgid(0, 0);
      bool works = action();
      for (int index = 0; index < forks && works; ++index) {
        const pid_t child = ::fork();
        if (child == 0)
          for (;;)
            ::pause();
        works = child > 0;
      }
      if (works)
        works = ::write(ready[1], "x", 1) == 1;
      for (;;)
        ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    const bool is_ready = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    CHECK(is_ready);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    ::kill(-first_, SIGKILL);
    while (::waitpid(-first_, nullptr, 0) > 0) { // the forks too, if this process adopts them
    }
  }

private:
  pid_t first_;
};

bool take_memory(int kind) {
  return ::mmap(nullptr, 64 * mega, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) !=
         MAP_FAILED;
}

} // namespace

TEST_CASE("memory that forks share counts once where it matters") {
  const Family family([] { return take_memory(MAP_PRIVATE); }, 3);
  const std::uint64_t each_time = memory_of_descendants(std::numeric_limits<std::uint64_t>::max());
  CHECK(memory_of_descendants(0) >= 64 * mega);
  CHECK(each_time >= 4 * 64 * mega);
  CHECK(memory_of_descendants(0) <= each_time - 2 * 64 * mega); // whatever else the test itself has
}

TEST_CASE("memory that is made to be shared counts") {
  std::uint64_t own = 0; // of the test itself, which sanitizers make large
  {
    const Family family([] { return true; }, 3);
    own = memory_of_descendants(0);
  }
  const Family family([] { return take_memory(MAP_SHARED); }, 3);
  CHECK(memory_of_descendants(0) >= 64 * mega);
  CHECK(memory_of_descendants(0) < own + 3 * 64 * mega); // not in each of the four
}

TEST_CASE("the space of files is what they have on disk, each file once") {
  const hostpin::test::Tree tree;
  std::filesystem::create_directories(tree.path("a/b"));
  const std::uint64_t empty = space_of_files(tree.root());
  const std::string file = tree.write("a/b/file", std::string(mega, 'x'));
  std::filesystem::create_hard_link(file, tree.path("a/again"));
  std::filesystem::create_directory_symlink(tree.root(), tree.path("a/b/around"));
  std::filesystem::resize_file(file, 100 * mega); // a hole
  ::sync();
  CHECK(space_of_files(tree.root()) - empty >= mega);
  CHECK(space_of_files(tree.root()) - empty < 2 * mega);
  CHECK(space_of_files(tree.path("none")) == 0);
}

TEST_CASE("a file without a name has space as long as a process has it open") {
  const hostpin::test::Tree tree;
  const std::string path = tree.path("file");
  {
    const Family family(
        [&path] {
          const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
          const std::string text(mega, 'x');
          return file >= 0 && ::unlink(path.c_str()) == 0 &&
                 ::write(file, text.data(), text.size()) == static_cast<ssize_t>(mega) && ::fsync(file) == 0;
        },
        2);
    CHECK(space_of_removed(tree.root()) >= mega);
    CHECK(space_of_removed(tree.root()) < 2 * mega); // once, although three have it open
    CHECK(space_of_removed(tree.path("none")) == 0);
  }
  CHECK(space_of_removed(tree.root()) == 0);
}
