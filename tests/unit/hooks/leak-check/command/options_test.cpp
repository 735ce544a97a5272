// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/options.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

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

TEST_CASE("of a staged tree all is looked at, and mended, unless paths in it are named") {
  CHECK(read({"--root", "stage"})->paths == std::vector<std::string>{"stage"});
  CHECK(read({"--root=stage", "stage/usr"})->paths == std::vector<std::string>{"stage/usr"});
  CHECK(read({"--root", "stage", "--files-from", "f"})->paths.empty());
  CHECK(read({"--fix", "--root", "stage"})->fix);
}

TEST_CASE("sizes are bytes, or have a letter") {
  CHECK(read({"--memory=64M", "out"})->memory == std::uint64_t{64} << 20U);
  CHECK(read({"--memory", "4096", "out"})->memory == 4096);
  CHECK(read({"out"})->memory == 0);
}

TEST_CASE("misuse is told") {
  for (const auto& words : {std::vector<const char*>{},
                            {"--forbid"},
                            {"--forbid=", "out"},
                            {"--nothing", "out"},
                            {"--fail-on=notes", "out"},
                            {"--memory=0", "out"},
                            {"--memory=M", "out"},
                            {"--memory=1T", "out"},
                            {"--memory=99999999999G", "out"},
                            {"--no-fix=no-such-rule", "out"},
                            {"--binding=b", "--no-binding", "out"},
                            {"--forbidden", "out"}})
    CHECK_FALSE(leak_options(words));
}

TEST_CASE("a shard is one of so many") {
  CHECK(read({"--shard", "2/4", "out"})->shard == ShardNumber{2, 4});
  CHECK(read({"--shard=4096/4096", "out"})->shard == ShardNumber{4096, 4096});
  CHECK_FALSE(read({"out"})->shard);
  for (const char* const word :
       {"--shard=0/4", "--shard=5/4", "--shard=1/4097", "--shard=1/", "--shard=/2", "--shard=1",
        "--shard=-1/2", "--shard=1/2/3", "--shard=1/ 2", "--shard= 1/2"})
    CHECK_FALSE(read({word, "out"}));
  CHECK(read({"--shard=1/2", "--json", "--fail-on=never", "--memory=1M", "--exceptions=e", "out"}));
  for (const char* const word :
       {"--fix", "--no-fix=forbidden-runpath", "--sarif", "--strict", "--notes", "--merge"})
    CHECK_FALSE(read({"--shard=1/2", word, "out"}));
}

TEST_CASE("a merge takes reports, and what says how to tell of them") {
  const auto options =
      read({"--merge", "--json", "--notes", "--strict", "--fail-on=note", "--memory=1M", "a", "b"});
  REQUIRE(options);
  CHECK(options->merge);
  CHECK(options->paths == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(read({"--merge"}));
  for (const char* const word :
       {"--fix", "--forbid=/x", "--binding=b", "--no-binding", "--exceptions=e", "--metadata", "--root=r",
        "--files-from=f", "--shard=1/2", "--below=b", "--no-unpack"}) {
    const auto refused = read({"--merge", word, "a"});
    REQUIRE_FALSE(refused);
    CAPTURE(word);
    CHECK(refused.error().message.find(" does not go with --") != std::string::npos);
  }
}

TEST_CASE("help and rules need no path") {
  CHECK(read({"--help"}));
  CHECK(read({"--rules"}));
}

TEST_CASE("help tells every key of what is told of device code") {
  const std::string usage = leak_usage;
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

TEST_CASE("content is looked at and what is packed is opened unless it is said otherwise") {
  CHECK_FALSE(read({"out"})->metadata);
  CHECK_FALSE(read({"out"})->no_unpack);
  CHECK(read({"--metadata", "out"})->metadata);
  CHECK(read({"--no-unpack", "out"})->no_unpack);
}

TEST_CASE("a list of paths has one a line, or one up to each NUL, and each counts once") {
  CHECK(listed_paths("b\n# a\n\nb\n c ;d") == std::vector<std::string>{" c ;d", "# a", "b"});
  CHECK(listed_paths(std::string_view("b\nc\0a\0", 6)) == std::vector<std::string>{"a", "b\nc"});
  CHECK(listed_paths("").empty());
  const auto options = read({"--files-from", "list", "--below=/usr"});
  REQUIRE(options);
  CHECK(options->files_from == "list");
  CHECK(options->below == "/usr");
  CHECK(options->paths.empty());
}
