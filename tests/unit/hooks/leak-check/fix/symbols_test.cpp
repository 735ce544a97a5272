// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/elf.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "tests/tree.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

TEST_CASE("the names of this program's dynamic symbols are read") {
  const auto names = dynamic_symbols(std::filesystem::canonical("/proc/self/exe").string());
  REQUIRE(names);
  CHECK(names->front().empty());
  CHECK(std::find(names->begin(), names->end(), "__libc_start_main") != names->end());
}

TEST_CASE("a truncated ELF file or one of another kind has no names") {
  const Tree tree;
  CHECK_FALSE(dynamic_symbols(tree.path("absent")));
  CHECK_FALSE(dynamic_symbols(tree.root()));
  CHECK_FALSE(dynamic_symbols(tree.write("text", "no ELF")));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(self), {}};
  for (const std::size_t part : {2U, 4U, 64U, 1000U})
    CHECK_FALSE(dynamic_symbols(tree.write("cut", std::string_view(bytes).substr(0, bytes.size() / part))));
}

TEST_CASE("a file that is truncated while it is read is unreadable, without SIGBUS") {
  const Tree tree;
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string file = tree.write("x", std::string{std::istreambuf_iterator<char>(self), {}});
  const auto size = std::filesystem::file_size(file);
  CHECK(read_image_of(file));
  std::atomic<bool> enough = false;
  std::filesystem::resize_file(file, 0);
  std::thread cutter([&] {
    while (!enough) {
      std::filesystem::resize_file(file, 0);
      std::filesystem::resize_file(file, size);
    }
  });
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(read_image_of(file)); // only zeros remain after the first cut
    CHECK_FALSE(dynamic_symbols(file));
  }
  enough = true;
  cutter.join();
}
