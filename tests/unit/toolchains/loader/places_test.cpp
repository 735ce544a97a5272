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

#ifdef __x86_64__ // another machine's loader is read, not asked

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

#endif

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

#ifndef __aarch64__ // there it would be run

namespace {

const std::string cross = "aarch64-linux-gnu";
const std::string its_loader = "/lib/ld-linux-aarch64.so.1";

/// The strings in such a loader's file.
std::string loader_bytes() {
  using namespace std::string_literals;
  return "x\0/lib/aarch64-linux-gnu/\0/usr/lib/aarch64-linux-gnu/\0/lib/\0/usr/lib/\0/etc/ld.so.cache\0"s;
}

} // namespace

TEST_CASE("of a target that this machine does not run, the loader is read in the sysroot and never run") {
  FakeFiles files;
  files.file("/root/arm" + its_loader, loader_bytes())
      .file("/root/arm/lib/aarch64-linux-gnu/x")
      .file("/root/arm/usr/lib/x")
      .file("/usr/lib/x") // this machine's own
      .file("/root/arm/usr/lib/aarch64-linux-gnu/libstdc++.so.6");
  FakeProcesses processes;
  processes.answer(its_loader + " --list-diagnostics", "path.system_dirs[0x0]=\"/run/\"\n");
  LinkTarget target{its_loader,
                    "/root/arm/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
                    StandardLibraries::cxx,
                    {"/usr/bin/cross-g++"},
                    "/root/arm"};
  const test::RecordingProcesses recorded(processes);
  const auto loader = describe_loader(target, cross, files, recorded);
  REQUIRE(loader);
  CHECK(loader->elsewhere);
  CHECK(loader->root == "/root/arm");
  CHECK(loader->directories == Strings{"/root/arm/lib/aarch64-linux-gnu",
                                       "/root/arm/usr/lib/aarch64-linux-gnu", "/root/arm/lib",
                                       "/root/arm/usr/lib"});
  CHECK(loader->own_directories ==
        Strings{"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib"});
  CHECK(loader->library_name == "lib/aarch64-linux-gnu");
  CHECK(loader->platform == "aarch64");
  CHECK(loader->cache.empty());
  CHECK(recorded.programs() == Strings(3, "/usr/bin/cross-g++"));
}

TEST_CASE("without a sysroot, the directories of the cross compiler's libraries stand for the target's") {
  FakeFiles files;
  files.file("/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1", loader_bytes())
      .file("/usr/aarch64-linux-gnu/lib/libc.so.6")
      .file("/usr/lib/gcc-cross/aarch64-linux-gnu/12/libgcc_s.so.1")
      .file("/lib/x")
      .file("/usr/lib/aarch64-linux-gnu/x");
  FakeProcesses processes;
  for (const std::string name : {"ld-linux-aarch64.so.1", "libc.so.6"})
    processes.answer("/usr/bin/cross-g++ -print-file-name=" + name,
                     "/usr/aarch64-linux-gnu/lib/" + name + '\n');
  processes.answer("/usr/bin/cross-g++ -print-file-name=libgcc_s.so.1",
                   "/usr/lib/gcc-cross/aarch64-linux-gnu/12/libgcc_s.so.1\n");
  const LinkTarget target{its_loader, {}, StandardLibraries::cxx, {"/usr/bin/cross-g++"}, {}};
  const auto loader = describe_loader(target, cross, files, processes);
  REQUIRE(loader);
  CHECK(loader->elsewhere);
  CHECK(loader->root.empty());
  // /lib is this machine's, the directory for one architecture may have the target's.
  CHECK(loader->directories == Strings{"/usr/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib",
                                       "/usr/lib/gcc-cross/aarch64-linux-gnu/12"});
}

TEST_CASE("of a cross compiler that finds nothing, no directory of this machine is taken for the target's") {
  FakeFiles files;
  files.file("/lib/x").file("/usr/lib/x").file("/lib64/x");
  const LinkTarget target{its_loader, {}, StandardLibraries::cxx, {"/usr/bin/cross-g++"}, {}};
  const auto loader = describe_loader(target, cross, files, FakeProcesses());
  REQUIRE(loader);
  CHECK(loader->elsewhere);
  CHECK(loader->directories.empty());
  CHECK_FALSE(describe_loader(LinkTarget{"/lib/ld-musl-aarch64.so.1", {}, {}, {"/usr/bin/cross-g++"}, {}},
                              cross, files, FakeProcesses()));
}

#endif
