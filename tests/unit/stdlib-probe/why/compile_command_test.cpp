// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/compile_command.hpp"
#include "toolchains/base/scratch.hpp"

#include <fstream>

#include <doctest/doctest.h>

using namespace hostpin;
using Words = std::vector<std::string>;

namespace {

/// A directory with files in it.
struct Directory {
  ScratchDirectory place = ScratchDirectory::make(Environment()).value();
  DiskFiles files;

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = place.path() + '/' + name;
    std::ofstream(path) << text;
    return path;
  }
};

} // namespace

TEST_CASE("entries of a database are read in both spellings") {
  const Directory directory;
  directory.write("compile_commands.json", R"([
    {"directory": "/build", "command": "g++ -DA=\"b c\" -c ../a.cpp", "file": "../a.cpp"},
    {"directory": "sub", "arguments": ["g++", "x y.cpp"], "file": "x y.cpp", "output": "x.o"},
    {"directory": "/build", "command": "g++ -O3 -c /a.cpp", "file": "/a.cpp"}])");
  const auto commands = compile_database(directory.files, directory.place.path());
  REQUIRE(commands);
  REQUIRE(commands->size() == 3);
  CHECK(commands->at(0).words == Words{"g++", "-DA=b c", "-c", "../a.cpp"});
  CHECK(commands->at(0).source == "/a.cpp");
  CHECK(commands->at(1).words == Words{"g++", "x y.cpp"});
  CHECK(commands->at(1).directory == directory.files.real_path(directory.place.path()).value() + "/sub");
  CHECK(commands->at(1).source == commands->at(1).directory + "/x y.cpp");
  CHECK(commands->at(2).source == "/a.cpp");
}

TEST_CASE("a file that is not a database is an error that names it") {
  const Directory directory;
  for (const char* const text :
       {"", "[]", "{}", "[", "[1]", "nonsense", R"([{"file": "a"}])", R"([{"file": "a", "command": ""}])",
        R"([{"file": "a", "command": "g++ \"open"}])", R"([{"command": "g++ a"}])",
        R"([{"file": "a", "arguments": [1]}])", R"([{"file": "a", "arguments": "g++"}])",
        R"([{"file": 3, "command": "g++"}])"}) {
    CAPTURE(text);
    const std::string path = directory.write("database.json", text);
    const auto commands = compile_database(directory.files, path);
    REQUIRE(!commands);
    CHECK(commands.error().message.find(path) != std::string::npos);
  }
  CHECK(!compile_database(directory.files, directory.place.path() + "/nothing"));
}

TEST_CASE("response files are read if they exist, else left as they are") {
  const Directory directory;
  directory.write("inner.rsp", "-DINNER 'two words'");
  directory.write("outer.rsp", "-O2 @inner.rsp\n-g");
  directory.write("self.rsp", "@self.rsp");
  directory.write("open.rsp", "'open");
  const std::string& here = directory.place.path();
  CHECK(expanded_words(directory.files, Words{"g++", "@outer.rsp", "@missing.rsp", "@"}, here) ==
        Words{"g++", "-O2", "-DINNER", "two words", "-g", "@missing.rsp", "@"});
  CHECK(!expanded_words(directory.files, Words{"@self.rsp"}, here));
  CHECK(expanded_words(directory.files, Words{"@open.rsp"}, here) == Words{"open"}); // as GCC reads it
  CHECK(!expanded_words(directory.files, Words{"@."}, here));
  CHECK(!expanded_words(directory.files, Words{"@/dev/zero"}, here));
}
