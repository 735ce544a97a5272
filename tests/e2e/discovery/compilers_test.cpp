// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/discovery/real.hpp"

#include <set>

using namespace hostpin;
using namespace hostpin::test;

TEST_CASE("every compiler of the lab is what its launcher says") {
  for (const Compiler& compiler : lab_compilers()) {
    const std::string name = base_name(compiler.command.front());
    CAPTURE(name);
    const bool clang = name.starts_with("clang");
    CHECK(compiler.family == (clang ? Family::clang : Family::gcc));
    CHECK(compiler.version.major == std::stoi(name.substr(name.find('-') + 1)));
    CHECK(compiler.target.ends_with("-linux-gnu"));
    CHECK(compiler.library.kind == "libstdc++");
    CHECK(compiler.library.release >= 9);
    CHECK(compiler.default_cplusplus >= 201402);
    CHECK_FALSE(compiler.include_directories.empty());
    CHECK(DiskFiles().status(compiler.gcc_install + "/crtbegin.o"));
    CHECK(base_name(compiler.front_end).starts_with(clang ? "clang" : "cc1plus"));
    for (const std::string& file : compiler.files)
      CHECK(DiskFiles().status(file));
  }
}

TEST_CASE("launchers that differ only in their C library are different compilers") {
  for (const char* const major : {"13", "14", "15", "16"}) {
    const auto usual = lab_compiler(std::string("g++-") + major);
    const auto newer = lab_compiler(std::string("g++-") + major + "-newglibc");
    if (!usual || !newer)
      continue;
    CHECK(usual->front_end == newer->front_end);
    CHECK_FALSE(same_compiler(*usual, *newer));
    REQUIRE(usual->glibc);
    REQUIRE(newer->glibc);
    CHECK(*usual->glibc < *newer->glibc);
    CHECK(*newer->glibc >= Version{2, 41, 0});
  }
}

TEST_CASE("a lab on PATH is discovered, each compiler once") {
  const std::string directory = lab().drivers.front().substr(0, lab().drivers.front().rfind('/'));
  const DiskFiles files;
  const DriverSearch search =
      discover_drivers(files, Environment(Environment::Variables{{"PATH", directory + ":/usr/bin:/bin"}}), {},
                       own_programs(files));
  const CompilerSurvey survey = distinct_compilers(probe_drivers(files, HostProcesses(), search.candidates));
  std::set<std::string> found;
  for (const Compiler& compiler : survey.compilers) {
    if (base_name(compiler.command.front()) == "mpicxx")
      continue; // another compiler, as it adds directories
    const bool first = found.insert(compiler.front_end + to_string(compiler.family)).second;
    CAPTURE(compiler.command.front());
    CHECK(first);
  }
  CHECK(survey.compilers.size() >= std::min(lab().drivers.size(), std::size_t{15}));
}

TEST_CASE("a wrapper is judged by what it answers, not by its name") {
  const auto plain = asked({"/usr/bin/g++"});
  if (!plain)
    return;
  const Scratch scratch;
  const auto same = [&](const std::vector<std::string>& command) {
    const auto wrapped = asked(command);
    return wrapped && same_compiler(*plain, *wrapped) && wrapped->command == command;
  };
  CHECK(same({scratch.script("clang++-99", "exec /usr/bin/g++ \"$@\"")}));
  CHECK(same({scratch.script("chatty", "echo hello; echo warning >&2; exec /usr/bin/g++ \"$@\"")}));
  CHECK(same({"/usr/bin/env", "/usr/bin/g++", "-m64"}));
  // An MPI wrapper adds directories of its own, which makes it another compiler of the same version.
  const auto mpi = asked({scratch.script("mpicxx", "exec /usr/bin/g++ -I/usr/include/c++ \"$@\"")});
  REQUIRE(mpi);
  CHECK(mpi->version == plain->version);
  CHECK_FALSE(same_compiler(*plain, *mpi));
}

TEST_CASE("ccache in front of a compiler, or in its place, is that compiler") {
  const auto plain = asked({"/usr/bin/g++"});
  if (!plain || !DiskFiles().status("/usr/bin/ccache")) {
    MESSAGE("skipped: no /usr/bin/ccache or no /usr/bin/g++");
    return;
  }
  const auto launched = asked({"/usr/bin/ccache", "/usr/bin/g++"});
  REQUIRE(launched);
  CHECK(same_compiler(*plain, *launched));
  if (const auto masked = asked({"/usr/lib/ccache/g++"})) {
    CHECK(same_compiler(*plain, *masked));
    CHECK(masked->command == std::vector<std::string>{"/usr/lib/ccache/g++"});
  }
}

TEST_CASE("drivers that hang, crash, flood or lie are broken, and do not block for long") {
  const Scratch scratch;
  struct Row {
    const char* body;
    const char* reason;
  };
  const Row rows[] = {{"while :; do sleep 60; done", "did not answer within 0.5 s"},
                      {"kill -SEGV $$", "killed by signal 11"},
                      {"echo g++ 13.2.0", "did not preprocess C++ from its standard input"},
                      {"head -c 9000000 /dev/zero", "printed more than could be read"},
                      {"head -c 100000 /dev/urandom; head -c 100000 /dev/urandom >&2",
                       "did not preprocess C++ from its standard input"},
                      {"exec /usr/bin/nonexistent-g++ \"$@\"", nullptr}};
  HostProcesses::Limits limits;
  limits.time = std::chrono::milliseconds(500);
  for (const Row& row : rows) {
    const DriverCandidate candidate{{scratch.script("driver", row.body)}, "test"};
    const auto answers = probe_drivers(DiskFiles(), HostProcesses(limits), {&candidate, 1});
    const auto* const broken = std::get_if<BrokenCompiler>(&answers.front());
    REQUIRE(broken != nullptr);
    if (row.reason != nullptr)
      CHECK(broken->reason == row.reason);
    else
      CHECK(broken->reason.starts_with("exited with 127: "));
    limits.time = std::chrono::minutes(1); // only the first one hangs
  }
}
