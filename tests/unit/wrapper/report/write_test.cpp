// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "wrapper/report/page.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

namespace fs = std::filesystem;

struct Fixture {
  ScratchDirectory scratch = *ScratchDirectory::make("/tmp");
  std::string file = scratch.path() + "/page.html";
  std::string page = report_page({});

  static std::string content(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a report is written, and replaces an earlier one") {
  REQUIRE(write_report(file, page));
  CHECK(content(file) == page);
  put(file, page + "older");
  REQUIRE(write_report(file, page));
  CHECK(content(file) == page);
}

TEST_CASE_FIXTURE(Fixture, "an empty file, such as mktemp makes, is no loss") {
  put(file, "");
  CHECK(write_report(file, page));
}

TEST_CASE_FIXTURE(Fixture, "what is not ours is left alone") {
  for (const std::string& text : {std::string("precious"), page.substr(0, 20), page.substr(1), "\n" + page}) {
    put(file, text);
    const auto written = write_report(file, page);
    REQUIRE_FALSE(written);
    CHECK(written.error().message.find("is no report of hostpin") != std::string::npos);
    CHECK(content(file) == text);
  }
  CHECK_FALSE(write_report(scratch.path(), page));
  CHECK_FALSE(write_report("/dev/null", page));
  const std::string nowhere = scratch.path() + "/nowhere";
  for (const std::string& path :
       {nowhere + "/page.html", scratch.path(), std::string("/dev/null"), std::string()}) {
    CAPTURE(path);
    const auto unfit = unfit_for_report(path);
    REQUIRE(unfit);
    CHECK_FALSE(unfit->hint.empty());
    CHECK_FALSE(write_report(path, page));
  }
  CHECK(unfit_for_report(nowhere + "/page.html")->message.ends_with("there is no directory " + nowhere));
  CHECK_FALSE(unfit_for_report(nowhere));
}

TEST_CASE_FIXTURE(Fixture, "a symlink stays, and what it leads to is written") {
  const std::string link = scratch.path() + "/link";
  fs::create_symlink(file, link);
  CHECK_FALSE(write_report(link, page)); // the target does not exist yet
  put(file, page + "older");
  REQUIRE(write_report(link, page));
  CHECK(fs::is_symlink(link));
  CHECK(content(file) == page);
}
