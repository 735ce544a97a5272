// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "wrapper/bind/run_path.hpp"

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

namespace {

Result<Strings> path_of(const std::string& text, const FakeFiles& files = FakeFiles(),
                        const std::string& root = "/site/nvidia/cu13") {
  Request request;
  request.run_path = text;
  Toolkit toolkit;
  toolkit.root = root;
  return run_path(request, toolkit, files);
}

} // namespace

TEST_CASE("a run path has directories, relative ones by $ORIGIN, and the libraries of the toolkit") {
  FakeFiles files;
  files.file("/site/nvidia/cu13/lib/libcudart.so.13").file("/usr/local/cuda/lib64/libcudart.so.13");
  CHECK(path_of("").value().empty());
  CHECK(path_of("toolkit", files).value() == Strings{"/site/nvidia/cu13/lib"});
  CHECK(path_of("toolkit", files, "/usr/local/cuda").value() == Strings{"/usr/local/cuda/lib64"});
  CHECK(path_of("$ORIGIN:$ORIGIN/../lib/:/opt/a b,c:/opt/a b,c", files).value() ==
        Strings{"$ORIGIN", "$ORIGIN/../lib", "/opt/a b,c"});
}

TEST_CASE("what a loader does not take as a directory is no run path") {
  for (const char* const wrong : {":", "lib", "/a:", "/a/$LIB", "/a/$ORIGIN", "$ORIGINS/lib", "${ORIGIN}/lib",
                                  "/a\nb", "$ORIGIN/stubs", "/cuda/lib64/stubs/"}) {
    CAPTURE(wrong);
    CHECK_FALSE(path_of(wrong));
  }
}

TEST_CASE("a toolkit has no run path if its libraries are the system's, or are on another machine") {
  CHECK(path_of("toolkit", FakeFiles().file("/usr/lib/libc.so.6"), "/usr").error().message ==
        "--run-path toolkit: /usr has no directory of shared libraries of its own");
  CHECK_FALSE(path_of("toolkit", FakeFiles().file("/site/nvidia/cu13/lib/libcudart_static.a")));
  Request request;
  request.run_path = "toolkit";
  Toolkit toolkit;
  toolkit.root = "/cuda";
  toolkit.target.emplace().triple = "aarch64-linux-gnu";
  FakeFiles files;
  files.file("/cuda/lib64/libcudart.so.13");
  CHECK(run_path(request, toolkit, files).error().message ==
        "--run-path toolkit: programs for aarch64-linux-gnu run on another machine, where /cuda is not");
}

TEST_CASE("CMake passes on what it does not expand, escape or divide") {
  CHECK(is_for_cmake("/opt/my cuda/lib64"));
  for (const char* const changed : {"$ORIGIN/../lib", "/a,b", "/a;b", "/a<b", "/a>b", "/a\"b", "/a\\b"})
    CHECK_FALSE(is_for_cmake(changed));
}
