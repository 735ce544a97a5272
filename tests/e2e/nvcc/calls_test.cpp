// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole calls: whom nvcc obeys, and that a rewritten call is the same call with another host compiler.
#include "real.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <regex>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::e2e;
using cmdline::NvccCommand;
using Words = std::vector<std::string>;

namespace {

struct Call {
  Words arguments;
  Variables variables = {};
};

// A directory with a source, options files and four host compilers that are all the same g++.
struct Ground {
  Scratch scratch;
  std::string a = scratch.compiler("a/g++");
  std::string b = scratch.compiler("b/g++");
  std::string ours = scratch.compiler("our dir/c++");
  std::string plain = scratch.compiler("ours/c++");

  Ground() {
    scratch.write("x.cu", "int main() {}\n");
    scratch.write("fa", "-DFA -ccbin \"" + a + "\"\n");
    scratch.write("fb", "--compiler-bindir=" + b + " \"-DF=B b\"\n");
    scratch.write("none", "-DNONE \"-Xcompiler=-Wall\"\r\n");
    scratch.write("deep", "-DDEEP -optf none,fa -DDEEPER");
    std::filesystem::create_symlink("../a/g++", scratch.path() / "a/gcc");
  }
  std::string path() const { return scratch.path(); }
};

Program program(const Toolkit& toolkit, const Ground& ground, const Call& call, Words before = {}) {
  Program program{{toolkit.nvcc}, ground.path()};
  program.argv.insert(program.argv.end(), before.begin(), before.end());
  program.argv.insert(program.argv.end(), call.arguments.begin(), call.arguments.end());
  program.environment.insert(call.variables.begin(), call.variables.end());
  return program;
}

bool reads_ccbin(const Toolkit& toolkit) {
  return toolkit.version == "13.0";
}

// The call as the library sees it; owns what that points to.
struct Seen {
  std::vector<const char*> pointers;
  cmdline::NvccCall call;
  cmdline::DiskArgumentFiles texts;
  NvccCommand naming;
};

std::unique_ptr<Seen> seen(const Toolkit& toolkit, const Ground& ground, const Call& call) {
  auto seen = std::make_unique<Seen>();
  for (const std::string& argument : call.arguments)
    seen->pointers.push_back(argument.c_str());
  const auto value = [&](const char* name) {
    const auto found = call.variables.find(name);
    return found == call.variables.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  };
  seen->call = {value("NVCC_PREPEND_FLAGS"), seen->pointers,       value("NVCC_APPEND_FLAGS"),
                value("NVCC_CCBIN"),         reads_ccbin(toolkit), !toolkit.version.starts_with("11.")};
  std::filesystem::current_path(ground.scratch.path()); // nvcc looks for options files where it runs
  seen->naming = cmdline::nvcc_command(seen->call, seen->texts);
  return seen;
}

Call rewritten(const Seen& seen, const Call& call, const std::string& ours) {
  const nvcc::Rewrite result = nvcc::rewrite(seen.call, seen.naming, ours.c_str());
  Call changed{{result.arguments.begin(), result.arguments.end()}, call.variables};
  for (const nvcc::VariableChange& change : result.variables) {
    changed.variables.erase(change.name);
    if (change.value)
      changed.variables[change.name] = *change.value;
  }
  return changed;
}

// What a call comes to, whatever the host compiler is called. The echo of the flags variables is left out:
// one of them may have moved into the arguments.
std::string outcome(const Ran& ran, const std::string& host) {
  const auto slash = host.rfind('/');
  std::string text = replaced(ran.err, '"' + host.substr(0, slash) + '"' + host.substr(slash), "HOST");
  text = replaced(text, host, "HOST");
  text = std::regex_replace(text, std::regex("#\\$ NVCC_(PREPEND|APPEND)_FLAGS=[^\n]*\n"), "");
  return std::to_string(ran.status) + '\n' + ran.out + comparable(text);
}

// The host compiler that preprocesses, as nvcc writes it: "directory"/name.
std::string host_in(const std::string& err) {
  std::smatch part;
  if (!std::regex_search(err, part, std::regex("#\\$ (\"[^\"]*\"/\\S+|\\S+) [^\n]*-E -x c\\+\\+")))
    return "none";
  return replaced(part[1], "\"", "");
}

class Dice {
public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  const std::string& of(const Words& words) { return words[engine_() % words.size()]; }
  std::size_t below(std::size_t n) { return engine_() % n; }

private:
  std::mt19937 engine_;
};

Call random_call(const Ground& ground, unsigned seed) {
  const Words vocabulary = {"-ccbin=" + ground.a,
                            "-ccbin=" + ground.b,
                            "--compiler-bindir=" + ground.a,
                            "-optf=fa",
                            "-optf=none",
                            "--options-file=fb",
                            "-optf=none,fa",
                            "-optf=deep",
                            "-Xcompiler=-ccbin",
                            "-DX=-ccbin=/x",
                            "-v",
                            "-hls",
                            "-w"};
  const Words pairs = {"-ccbin " + ground.a, "--compiler-bindir " + ground.b,
                       "-optf deep",         "-I -ccbin",
                       "-Xcompiler -ccbin",  "-DA -DB",
                       "-optf none -w"};
  Dice dice(seed);
  Call call{{"--dryrun", "-E", "x.cu"}};
  for (std::size_t left = dice.below(4); left > 0; --left) {
    if (dice.below(2) == 0) {
      call.arguments.push_back(dice.of(vocabulary));
      continue;
    }
    const std::string& pair = dice.of(pairs);
    call.arguments.push_back(pair.substr(0, pair.find(' ')));
    call.arguments.push_back(pair.substr(pair.find(' ') + 1));
  }
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (dice.below(3) == 0)
      call.variables[name] = dice.of(vocabulary) + ' ' + dice.of(pairs) + " ";
  if (dice.below(4) == 0)
    call.variables["NVCC_CCBIN"] = ground.b;
  return call;
}

std::string text(const Call& call) {
  std::string joined;
  for (const auto& [name, value] : call.variables)
    joined += name + "='" + value + "' ";
  for (const std::string& argument : call.arguments)
    joined += " [" + argument + "]";
  return joined;
}

// Each way of naming, alone and against others.
std::vector<Call> named_calls(const Ground& ground) {
  const std::string& a = ground.a;
  const std::string& b = ground.b;
  const Words line = {"--dryrun", "x.cu", "-o", "x"};
  const auto with = [&](Words more, Variables variables = {}) {
    more.insert(more.begin(), line.begin(), line.end());
    return Call{more, std::move(variables)};
  };
  return {with({"-ccbin", a}),
          with({"-ccbin=" + a}),
          with({"--compiler-bindir", a}),
          with({"--compiler-bindir=" + a}),
          with({"-optf", "fa"}),
          with({"-optf=fa"}),
          with({"--options-file", "none,fb"}),
          with({"--options-file=deep"}),
          with({}, {{"NVCC_PREPEND_FLAGS", "-DP -ccbin " + a + " -DQ=\"1\""}}),
          with({}, {{"NVCC_APPEND_FLAGS", "--compiler-bindir=" + a}}),
          with({}, {{"NVCC_PREPEND_FLAGS", "-optf deep"}}),
          with({}, {{"NVCC_APPEND_FLAGS", "-DP -optf=fa -DQ"}}),
          with({}, {{"NVCC_CCBIN", a}}),
          with({"-ccbin", b}, {{"NVCC_CCBIN", a}}),
          with({"-ccbin", b, "-ccbin", a}),
          with({"-ccbin", a, "-ccbin", b, "-ccbin", a}),
          with({"-ccbin", a}, {{"NVCC_PREPEND_FLAGS", "-ccbin " + b}}),
          with({"-ccbin", a}, {{"NVCC_PREPEND_FLAGS", "-ccbin " + a}, {"NVCC_APPEND_FLAGS", "-ccbin=" + a}}),
          with({"-ccbin", a}, {{"NVCC_APPEND_FLAGS", "-ccbin " + b}}),
          with({"-ccbin", ground.path() + "/a"}),
          with({"-ccbin"}, {{"NVCC_APPEND_FLAGS", a}}),
          with({"-optf"}, {{"NVCC_APPEND_FLAGS", "fa -DX"}})};
}

} // namespace

