// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/compiler/discovery.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

using Strings = std::vector<std::string>;

TEST_CASE("a path with blanks needs no quotes where it is a file") {
  test::FakeFiles files;
  files.program("/sp c/g++").program("/opt/ccache").program("/opt/g++ 13/g++");
  struct Row {
    const char* text;
    Strings words;
  };
  const Row rows[] = {{"/sp c/g++", {"/sp c/g++"}},
                      {"/sp c/g++ -O2 '-DX=a b'", {"/sp c/g++", "-O2", "-DX=a b"}},
                      {"'/sp c/g++' -O2", {"/sp c/g++", "-O2"}},
                      {"/opt/ccache /sp c/g++", {"/opt/ccache", "/sp", "c/g++"}},
                      {"/opt/g++ 13/g++", {"/opt/g++ 13/g++"}},
                      {"/sp c/clang++", {"/sp", "c/clang++"}},
                      {"g++ -m64", {"g++", "-m64"}},
                      {"", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(driver_words(files, row.text) == row.words);
  }
}

using Strings = std::vector<std::string>;

namespace {

FakeFiles debian() {
  FakeFiles files;
  files.program("/usr/bin/x86_64-linux-gnu-g++-12").program("/usr/bin/x86_64-linux-gnu-g++-11");
  files.link("/usr/bin/g++-12", "/usr/bin/x86_64-linux-gnu-g++-12");
  files.link("/usr/bin/g++-11", "/usr/bin/x86_64-linux-gnu-g++-11");
  files.link("/usr/bin/g++", "/usr/bin/g++-12").link("/usr/bin/c++", "/etc/alternatives/c++");
  files.link("/etc/alternatives/c++", "/usr/bin/g++").link("/bin", "/usr/bin");
  files.program("/usr/lib/llvm-14/bin/clang")
      .link("/usr/lib/llvm-14/bin/clang++", "/usr/lib/llvm-14/bin/clang");
  files.link("/usr/bin/clang++-14", "/usr/lib/llvm-14/bin/clang++");
  files.program("/usr/bin/ccache").link("/usr/lib/ccache/g++", "/usr/bin/ccache");
  files.link("/usr/lib/ccache/clang++", "/usr/bin/ccache");
  return files;
}

Strings lines(const DriverSearch& search) {
  Strings result;
  for (const DriverCandidate& candidate : search.candidates) {
    std::string line = candidate.origin + ':';
    for (const std::string& word : candidate.command)
      line += ' ' + word;
    result.push_back(line);
  }
  return result;
}

DriverSearch discovered(const FakeFiles& files, Environment::Variables variables,
                        const Strings& configured = {}) {
  return discover_drivers(files, Environment(std::move(variables)), configured, own_programs(files));
}

Result<DriverCandidate> stdenv(const FakeFiles& files, Environment::Variables variables,
                               const std::optional<NamedDriver>& named = std::nullopt) {
  return find_stdenv(files, Environment(std::move(variables)), named, own_programs(files));
}

bool looked_into(const DriverSearch& search, const std::string& directory) {
  return std::count(search.looked.begin(), search.looked.end(), directory) == 1;
}

} // namespace

TEST_CASE("links to one driver are one candidate, in its most specific spelling") {
  const FakeFiles files = debian();
  CHECK(lines(discovered(files, {{"PATH", "/usr/bin:/bin"}})) ==
        Strings{"PATH: /usr/bin/g++-12", "PATH: /usr/bin/g++-11", "PATH: /usr/bin/clang++-14"});
}

TEST_CASE("a masquerading launcher is several drivers, because it acts by its name") {
  const FakeFiles files = debian();
  CHECK(lines(discovered(files, {{"PATH", "/usr/lib/ccache:/usr/bin"}})) ==
        Strings{"PATH: /usr/lib/ccache/g++", "PATH: /usr/lib/ccache/clang++", "PATH: /usr/bin/g++-12",
                "PATH: /usr/bin/g++-11", "PATH: /usr/bin/clang++-14"});
}

TEST_CASE("Clang under a target's name is another candidate") {
  FakeFiles files = debian();
  files.link("/usr/bin/aarch64-linux-gnu-clang++-14", "/usr/lib/llvm-14/bin/clang");
  CHECK(lines(discovered(files, {{"PATH", "/usr/bin"}})).back() ==
        "PATH: /usr/bin/aarch64-linux-gnu-clang++-14");
}

TEST_CASE("configured compilers come first, and missing ones are listed with the reason") {
  const FakeFiles files = debian();
  const DriverSearch search = discovered(files, {{"PATH", "/usr/bin"}},
                                         {"/usr/bin/g++-11 -m64", "/nonexistent/g++", "g++-99", "'g++"});
  CHECK(lines(search).front() == "configuration: /usr/bin/g++-11 -m64");
  REQUIRE(search.rejected.size() == 3);
  CHECK(search.rejected[0].reason == "/nonexistent/g++ does not exist");
  CHECK(search.rejected[1].reason == "there is no program named 'g++-99' on PATH");
  CHECK(search.rejected[2].reason == "the quote ' in ''g++' is not closed");
}

TEST_CASE("directories outside PATH are searched") {
  struct Row {
    const char* variable;
    const char* value;
    const char* driver;
    const char* origin;
  };
  const Row rows[] = {
      {"X", "", "/opt/rh/gcc-toolset-13/root/usr/bin/g++", "toolset"},
      {"SPACK_ROOT", "/sp", "/sp/opt/spack/linux-debian12-zen3/gcc-12.2.0/gcc-13.2.0-abc/bin/g++", "Spack"},
      {"SPACK_ROOT", "/sp", "/sp/opt/spack/linux-zen3/gcc-13.2.0-abc/bin/g++", "Spack"},
      {"CONDA_PREFIX", "/conda", "/conda/bin/x86_64-conda-linux-gnu-g++", "conda"},
      {"HOME", "/home/me", "/home/me/.nix-profile/bin/g++", "Nix profile"},
      {"X", "", "/run/current-system/sw/bin/g++", "Nix profile"},
      {"X", "", "/usr/local/gcc-13.2/bin/g++", "/usr/local"},
      {"X", "", "/opt/gcc-13/bin/g++", "/opt"},
      {"X", "", "/opt/gcc/13.2/bin/g++", "/opt"},
      {"X", "", "/usr/lib/llvm-17/bin/clang++", "LLVM package"},
      {"X", "", "/home/linuxbrew/.linuxbrew/bin/g++-13", "Homebrew"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.driver);
    FakeFiles files;
    files.program(row.driver);
    CHECK(lines(discovered(files, {{row.variable, row.value}})) ==
          Strings{std::string(row.origin) + ": " + row.driver});
  }
}

TEST_CASE("if only named compilers count, neither PATH nor any other directory gives a candidate") {
  FakeFiles files = debian();
  files.program("/opt/gcc-13/bin/g++").program("/conda/bin/g++");
  const Environment environment(Environment::Variables{{"PATH", "/usr/bin"}, {"CONDA_PREFIX", "/conda"}});
  const DriverSearch search = discover_drivers(files, environment, {"/usr/bin/g++-11", "/nonexistent/g++"},
                                               own_programs(files), SearchScope::named);
  CHECK(lines(search) == Strings{"configuration: /usr/bin/g++-11"});
  CHECK(search.rejected.size() == 1);
  CHECK(search.looked.empty());
}

TEST_CASE("what was looked into is told, also where there is nothing yet") {
  const FakeFiles files = debian();
  const DriverSearch search =
      discovered(files, {{"PATH", "/usr/bin:/not/yet:relative"}, {"HOME", "/home/me"}});
  for (const char* directory : {"/usr/bin", "/not/yet", "/home/me/.nix-profile/bin", "/opt/rh", "/usr/lib"})
    CHECK(looked_into(search, directory));
  CHECK_FALSE(looked_into(search, "relative"));
}

TEST_CASE("the current directory is never searched") {
  FakeFiles files;
  files.program("/here/g++").program("/here/bin/c++").program("/g++");
  CHECK(discovered(files, {{"PATH", ":.:bin:"}}).candidates.empty());
  CHECK_FALSE(stdenv(files, {{"PATH", ":.:bin:"}}));
}

TEST_CASE("hostpin's c++ is no candidate and no stdenv, whichever way it is reached") {
  FakeFiles files = debian();
  files.program("/hp/libexec/hostpin/c++").link("/hp/path/c++", "/hp/libexec/hostpin/c++");
  files.program("/bound/c++").file("/bound/plan").file("/bound/binding.toml");
  const Environment::Variables path{{"PATH", "/hp/path:/bound:/hp/libexec/hostpin:/usr/bin"}};
  CHECK(lines(discovered(files, path)).front() == "PATH: /usr/bin/g++-12");
  CHECK(stdenv(files, path)->command == Strings{"/usr/bin/c++"});
  for (const char* cxx : {"/hp/path/c++", "/bound/c++", "c++", "ccache /bound/c++"}) {
    CAPTURE(cxx);
    auto variables = path;
    variables["CXX"] = cxx;
    CHECK(stdenv(files, variables)->command == Strings{"/usr/bin/c++"});
  }
  const auto named = stdenv(files, path, NamedDriver{"/bound/c++", "--stdenv"});
  REQUIRE_FALSE(named);
  CHECK(named.error().message ==
        "--stdenv names '/bound/c++', but /bound/c++ is hostpin's own compiler driver");
}

TEST_CASE("the stdenv is what was named, else CXX, else what PATH has") {
  const FakeFiles files = debian();
  const Environment::Variables both{{"PATH", "/usr/bin"}, {"CXX", "g++-11"}};
  const auto named = stdenv(files, both, NamedDriver{"clang++-14 -stdlib=libstdc++", "--stdenv"});
  REQUIRE(named);
  CHECK(named->command == Strings{"/usr/bin/clang++-14", "-stdlib=libstdc++"});
  CHECK(named->origin == "--stdenv");
  CHECK(stdenv(files, both)->command == Strings{"/usr/bin/g++-11"});
  CHECK(stdenv(files, both)->origin == "$CXX");
  CHECK(stdenv(files, {{"PATH", "/usr/bin"}})->command == Strings{"/usr/bin/c++"});
  CHECK(stdenv(files, {{"PATH", "/usr/lib/ccache"}})->command == Strings{"/usr/lib/ccache/g++"});
}

TEST_CASE("a launcher before the compiler stays, and the compiler after it is made absolute") {
  const FakeFiles files = debian();
  const Environment::Variables variables{{"PATH", "/usr/bin"}, {"CXX", "ccache g++ -m64"}};
  CHECK(stdenv(files, variables)->command == Strings{"/usr/bin/ccache", "/usr/bin/g++", "-m64"});
  CHECK_FALSE(stdenv(files, {{"PATH", "/usr/bin"}, {"CXX", "ccache g++-99"}}));
}

TEST_CASE("a relative path that the user wrote is made absolute") {
  FakeFiles files;
  files.program("/here/gcc/bin/g++");
  CHECK(stdenv(files, {}, NamedDriver{"gcc/bin/g++", "--stdenv"})->command == Strings{"/here/gcc/bin/g++"});
}

TEST_CASE("a CXX that cannot be used is an error, not a silent second choice") {
  FakeFiles files = debian();
  files.file("/usr/bin/g++-10");
  for (const char* cxx : {"g++-99", "/usr/bin/g++-10", "/nonexistent", "/usr/bin", "'"}) {
    CAPTURE(cxx);
    const auto found = stdenv(files, {{"PATH", "/usr/bin"}, {"CXX", cxx}});
    REQUIRE_FALSE(found);
    CHECK(found.error().message.starts_with(std::string("$CXX names '") + cxx + "', but "));
  }
}

TEST_CASE("no compiler at all is an error that names what to install") {
  const auto found = stdenv(FakeFiles(), {{"PATH", "/usr/bin"}});
  REQUIRE_FALSE(found);
  CHECK(found.error().hint == "install g++, or name one with --stdenv or CXX");
}
