// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/redist/check/fetched_files.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const std::string url = "https://example.org/cuda/redist/redistrib_12.4.1.json";

std::string refusal(const std::vector<std::string>& arguments, const test::FakeProcesses& processes) {
  const FilesMap disk(std::map<std::string, std::string>{});
  FetchedFiles files(disk);
  const auto fetched = files.fetch(arguments, "redist-fetch", processes);
  return fetched ? "fetched" : fetched.error().message + " | " + fetched.error().hint;
}

} // namespace

TEST_CASE("what is named by a URL is fetched once, and read like a file") {
  const FilesMap disk(std::map<std::string, std::string>{{"a.json", "on disk"}});
  FetchedFiles files(disk);
  test::FakeProcesses processes;
  processes.answer("redist-fetch --document " + url, "from there");
  REQUIRE(files.fetch(std::vector<std::string>{"a.json", url, url}, "redist-fetch", processes));
  CHECK(processes.rounds == 1);
  CHECK(files.read(url, 100).value() == "from there");
  CHECK(files.real_path(url) == url);
  REQUIRE(files.status(url));
  CHECK(files.status(url)->kind == FileStatus::Kind::regular);
  CHECK(files.status(url)->size == 10);
  CHECK(files.read("a.json", 100).value() == "on disk");
  CHECK(files.read(url, 9).error().message == "cannot read " + url + ": it is larger than 9 bytes");
}

TEST_CASE("without a URL nothing is run") {
  const test::FakeProcesses processes;
  CHECK(refusal({"a.json", "https:/a", "/b"}, processes) == "fetched");
  CHECK(processes.rounds == 0);
}

TEST_CASE("the error is that of the program, with its hint") {
  test::FakeProcesses processes;
  processes.answer("redist-fetch --document " + url, {},
                   R"({"kind": "", "message": "cannot download it: HTTP 503", "hint": "try again later"})",
                   2);
  CHECK(refusal({url}, processes) == "cannot download it: HTTP 503 | try again later");
  processes.answer("redist-fetch --document " + url, "half of it", R"({"message": "HTTP 404"})", 2);
  CHECK(refusal({url}, processes) == "HTTP 404 | ");
  processes.answer("redist-fetch --document " + url, {}, "Segmentation fault", 2);
  CHECK(refusal({url}, processes) == "cannot fetch " + url + ": redist-fetch: exited with 2 | ");
}

TEST_CASE("a URL with a password is refused without repeating it") {
  const test::FakeProcesses processes;
  CHECK(refusal({"https://user:secret@example.org/x"}, processes).find("secret") == std::string::npos);
  CHECK(refusal({"https://user:secret@example.org/x"}, processes).find("~/.netrc") != std::string::npos);
  CHECK(refusal({"https://user@example.org?/x"}, processes).find("~/.netrc") != std::string::npos);
  CHECK(processes.rounds == 0);
}