TEST_CASE("nvcc takes the host compiler that the naming says it takes") {
  const Ground ground;
  std::size_t named = 0;
  for (unsigned seed = 0; seed < turns(80); ++seed) {
    const Call call = random_call(ground, seed);
    for (const Toolkit& toolkit : toolkits()) {
      CAPTURE(toolkit.version);
      CAPTURE(text(call));
      const Ran ran = run(program(toolkit, ground, call));
      if (!ran.ok())
        continue;
      const auto view = seen(toolkit, ground, call);
      const std::string expected = view->naming.ccbin.by == cmdline::CcbinChoice::By::nobody
                                       ? "gcc"
                                       : std::string(view->naming.ccbin.value);
      REQUIRE(host_in(ran.err) == expected);
      named += view->naming.ccbin.by != cmdline::CcbinChoice::By::nobody;
    }
  }
  CHECK(named > turns(60) / 3 * toolkits().size());
}

TEST_CASE("a rewritten call comes to the same as the call by hand, warnings and all") {
  const Ground ground;
  std::vector<Call> calls = named_calls(ground);
  for (unsigned seed = 1000; seed < 1000 + turns(60); ++seed)
    calls.push_back(random_call(ground, seed));
  for (const Call& call : calls)
    for (const Toolkit& toolkit : toolkits()) {
      const auto view = seen(toolkit, ground, call);
      const bool nobody = view->naming.ccbin.by == cmdline::CcbinChoice::By::nobody;
      CAPTURE(toolkit.version);
      CAPTURE(text(call));
      const std::string named(view->naming.ccbin.value);
      const bool directory = named.ends_with("/a");
      const std::string by_hand =
          outcome(run(program(toolkit, ground, call, nobody ? Words{"-ccbin", ground.ours} : Words{})),
                  nobody ? ground.ours : named);
      for (const std::string& ours : {ground.ours, ground.plain}) {
        const Call changed = rewritten(*view, call, ours);
        CAPTURE(text(changed));
        const Ran ran = run(program(toolkit, ground, changed));
        if (directory) // nvcc would have run the directory's gcc and g++
          REQUIRE(host_in(ran.err) == ours);
        else
          REQUIRE(outcome(ran, ours) == by_hand);
      }
    }
}

