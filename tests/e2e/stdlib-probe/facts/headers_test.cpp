// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/driver_facts.hpp"
#include "stdlib-probe/facts/header_facts.hpp"
#include "tests/e2e/discovery/real.hpp"

using namespace hostpin;
using namespace hostpin::test;

namespace {

constexpr const char* standard = "-std=c++17";

Result<probe::HeaderAnswers> read(probe::FactsOptions options) {
  return probe::header_facts(DiskFiles(), options, "/nonexistent");
}

probe::Facts only(const Result<probe::HeaderAnswers>& answers) {
  if (!answers)
    FAIL(answers.error().message);
  REQUIRE(answers->facts.size() == 1);
  if (!answers->facts.front())
    FAIL(answers->facts.front().error().message);
  return *answers->facts.front();
}

/// Those of the one compiler with that target: a root may have cross compilers of the same release.
probe::Facts only_for(const Result<probe::HeaderAnswers>& answers, const std::string& target) {
  if (!answers)
    FAIL(answers.error().message);
  std::vector<probe::Facts> found;
  for (const auto& facts : answers->facts)
    if (facts && facts->compiler.target == target)
      found.push_back(*facts);
  REQUIRE(found.size() == 1);
  return found.front();
}

void check_same(const std::optional<probe::LinkedFacts>& a, const std::optional<probe::LinkedFacts>& b) {
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  CHECK(a->shared == b->shared);
  CHECK(a->path == b->path);
  CHECK(a->soname == b->soname);
  CHECK(a->glibcxx == b->glibcxx);
  CHECK(a->cxxabi == b->cxxabi);
  CHECK(a->glibc == b->glibc);
  CHECK(a->gcc == b->gcc);
  CHECK(a->needs_glibc == b->needs_glibc);
}

/// The root of the suite that a launcher of the lab runs a compiler of.
std::string root_of(const Compiler& compiler) {
  const std::size_t at = compiler.gcc_install.find("/usr/lib/gcc");
  return at == 0 ? "/" : compiler.gcc_install.substr(0, at);
}

} // namespace

TEST_CASE("headers of a root say what the compiler in it says") {
  int compared = 0;
  for (const char* const name : {"g++-9", "g++-10", "g++-11", "g++-12", "g++-13-newglibc", "g++-14-newglibc",
                                 "g++-15-newglibc", "g++-16-newglibc"})
    for (const std::string flag : {"-D_GLIBCXX_USE_CXX11_ABI=0", "-static-libstdc++", "-DX"}) {
      const auto compiler = lab_compiler(name);
      if (!compiler)
        continue;
      CAPTURE(name);
      CAPTURE(flag);
      const DriverCandidate candidate{{compiler->command.front(), standard, flag}, "test"};
      const auto asked =
          std::move(probe::driver_facts(DiskFiles(), HostProcesses(), {&candidate, 1}).front());
      REQUIRE(asked);
      probe::FactsOptions options;
      options.sysroot = root_of(*compiler);
      options.gcc = std::to_string(compiler->version.major);
      options.flags = {standard, flag};
      const probe::Facts headers = only_for(read(options), asked->compiler.target);
      CHECK_FALSE(headers.by_compiler);
      CHECK(headers.compiler.target == asked->compiler.target);
      CHECK(headers.compiler.gcc_install == asked->compiler.gcc_install);
      CHECK(headers.compiler.library.kind == asked->compiler.library.kind);
      CHECK(headers.compiler.library.release == asked->compiler.library.release);
      CHECK(headers.compiler.library.cxx11_abi == asked->compiler.library.cxx11_abi);
      CHECK(headers.compiler.default_cplusplus == asked->compiler.default_cplusplus);
      CHECK(headers.compiler.c_library == asked->compiler.c_library);
      CHECK(headers.compiler.glibc == asked->compiler.glibc);
      CHECK(headers.compiler.include_directories == asked->compiler.include_directories);
      check_same(headers.library, asked->library);
      check_same(headers.c_library, asked->c_library);
      check_same(headers.libgcc, asked->libgcc);
      ++compared;
    }
  CHECK(compared >= 6);
}

