// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/trees.hpp"
#include "toolchains/redist/tree/compose.hpp"
#include "toolchains/redist/tree/proof.hpp"

#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;
namespace fs = std::filesystem;

namespace {

Trees some_trees() {
  Trees trees;
  trees.add(archive("cuda_cudart"), {{"LICENSE", "text"},
                                     {"include/cuda.h", "h"},
                                     {"lib/libcudart.so", "->libcudart.so.12"},
                                     {"lib/libcudart.so.12", "so"}});
  return trees;
}

std::vector<std::string> findings_of(const std::string& root) {
  const auto origin = origin_at(root);
  REQUIRE_MESSAGE(origin, origin.error().message);
  const auto findings = prove_root(root, *origin, sha256_of_file);
  REQUIRE_MESSAGE(findings, findings.error().message);
  std::vector<std::string> texts;
  for (const Finding& one : *findings) {
    CHECK(one.rule == Rule::changed_file);
    texts.push_back(one.file + ' ' + one.explanation);
  }
  return texts;
}

} // namespace

TEST_CASE("a composed root is proven by its origin") {
  const Trees trees = some_trees();
  const auto composed = trees.compose(native(), "root");
  REQUIRE_MESSAGE(composed, composed.error().message);
  CHECK_FALSE(composed->was_there);
  CHECK(composed->linked == 3);
  CHECK(findings_of(trees.path("root")).empty());
  CHECK(fs::exists(trees.path("root/lib64/libcudart.so")));
  struct stat one {};
  struct stat other {};
  ::stat(trees.path("root/include/cuda.h").c_str(), &one);
  ::stat(trees.path("tree0/include/cuda.h").c_str(), &other);
  CHECK(one.st_ino == other.st_ino);
}

TEST_CASE("composed twice is composed once") {
  const Trees trees = some_trees();
  REQUIRE(trees.compose(native(), "root"));
  struct stat before {};
  ::stat(trees.path("root").c_str(), &before);
  const auto again = trees.compose(native(), "root");
  REQUIRE(again);
  CHECK(again->was_there);
  struct stat after {};
  ::stat(trees.path("root").c_str(), &after);
  CHECK(before.st_ino == after.st_ino);
}

TEST_CASE("a mode that no archive's file has is found, and the tree is not taken for the composed one") {
  Trees trees;
  trees.add(archive("cuda_nvcc"), {{"bin/nvcc", "program"}, {"bin/nvcc.profile", "text"}});
  ::chmod(trees.path("tree0/bin/nvcc").c_str(), 0555);
  trees.trees[0].members = members_of(trees.path("tree0"), sha256_of_file).value();
  const auto composed = trees.compose(native(), "root");
  REQUIRE_MESSAGE(composed, composed.error().message);
  const std::string nvcc = trees.path("root/bin/nvcc"), profile = trees.path("root/bin/nvcc.profile");
  CHECK(findings_of(trees.path("root")).empty());
  ::chmod(nvcc.c_str(), 0444);
  CHECK(findings_of(trees.path("root")) == std::vector<std::string>{"bin/nvcc may not be executed any more"});
  ::chmod(nvcc.c_str(), 04555);
  ::chmod(profile.c_str(), 02444);
  CHECK(findings_of(trees.path("root")) ==
        std::vector<std::string>{"bin/nvcc is setuid, setgid or sticky, which no archive's file is",
                                 "bin/nvcc.profile is setuid, setgid or sticky, which no archive's file is"});
  // Links to the files of the store: they have the mode there, too.
  const auto again = trees.compose(native(), "root");
  REQUIRE_MESSAGE(again, again.error().message);
  CHECK_FALSE(again->was_there);
  const auto members = members_of(trees.path("tree0"), sha256_of_file);
  REQUIRE_FALSE(members);
  CHECK(members.error().message.ends_with("it is setuid, setgid or sticky, which no archive's file is"));
}

TEST_CASE("a root that was damaged is composed again, and the former one leaves nothing") {
  const Trees trees = some_trees();
  REQUIRE(trees.compose(native(), "root"));
  fs::remove(trees.path("root/targets/x86_64-linux/include/cuda.h"));
  Trees::write(trees.path("root/extra"), "x");
  const auto again = trees.compose(native(), "root");
  REQUIRE_MESSAGE(again, again.error().message);
  CHECK_FALSE(again->was_there);
  CHECK(findings_of(trees.path("root")).empty());
  CHECK(std::distance(fs::directory_iterator(fs::path(trees.path("root")).parent_path()),
                      fs::directory_iterator()) == 2); // the tree and the root
}