TEST_CASE("a directory means its gcc to compile and its g++ to link") {
  const Ground ground;
  for (const Toolkit& toolkit : toolkits()) {
    CAPTURE(toolkit.version);
    const Ran ran = run(program(toolkit, ground, {{"--dryrun", "x.cu", "-o", "x", "-ccbin", "a"}}));
    CHECK(ran.err.find("#$ \"a\"/gcc ") != std::string::npos);
    CHECK(ran.err.find("#$ \"a\"/g++ ") != std::string::npos);
  }
}

TEST_CASE("an options file that comes through a pipe still reaches nvcc") {
  const Ground ground;
  const Toolkit& toolkit = toolkits().back();
  for (const std::string& content : {std::string("-DPIPED"), "-DPIPED -ccbin " + ground.a}) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    REQUIRE(::write(ends[1], content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    ::close(ends[1]);
    const Call call{{"--dryrun", "-E", "x.cu", "-optf=/dev/fd/" + std::to_string(ends[0])}};
    const auto view = seen(toolkit, ground, call);
    ::close(ends[0]);
    const Ran ran = run(program(toolkit, ground, rewritten(*view, call, ground.ours)));
    CHECK(ran.ok());
    CHECK(messages(ran.err).empty());
    CHECK(host_in(ran.err) == ground.ours);
    CHECK(ran.err.find("PIPED") != std::string::npos);
  }
}

TEST_CASE("the informational options answer without starting a host compiler") {
  const Ground ground;
  for (const cmdline::NvccOption& option : cmdline::nvcc_options()) {
    if (option.meaning != cmdline::NvccMeaning::informational)
      continue;
    for (const std::string_view spelling : {option.spelling, option.alias})
      for (const Toolkit& toolkit : toolkits()) {
        CAPTURE(toolkit.version);
        CAPTURE(spelling);
        const Call call{{std::string(spelling), "x.cu"}};
        const Ran without = run(program(toolkit, ground, call));
        const Ran with = run(program(toolkit, ground, call, {"-ccbin", "/nonexistent"}));
        CHECK(without.ok());
        CHECK(with == without);
      }
  }
}