TEST_CASE("copied headers of libstdc++ name their release without a C library or a compiler") {
  for (const char* const name : {"g++-9", "g++-12", "g++-16"}) {
    const auto compiler = lab_compiler(name);
    if (!compiler)
      continue;
    CAPTURE(name);
    const Scratch scratch;
    const std::string major = std::to_string(compiler->version.major);
    for (std::size_t i = 0; i < 2; ++i) { // the library's own directory and its target's
      const std::string copy = scratch.root() + (i == 0 ? "/c++/" : "/x86_64-linux-gnu/c++/") + major;
      std::filesystem::create_directories(copy);
      std::filesystem::copy(compiler->include_directories[i], copy, std::filesystem::copy_options::recursive);
    }
    probe::FactsOptions options;
    options.headers = {scratch.root()};
    const probe::Facts facts = only(read(options));
    CHECK(facts.compiler.library.release == compiler->version.major);
    CHECK(facts.compiler.library.cxx11_abi == true);
    CHECK(facts.compiler.target == "x86_64-linux-gnu");
    CHECK(facts.unknown.at("libc") == "no directory has <features.h>");
    CHECK_FALSE(facts.library);
    CHECK(facts.unknown.count("library") == 1);
    CHECK(facts.unknown.count("cplusplus") == 1);

    // The same as a list of directories, and for another ABI.
    options.headers = {scratch.path("c++/") + major, scratch.path("x86_64-linux-gnu/c++/") + major};
    options.flags = {"-D_GLIBCXX_USE_CXX11_ABI=0", "-std=c++14"};
    const probe::Facts old = only(read(options));
    CHECK(old.compiler.library.cxx11_abi == false);
    CHECK(old.compiler.default_cplusplus == 201402);

    // Without the target's directory there is nothing to read.
    options.headers = {scratch.path("c++/") + major};
    const auto half = read(options);
    REQUIRE(half);
    REQUIRE_FALSE(half->facts.front());
    CHECK(half->facts.front().error().message.find("<bits/c++config.h> does not exist") != std::string::npos);
  }
}

TEST_CASE("several compilers of one root are all listed, and one can be chosen") {
  const auto compiler = lab_compiler("g++-13-newglibc");
  if (!compiler)
    return;
  probe::FactsOptions options;
  options.sysroot = root_of(*compiler);
  const auto all = read(options);
  REQUIRE(all);
  REQUIRE(all->facts.size() == 2);
  CHECK(all->facts[0]->compiler.library.release == 14);
  CHECK(all->facts[1]->compiler.library.release == 13);
  options.gcc = "9";
  const auto none = read(options);
  REQUIRE_FALSE(none);
  CHECK(none.error().hint == "it has headers of GCC 14 for x86_64-linux-gnu, GCC 13 for x86_64-linux-gnu");
  options.gcc.clear();
  options.target = "aarch64-linux-gnu";
  CHECK_FALSE(read(options));
  options.target = "x86_64-pc-linux-gnu";
  CHECK(read(options)->facts.size() == 2);
}

TEST_CASE("headers that could hang or crash their reader are answered or refused") {
  struct Row {
    std::string configuration; ///< of bits/c++config.h
    bool answered;
  };
  std::string doubling = "#define A0 x x\n";
  for (int i = 1; i < 64; ++i)
    doubling +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + '\n';
  const std::string release = "#define _GLIBCXX_RELEASE 13\n";
  const Row rows[] = {
      {release, true},
      {release + "#include <bits/c++config.h>\n#include <bits/c++config.h>\n", true},
      {release + "#error no\n", true},
      {release + "#include <absent.h>\n", true},
      {release + std::string(10'000'000, '\n'), true},
      {release + "#if 1\n", true},
      {"#error no\n", false},
      {"", false},
      {std::string("\0\xff\xfe#", 4), false},
      {release + doubling + "A63\n", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.configuration.substr(0, 60));
    const Scratch scratch;
    std::filesystem::create_directories(scratch.path("bits"));
    std::ofstream(scratch.path("cstddef")) << "#include <bits/c++config.h>\n";
    std::ofstream(scratch.path("bits/c++config.h")) << row.configuration;
    probe::FactsOptions options;
    options.headers = {scratch.root()};
    const auto answers = read(options);
    REQUIRE(answers);
    CHECK(answers->facts.front().has_value() == row.answered);
    if (!row.answered)
      CHECK(answers->facts.front().error().message.find(scratch.root()) == 0);
  }
}

TEST_CASE("directories without headers are refused with a hint") {
  const Scratch scratch;
  probe::FactsOptions options;
  options.sysroot = scratch.root();
  CHECK(read(options).error().message == scratch.root() + " contains no headers of a C++ standard library");
  options.sysroot = scratch.path("absent");
  CHECK(read(options).error().message == scratch.path("absent does not exist"));
  options.sysroot = "/dev/null";
  CHECK(read(options).error().message == "/dev/null is not a directory");
  options.sysroot.clear();
  options.headers = {scratch.root()};
  CHECK(read(options).error().message == scratch.root() + " contains no headers of a C++ standard library");
  options.flags = {"-fno-such-thing"};
  CHECK(read(options).error().message == "the flag '-fno-such-thing' needs a compiler");
}
