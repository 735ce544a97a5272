// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call made inside another nvcc: what that exports, what goes wrong with it, and that without it all is
// well.
#include "real.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <fstream>
#include <regex>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::e2e;

namespace {

// The environment that `outer` gives to the programs it starts.
Variables exported(const Toolkit& outer, const Scratch& scratch) {
  const std::string seen = scratch.path() / "seen";
  const std::string spy = scratch.write("spy", "#!/bin/sh\nenv -0 >'" + seen + "'\nexec g++ \"$@\"\n");
  std::filesystem::permissions(spy, std::filesystem::perms::owner_all);
  scratch.write("x.cpp", "int x;\n");
  const Ran ran = run({{outer.nvcc, "-ccbin", spy, "-E", "x.cpp"}, scratch.path()});
  REQUIRE_MESSAGE(ran.ok(), ran.err);
  std::ifstream file(seen, std::ios::binary);
  Variables variables;
  for (std::string line; std::getline(file, line, '\0');)
    variables[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  for (const char* shell : {"PWD", "OLDPWD", "SHLVL", "_"})
    variables.erase(shell);
  return variables;
}

// PATH and LD_LIBRARY_PATH only repeat a directory, so their lines are left out.
std::string dryrun(const Toolkit& toolkit, const Scratch& scratch, const Variables& environment) {
  const Ran ran = run({{toolkit.nvcc, "--dryrun", "x.cu", "-o", "x"}, scratch.path(), environment});
  return comparable(std::regex_replace(ran.err, std::regex("#\\$ (LD_LIBRARY_)?PATH=[^\n]*\n"), ""));
}

Variables cleaned(Variables environment) {
  for (const std::string_view name : nvcc::outer_nvcc_variables())
    environment.erase(std::string(name));
  return environment;
}

bool marked(const Variables& environment) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment)
    lines.push_back(name + '=' + value);
  std::vector<const char*> pointers;
  pointers.reserve(lines.size() + 1);
  for (const std::string& line : lines)
    pointers.push_back(line.c_str());
  pointers.push_back(nullptr);
  return nvcc::read_nvcc_environment(pointers.data()).inside_nvcc;
}

} // namespace

TEST_CASE("inside any nvcc, a call without the outer one's variables is like one at the top") {
  const Scratch scratch;
  scratch.write("x.cu", "int main() {}\n");
  CHECK(!marked(plain_environment()));
  for (const Toolkit& outer : toolkits()) {
    const Variables inside = exported(outer, scratch);
    CHECK(marked(inside));
    for (const Toolkit& inner : toolkits()) {
      CAPTURE(outer.version);
      CAPTURE(inner.version);
      const std::string top = dryrun(inner, scratch, plain_environment());
      CHECK(dryrun(inner, scratch, cleaned(inside)) == top);
      CHECK(dryrun(inner, scratch, inside) != top); // else there would be nothing to remove
    }
  }
}

TEST_CASE("inside an nvcc of another release, libraries of that release would come first") {
  if (toolkits().size() < 2) {
    MESSAGE("skipped: needs two releases");
    return;
  }
  const Scratch scratch;
  scratch.write("x.cu", "int main() {}\n");
  const Toolkit& outer = toolkits().front();
  const Toolkit& inner = toolkits().back();
  const std::string leaked = dryrun(inner, scratch, exported(outer, scratch));
  std::smatch line;
  REQUIRE(std::regex_search(leaked, line, std::regex("#\\$ LIBRARIES=[^\n]*")));
  const std::string libraries = line[0];
  CHECK(libraries.find(outer.root) < libraries.find(inner.root));
}
