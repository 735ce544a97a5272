// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/setup/runtime.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace fs = std::filesystem;

TEST_CASE("libraries of GCC that the machine lacks are copied, and others are not") {
  const auto room = ScratchDirectory::make(Environment());
  REQUIRE(room);
  const std::string triplet = binary::own_triple(), own = machine_library("libstdc++.so.6", triplet, {});
  if (own.empty())
    return;
  const std::string root = room->path() + "/root", machine = room->path() + "/machine";
  const RootLayout layout{"usr/lib/ld.so", "usr/lib", triplet};
  fs::create_directories(root + "/usr/lib");
  fs::create_directories(machine + "/usr/lib/" + triplet);
  for (const char* const name : {"libstdc++.so.6", "libstdc++.so.6.0.30", "libasan.so.8", "libz.so.1"})
    fs::copy_file(own, root + "/usr/lib/" + name);
  CHECK(lacking_libraries(root, layout, machine) ==
        std::vector<std::string>{"libasan.so.8", "libstdc++.so.6"});
  fs::copy_file(own, machine + "/usr/lib/" + triplet + "/libstdc++.so.6");
  CHECK(lacking_libraries(root, layout, machine) == std::vector<std::string>{"libasan.so.8"});
  CHECK(runtime_libraries(root).empty());
  REQUIRE(add_runtime(root, layout, {}));
  CHECK_FALSE(fs::exists(root + "/runtime"));
  REQUIRE(add_runtime(root, layout, {"libasan.so.8"}));
  CHECK(runtime_libraries(root) == std::vector<std::string>{"libasan.so.8"});
  CHECK(image_of(root + "/runtime/libasan.so.8")->rpath == "$ORIGIN");
}

TEST_CASE("a library of the machine that defines fewer versions is one that it lacks") {
  const auto room = ScratchDirectory::make(Environment());
  REQUIRE(room);
  const std::string triplet = binary::own_triple(), own = machine_library("libstdc++.so.6", triplet, {});
  const std::string other = machine_library("libc.so.6", triplet, {}); // which defines other versions
  if (own.empty() || other.empty())
    return;
  const std::string root = room->path() + "/root", machine = room->path() + "/machine";
  fs::create_directories(root + "/usr/lib");
  fs::create_directories(machine + "/usr/lib64");
  fs::copy_file(own, root + "/usr/lib/libstdc++.so.6");
  fs::copy_file(other, machine + "/usr/lib64/libstdc++.so.6");
  CHECK(lacking_libraries(root, {"usr/lib/ld.so", "usr/lib", {}}, machine) ==
        std::vector<std::string>{"libstdc++.so.6"});
}
