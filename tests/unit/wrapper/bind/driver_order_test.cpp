// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "wrapper/bind/driver_order.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::bind;
using hostpin::test::FakeFiles;
using Strings = std::vector<std::string>;

namespace {

DriverOrder order_of(const std::string& driver, bool compat) {
  FakeFiles files;
  files.file("/cuda/origin.json",
             std::string(R"({"schema": 1, "lock": "redist.lock", "targets": ["linux-x86_64"], "compat": )") +
                 (compat ? "true" : "false") + R"(, "driver": ")" + driver +
                 R"(", "archives": [], "entries": []})");
  return driver_order("/cuda", files);
}

} // namespace

TEST_CASE("the compatibility libraries of a composed toolkit come first, then the driver") {
  const DriverOrder order = order_of("/usr/lib/nvidia/", true);
  CHECK(order.directories == Strings{"/cuda/compat", "/usr/lib/nvidia"});
  CHECK(order.files == Strings{"/cuda/origin.json"});
  CHECK(order.notes.empty());
  CHECK(order_of("/drivers", false).directories == Strings{"/drivers"});
  CHECK(order_of("", true).directories == Strings{"/cuda/compat"});
  CHECK(order_of("", false).directories.empty());
}

TEST_CASE("a toolkit that was not composed sets nothing") {
  const DriverOrder order = driver_order("/cuda", FakeFiles());
  CHECK(order.directories.empty());
  CHECK(order.files.empty());
}

TEST_CASE("stubs, and what no run path can name, are left out with a note") {
  for (const char* const driver :
       {"/cuda/lib64/stubs", "/cuda/lib64/stubs/", "relative", "/a:b", "/a/$ORIGIN"}) {
    CAPTURE(driver);
    const DriverOrder order = order_of(driver, true);
    CHECK(order.directories == Strings{"/cuda/compat"});
    CHECK(order.notes.size() == 1);
  }
}

TEST_CASE("a damaged origin is noted, and the binding depends on it") {
  FakeFiles files;
  files.file("/cuda/origin.json", "{\"schema\": 1}");
  const DriverOrder order = driver_order("/cuda", files);
  CHECK(order.directories.empty());
  REQUIRE(order.notes.size() == 1);
  CHECK(order.notes[0].find("/cuda/origin.json cannot be read") != std::string::npos);
  CHECK(order.files == Strings{"/cuda/origin.json"});
}
