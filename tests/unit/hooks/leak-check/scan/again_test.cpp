// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that need more memory than others leave them.
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

constexpr std::uint32_t megabyte = 1U << 20U;

std::vector<std::string> paths(int count) {
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i)
    result.push_back("/opt/gcc-" + std::to_string(1000 + i));
  return result;
}

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts)
    all += text + '\n';
  return all;
}

/// `file hits`, and `! place reason` of what was not seen.
std::vector<std::string> told(const test::Tree& tree, const std::vector<std::string>& needles,
                              const ScanOptions& options) {
  std::vector<std::string> result;
  scan_tree({tree.root()}, NeedleSet::make(needles).value(), options, [&](ScannedFile&& file) {
    result.push_back(file.path + ' ' + std::to_string(file.found.size()) + ' ' +
                     std::to_string(file.parts.size()));
    for (const Unseen& unseen : file.unseen)
      result.push_back("! " + shown(unseen.where) + ' ' + unseen.reason);
  });
  return result;
}

} // namespace

TEST_CASE("a file of which more is to be told than may wait is told whole, in its turn") {
  const test::Tree tree;
  const std::vector<std::string> needles = paths(40);
  for (const char* const name : {"a", "c", "e", "g"})
    tree.write(name, lines(needles));
  for (const char* const name : {"b", "d", "f"})
    tree.write(name, needles[0] + '\n');
  test::Packed links;
  for (int i = 0; i < 30; ++i)
    links.emplace_back("link" + std::to_string(i) + '@', needles[0]);
  tree.write("z.tar", test::packed("ustar", "none", links));
  const std::vector<std::string> all = {"a 40 0", "b 1 0", "c 40 0", "d 1 0",
                                        "e 40 0", "f 1 0", "g 40 0", "z.tar 30 30"};
  for (const unsigned threads : {1U, 2U, 5U}) {
    CAPTURE(threads);
    ScanOptions options;
    options.threads = threads;
    CHECK(told(tree, needles, options) == all);
    options.limits.kinds_at_once = 10;
    options.limits.told_at_once = 2000;
    CHECK(told(tree, needles, options) == all);
    options.limits.kinds = 30;
    const auto cut = told(tree, needles, options);
    CHECK(cut[0] == "a 30 0");
    CHECK(cut[1] == "! a it has more references than can be told");
    options.limits.kinds = 40;
    options.limits.told = 3000;
    const auto some = told(tree, needles, options); // how many fit depends on the C++ library
    const std::string looked_at = some[some.size() - 2].substr(6, 1);
    CHECK(some.back() ==
          "! z.tar there is more to tell of it than there is memory for; what follows its first " +
              looked_at + " members was not looked at");
  }
}

TEST_CASE("what is packed is told as unseen where there is no memory to tell more") {
  const test::Tree tree;
  const std::vector<std::string> needles = paths(40);
  const std::string inner = test::xz_of(needles[0], "xz", megabyte);
  tree.write("a.a", test::ar_archive({{"x.txt", lines(needles)}, {"y.txt", "x\n"}, {"z.xz", inner}}));
  tree.write("b.a", test::ar_archive({{"x.txt", lines(needles)}, {"y.txt", "x\n"}}));
  tree.write("c.o", test::object_with(".nv_fatbin", std::string(64, '\0'), 2) + lines(needles));
  ScanOptions options;
  CHECK(told(tree, needles, options) == std::vector<std::string>{"a.a 41 0", "b.a 40 0", "c.o 40 1"});
  options.limits.told = 3000;
  CHECK(lines(told(tree, needles, options)) ==
        lines({"a.a 41 0",
               "! a.a there is more to tell of it than there is memory for; what follows its first 2 members "
               "was not looked at",
               "b.a 40 0", "c.o 40 1",
               "! c.o there is more to tell of it than there is memory for; the rest was not "
               "looked at"}));
}

TEST_CASE(
    "what needs the memory of all decoders is unpacked alone, and what needs more is told with how much") {
  const test::Tree tree;
  const std::string text = lines({"/opt/gcc-1000"});
  for (const char* const name : {"a", "b", "c", "d"}) {
    tree.write(std::string(name) + ".xz", test::xz_of(text, "xz", 8 * megabyte));
    tree.write(std::string(name) + "-large.xz", test::xz_of(text, "xz", 16 * megabyte));
  }
  tree.write("e.xz", test::xz_of(text, "xz", 64 * megabyte));
  tree.write("f.tar", test::packed("ustar", "none", {{"x.xz", test::xz_of(text, "xz", 24 * megabyte)}}));
  for (const unsigned threads : {1U, 2U, 8U}) {
    CAPTURE(threads);
    ScanOptions options;
    options.threads = threads;
    options.limits.window = 30 * megabyte;
    CHECK(lines(told(tree, {"/opt/gcc-1000"}, options)) ==
          lines({"a-large.xz 1 0", "a.xz 1 0", "b-large.xz 1 0", "b.xz 1 0", "c-large.xz 1 0", "c.xz 1 0",
                 "d-large.xz 1 0", "d.xz 1 0", "e.xz 1 0",
                 "! e.xz unpacking it takes 64M of memory; --memory 64M allows that", "f.tar 1 0"}));
  }
}
