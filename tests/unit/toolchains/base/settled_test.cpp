// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/settled.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
namespace fs = std::filesystem;

namespace {

class Scratch {
public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "hostpin-identity-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(root_); }

  /// A file as of 2009.
  std::string old_file(const char* name) const {
    std::string path = (root_ / name).string();
    std::ofstream(path) << "bytes";
    const std::array<timespec, 2> times = {timespec{1234567890, 0}, timespec{1234567890, 5}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
    return path;
  }

private:
  fs::path root_;
};

constexpr std::int64_t second = 1'000'000'000;

} // namespace

TEST_CASE("an old file keeps its time") {
  const Scratch scratch;
  const FileStatus status = settled_status(scratch.old_file("a"), now() + second, DiskFiles());
  CHECK(status.modified == 1234567890'000'000'005);
  CHECK(status.size == 5);
}

TEST_CASE("a file written since asking began is not settled") {
  const Scratch scratch;
  const std::int64_t asked = now();
  const std::string path = scratch.old_file("a");
  std::ofstream(path) << "other";
  CHECK(settled_status(path, asked, DiskFiles()).modified == unsettled);
}

TEST_CASE("an old file moved over another one since asking began is not settled") {
  const Scratch scratch;
  const std::string path = scratch.old_file("a");
  const std::string other = scratch.old_file("b");
  const std::int64_t asked = now();
  fs::rename(other, path);
  CHECK(settled_status(path, asked, DiskFiles()).modified == unsettled);
}

TEST_CASE("an absent file is settled: an answer is valid until it exists") {
  const FileStatus status = settled_status("/nonexistent/file", 1, DiskFiles());
  CHECK(status.modified == 0);
  CHECK(status.size == 0);
}
