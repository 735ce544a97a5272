// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/checksum.hpp"
#include "wrapper/hot/system.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::hot;
using hostpin::test::Tree;

namespace {

plan::PlanFile as_it_is(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return {plan::PlanFile::Kind::file, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec, path};
}

} // namespace

TEST_CASE("a file is read whole, or errno says why not") {
  const Tree tree;
  CHECK(read_whole(tree.write("plan", "content"), 100, true) == "content");
  CHECK_FALSE(read_whole(tree.path("none"), 100, true).has_value());
  CHECK(errno == ENOENT);
  CHECK_FALSE(read_whole(tree.root(), 100, true).has_value());
  CHECK_FALSE(read_whole(tree.write("long", std::string(101, 'x')), 100, true).has_value());
}

TEST_CASE("a plan that others may write is not read from the cache") {
  const Tree tree;
  const std::string path = tree.write("plan", "content");
  chmod(path.c_str(), 0664);
  CHECK_FALSE(read_whole(path, 100, true).has_value());
  CHECK(errno == EPERM);
  CHECK(read_whole(path, 100, false) == "content");
}

TEST_CASE("size, time, disappearance and appearance are changes") {
  const Tree tree;
  const std::string path = tree.write("compiler", "1234");
  const std::string later = tree.path("config.toml");
  plan::Plan plan;
  plan.files = {as_it_is(path), {plan::PlanFile::Kind::absent, 0, 0, later}};
  CHECK(first_change(plan.files) == nullptr);
  plan.files[0].size += 1;
  CHECK(first_change(plan.files) == &plan.files[0]);
  plan.files[0] = as_it_is(path);
  plan.files[0].modified -= 1;
  CHECK(first_change(plan.files) == &plan.files[0]);
  plan.files[0] = as_it_is(path);
  tree.write("config.toml", "");
  CHECK(first_change(plan.files) == &plan.files[1]);
  std::filesystem::remove(later);
  std::filesystem::remove(path);
  CHECK(first_change(plan.files) == &plan.files[0]);
}

TEST_CASE("a file with another time and the same bytes is the same file") {
  const Tree tree;
  // more than is read at a time, and exactly that
  for (const std::size_t size : {700'000U, 262'144U, 0U}) {
    const std::string path = tree.write("compiler", std::string(size, 'c'));
    const auto digits = hexadecimal(file_checksum(path.c_str()).value());
    plan::Plan plan;
    plan.files = {as_it_is(path)};
    plan.files[0].content = std::string_view(digits.data(), digits.size());
    const std::int64_t now = std::exchange(plan.files[0].modified, 5);
    CHECK(first_change(plan.files) == &plan.files[0]);
    CHECK(first_new_content(plan.files) == nullptr);
    CHECK(plan.files[0].touched == now);
    CHECK(plan.files[0].modified == 5);
    CHECK(first_change(plan.files) == nullptr);
    plan.files[0].touched.reset();
    if (size > 0)
      tree.write("compiler", std::string(size - 1, 'c') + 'd');
    else
      std::filesystem::remove(path);
    CHECK(first_new_content(plan.files) == &plan.files[0]);
    plan.files[0].content = {};
    tree.write("compiler", std::string(size, 'c'));
    CHECK(first_new_content(plan.files) == &plan.files[0]);
  }
}

TEST_CASE("what a program prints and how it ends is captured, and its stdin is empty") {
  char* const environment[] = {nullptr};
  const Captured fine = capture({"/bin/sh", "-c", "cat; printf 'a\\0b'; exit 3"}, environment);
  CHECK(fine.exit_code == 3);
  CHECK(fine.output == std::string("a\0b", 3));
  CHECK(capture({"/bin/sh", "-c", "kill -9 $$"}, environment).exit_code == 128 + 9);
  CHECK(capture({"/nonexistent/program"}, environment).exit_code == 127);
}

TEST_CASE("a variable is found by its whole name, and an empty one is unset") {
  const char* const envp[] = {"CXXFLAGS=-O2", "CXX=g++", "EMPTY=", nullptr};
  CHECK(variable(envp, "CXX") == "g++");
  CHECK_FALSE(variable(envp, "CX").has_value());
  CHECK_FALSE(variable(envp, "EMPTY").has_value());
}

TEST_CASE("what cannot be written is returned, with the reason") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  errno = 0;
  CHECK(write_all(full, "words") == "words");
  CHECK(errno == ENOSPC);
  close(full);
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  CHECK(write_all(ends[1], "words").empty());
  std::array<char, 8> read_back{};
  CHECK(read(ends[0], read_back.data(), read_back.size()) == 5);
  CHECK(std::string_view(read_back.data()) == "words");
  close(ends[0]);
  close(ends[1]);
}
