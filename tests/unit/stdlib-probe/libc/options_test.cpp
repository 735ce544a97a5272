// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/options.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

Result<LibcOptions> options(const std::vector<const char*>& words) {
  return libc_options(words);
}

} // namespace

TEST_CASE("a compiler is asked with its flags") {
  const auto read = options({"--json", "/cuda", "g++-13", "-m32", "--json"});
  REQUIRE(read.has_value());
  CHECK(read->toolkit == "/cuda");
  CHECK(read->driver.front() == "g++-13");
  CHECK(read->json);
}

TEST_CASE("headers replace a compiler") {
  const auto read = options({"/cuda", "--headers", "/a", "--headers", "/b", "--compiler", "clang-16",
                             "--release", "12.4", "--target", "aarch64-linux-gnu"});
  REQUIRE(read.has_value());
  CHECK(read->headers == std::vector<std::string>{"/a", "/b"});
  CHECK(read->clang);
  CHECK(read->compiler == Version{16, 0, 0});
  CHECK(read->release == Version{12, 4, 0});
  CHECK(read->target == "aarch64-linux-gnu");
}

TEST_CASE("several directories may follow --headers") {
  const auto read = options({"/cuda", "--headers", "/a", "/b", "--json"});
  REQUIRE(read.has_value());
  CHECK(read->headers == std::vector<std::string>{"/a", "/b"});
  CHECK(read->json);
}

TEST_CASE("what makes no sense is an error") {
  const std::vector<const char*> wrong[] = {{},
                                            {"/cuda"},
                                            {"/cuda", "--headers"},
                                            {"/cuda", "--headers", "/a", "--sysroot", "/b"},
                                            {"/cuda", "--sysroot", "/b", "g++"},
                                            {"/cuda", "--release", "new", "g++"},
                                            {"/cuda", "--compiler", "new", "--headers", "/a"},
                                            {"/cuda", "--no-such-option"},
                                            {"--headers", "/a"}};
  for (const auto& words : wrong)
    CHECK_FALSE(options(words).has_value());
}
