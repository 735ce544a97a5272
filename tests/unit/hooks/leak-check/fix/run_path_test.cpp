// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/run_path.hpp"
#include "tests/tree.hpp"

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

namespace {

Finding entry(Rule rule, const std::string& reference, Severity severity = Severity::error) {
  return {rule, severity, {"bin/x", {}, ".dynamic", std::nullopt}, reference, {}, {}, {}};
}

std::optional<std::string> mended(const std::string& list, std::initializer_list<Finding> findings,
                                  const std::string& instead = {}) {
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings)
    pointers.push_back(&finding);
  return mended_run_path(list, pointers, DiskFiles(), "/tree/bin/x", instead);
}

} // namespace

TEST_CASE("all occurrences of an unwanted entry are removed, and the others stay in order") {
  CHECK(mended("/a:/bad:/b:/bad", {entry(Rule::forbidden_runpath, "/bad")}) == "/a:/b");
  CHECK(mended("/build/lib", {entry(Rule::build_directory, "/build/lib")}) == "");
  CHECK(mended("/a:/cuda/stubs/:$ORIGIN", {entry(Rule::cuda_stub_runpath, "/cuda/stubs/")}) == "/a:$ORIGIN");
  // reported by two rules
  CHECK(mended("/a:/bad", {entry(Rule::forbidden_runpath, "/bad"), entry(Rule::build_directory, "/bad")}) ==
        "/a");
}

TEST_CASE("an empty entry stays unless a finding names it") {
  CHECK(mended(":/bad:/a", {entry(Rule::forbidden_runpath, "/bad")}) == ":/a");
  CHECK(mended(":/a", {entry(Rule::dangling_runpath, "", Severity::warning)}) == "/a");
}

TEST_CASE("an absent directory may exist on another machine, but the current directory may be any") {
  CHECK_FALSE(mended("/absent:/a", {entry(Rule::dangling_runpath, "/absent", Severity::warning)}));
  CHECK_FALSE(mended("${ORIGIN}/x", {entry(Rule::dangling_runpath, "${ORIGIN}/x", Severity::warning)}));
  CHECK(mended("lib:/a", {entry(Rule::dangling_runpath, "lib", Severity::warning)}) == "/a");
}

TEST_CASE("the driver's directory is added last, and that of cuda_compat first") {
  const Finding driver = entry(Rule::driver_runpath, "/driver", Severity::warning);
  const Finding compat = entry(Rule::cuda_compat_order, "/compat", Severity::warning);
  CHECK(mended("/a", {driver}) == "/a:/driver");
  CHECK(mended("", {driver}) == "/driver");
  CHECK(mended("/a", {driver, compat}) == "/compat:/a:/driver");
  CHECK(mended("/driver:/a:/compat", {compat}) == "/compat:/driver:/a");
}

TEST_CASE("the first unwanted directory is replaced by the right one, which is added only once") {
  const Finding bad = entry(Rule::forbidden_runpath, "/bad"),
                worse = entry(Rule::forbidden_runpath, "/worse");
  CHECK(mended("/a:/bad:/b", {bad}, "/std") == "/a:/std:/b");
  CHECK(mended("/bad", {bad}, "/std") == "/std");
  CHECK(mended("/bad:/worse:/a", {bad, worse}, "/std") == "/std:/a");
  CHECK(mended("/std:/bad", {bad}, "/std") == "/std");
  CHECK(mended("/a:/build", {entry(Rule::build_directory, "/build")}, "/std") == "/a");
}

TEST_CASE("a file is replaced by its directory, if that exists") {
  const Tree tree;
  const std::string file = tree.write("lib/libf.so", "");
  const std::string directory = file.substr(0, file.rfind('/'));
  CHECK(mended("/a:" + file, {entry(Rule::runpath_not_a_directory, file)}) == "/a:" + directory);
  CHECK(mended(directory + ":" + file, {entry(Rule::runpath_not_a_directory, file)}) == directory);
  const std::string gone = tree.path("absent/libf.so");
  CHECK_FALSE(mended(gone, {entry(Rule::runpath_not_a_directory, gone)}));
}

TEST_CASE("the fix of a rule names --fix if that repairs every run path, and only then") {
  const Tree tree;
  const std::string file = tree.write("lib/libf.so", "");
  for (const RuleText& rule : rules()) {
    CAPTURE(rule.name);
    const bool mends = mended("/a:" + file, {entry(rule.rule, file)}).has_value();
    CHECK(mends == (rule.cure.find("hostpin leak-check --fix") != std::string_view::npos));
  }
}

TEST_CASE("the directory of a missing library that is in the tree is added, relative to the file") {
  Finding missing = entry(Rule::missing_library, "libf.so.1");
  CHECK_FALSE(mended("/a", {missing})); // its location is not known
  missing.resolved = "/tree/lib/libf.so.1";
  CHECK(mended("/a", {missing}) == "/a:$ORIGIN/../lib");
  CHECK(mended("", {missing}) == "$ORIGIN/../lib");
  Finding same = missing, beside = missing;
  same.reference = "libg.so.1";
  same.resolved = "/tree/lib/libg.so.1";
  beside.resolved = "/tree/bin/libh.so.1";
  CHECK(mended("", {missing, same, beside}) == "$ORIGIN/../lib:$ORIGIN");
  missing.severity = Severity::note;
  CHECK_FALSE(mended("/a", {missing}));
  const Tree tree; // an entry that leads there after the fix is enough
  missing.severity = Severity::error;
  missing.resolved = tree.write("lib/libf.so.1", "");
  const std::string directory = missing.resolved.substr(0, missing.resolved.rfind('/'));
  CHECK(mended(missing.resolved, {missing, entry(Rule::runpath_not_a_directory, missing.resolved)}) ==
        directory);
}

TEST_CASE("cuda_compat goes first") {
  CHECK(mended("/a:/driver:/compat:/b", {entry(Rule::cuda_compat_order, "/compat")}) ==
        "/compat:/a:/driver:/b");
}

TEST_CASE("notes, other sections and other rules change nothing, nor does an entry that is not in the list") {
  CHECK_FALSE(mended("/bad", {}));
  CHECK_FALSE(mended("/bad", {entry(Rule::forbidden_runpath, "/bad", Severity::note)}));
  CHECK_FALSE(mended("/bad", {entry(Rule::wrong_libstdcxx, "/bad")}));
  CHECK_FALSE(mended("/a", {entry(Rule::forbidden_runpath, "/bad")}));
  Finding elsewhere = entry(Rule::build_directory, "/bad");
  elsewhere.where.section = ".rodata";
  CHECK_FALSE(mended("/bad", {elsewhere}));
}
