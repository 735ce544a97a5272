// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

using namespace hostpin;
using namespace hostpin::leak;
using test::Setting;
using test::severity_of;

TEST_CASE("an entry in or below an unwanted directory is an error, however it is spelt") {
  Setting setting;
  const std::string gcc = setting.directory("gcc-11/lib64");
  std::filesystem::create_directory_symlink("gcc-11", setting.tree.path("compiler"));
  setting.forbid(setting.tree.path("gcc-11"));
  for (const std::string& entry :
       {gcc, gcc + '/', setting.tree.path("gcc-11/lib/../lib64"), setting.tree.path("compiler/lib64"),
        std::string("$ORIGIN/../../gcc-11/lib64")}) {
    CAPTURE(entry);
    CHECK(severity_of(setting.judged(setting.library(entry)), Rule::forbidden_runpath) == Severity::error);
  }
  CHECK(setting.judged(setting.library(setting.directory("gcc-11.old"))).found.empty());
}

TEST_CASE("the last of several entries is judged too, and RPATH only if there is no RUNPATH") {
  Setting setting;
  const std::string good = setting.directory("good"), bad = setting.directory("bad");
  setting.forbid(bad);
  CHECK(severity_of(setting.judged(setting.library(good + ':' + bad)), Rule::forbidden_runpath));
  ScannedFile file = setting.library(good);
  file.parts[0].elf->image->rpath = bad;
  CHECK_FALSE(severity_of(setting.judged(file), Rule::forbidden_runpath));
  file.parts[0].elf->image->runpath.reset();
  const Findings findings = setting.judged(file);
  REQUIRE(findings.found.size() == 1);
  CHECK(findings.found[0].explanation.starts_with("It is an entry of RPATH"));
}

TEST_CASE("what links of the binding add is no finding, in its order, unless it is forbidden") {
  Setting setting;
  const std::string compat = setting.tree.path("cuda/compat");
  CHECK(severity_of(setting.judged(setting.library(compat + ":/drivers")), Rule::dangling_runpath));
  setting.policy.driver_path = {compat, "/drivers"};
  CHECK(setting.judged(setting.library(compat + ":/drivers")).found.empty());
  CHECK(severity_of(setting.judged(setting.library("/drivers:" + compat)), Rule::cuda_compat_order));
  CHECK(severity_of(setting.judged(setting.library("/other")), Rule::dangling_runpath));
  setting.policy.stores = {setting.tree.root()};
  setting.policy.driver_path = {"/usr/lib/nvidia"};
  CHECK(setting.judged(setting.library("/usr/lib/nvidia")).found.empty());
  CHECK(severity_of(setting.judged(setting.library("/usr/lib/other")), Rule::host_path_from_store));
  setting.forbid("/usr/lib/nvidia");
  CHECK(severity_of(setting.judged(setting.library("/usr/lib/nvidia")), Rule::forbidden_runpath));
}

TEST_CASE("the build directory is an error, and $ORIGIN in it is not") {
  Setting setting;
  setting.forbid(setting.tree.root(), UnwantedPath::Kind::build_directory);
  setting.directory("out/lib");
  CHECK(severity_of(setting.judged(setting.library(setting.tree.path("out/lib"))), Rule::build_directory) ==
        Severity::error);
  CHECK_FALSE(severity_of(setting.judged(setting.library("$ORIGIN/../lib")), Rule::build_directory));
}

TEST_CASE("stubs are an error where something loads them") {
  Setting setting;
  const std::string stubs = setting.directory("cuda/lib64/stubs");
  setting.tree.write("cuda/lib64/stubs/libcuda.so", "");
  ScannedFile file = setting.library(stubs);
  CHECK(severity_of(setting.judged(file), Rule::cuda_stub_runpath) == Severity::warning);
  file.parts[0].elf->names_driver = true;
  CHECK(severity_of(setting.judged(file), Rule::cuda_stub_runpath) == Severity::error);
  file.parts[0].elf->has_cudart = true; // which opens libcuda.so.1
  CHECK(severity_of(setting.judged(file), Rule::cuda_stub_runpath) == Severity::warning);
  setting.tree.write("cuda/lib64/stubs/libcuda.so.1", "");
  CHECK(severity_of(setting.judged(file), Rule::cuda_stub_runpath) == Severity::error);
  CHECK(setting.judged(setting.library(setting.directory("cuda/lib64"))).found.empty());
}

