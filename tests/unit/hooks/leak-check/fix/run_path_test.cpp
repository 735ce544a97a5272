// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/run_path.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "tests/repeated.hpp"
#include "tests/tree.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using hostpin::test::Tree;

namespace {

std::string own_bytes() {
  std::ifstream self("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<std::size_t>(self.tellg()), '\0');
  self.seekg(0);
  REQUIRE(self.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  return bytes;
}

Finding entry(Rule rule, const std::string& reference, Severity severity = Severity::error) {
  return {rule, severity, {"bin/x", {}, ".dynamic", std::nullopt}, reference, {}, {}, {}};
}

std::optional<std::string> fixed(const std::string& list, std::initializer_list<Finding> findings,
                                 const std::string& instead = {}) {
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings)
    pointers.push_back(&finding);
  return fixed_run_path(list, pointers, DiskFiles(), "/tree/bin/x", instead);
}

} // namespace

TEST_CASE("all occurrences of an unwanted entry are removed, and the others stay in order") {
  CHECK(fixed("/a:/bad:/b:/bad", {entry(Rule::forbidden_runpath, "/bad")}) == "/a:/b");
  CHECK(fixed("/build/lib", {entry(Rule::build_directory, "/build/lib")}) == "");
  CHECK(fixed("/a:/cuda/stubs/:$ORIGIN", {entry(Rule::cuda_stub_runpath, "/cuda/stubs/")}) == "/a:$ORIGIN");
  // reported by two rules
  CHECK(fixed("/a:/bad", {entry(Rule::forbidden_runpath, "/bad"), entry(Rule::build_directory, "/bad")}) ==
        "/a");
}

TEST_CASE("an empty entry stays unless a finding names it") {
  CHECK(fixed(":/bad:/a", {entry(Rule::forbidden_runpath, "/bad")}) == ":/a");
  CHECK(fixed(":/a", {entry(Rule::dangling_runpath, "", Severity::warning)}) == "/a");
}

TEST_CASE("an absent directory may exist on another machine, but the current directory may be any") {
  CHECK_FALSE(fixed("/absent:/a", {entry(Rule::dangling_runpath, "/absent", Severity::warning)}));
  CHECK_FALSE(fixed("${ORIGIN}/x", {entry(Rule::dangling_runpath, "${ORIGIN}/x", Severity::warning)}));
  CHECK(fixed("lib:/a", {entry(Rule::dangling_runpath, "lib", Severity::warning)}) == "/a");
}

TEST_CASE("the driver's directory is added last, and that of cuda_compat first") {
  const Finding driver = entry(Rule::driver_runpath, "/driver", Severity::warning);
  const Finding compat = entry(Rule::cuda_compat_order, "/compat", Severity::warning);
  CHECK(fixed("/a", {driver}) == "/a:/driver");
  CHECK(fixed("", {driver}) == "/driver");
  CHECK(fixed("/a", {driver, compat}) == "/compat:/a:/driver");
  CHECK(fixed("/driver:/a:/compat", {compat}) == "/compat:/driver:/a");
}

TEST_CASE("the first unwanted directory is replaced by the right one, which is added only once") {
  const Finding bad = entry(Rule::forbidden_runpath, "/bad"),
                worse = entry(Rule::forbidden_runpath, "/worse");
  CHECK(fixed("/a:/bad:/b", {bad}, "/std") == "/a:/std:/b");
  CHECK(fixed("/bad", {bad}, "/std") == "/std");
  CHECK(fixed("/bad:/worse:/a", {bad, worse}, "/std") == "/std:/a");
  CHECK(fixed("/std:/bad", {bad}, "/std") == "/std");
  CHECK(fixed("/a:/build", {entry(Rule::build_directory, "/build")}, "/std") == "/a");
}

TEST_CASE("a file is replaced by its directory, if that exists") {
  const Tree tree;
  const std::string file = tree.write("lib/libf.so", "");
  const std::string directory = file.substr(0, file.rfind('/'));
  CHECK(fixed("/a:" + file, {entry(Rule::runpath_not_a_directory, file)}) == "/a:" + directory);
  CHECK(fixed(directory + ":" + file, {entry(Rule::runpath_not_a_directory, file)}) == directory);
  const std::string gone = tree.path("absent/libf.so");
  CHECK_FALSE(fixed(gone, {entry(Rule::runpath_not_a_directory, gone)}));
}

TEST_CASE("the fix of a rule names --fix if that repairs every run path, and only then") {
  const Tree tree;
  const std::string file = tree.write("lib/libf.so", "");
  for (const RuleText& rule : rules()) {
    CAPTURE(rule.name);
    const bool mends = fixed("/a:" + file, {entry(rule.rule, file)}).has_value();
    CHECK(mends == (rule.fix.find("hostpin leak-check --fix") != std::string_view::npos));
  }
}

TEST_CASE("the directory of a missing library that is in the tree is added, relative to the file") {
  Finding missing = entry(Rule::missing_library, "libf.so.1");
  CHECK_FALSE(fixed("/a", {missing})); // its location is not known
  missing.resolved = "/tree/lib/libf.so.1";
  CHECK(fixed("/a", {missing}) == "/a:$ORIGIN/../lib");
  CHECK(fixed("", {missing}) == "$ORIGIN/../lib");
  Finding same = missing, next_to = missing;
  same.reference = "libg.so.1";
  same.resolved = "/tree/lib/libg.so.1";
  next_to.resolved = "/tree/bin/libh.so.1";
  CHECK(fixed("", {missing, same, next_to}) == "$ORIGIN/../lib:$ORIGIN");
  missing.severity = Severity::note;
  CHECK_FALSE(fixed("/a", {missing}));
  const Tree tree; // an entry that leads there after the fix is enough
  missing.severity = Severity::error;
  missing.resolved = tree.write("lib/libf.so.1", "");
  const std::string directory = missing.resolved.substr(0, missing.resolved.rfind('/'));
  CHECK(fixed(missing.resolved, {missing, entry(Rule::runpath_not_a_directory, missing.resolved)}) ==
        directory);
}

TEST_CASE("cuda_compat goes first") {
  CHECK(fixed("/a:/driver:/compat:/b", {entry(Rule::cuda_compat_order, "/compat")}) ==
        "/compat:/a:/driver:/b");
}

TEST_CASE("notes, other sections and other rules change nothing, nor does an entry that is not in the list") {
  CHECK_FALSE(fixed("/bad", {}));
  CHECK_FALSE(fixed("/bad", {entry(Rule::forbidden_runpath, "/bad", Severity::note)}));
  CHECK_FALSE(fixed("/bad", {entry(Rule::wrong_libstdcxx, "/bad")}));
  CHECK_FALSE(fixed("/a", {entry(Rule::forbidden_runpath, "/bad")}));
  Finding elsewhere = entry(Rule::build_directory, "/bad");
  elsewhere.where.section = ".rodata";
  CHECK_FALSE(fixed("/bad", {elsewhere}));
}

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
  const std::string bytes = own_bytes();
  for (const std::size_t part : {2U, 4U, 64U, 1000U})
    CHECK_FALSE(dynamic_symbols(tree.write("cut", std::string_view(bytes).substr(0, bytes.size() / part))));
}

TEST_CASE("a file that is truncated while it is read is unreadable, without SIGBUS") {
  const Tree tree;
  const std::string file = tree.write("x", own_bytes());
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
  for (unsigned i = 0; i < test::repeated(1000); ++i) {
    CHECK_FALSE(read_image_of(file)); // only zeros remain after the first cut
    CHECK_FALSE(dynamic_symbols(file));
  }
  enough = true;
  cutter.join();
}
