// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/compile_command.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/base/scratch.hpp"

#include <algorithm>
#include <fstream>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
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

ParsePlan plan_of(const Compiler* compiler, const std::string& source = "a.cpp") {
  Invocation invocation;
  invocation.driver = "c++";
  invocation.flags = {"-O2"};
  CompileCommand command;
  command.source = source;
  command.directory = "/build";
  return parse_plan(invocation, command, compiler, {"/system"}, "/resources");
}

Compiler gcc(Version version) {
  Compiler compiler;
  compiler.family = Family::gcc;
  compiler.version = version;
  compiler.target = "x86_64-linux-gnu";
  compiler.default_cplusplus = 201703;
  return compiler;
}

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

TEST_CASE("only what decides how a source is compiled is kept") {
  struct Row {
    Words words;
    std::string driver;
    Words flags;
    Words sources;
  };
  const std::vector<Row> rows{
      {{"g++", "-O2", "-c", "a.cpp", "-o", "a.o"}, "g++", {"-O2"}, {"a.cpp"}},
      {{"/usr/bin/ccache", "g++", "a.cpp"}, "g++", {}, {"a.cpp"}},
      {{"env", "LANG=C", "nice", "-n", "10", "ccache", "clang++-19", "-oa.o", "a.cpp"},
       "clang++-19",
       {},
       {"a.cpp"}},
      {{"g++", "-MD", "-MT", "x.o", "-MF", "x.d", "-MQx", "-Wp,-MMD,y.d", "-D", "A", "-DB"},
       "g++",
       {"-D", "A", "-DB"},
       {}},
      {{"g++", "-include", "all.hpp", "-isystem", "/inc", "-I", "-odd"},
       "g++",
       {"-include", "all.hpp", "-isystem", "/inc", "-I", "-odd"},
       {}},
      {{"g++", "-flto=auto", "-fno-fat-lto-objects", "-gsplit-dwarf", "-ffile-prefix-map=/a=b", "-g",
        "-save-temps=obj"},
       "g++",
       {"-fno-fat-lto-objects", "-g"},
       {}},
      {{"g++", "a.cpp", "-lm", "-l", "z", "-Wl,-O1", "-L/lib", "-o", "program"},
       "g++",
       {"-L/lib"},
       {"a.cpp"}},
      {{"g++", "-undef", "-o"}, "g++", {"-undef"}, {}},
      {{"g++", "-x", "c++", "-", "-xc++"}, "g++", {"-x", "c++", "-xc++"}, {"-"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const auto call = invocation(row.words);
    REQUIRE(call);
    CHECK(call->driver == row.driver);
    CHECK(call->flags == row.flags);
    CHECK(call->sources == row.sources);
  }
}

TEST_CASE("a command without a compiler, of nvcc or of modules is refused with what to do") {
  for (const Words& words : std::vector<Words>{{},
                                               {""},
                                               {"-O2", "a.cpp"},
                                               {"ccache"},
                                               {"env", "A=b"},
                                               {"/usr/local/cuda/bin/nvcc", "a.cu"},
                                               {"g++", "-fmodules-ts", "a.cpp"},
                                               {"g++", "-fmodule-mapper=a.map"}}) {
    CAPTURE(words);
    const auto call = invocation(words);
    REQUIRE(!call);
    CHECK(!call.error().hint.empty());
  }
}

TEST_CASE("the object is the only output") {
  const auto call = invocation(Words{"g++", "-O2", "-c", "a.cpp", "-o", "theirs.o", "-MMD"});
  REQUIRE(call);
  const Words words = object_command(*call, Family::gcc, "/src/a.cpp", "/private/object.o");
  CHECK(words == Words{"env", "CCACHE_DISABLE=1", "g++", "-O2", "-g1", "-w", "-c", "/src/a.cpp", "-o",
                       "/private/object.o"});
}

TEST_CASE("a debug format of Clang's tells inlined functions by their whole names") {
  const Words words = object_command({"clang++", {}, {}}, Family::clang, "/a.cpp", "/o.o");
  CHECK(std::find(words.begin(), words.end(), "-g2") != words.end());
}

TEST_CASE("a source is C by -x, or by its name where the driver is one of C") {
  struct Row {
    Words words;
    const char* source;
    bool c;
  };
  for (const Row& row : std::vector<Row>{{{"gcc"}, "a.c", true},
                                         {{"/usr/bin/clang-19"}, "a.c", true},
                                         {{"g++-12"}, "a.c", false},
                                         {{"gcc"}, "a.cpp", false},
                                         {{"gcc", "-x", "c++"}, "a.c", false},
                                         {{"g++", "-xc"}, "a.cpp", true},
                                         {{"g++", "-x", "c", "-x", "none"}, "a.cpp", false},
                                         {{"gcc", "-x"}, "a.c", true}}) {
    CAPTURE(row.words);
    CHECK(is_c(invocation(row.words).value(), row.source) == row.c);
  }
}

TEST_CASE("directories are taken from their flags, joined or in the next word") {
  const Words flags{"-O2",   "-I",         "include", "-Isrc",  "-iquote",      "quoted", "-isystem",
                    "other", "-idirafter", "/after",  "-DX=-I", "-cxx-isystem", "cxx",    "-I"};
  CHECK(own_directories(flags) == Words{"include", "src", "quoted"});
  CHECK(named_system_directories(flags) == Words{"other", "/after", "cxx"});
  CHECK(own_directories({}).empty());
}

TEST_CASE("the system's main directories are nobody's own") {
  CHECK(own_directories({"-I/usr/include", "-I", "/usr/local/include", "-I/usr/include/own"}) ==
        Words{"/usr/include/own"});
}

TEST_CASE("a directory of the user is no system directory, whatever its name") {
  test::FakeFiles files;
  files.file("/system/a.h").file("/own/b.h").link("/link", "/own");
  Compiler compiler;
  compiler.include_directories = {"/system", "/link", "/gone"};
  CHECK(system_directories(files, compiler, {"/own"}) == Words{"/system", "/gone"});
  CHECK(system_directories(files, compiler, {"/gone"}) == Words{"/system", "/link"});
  CHECK(system_directories(files, compiler, {}) == compiler.include_directories);
}

TEST_CASE("a source is read as its own compiler would read it") {
  const Compiler old = gcc({9, 4, 0});
  const ParsePlan plan = plan_of(&old);
  CHECK(plan.source == "a.cpp");
  CHECK(plan.directory == "/build");
  CHECK(plan.flags == std::vector<std::string>{"-O2"});
  CHECK(plan.system_directories == std::vector<std::string>{"/system"});
  CHECK(plan.resources == "/resources");
  CHECK(plan.triple == "x86_64-linux-gnu");
  CHECK(plan.standard == "gnu++17");
  CHECK(plan.gcc_version == "9.4.0");
}

TEST_CASE("a GCC from 11 on is imitated as 10.2, and only a GCC") {
  const Compiler newer = gcc({13, 2, 0});
  CHECK(plan_of(&newer).gcc_version == "10.2.0");
  Compiler clang = gcc({16, 0, 6});
  clang.family = Family::clang;
  CHECK(plan_of(&clang).gcc_version.empty());
}

TEST_CASE("the standard is the compiler's default, for C++ alone") {
  struct Row {
    long cplusplus;
    const char* standard;
  };
  const Row rows[] = {{0, ""},
                      {199711, "gnu++98"},
                      {201103, "gnu++11"},
                      {201709, "gnu++20"},
                      {202002, "gnu++20"},
                      {202302, "gnu++23"},
                      {202400, "gnu++26"}};
  for (const Row& row : rows) {
    Compiler compiler = gcc({10, 2, 0});
    compiler.default_cplusplus = row.cplusplus;
    CHECK(plan_of(&compiler).standard == row.standard);
  }
  Invocation invocation;
  invocation.driver = "gcc";
  CompileCommand command;
  command.source = "a.c";
  const Compiler compiler = gcc({10, 2, 0});
  const ParsePlan plan = parse_plan(invocation, command, &compiler, {}, {});
  CHECK(plan.is_c);
  CHECK(plan.standard.empty());
}

TEST_CASE("for an unknown compiler nothing is assumed") {
  const ParsePlan plan = plan_of(nullptr);
  CHECK(plan.triple.empty());
  CHECK(plan.standard.empty());
  CHECK(plan.gcc_version.empty());
  CHECK(plan.flags == std::vector<std::string>{"-O2"});
}