TEST_CASE("an entry that is a file, or looks like one, is not a directory") {
  Setting setting;
  const std::string file = setting.tree.write("lib/libz.so.1", "");
  CHECK(severity_of(setting.judged(setting.library(file)), Rule::runpath_not_a_directory) == Severity::error);
  CHECK(severity_of(setting.judged(setting.library("/nowhere/libz.so.1")), Rule::runpath_not_a_directory) ==
        Severity::error);
}

TEST_CASE("a directory that does not exist is a warning, and one relative to the file a note") {
  Setting setting;
  CHECK(severity_of(setting.judged(setting.library("/nowhere/at/all")), Rule::dangling_runpath) ==
        Severity::warning);
  CHECK(severity_of(setting.judged(setting.library("$ORIGIN/absent")), Rule::dangling_runpath) ==
        Severity::note);
  CHECK(severity_of(setting.judged(setting.library("lib")), Rule::dangling_runpath) == Severity::warning);
  const std::string good = setting.directory("good");
  CHECK(severity_of(setting.judged(setting.library(good + ':')), Rule::dangling_runpath) ==
        Severity::warning);
  setting.policy.vendor = {*setting.files.real_path(setting.tree.root())};
  CHECK(severity_of(setting.judged(setting.library("/nowhere/at/all")), Rule::dangling_runpath) ==
        Severity::note);
}

TEST_CASE("cuda_compat comes before the driver") {
  Setting setting;
  const std::string compat = setting.directory("cuda/compat"), driver = setting.directory("driver");
  setting.policy.driver_directory = driver;
  CHECK(severity_of(setting.judged(setting.library(driver + ':' + compat)), Rule::cuda_compat_order) ==
        Severity::error);
  CHECK_FALSE(severity_of(setting.judged(setting.library(compat + ':' + driver)), Rule::cuda_compat_order));
  // A second entry after the driver changes nothing.
  const std::string both = compat + ':' + driver + ':' + setting.directory("other/compat");
  CHECK_FALSE(severity_of(setting.judged(setting.library(both)), Rule::cuda_compat_order));
}

TEST_CASE("a file that opens the driver has a run path to it if the system has it in a separate directory") {
  Setting setting;
  const std::string driver = setting.directory("driver"), good = setting.directory("good");
  ScannedFile file = setting.library(good);
  file.parts[0].elf->names_driver = true;
  CHECK_FALSE(severity_of(setting.judged(file), Rule::driver_runpath));
  setting.policy.driver_directory = driver;
  CHECK(severity_of(setting.judged(file), Rule::driver_runpath) == Severity::warning);
  file.parts[0].elf->image->runpath = good + ':' + driver;
  CHECK_FALSE(severity_of(setting.judged(file), Rule::driver_runpath));
}

TEST_CASE("where cuda_compat is to be used, a file that opens the driver has a run path to it, on this "
          "machine or not") {
  Setting setting;
  ScannedFile file = setting.library("");
  file.parts[0].elf->names_driver = true;
  setting.policy.compat_directory = "/absent/libs";
  setting.policy.driver_directory = "/absent/driver";
  CHECK(severity_of(setting.judged(file), Rule::cuda_compat_order) == Severity::warning);
  file.parts[0].elf->image->runpath = "/absent/libs:/absent/driver";
  CHECK(setting.judged(file).found.empty());
  file.parts[0].elf->image->runpath = "/absent/driver:/absent/libs";
  CHECK(severity_of(setting.judged(file), Rule::cuda_compat_order) == Severity::error);
}

TEST_CASE("no entry leads from a store to the system") {
  Setting setting;
  CHECK_FALSE(severity_of(setting.judged(setting.library("/usr/lib")), Rule::host_path_from_store));
  setting.policy.stores = {*setting.files.real_path(setting.tree.root())};
  CHECK(severity_of(setting.judged(setting.library("/usr/lib")), Rule::host_path_from_store) ==
        Severity::error);
  CHECK_FALSE(
      severity_of(setting.judged(setting.library(setting.directory("usr/lib"))), Rule::host_path_from_store));
}
