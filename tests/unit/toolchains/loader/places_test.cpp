// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/base/recording.hpp"
#include "toolchains/loader/places.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

using Strings = std::vector<std::string>;

namespace {

const std::string triple = "x86_64-linux-gnu";

} // namespace

TEST_CASE("a loader says itself where it looks") {
  FakeProcesses processes;
  processes.answer("/nix/store/abc-glibc/lib/ld-linux-x86-64.so.2 --list-diagnostics",
                   "dl_hwcaps_subdirs=\"x86-64-v4:x86-64-v3:x86-64-v2\"\ndl_hwcaps_subdirs_active=0x6\n"
                   "dl_dst_lib=\"lib64\"\ndl_platform=\"haswell\"\npath.prefix=\"/nix/store/abc-glibc\"\n"
                   "path.sysconfdir=\"/nix/store/abc-glibc/etc\"\n"
                   "path.system_dirs[0x0]=\"/nix/store/abc-glibc/lib/\"\npath.system_dirs[0x1]=unquoted\n");
  const auto loader = describe_loader("/nix/store/abc-glibc/lib/ld-linux-x86-64.so.2", triple, processes);
  REQUIRE(loader);
  CHECK(loader->directories == Strings{"/nix/store/abc-glibc/lib/"});
  CHECK(loader->cache == "/nix/store/abc-glibc/etc/ld.so.cache");
  CHECK(loader->library_name == "lib64");
  CHECK(loader->platform == "haswell");
  CHECK(loader->capabilities == Strings{"x86-64-v3", "x86-64-v2"});
}

TEST_CASE("an older loader is known where it is the system's, and only run paths where it is not") {
  FakeProcesses processes;
  const auto system = describe_loader("/lib64/ld-linux-x86-64.so.2", triple, processes);
  REQUIRE(system);
  CHECK(system->directories.front() == "/lib/x86_64-linux-gnu");
  CHECK(system->cache == "/etc/ld.so.cache");
  const auto other = describe_loader("/opt/old/lib/ld-2.27.so", triple, processes);
  CHECK_FALSE(other);
  const auto store = describe_loader("/opt/old/lib/ld-linux-x86-64.so.2", triple, processes);
  REQUIRE(store);
  CHECK(store->directories.empty());
  CHECK(store->cache.empty());
}

TEST_CASE("a loader that does not compare versions is none of ours") {
  CHECK_FALSE(describe_loader("/lib/ld-musl-x86_64.so.1", triple, FakeProcesses()));
}

TEST_CASE("a driver shows its loader, and where the library is that programs load") {
  FakeFiles files;
  files.file("/opt/lib64/libstdc++.so.6").file("/opt/lib/gcc/15/libstdc++.so");
  FakeProcesses processes;
  processes.answer("/opt/bin/g++ -m64 -### -x c++ /dev/null -o hostpin-probe", "",
                   " /opt/libexec/collect2 -dynamic-linker /lib64/ld.so.1 -L/x\n");
  processes.answer("/opt/bin/g++ -m64 -print-file-name=libstdc++.so.6", "/opt/lib/../lib64/libstdc++.so.6\n");
  const test::RecordingProcesses recorded(processes);
  const LinkTarget target = link_target({"/opt/bin/g++", "-m64"}, "libstdc++.so.6", files, recorded);
  CHECK(recorded.leave_nothing("-###"));
  CHECK(target.loader == "/lib64/ld.so.1");
  CHECK(target.library == "/opt/lib64/libstdc++.so.6");

  FakeProcesses other;
  other.answer("/opt/bin/g++ -print-file-name=libstdc++.so.6", "libstdc++.so.6\n");
  const LinkTarget nothing = link_target({"/opt/bin/g++"}, "libstdc++.so.6", files, other);
  CHECK(nothing.loader.empty());
  CHECK(nothing.library.empty());
}

TEST_CASE("a C compiler driver is one that links no C++ library by itself") {
  const auto linked = [](const std::string& words) {
    FakeProcesses processes;
    processes.answer("/opt/bin/cc -### -x c++ /dev/null -o hostpin-probe", "", words);
    return link_target({"/opt/bin/cc"}, "libstdc++.so.6", FakeFiles(), processes).libraries;
  };
  const std::string begin = " ld -dynamic-linker /lib64/ld.so crt1.o /tmp/x.o ";
  CHECK(linked(begin + "-lstdc++ -lm -lgcc_s -lgcc -lc crtn.o\n") == StandardLibraries::cxx);
  CHECK(linked(begin + "-lc++ -lm -lc crtn.o\n") == StandardLibraries::cxx);
  CHECK(linked(begin + "-lgcc --as-needed -lgcc_s --no-as-needed -lc crtn.o\n") == StandardLibraries::c);
  CHECK(linked(begin + "crtn.o\n") == StandardLibraries::none);
  CHECK(linked("cc: usage\n") == StandardLibraries::unseen);
}
