// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/base/recording.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/library/link_plan.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

using Strings = std::vector<std::string>;

namespace {

const std::string usual_loader = "/lib64/ld-linux-x86-64.so.2";

Compiler compiler(const std::string& driver, Family family, int major, const std::string& gcc_install) {
  Compiler result;
  result.command = {driver};
  result.family = family;
  result.version = {major, 1, 0};
  result.target = "x86_64-linux-gnu";
  result.glibc = Version{2, 36, 0};
  result.front_end = driver + "-front-end";
  result.gcc_install = gcc_install;
  result.library.kind = "libstdc++";
  return result;
}

/// A machine with GCC 12 as the system's compiler, GCC 15 in /opt with a library of its own, and Clang.
struct Machine {
  FakeFiles files;
  FakeProcesses processes;
  Compiler gcc12 = compiler("/bin/g++-12", Family::gcc, 12, "/usr/lib/gcc/12");
  Compiler gcc15 = compiler("/opt/bin/g++-15", Family::gcc, 15, "/opt/lib/gcc/15");
  Compiler clang14 = compiler("/bin/clang++-14", Family::clang, 14, "/usr/lib/gcc/12");
  Compiler clang19 = compiler("/bin/clang++-19", Family::clang, 19, "/usr/lib/gcc/12");