TEST_CASE("a changed, a missing, an added file and another link are found") {
  const Trees trees = some_trees();
  REQUIRE(trees.compose(native(), "root"));
  const std::string target = trees.path("root/targets/x86_64-linux/");
  fs::remove(target + "include/cuda.h");
  Trees::write(target + "include/cuda.h", "other");
  fs::remove(target + "lib/libcudart.so.12");
  fs::remove(target + "lib/libcudart.so");
  fs::create_symlink("libcudart.so.11", target + "lib/libcudart.so");
  Trees::write(target + "include/mine.h", "x");
  CHECK(
      findings_of(trees.path("root")) ==
      std::vector<std::string>{
          "targets/x86_64-linux/include/cuda.h is not the file of cuda_cudart 12.4.127 linux-x86_64",
          "targets/x86_64-linux/include/mine.h is of no archive of the tree",
          "targets/x86_64-linux/lib/libcudart.so leads to libcudart.so.11 instead of libcudart.so.12",
          "targets/x86_64-linux/lib/libcudart.so.12 is missing; it is of cuda_cudart 12.4.127 linux-x86_64"});
}

TEST_CASE("the time of an origin follows from its content") {
  const Trees trees = some_trees();
  const auto time = [&](const char* root) { return fs::last_write_time(trees.path(root) + "/origin.json"); };
  REQUIRE(trees.compose(native(), "one"));
  REQUIRE(trees.compose(native(), "same"));
  Composition other = native();
  other.driver = "/drivers";
  REQUIRE(trees.compose(other, "other"));
  CHECK(time("one") == time("same"));
  CHECK(time("one") != time("other"));
}

TEST_CASE("a directory that compose did not make is not replaced") {
  const Trees trees = some_trees();
  Trees::write(trees.path("root/mine"), "x");
  const auto refused = trees.compose(native(), "root");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.ends_with("exists, and has no origin.json"));
  CHECK(fs::exists(trees.path("root/mine")));
  Trees::write(trees.path("root/origin.json"), "{}");
  CHECK_FALSE(trees.compose(native(), "root"));
}

TEST_CASE("an empty directory is used, and a file is not") {
  const Trees trees = some_trees();
  fs::create_directory(trees.path("root"));
  CHECK(trees.compose(native(), "root"));
  Trees::write(trees.path("file"), "x");
  CHECK_FALSE(trees.compose(native(), "file"));
}

TEST_CASE("run paths lead to the compatibility libraries first, then to the driver, and never to stubs") {
  Origin origin;
  origin.driver = "/run/driver";
  CHECK(patched_run_path(origin, "targets/x86_64-linux/lib/libx.so") == "$ORIGIN:/run/driver");
  origin.compat = true;
  CHECK(patched_run_path(origin, "targets/x86_64-linux/lib/libx.so") ==
        "$ORIGIN:$ORIGIN/../../../compat:/run/driver");
  CHECK(patched_run_path(origin, "lib/libx.so") == "$ORIGIN:$ORIGIN/../compat:/run/driver");
  CHECK(driver_path(origin, "/r") == std::vector<std::string>{"/r/compat", "/run/driver"});
}

TEST_CASE("a root is proven by its name with a slash at the end too") {
  const Trees trees = some_trees();
  REQUIRE(trees.compose(native(), "root"));
  CHECK(findings_of(trees.path("root/")).empty());
}

TEST_CASE("a relative directory below a working directory that was removed is an error") {
  const Trees trees = some_trees();
  const fs::path before = fs::current_path();
  fs::create_directory(trees.path("gone"));
  fs::current_path(trees.path("gone"));
  fs::remove(trees.path("gone"));
  const auto composed = write_root({}, "root", {sha256_of_file, sha256_of}, {});
  fs::current_path(before);
  REQUIRE_FALSE(composed);
  CHECK(composed.error().message.starts_with("cannot find the directory root: "));
}

TEST_CASE("a root on another file system has copies") {
  const std::string memory = "/dev/shm/hostpin.compose-test." + std::to_string(::getpid());
  Trees trees = some_trees();
  std::error_code error;
  if (!fs::create_directory(memory, error)) {
    MESSAGE("skipped: /dev/shm cannot be written");
    return;
  }
  fs::create_directory_symlink(memory, trees.path("memory"));
  const auto composed = trees.compose(native(), "memory/root");
  CHECK_MESSAGE(composed, (composed ? "" : composed.error().message));
  if (composed) {
    CHECK(composed->linked + composed->copied == 3);
    CHECK(findings_of(memory + "/root").empty());
    CHECK(trees.compose(native(), "memory/root")->was_there);
  }
  fs::remove_all(memory);
}

TEST_CASE("what is no file any more in the store is not composed") {
  const Trees trees = some_trees();
  fs::remove(trees.path("tree0/include/cuda.h"));
  SUBCASE("a symbolic link") {
    fs::create_symlink("/etc/passwd", trees.path("tree0/include/cuda.h"));
  }
  SUBCASE("a FIFO") {
    REQUIRE(::mkfifo(trees.path("tree0/include/cuda.h").c_str(), 0600) == 0);
  }
  SUBCASE("a directory") {
    fs::create_directory(trees.path("tree0/include/cuda.h"));
  }
  const auto composed = trees.compose(native(), "root");
  REQUIRE_FALSE(composed);
  CHECK(composed.error().message.ends_with("include/cuda.h: it is not a regular file any more"));
  CHECK_FALSE(fs::exists(trees.path("root")));
}
