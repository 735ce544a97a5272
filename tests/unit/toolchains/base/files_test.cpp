// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

namespace fs = std::filesystem;

namespace {

struct Scratch {
  Scratch() {
    std::string name = (fs::temp_directory_path() / "hostpin-XXXXXX").string();
    root = fs::canonical(::mkdtemp(name.data()));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(root); }

  std::string at(const char* name) const { return (root / name).string(); }

  /// A file as of 2009.
  std::string old_file(const char* name) const {
    std::ofstream(at(name)) << "bytes";
    const std::array<timespec, 2> times = {timespec{1234567890, 0}, timespec{1234567890, 5}};
    REQUIRE(::utimensat(AT_FDCWD, at(name).c_str(), times.data(), 0) == 0);
    return at(name);
  }

  fs::path root;
};

} // namespace

TEST_CASE("a status is that of a symlink's target, to the nanosecond") {
  const Scratch scratch;
  std::ofstream(scratch.at("file")) << "12345";
  fs::create_symlink("file", scratch.at("link"));
  const timespec times[] = {{100, 0}, {1234567890, 123456789}};
  REQUIRE(::utimensat(AT_FDCWD, scratch.at("file").c_str(), times, 0) == 0);
  ::chmod(scratch.at("file").c_str(), 0744);

  const auto status = DiskFiles().status(scratch.at("link"));
  REQUIRE(status);
  CHECK(status->kind == FileStatus::Kind::regular);
  CHECK_FALSE(is_directory(DiskFiles(), scratch.at("link")));
  CHECK_FALSE(is_directory(DiskFiles(), scratch.at("missing")));
  CHECK(is_directory(DiskFiles(), scratch.at(".")));
  CHECK(status->size == 5);
  CHECK(status->modified == 1234567890123456789);
  CHECK(status->changed > status->modified);
  CHECK(status->executable);

  CHECK(DiskFiles().status(scratch.root.string())->kind == FileStatus::Kind::directory);
  CHECK(DiskFiles().status("/dev/null")->kind == FileStatus::Kind::other);
  CHECK_FALSE(DiskFiles().status(scratch.at("missing")));
}

TEST_CASE("a real path has no symlinks, and a loop or a hole has none") {
  const Scratch scratch;
  fs::create_directory(scratch.at("dir"));
  std::ofstream(scratch.at("dir/file")) << "";
  fs::create_symlink("dir", scratch.at("link"));
  fs::create_symlink("loop", scratch.at("loop"));
  CHECK(DiskFiles().real_path(scratch.at("link/../link/file")) == scratch.at("dir/file"));
  CHECK_FALSE(DiskFiles().real_path(scratch.at("loop")));
  CHECK_FALSE(DiskFiles().real_path(scratch.at("missing")));
}

TEST_CASE("entries are sorted, hidden ones included, and none where there is no directory") {
  const Scratch scratch;
  for (const char* name : {"b", "a", ".hidden"})
    std::ofstream(scratch.at(name)) << "";
  CHECK(DiskFiles().entries(scratch.root.string()) == std::vector<std::string>{".hidden", "a", "b"});
  CHECK(DiskFiles().entries(scratch.at("a")).empty());
  CHECK(DiskFiles().entries(scratch.at("missing")).empty());
}

TEST_CASE("a file is read whole up to the limit, and refused beyond it") {
  const Scratch scratch;
  const std::string bytes = std::string(5000, 'x') + '\0' + "end";
  std::ofstream(scratch.at("file")) << bytes;
  CHECK(DiskFiles().read(scratch.at("file"), bytes.size()) == bytes);
  const auto refused = DiskFiles().read(scratch.at("file"), bytes.size() - 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "cannot read " + scratch.at("file") + ": it is larger than 5003 bytes");
}

TEST_CASE("a file whose size is not known beforehand is read anyway") {
  const auto status = DiskFiles().read("/proc/self/status", 1 << 20);
  REQUIRE(status);
  CHECK(status->find("VmPeak") != std::string::npos);
}

TEST_CASE("an unreadable file is an error that names it, and a FIFO does not block") {
  const Scratch scratch;
  REQUIRE(::mkfifo(scratch.at("fifo").c_str(), 0600) == 0);
  for (const std::string& path : {scratch.at("missing"), scratch.root.string(), scratch.at("fifo")}) {
    const auto content = DiskFiles().read(path, 100);
    REQUIRE_FALSE(content);
    CHECK(content.error().message.find(path) != std::string::npos);
  }
}

TEST_CASE("a lack of descriptors is thrown where it must not pass for an absent file") {
  // In a child, so that the limit stays there.
  const pid_t pid = ::fork();
  if (pid == 0) {
    rlimit usual{};
    ::getrlimit(RLIMIT_NOFILE, &usual);
    const rlimit none{0, usual.rlim_max};
    const DiskFiles forgiving;
    const DiskFiles strict(DiskFiles::Trouble::thrown);
    const auto throws = [&](const auto& look) {
      try {
        look();
        return false;
      } catch (const std::system_error& error) {
        ::setrlimit(RLIMIT_NOFILE, &usual); // UBSan opens a pipe to check references
        const bool told =
            error.code().value() == EMFILE && std::string(error.what()).find("/etc") != std::string::npos;
        ::setrlimit(RLIMIT_NOFILE, &none);
        return told;
      }
    };
    ::setrlimit(RLIMIT_NOFILE, &none);
    const bool right = !forgiving.read("/etc/passwd", 100'000) && forgiving.entries("/etc").empty() &&
                       throws([&] { static_cast<void>(strict.read("/etc/passwd", 100'000)); }) &&
                       throws([&] { static_cast<void>(strict.entries("/etc")); }) &&
                       !strict.status("/nonexistent") && !strict.real_path("/nonexistent") &&
                       strict.status("/etc");
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
}

TEST_CASE("an old file keeps its time") {
  const Scratch scratch;
  const FileStatus status = settled_status(scratch.old_file("a"), now() + 60'000'000'000, DiskFiles());
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

TEST_CASE("a recent time of whole seconds may be that of a file written since asking began") {
  const Scratch scratch;
  const std::string path = scratch.old_file("a");
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t asked = now() + 60 * second; // long after the file was made
  const auto with_time = [&](std::int64_t seconds, long nanoseconds) {
    const std::array<timespec, 2> times = {timespec{0, UTIME_OMIT}, timespec{seconds, nanoseconds}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
    return settled_status(path, asked, DiskFiles()).modified;
  };
  CHECK(with_time(asked / second - 1, 0) == unsettled);
  CHECK(with_time(asked / second - 1, 1) != unsettled);
  CHECK(with_time(asked / second - 3, 0) != unsettled);
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
