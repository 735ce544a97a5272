// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/redist/tree/archive_check.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

ListedArchive listed_archive() {
  return {"libx",
          "X",
          "CUDA Toolkit",
          "",
          "1.2.3",
          "linux-sbsa",
          "",
          "libx/linux-sbsa/x.tar.xz",
          std::string(64, 'a')};
}

ArchiveCheck check(const TreeSources& sources) {
  return check_archives({listed_archive()}, sources, test::redist_facts(), test::content_facts(), {},
                        Environment::from(std::vector<const char*>{nullptr}.data()));
}

} // namespace

TEST_CASE("an archive that is not there is counted, and nothing else") {
  const test::Tree tree;
  for (const TreeSources& sources : {TreeSources{tree.root(), ""}, TreeSources{"", tree.root()}}) {
    const ArchiveCheck found = check(sources);
    CHECK(found.absent == 1);
    CHECK(found.checked == 0);
    CHECK(found.findings.empty());
    CHECK(found.errors.empty());
  }
}

TEST_CASE("an archive with another hash is found, below its path and next to others") {
  const test::Tree tree;
  for (const char* path : {"libx/linux-sbsa/x.tar.xz", "x.tar.xz"}) {
    const test::Tree archives;
    archives.write(path, "text");
    const ArchiveCheck found = check({archives.root(), ""});
    REQUIRE(found.findings.size() == 1);
    CHECK(found.checked == 1);
    CHECK(found.findings[0].rule == Rule::mistaken_hash);
    CHECK(found.findings[0].package == "libx");
    CHECK(found.findings[0].explanation.find(
              "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1") !=
          std::string::npos); // of `text`
  }
}

TEST_CASE("an archive that cannot be unpacked safely is found") {
  const test::Tree archives;
  archives.write("x.tar.xz", "text");
  ListedArchive one = listed_archive();
  one.sha256 = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
  const ArchiveCheck found =
      check_archives({one}, {archives.root(), ""}, test::redist_facts(), test::content_facts(), {},
                     Environment::from(std::vector<const char*>{nullptr}.data()));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].rule == Rule::unsafe_member);
}
