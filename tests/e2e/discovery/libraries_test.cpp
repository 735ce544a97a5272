// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/discovery/real.hpp"
#include "toolchains/library/library.hpp"

#include <sstream>

using namespace hostpin;
using namespace hostpin::test;

namespace {

/// What another reader of ELF files finds, for comparison: every `Name: ` of the version definitions.
std::optional<binary::SharedObject> by_readelf(const std::string& path) {
  const Command command{{"readelf", "-V", "--wide", path}, "", {}};
  const Outcome outcome = HostProcesses().run({&command, 1}).front();
  if (!outcome.ok())
    return std::nullopt;
  binary::SharedObject object;
  std::istringstream lines(outcome.output);
  bool definitions = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Version "))
      definitions = line.starts_with("Version definition");
    const std::size_t at = line.find("Name: ");
    if (definitions && at != std::string::npos && line.find("Flags: BASE") == std::string::npos)
      object.version_definitions.push_back(line.substr(at + 6));
  }
  return object;
}

} // namespace

TEST_CASE("the library of every compiler of the lab is found and read as another tool reads it") {
  for (const Compiler& compiler : lab_compilers()) {
    CAPTURE(compiler.command.front());
    const auto facts = library_facts(DiskFiles(), HostProcesses(), compiler);
    REQUIRE(facts);
    CHECK(facts->library.path == DiskFiles().real_path(facts->found));
    CHECK(DiskFiles().status(facts->libgcc));
    // A library may be newer than the compiler's headers, since distributions share it, but never older.
    constexpr int release_with_3_4_28 = 9;
    CHECK(*parse_version(facts->library.glibcxx) >=
          Version{3, 4, 19 + std::min(compiler.library.release, release_with_3_4_28)});
    const auto other = by_readelf(facts->library.path);
    if (!other) {
      MESSAGE("skipped: readelf could not read " << facts->library.path);
      continue;
    }
    CHECK(facts->library.glibcxx == highest_version(*other, "GLIBCXX_"));
    CHECK(facts->library.cxxabi == highest_version(*other, "CXXABI_"));
  }
}
