// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

namespace fs = std::filesystem;

fs::perms rights_of(const std::string& path) {
  return fs::status(path).permissions();
}

} // namespace

TEST_CASE("directories are created private, and existing ones are unchanged") {
  const auto place = ScratchDirectory::make(fs::temp_directory_path().string());
  REQUIRE(place);
  const std::string parent = place->path() + "/parent";
  fs::create_directory(parent);
  fs::permissions(parent, fs::perms(0777));
  REQUIRE(make_private_directories(parent + "/a/b"));
  CHECK(rights_of(parent) == fs::perms(0777));
  CHECK(rights_of(parent + "/a") == fs::perms(0700));
  CHECK(rights_of(parent + "/a/b") == fs::perms(0700));
  CHECK(make_private_directories(parent + "/a/b"));
}

TEST_CASE("a directory that others may write to is refused, and so is a file") {
  const auto place = ScratchDirectory::make(fs::temp_directory_path().string());
  REQUIRE(place);
  const std::string shared = place->path() + "/shared";
  for (const int rights : {0770, 0702, 01777}) {
    fs::remove_all(shared);
    fs::create_directory(shared);
    fs::permissions(shared, fs::perms(rights));
    const auto made = make_private_directories(shared);
    REQUIRE_FALSE(made);
    CHECK(made.error().message.find(shared) != std::string::npos);
    CHECK(rights_of(shared) == fs::perms(rights));
  }
  fs::permissions(shared, fs::perms(0755));
  CHECK(make_private_directories(shared));
  REQUIRE(replace_file(shared + "/file", "text", false));
  CHECK_FALSE(make_private_directories(shared + "/file/below"));
}

TEST_CASE("a directory whose files are trusted is refused below one that others may write to") {
  const auto place = ScratchDirectory::make(fs::temp_directory_path().string());
  REQUIRE(place);
  const std::string shared = place->path() + "/shared";
  fs::create_directory(shared);
  CHECK(make_trusted_directories(shared + "/a/b"));
  fs::permissions(shared, fs::perms(0777));
  const auto made = make_trusted_directories(shared + "/a/b");
  REQUIRE_FALSE(made);
  CHECK(made.error().message.starts_with(shared + ", above "));
}

TEST_CASE("a directory of another user is refused") {
  if (::geteuid() != 0)
    return; // only root can give one away
  const auto place = ScratchDirectory::make(fs::temp_directory_path().string());
  REQUIRE(place);
  const std::string theirs = place->path() + "/theirs";
  REQUIRE(make_private_directories(theirs));
  REQUIRE(::chown(theirs.c_str(), 65534, 65534) == 0);
  CHECK_FALSE(make_private_directories(theirs));
}

TEST_CASE("no file gets the number of a closed standard stream, which stays unusable") {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) { // only an exit code can be passed to the parent
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::close(stream);
    keep_standard_streams();
    std::array<char, 1> byte{};
    const bool cannot_be_read = ::read(STDIN_FILENO, byte.data(), byte.size()) < 0 && errno == EBADF;
    const bool cannot_be_written = !write_all(STDOUT_FILENO, "x") && errno == EBADF;
    const bool is_clear = ::open("/", O_RDONLY | O_CLOEXEC) > STDERR_FILENO;
    ::_exit(cannot_be_read && cannot_be_written && is_clear ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
}
