// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::wheel;

TEST_CASE("sizes are bytes, or powers of 1024") {
  CHECK(bytes_named("100") == 100);
  CHECK(bytes_named("2K") == 2048);
  CHECK(bytes_named("100M") == 104857600);
  CHECK(bytes_named("3G") == 3221225472);
  for (const char* const text : {"", "M", "1T", "1MB", "-1", "99999999999G"}) {
    CAPTURE(text);
    CHECK_FALSE(bytes_named(text));
  }
}

TEST_CASE("check takes one wheel, and those that it is installed with by option") {
  const std::vector<const char*> words = {"--with",    "a.whl",   "--with",   "b.whl", "w.whl",
                                          "--fail-on", "warning", "--budget", "1M"};
  const auto options = check_options(words);
  REQUIRE(options);
  CHECK(options->wheel == "w.whl");
  CHECK(options->with.size() == 2);
  CHECK(options->fail_on == hostpin::leak::Severity::warning);
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{},
                                                {"a.whl", "b.whl"},
                                                {"a.whl", "--budget", "x"},
                                                {"a.whl", "--json", "--sarif"},
                                                {"a.whl", "--fail-on", "much"}})
    CHECK_FALSE(check_options(wrong));
}

TEST_CASE("diff takes two wheels") {
  const std::vector<const char*> words = {"a.whl", "b.whl"}, one = {"a.whl"};
  REQUIRE(diff_options(words));
  CHECK(diff_options(words)->after == "b.whl");
  CHECK_FALSE(diff_options(one));
}

TEST_CASE("repair takes one wheel and a directory, as cibuildwheel passes them") {
  const std::vector<const char*> words = {"-w",      "dist", "--cuda", "bundle",
                                          "--level", "9",    "--sbom", "a.whl"};
  const auto options = repair_options(words);
  REQUIRE(options);
  CHECK(options->output == "dist");
  CHECK(options->wheel == "a.whl");
  CHECK(options->terms.cuda == CudaSource::bundle);
  CHECK(options->level == 9);
  CHECK(options->sbom);
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"a.whl"},
                                                {"-o", "dist"},
                                                {"-o", "dist", "a.whl", "b.whl"},
                                                {"-o", "dist", "--cuda", "some", "a.whl"},
                                                {"-o", "dist", "--level", "10", "a.whl"}})
    CHECK_FALSE(repair_options(wrong));
}
