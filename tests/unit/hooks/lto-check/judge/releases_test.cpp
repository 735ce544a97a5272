// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/releases.hpp"
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using hostpin::test::FakeFiles;

namespace {

std::string problem(const std::string& text) {
  FakeFiles files;
  files.file("/data/lto.toml", text);
  const auto releases = load_stream_releases(files, "/data");
  return releases ? "none" : releases.error().message;
}

const std::string gcc = "[[gcc]]\nrelease = \"12.2\"\nlto = \"12.0\"\nsource = \"x\"\n";
const std::string cuda = "[[cuda]]\nrelease = \"12.4\"\ncontainer = \"1.61\"\nsource = \"x\"\n";

} // namespace

TEST_CASE("the table that is shipped loads, and names its writers") {
  const auto releases = load_stream_releases(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(releases);
  CHECK(writers_of(releases->gcc, {13, 1, 0}) == "13.3");
  CHECK(writers_of(releases->cuda, {1, 61, 0}) == "12.4");
  CHECK_FALSE(writers_of(releases->cuda, {1, 2, 0}));
}

TEST_CASE("several releases that write one version are a range") {
  CHECK(writers_of({{{12, 1, 0}, {1, 60, 0}, ""}, {{12, 2, 0}, {1, 60, 0}, ""}}, {1, 60, 0}) ==
        "12.1 to 12.2");
}

TEST_CASE("a damaged table is refused, with the location") {
  CHECK(problem(gcc + cuda) == "none");
  CHECK(problem(gcc).find("cuda") != std::string::npos);
  CHECK(problem(gcc + gcc + cuda).starts_with("/data/lto.toml:6:11: "));
  CHECK(problem("[[gcc]]\nrelease = \"twelve\"\nlto = \"12.0\"\nsource = \"x\"\n" + cuda).find("twelve") !=
        std::string::npos);
  CHECK(problem("[[gcc]]\nrelease = \"12.2\"\n" + cuda) != "none");
  CHECK(problem(gcc + cuda + "[[rust]]\n") != "none");
  CHECK(problem("[[") != "none");
}
