// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/loaders.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/base/recording.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;

using Strings = std::vector<std::string>;

namespace {

constexpr binary::ElfKind s390x{true, 22, true}; // no loader of its own is known, and no machine here has it

TargetLoader target() {
  return {s390x, {"/lib/ld64.so.1", "/root/s390", {"/root/s390/lib"}, {"/lib", "/usr/lib"}, "lib", "s390x"}};
}

} // namespace

TEST_CASE("the loader of a binding's target is as the binding describes it, and is not run") {
  const FakeFiles files;
  const FakeProcesses none;
  const RecordingProcesses processes(none);
  Loaders loaders(files, processes, {}, nullptr, target());
  for (const std::string name : {"/lib/ld64.so.1", ""}) { // libraries name none
    const loader::LoaderPlaces* const places = loaders.named(name, s390x);
    REQUIRE(places != nullptr);
    CHECK(places->directories == Strings{"/root/s390/lib"});
    CHECK(places->root == "/root/s390");
    CHECK(places->elsewhere);
  }
  CHECK(loaders.named("/opt/ld64.so.1", s390x) == nullptr);
  CHECK(loaders.named("/lib/ld64.so.1", {true, 22}) == nullptr);
  CHECK(processes.programs().empty());
}

TEST_CASE("in a staged tree the target's own directories come first") {
  const Tree tree;
  tree.write("stage/etc/ld.so.conf", "/opt/lib\n");
  const RootedFiles root(tree.path("stage"), false);
  const FakeProcesses processes;
  Loaders loaders(root, processes, {}, &root, target());
  const loader::LoaderPlaces* const places = loaders.named("", s390x);
  REQUIRE(places != nullptr);
  CHECK(places->directories == Strings{"/opt/lib", "/lib", "/usr/lib", "/root/s390/lib"});
}
