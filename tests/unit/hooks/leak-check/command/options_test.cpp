// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/options.hpp"
#include "tests/tree.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

Result<LeakOptions> read(std::initializer_list<const char*> words) {
  const std::vector<const char*> arguments(words);
  return leak_options(arguments);
}

} // namespace

TEST_CASE("options take their value behind = or as the next word, and may be repeated") {
  const auto options =
      read({"--forbid=/a", "--forbid", "/b", "--forbid-file", "f", "--vendor=v", "out", "--fail-on=never"});
  REQUIRE(options);
  CHECK(options->forbidden == std::vector<std::string>{"/a", "/b"});
  CHECK(options->forbidden_files == std::vector<std::string>{"f"});
  CHECK(options->vendor == std::vector<std::string>{"v"});
  CHECK(options->paths == std::vector<std::string>{"out"});
  CHECK_FALSE(options->fail_on);
}

TEST_CASE("what stands behind -- is a path") {
  const auto options = read({"--", "--forbid"});
  REQUIRE(options);
  CHECK(options->paths == std::vector<std::string>{"--forbid"});
}

TEST_CASE("errors are what fails unless another level is named") {
  CHECK(read({"out"})->fail_on == Severity::error);
  CHECK(read({"--fail-on", "warning", "out"})->fail_on == Severity::warning);
  CHECK(read({"--fail-on", "note", "out"})->fail_on == Severity::note);
}

TEST_CASE("all of a staged tree is scanned, and fixed, unless paths in it are named") {
  CHECK(read({"--root", "stage"})->paths == std::vector<std::string>{"stage"});
  CHECK(read({"--root=stage", "stage/usr"})->paths == std::vector<std::string>{"stage/usr"});
  CHECK(read({"--root", "stage", "--files-from", "f"})->paths.empty());
  CHECK(read({"--fix", "--root", "stage"})->fix);
}

TEST_CASE("misuse is told") {
  for (const auto& words : {std::vector<const char*>{},
                            {"--forbid"},
                            {"--forbid=", "out"},
                            {"--nothing", "out"},
                            {"--fail-on=notes", "out"},
                            {"--no-fix=no-such-rule", "out"},
                            {"--binding=b", "--no-binding", "out"},
                            {"--forbidden", "out"}})
    CHECK_FALSE(leak_options(words));
}

TEST_CASE("help and rules need no path") {
  CHECK(read({"--help"}));
  CHECK(read({"--rules"}));
}

TEST_CASE("help tells every key of what is told of device code") {
  const std::string usage = read({"--help"})->help;
  const std::size_t at = usage.find("capabilities[] {");
  REQUIRE(at != std::string::npos);
  CHECK(usage.substr(at, usage.find('}', at) + 1 - at) ==
        "capabilities[] {capability, code, use, entries, bytes}");
}

TEST_CASE("exceptions, --strict, --fix and --sarif are taken, and one form of report at a time") {
  const auto options = read({"--exceptions", "e.toml", "--strict", "--sarif", "--fix", "out"});
  REQUIRE(options);
  CHECK(options->exceptions == "e.toml");
  CHECK(options->strict);
  CHECK(options->sarif);
  CHECK(options->fix);
  const auto both = read({"--json", "--sarif", "out"});
  REQUIRE_FALSE(both);
  CHECK(both.error().message == "--json and --sarif exclude each other");
}

TEST_CASE("content is scanned and packed files are opened unless options say otherwise") {
  CHECK_FALSE(read({"out"})->metadata);
  CHECK_FALSE(read({"out"})->no_unpack);
  CHECK(read({"--metadata", "out"})->metadata);
  CHECK(read({"--no-unpack", "out"})->no_unpack);
}

TEST_CASE("a list of paths has one a line, or one up to each NUL, and each counts once") {
  using Paths = std::vector<std::string>;
  CHECK(listed_paths("b\n# a\n\nb\n c ;d", '\n') == Paths{" c ;d", "# a", "b"});
  CHECK(listed_paths(std::string_view("b\nc\0a\0", 6), '\0') == Paths{"a", "b\nc"});
  CHECK(listed_paths("", '\n').empty());
  CHECK(listed_paths("t\nt/a\nt/b/c\nt-x\ntt", '\n') == Paths{"t", "t-x", "tt"});
  CHECK(listed_paths("t/\nt/a\n/x", '\n') == Paths{"/x", "t/"});
  CHECK(listed_paths("t/b/c\nt/b/d", '\n') == Paths{"t/b/c", "t/b/d"});
  const auto options = read({"--files-from", "list", "--below=/usr"});
  REQUIRE(options);
  CHECK(options->files_from == "list");
  CHECK(options->below == "/usr");
  CHECK(options->paths.empty());
  CHECK_FALSE(options->null);
  CHECK(read({"--files-from", "-", "-0"})->null);
  CHECK(read({"--files-from=-", "--null"})->null);
  CHECK_FALSE(read({"--null", "out"}));
}

TEST_CASE("a list of paths that cannot be used says why, and what to do") {
  const test::Tree tree;
  CHECK(paths_from(tree.write("list", "a\nb\n"), false).value() == std::vector<std::string>{"a", "b"});
  const std::string nulls = tree.write("nulls", std::string("a\nb\0", 4));
  CHECK(paths_from(nulls, true).value() == std::vector<std::string>{"a\nb"});
  const auto refused = [](const std::string& list, bool null) {
    const auto paths = paths_from(list, null);
    REQUIRE_FALSE(paths);
    CHECK_FALSE(paths.error().hint.empty());
    return paths.error().message;
  };
  CHECK(refused(nulls, false) == nulls + " contains a NUL byte");
  const std::string empty = tree.write("empty", "\n\n");
  CHECK(refused(empty, false) == empty + " lists no path");
  CHECK(refused(tree.path("absent"), false) ==
        tree.path("absent") + " cannot be read: No such file or directory");
  CHECK(refused(tree.root(), false) == tree.root() + " cannot be read: Is a directory");
}
