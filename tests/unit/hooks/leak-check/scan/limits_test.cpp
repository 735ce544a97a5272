// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of which there is more than is reported or decompressed.
#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("a budget ends at its ratio, its bytes and its members") {
  ScanLimits limits;
  limits.ratio = 10;
  limits.ratio_from = 1000;
  limits.decompressed = 5000;
  limits.members = 2;
  Budget small(limits, 20);
  CHECK(small.spend(1000));
  CHECK_FALSE(small.spend(1));
  CHECK(small.reason().find("10 times its size") != std::string::npos);
  Budget middle(limits, 200);
  CHECK(middle.spend(2000));
  CHECK_FALSE(middle.spend(1));
  Budget large(limits, ~0ULL);
  CHECK(large.spend(5000));
  CHECK_FALSE(large.spend(1));
  CHECK(large.reason().find("5000 bytes") != std::string::npos);
  Budget many(limits, 1);
  CHECK(many.spend_member());
  CHECK(many.spend_member());
  CHECK_FALSE(many.is_spent());
  CHECK_FALSE(many.spend_member());
  CHECK(many.is_spent());
}

TEST_CASE("a budget ends where there is too much to report") {
  ScanLimits limits;
  limits.entries = 3;
  Budget budget(limits, 1);
  ScannedFile file;
  file.found.resize(2);
  ScannedPart& part = file.parts.emplace_back();
  budget.count_entries(file);
  CHECK_FALSE(budget.is_spent());
  part.elf.emplace();
  file.unseen.resize(1);
  budget.count_entries(file);
  CHECK(budget.is_spent());
  CHECK(budget.reason(2) == "it has more than 3 entries to report; what follows its first 2 members "
                            "was not scanned");
  Budget names(limits, 1);
  ScannedFile library;
  library.parts.emplace_back().elf.emplace().image.emplace().needed.resize(3);
  names.count_entries(library);
  CHECK(names.is_spent());
}

TEST_CASE("windows that are nested share what is allowed, and one file at a time has large ones") {
  ScanLimits limits;
  limits.windows = 100;
  limits.small_windows = 10;
  std::mutex large_windows;
  std::atomic<bool> released = false;
  std::thread other;
  {
    Budget budget(limits, 1, &large_windows), small(limits, 1, &large_windows);
    CHECK(budget.reserve_window(64));
    CHECK_FALSE(budget.reserve_window(37));
    CHECK_FALSE(budget.reserve_window(~0ULL));
    CHECK(budget.reserve_window(36));
    budget.release_window(36);
    CHECK(budget.reserve_window(30));
    CHECK(small.reserve_window(10));
    other = std::thread([&] {
      Budget waiting(limits, 1, &large_windows);
      CHECK(waiting.reserve_window(11));
      CHECK(released.load());
    });
    released = true;
  }
  other.join();
  CHECK(Budget(limits, 1).reserve_window(100));
}

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

/// `file hits parts`, and `! place reason` of what was not seen.
std::vector<std::string> scanned(const test::Tree& tree, const std::vector<std::string>& needles,
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

TEST_CASE("a file with more references than the limit is reported as such, whatever the number of threads") {
  const test::Tree tree;
  const std::vector<std::string> needles = paths(40);
  tree.write("a", lines(needles));
  tree.write("b", needles[0] + '\n');
  std::string large = lines(paths(20)); // two segments
  large.resize(std::size_t{33} << 20U, '\n');
  tree.write("c", large + lines(needles));
  for (const unsigned threads : {1U, 2U, 5U}) {
    CAPTURE(threads);
    ScanOptions options;
    options.threads = threads;
    CHECK(scanned(tree, needles, options) == std::vector<std::string>{"a 40 0", "b 1 0", "c 40 0"});
    options.limits.kinds = 30;
    CHECK(scanned(tree, needles, options) ==
          std::vector<std::string>{"a 30 0", "! a it has more references than are reported", "b 1 0",
                                   "c 30 0", "! c it has more references than are reported"});
  }
}

TEST_CASE("nested files are unseen once the limit of entries is reached") {
  const test::Tree tree;
  const std::vector<std::string> needles = paths(40);
  const std::string inner = test::xz_of(needles[0], "xz", megabyte);
  tree.write("a.a", test::ar_archive({{"x.txt", lines(needles)}, {"y.txt", "x\n"}, {"z.xz", inner}}));
  tree.write("b.a", test::ar_archive({{"x.txt", lines(needles)}, {"y.txt", "x\n"}}));
  tree.write("c.o", test::object_with(".nv_fatbin", std::string(64, '\0'), 2) + lines(needles));
  test::Packed links;
  for (int i = 0; i < 30; ++i)
    links.emplace_back("link" + std::to_string(i) + '@', needles[0]);
  tree.write("z.tar", test::packed("ustar", "none", links));
  ScanOptions options;
  CHECK(lines(scanned(tree, needles, options)) == lines({"a.a 41 0", "b.a 40 0", "c.o 40 1", "z.tar 30 30"}));
  options.limits.entries = 39;
  CHECK(
      lines(scanned(tree, needles, options)) ==
      lines({"a.a 41 0",
             "! a.a it has more than 39 entries to report; what follows its first 2 members was not scanned",
             "b.a 40 0", "c.o 40 1", "! c.o it has more than 39 entries to report; the rest was not scanned",
             "z.tar 20 20",
             "! z.tar it has more than 39 entries to report; what follows its first 20 members was not "
             "scanned"}));
}

TEST_CASE("nested dictionaries share one limit, whatever the number of threads") {
  const test::Tree tree;
  const std::string text = lines({"/opt/gcc-1000"});
  for (const char* const name : {"a", "b", "c", "d"}) {
    tree.write(std::string(name) + ".xz", test::xz_of(text, "xz", 8 * megabyte));
    tree.write(std::string(name) + "-large.xz", test::xz_of(text, "xz", 20 * megabyte));
  }
  tree.write("e.xz", test::xz_of(text, "xz", 64 * megabyte));
  tree.write("f.tar", test::packed("ustar", "none", {{"x.xz", test::xz_of(text, "xz", 24 * megabyte)}}));
  const std::string inner = test::packed("ustar", "none", {{"x", test::xz_of(text, "xz", 16 * megabyte)}});
  tree.write("g.xz", test::xz_of(inner, "xz", 16 * megabyte));
  for (const unsigned threads : {1U, 2U, 8U}) {
    CAPTURE(threads);
    ScanOptions options;
    options.threads = threads;
    options.limits.windows = 30 * megabyte;
    CHECK(lines(scanned(tree, {"/opt/gcc-1000"}, options)) ==
          lines({"a-large.xz 1 0", "a.xz 1 0", "b-large.xz 1 0", "b.xz 1 0", "c-large.xz 1 0", "c.xz 1 0",
                 "d-large.xz 1 0", "d.xz 1 0", "e.xz 1 0",
                 "! e.xz its dictionary and those it is nested in take more than 30 MB", "f.tar 1 0",
                 "g.xz 1 0", "! g.xz(x) its dictionary and those it is nested in take more than 30 MB"}));
  }
}