  Machine() {
    files.file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30").file("/opt/lib64/libstdc++.so.6.0.34");
    files.link("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30");
    files.link("/usr/lib/gcc/12/libstdc++.so", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
    files.link("/opt/lib64/libstdc++.so.6", "/opt/lib64/libstdc++.so.6.0.34");
    files.link("/opt/lib64/libstdc++.so", "/opt/lib64/libstdc++.so.6.0.34");
    for (const char* driver : {"/bin/g++-12", "/bin/clang++-14", "/bin/clang++-19"})
      shows(driver, "-L/usr/lib/gcc/12 -L/usr/lib/x86_64-linux-gnu");
    shows("/opt/bin/g++-15", "-L/opt/lib/gcc/15 -L/opt/lib64");
  }

  void shows(const std::string& command, const std::string& options,
             const std::string& loader = usual_loader) {
    processes.answer(command + " -### -x c++ /dev/null -o hostpin-probe", "",
                     "Target: x\n \"/bin/ld\" \"-dynamic-linker\" \"" + loader + "\" " + options +
                         " \"-lstdc++\"\n");
  }

  /// What the linker tells when a small program is linked for a trial.
  void tries(const std::string& command, const std::string& trace, const std::string& errors = {},
             int code = 0) {
    processes.answer(command + " -fexceptions -x c++ - -o /dev/null -Wl,--trace", trace, errors, code);
  }

  /// Shows a link and lets its trial take the library.
  void links(const std::string& command, const std::string& options, const std::string& library,
             const std::string& loader = usual_loader) {
    shows(command, options, loader);
    tries(command, "/lib/crt1.o\n" + library + "\n/lib/libc.so.6\n");
  }

  static LibraryFacts facts(const Compiler& stdenv) {
    LibraryFacts result;
    result.library = stdenv.library;
    const bool own = stdenv.version.major == 15;
    result.found = own ? "/opt/lib64/libstdc++.so" : "/usr/lib/gcc/12/libstdc++.so";
    result.library.path =
        own ? "/opt/lib64/libstdc++.so.6.0.34" : "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30";
    return result;
  }

  Result<LinkPlan> plan(const Compiler& host, const Compiler& stdenv) const {
    const test::RecordingProcesses recorded(processes);
    auto made = plan_link(host, stdenv, facts(stdenv), files, recorded);
    if (made && host.family != stdenv.family) {
      CHECK(recorded.leave_nothing("-###"));
      CHECK(recorded.leave_nothing("-Wl,--trace"));
    }
    return made;
  }

  std::string refusal(const Compiler& host, const Compiler& stdenv) const {
    const auto made = plan(host, stdenv);
    return made ? "not refused" : made.error().message;
  }
};

/// What keeps a Clang of today to its own headers.
const std::string own_headers = " --start-no-unused-arguments -nostdinc -nostdinc++ --end-no-unused-arguments"
                                " -idirafter /usr/include/c++/12 -idirafter /usr/include";

std::string joined(const Strings& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

/// The same machine with a GCC 16 in a root of its own, as an unpacked newer system or a Nix store has it:
/// another sysroot, loader and glibc.
struct MachineWithRoot : Machine {
  Compiler gcc16 = compiler("/bin/g++-16", Family::gcc, 16, "/root/lib/gcc/16");
  LibraryFacts library;
  const std::string root_link = "--sysroot=/root -L/root/lib/gcc/16 -L/root/lib -rpath /root/lib";
  const std::string pinned = "/bin/clang++-19" + own_headers +
                             " --sysroot=/root --gcc-install-dir=/root/lib/gcc/16"
                             " -Wl,--dynamic-linker,/root/ld.so -Wl,-rpath,/root/lib";

  MachineWithRoot() {
    files.file("/root/ld.so").file("/root/lib/libstdc++.so.6.0.36").file("/root/lib/gcc/16/crtbegin.o");
    files.link("/root/lib/libstdc++.so.6", "/root/lib/libstdc++.so.6.0.36");
    files.link("/root/lib/gcc/16/libstdc++.so", "/root/lib/libstdc++.so.6");
    files.file("/root/lib/libc.so", test::ElfBuilder(true, true).build("libc.so.6", {"GLIBC_2.43"}));
    files.file("/usr/lib/x86_64-linux-gnu/libc.so");
    clang19.include_directories = {"/usr/include/c++/12", "/usr/include"};
    gcc16.glibc = Version{2, 43, 0};
    library.library = gcc16.library;
    library.found = "/root/lib/gcc/16/libstdc++.so";
    library.library.path = "/root/lib/libstdc++.so.6.0.36";
    processes.answer("/bin/g++-16 -### -x c++ /dev/null -o hostpin-probe", "",
                     " collect2 -dynamic-linker /root/ld.so -m elf_x86_64 " + root_link + " -lstdc++ -lc\n");
    links(pinned, root_link, "/root/lib/gcc/16/libstdc++.so", "/root/ld.so");
  }

  Result<LinkPlan> plan_for(const Compiler& host) const {
    return plan_link(host, gcc16, library, files, processes);
  }
};

} // namespace

TEST_CASE("sysroot, loader and run paths of the stdenv are carried over, and headers stay the compiler's") {
  const MachineWithRoot machine;
  const auto plan = machine.plan_for(machine.clang19);
  REQUIRE(plan);
  CHECK(joined(plan->command) == machine.pinned);
}

TEST_CASE("a Clang that would complain of options without use is told not to") {
  MachineWithRoot machine;
  machine.clang14.version.major = 13;
  machine.clang14.include_directories = {"/i"};
  const std::string pinned = "/bin/clang++-14 -Qunused-arguments -nostdinc -nostdinc++ -idirafter /i "
                             "--sysroot=/root -L/root/lib -Wl,--dynamic-linker,/root/ld.so "
                             "-Wl,-rpath,/root/lib";
  machine.library.found = "/root/lib/libstdc++.so";
  machine.files.link("/root/lib/libstdc++.so", "/root/lib/libstdc++.so.6");
  machine.links(pinned, machine.root_link, "/root/lib/libstdc++.so", "/root/ld.so");
  const auto plan = machine.plan_for(machine.clang14);
  REQUIRE(plan);
  CHECK(joined(plan->command) == pinned);
}

TEST_CASE("headers of a newer glibc than the linked one are refused, those of an older are fine") {
  MachineWithRoot machine;
  machine.clang19.glibc = Version{2, 44, 0};
  const auto plan = machine.plan_for(machine.clang19);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.ends_with(
      "its headers are of glibc 2.44, newer than the libraries (2.43), which may lack a symbol"));
  // The headers of a stdenv may be older than what its links take.
  machine.gcc16.glibc = Version{2, 36, 0};
  machine.clang19.glibc = Version{2, 41, 0};
  CHECK(machine.plan_for(machine.clang19));
  machine.clang19.c_library = "uclibc";
  CHECK(machine.plan_for(machine.clang19)
            .error()
            .message.ends_with("they use different C libraries: uclibc and glibc"));
}

TEST_CASE("a library that is only linked with runs with what the stdenv's own programs load") {
  MachineWithRoot machine;
  machine.files.file("/root/lib/gcc/15/libstdc++.so");
  machine.gcc16.gcc_install = "/root/lib/gcc/15";
  machine.library.found = machine.library.library.path = "/root/lib/gcc/15/libstdc++.so";
  const std::string options = "--sysroot=/root -L/root/lib/gcc/15 -L/root/lib -rpath /root/lib";
  machine.shows("/bin/g++-16", options, "/root/ld.so");
  const std::string pinned = "/bin/clang++-19" + own_headers +
                             " --sysroot=/root --gcc-install-dir=/root/lib/gcc/15"
                             " -Wl,--dynamic-linker,/root/ld.so -Wl,-rpath,/root/lib";
  machine.links(pinned, options, "/root/lib/gcc/15/libstdc++.so", "/root/ld.so");
  const auto plan = machine.plan_for(machine.clang19);
  REQUIRE(plan);
  CHECK(joined(plan->command) == pinned);
}

TEST_CASE("a plan whose trial fails or takes another library is refused, naming it") {
  MachineWithRoot machine;
  const auto refused_because = [&](const std::string& reason) {
    const auto plan = machine.plan_for(machine.clang19);
    return !plan && plan.error().message.ends_with(": " + reason);
  };
  machine.tries(machine.pinned, "", "collect: hello\n/bin/ld: cannot find crt1.o: No such file\n", 1);
  CHECK(refused_because("a small program could not be linked: /bin/ld: cannot find crt1.o: No such file"));
  machine.tries(machine.pinned, "", "", 1);
  CHECK(refused_because("a small program could not be linked: exited with 1"));
  machine.tries(machine.pinned, "/usr/lib/gcc/12/libstdc++.so\n");
  CHECK(
      refused_because("its links use /usr/lib/gcc/12/libstdc++.so instead of /root/lib/libstdc++.so.6.0.36"));
  machine.tries(machine.pinned, "a linker that does not know --trace\n");
  CHECK(machine.plan_for(machine.clang19));
}

TEST_CASE("a driver for C of another family links as C++") {
  Machine machine;
  Compiler clang = compiler("/bin/clang-14", Family::clang, 14, "/usr/lib/gcc/12");
  machine.processes.answer("/bin/clang-14 -### -x c++ /dev/null -o hostpin-probe", "",
                           " \"/bin/ld\" \"-dynamic-linker\" \"" + usual_loader +
                               "\" -L/usr/lib/gcc/12 \"-lc\"\n");
  machine.shows("/bin/clang-14 --driver-mode=g++", "-L/usr/lib/gcc/12 -L/usr/lib/x86_64-linux-gnu");
  const std::string own = "/bin/clang-14 --driver-mode=g++ -L/usr/lib/gcc/12";
  machine.links(own, "-L/usr/lib/gcc/12 -L/usr/lib/x86_64-linux-gnu", "/usr/lib/gcc/12/libstdc++.so");
  const auto plan = machine.plan(clang, machine.gcc12);
  REQUIRE(plan);
  CHECK(joined(plan->command) == own);
}

TEST_CASE("within a family the stdenv's own driver links, and nobody is asked") {
  const Machine machine;
  Compiler launched = machine.gcc15;
  launched.command = {"/bin/ccache", "/opt/bin/g++-15", "-m64"};
  CHECK(machine.plan(machine.gcc12, launched)->command == launched.command);
  CHECK(machine.plan(machine.gcc15, launched)->how == "the same compiler");
  CHECK(machine.plan(machine.clang14, machine.clang19)->command == Strings{"/bin/clang++-19"});
  CHECK(machine.processes.rounds == 0);
}

TEST_CASE("objects made against a newer glibc than the stdenv's get a note") {
  const Machine machine;
  Compiler newer = machine.gcc12;
  newer.glibc = Version{2, 41, 0};
  CHECK(machine.plan(newer, machine.gcc15)->notes.size() == 1);
  CHECK(machine.plan(machine.gcc12, machine.gcc15)->notes.empty());
}

TEST_CASE("a Clang from 16 on is told the stdenv's GCC installation") {
  Machine machine;
  machine.links("/bin/clang++-19 --gcc-install-dir=/usr/lib/gcc/12", "-L/usr/lib/gcc/12",
                "/usr/lib/gcc/12/libstdc++.so");
  const auto plan = machine.plan(machine.clang19, machine.gcc12);
  REQUIRE(plan);
  CHECK(plan->command == Strings{"/bin/clang++-19", "--gcc-install-dir=/usr/lib/gcc/12"});
  CHECK(plan->notes.empty());
}

TEST_CASE("an older Clang gets the library's directory first") {
  Machine machine;
  machine.links("/bin/clang++-14 -L/usr/lib/gcc/12", "-L/usr/lib/gcc/12 -L/usr/lib/gcc/12",
                "-lstdc++ (/usr/lib/gcc/12/libstdc++.so)");
  const auto plan = machine.plan(machine.clang14, machine.gcc12);
  REQUIRE(plan);
  CHECK(plan->command == Strings{"/bin/clang++-14", "-L/usr/lib/gcc/12"});
}

TEST_CASE("a library that the loader would not find gets a run path, and only then") {
  Machine machine;
  machine.shows("/bin/clang++-14 -L/opt/lib64", "-L/opt/lib64 -L/usr/lib/gcc/12");
  machine.links("/bin/clang++-14 -L/opt/lib64 -Wl,-rpath,/opt/lib64", "-L/opt/lib64 -rpath /opt/lib64",
                "/opt/lib64/libstdc++.so");
  const auto plan = machine.plan(machine.clang14, machine.gcc15);
  REQUIRE(plan);
  CHECK(plan->command == Strings{"/bin/clang++-14", "-L/opt/lib64", "-Wl,-rpath,/opt/lib64"});
  CHECK(plan->notes.size() == 2);
}

TEST_CASE("a GCC that links the stdenv's library anyway is left alone") {
  Machine machine;
  machine.tries("/bin/g++-12", "/usr/lib/gcc/12/libstdc++.so\n");
  const auto plan = machine.plan(machine.gcc12, machine.clang19);
  REQUIRE(plan);
  CHECK(plan->command == Strings{"/bin/g++-12"});
}

TEST_CASE("a library outside the GCC installation is searched for besides naming the installation") {
  Machine machine;
  machine.clang19.include_directories = {"/usr/include/c++/12", "/usr/include"};
  const std::string install = "/bin/clang++-19" + own_headers + " --gcc-install-dir=/opt/lib/gcc/15";
  machine.shows(install, "-L/usr/lib/gcc/12");
  machine.links(install + " -L/opt/lib64 -Wl,-rpath,/opt/lib64",
                "-L/opt/lib64 -L/usr/lib/gcc/12 -rpath /opt/lib64", "/opt/lib64/libstdc++.so");
  const auto plan = machine.plan(machine.clang19, machine.gcc15);
  REQUIRE(plan);
  CHECK(joined(plan->command) == install + " -L/opt/lib64 -Wl,-rpath,/opt/lib64");
}

TEST_CASE("a pin that the driver does not honour is refused") {
  Machine machine;
  const std::string pinned = "/bin/clang++-14 -L/opt/lib64";
  machine.shows(pinned, "-L/usr/lib/gcc/12");
  machine.shows(pinned + " -Wl,-rpath,/opt/lib64", "-L/usr/lib/gcc/12 -rpath /opt/lib64");
  CHECK(machine.refusal(machine.clang14, machine.gcc15) ==
        "objects of /bin/clang++-14 cannot be linked with the libraries of /opt/bin/g++-15: its links use "
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30 instead of /opt/lib64/libstdc++.so.6.0.34");
}

TEST_CASE("a library that a -L in the stdenv's name brings in front is the one that is pinned") {
  Machine machine;
  machine.shows("/bin/g++-12", "-L/opt/lib64 -L/usr/lib/gcc/12");
  machine.links("/bin/clang++-14 -L/opt/lib64 -Wl,-rpath,/opt/lib64", "-L/opt/lib64 -rpath /opt/lib64",
                "/opt/lib64/libstdc++.so");
  const auto plan = machine.plan(machine.clang14, machine.gcc12);
  REQUIRE(plan);
  CHECK(plan->command == Strings{"/bin/clang++-14", "-L/opt/lib64", "-Wl,-rpath,/opt/lib64"});
}

TEST_CASE("a GCC of another library is told where the stdenv's is") {
  Machine machine;
  Compiler clang = machine.clang19;
  clang.version.major = 15; // stands for a Clang that builds upon the library in /opt
  machine.shows("/bin/clang++-19", "-L/opt/lib64 -L/usr/lib/gcc/12");
  machine.links("/bin/g++-12 -L/opt/lib64 -Wl,-rpath,/opt/lib64",
                "-L/opt/lib64 -L/usr/lib/gcc/12 -rpath /opt/lib64", "/opt/lib64/libstdc++.so");
  CHECK(machine.plan(machine.gcc12, clang)->command ==
        Strings{"/bin/g++-12", "-L/opt/lib64", "-Wl,-rpath,/opt/lib64"});
}

TEST_CASE("a driver whose own run path wins over the pin is refused") {
  Machine machine;
  machine.shows("/bin/clang++-14 -L/opt/lib64", "-rpath /usr/lib/x86_64-linux-gnu -L/opt/lib64");
  machine.shows("/bin/clang++-14 -L/opt/lib64 -Wl,-rpath,/opt/lib64",
                "-rpath /usr/lib/x86_64-linux-gnu -L/opt/lib64 -rpath /opt/lib64");
  CHECK(machine.refusal(machine.clang14, machine.gcc15)
            .ends_with("its programs would load /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30 instead of "
                       "/opt/lib64/libstdc++.so.6.0.34"));
}

TEST_CASE("what can never be one program is refused with the reason") {
  Machine machine;
  Compiler stdenv = machine.gcc15;
  stdenv.target = "aarch64-linux-gnu";
  CHECK(machine.refusal(machine.gcc12, stdenv)
            .ends_with("they compile for different targets: x86_64-linux-gnu and aarch64-linux-gnu"));
  stdenv = machine.gcc15;
  stdenv.glibc.reset();
  stdenv.c_library = "uclibc";
  CHECK(
      machine.refusal(machine.clang19, stdenv).ends_with("they use different C libraries: glibc and uclibc"));
  stdenv = machine.clang19;
  stdenv.library.kind = "libc++";
  CHECK(machine.refusal(machine.clang14, stdenv)
            .ends_with("they use different standard libraries: libstdc++ and libc++"));
  machine.processes.answer("/opt/bin/g++-15 -### -x c++ /dev/null -o hostpin-probe", "", "nonsense\n");
  CHECK(machine.refusal(machine.clang19, machine.gcc15).ends_with("one of them does not show how it links"));
}
