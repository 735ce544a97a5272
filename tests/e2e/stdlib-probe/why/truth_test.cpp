// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the answers of `why` for real sources with nm's for their objects.
#include "stdlib-probe/why/check.hpp"
#include "tests/e2e/toolchains/lab.hpp"
#include "tests/shipped_data.hpp"
#include "toolchains/compiler/driver_output.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

const std::string sources =
    std::filesystem::canonical(hostpin::test::in_checkout("tests/e2e/stdlib-probe/why/sources")).string();

struct Source {
  const char* name;
  const char* standard;
  int since = 9; ///< the first GCC that compiles it
};
constexpr auto all_sources = std::to_array<Source>({{"classes", "c++17"},
                                                    {"containers", "c++17"},
                                                    {"exceptions", "c++17"},
                                                    {"files", "c++17"},
                                                    {"format", "c++20", 13},
                                                    {"from_chars", "c++17"},
                                                    {"iostreams", "c++17"},
                                                    {"memory", "c++17"},
                                                    {"random", "c++17"},
                                                    {"regex", "c++17"},
                                                    {"shared", "c++17"},
                                                    {"spans", "c++23", 12},
                                                    {"statics", "c++17"},
                                                    {"strings", "c++17"},
                                                    {"strings", "c++20"},
                                                    {"threads", "c++17"},
                                                    {"to_chars", "c++17"},
                                                    {"waiting", "c++20", 11},
                                                    {"zones", "c++20", 14}});
constexpr auto levels = std::to_array<const char*>({"-O0", "-O2"});

/// Every combination with HOSTPIN_FULL=1, which takes minutes; else every ninth, so that every source,
/// compiler and level is used.
bool has_turn(std::size_t combination) {
  return full_form() || combination % 9 == 0;
}

using Needs = std::set<std::string>; ///< `symbol@version`

std::string output_of(std::vector<std::string> words) {
  const Command command{std::move(words), "", {}};
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(5);
  limits.output = std::size_t{64} << 20U;
  const Outcome outcome = HostProcesses(limits).run({&command, 1}).front();
  REQUIRE_MESSAGE(outcome.ok(), command.argv[0] << ": " << describe(outcome) << ' ' << outcome.errors);
  return outcome.output;
}

std::string driver(int gcc) {
  for (const std::string& path : lab().drivers)
    if (path.ends_with("/g++-" + std::to_string(gcc)))
      return path;
  return {};
}

/// Those of the lab, or the newest of this machine.
std::vector<int> gccs(std::vector<int> wanted) {
  std::erase_if(wanted, [](int gcc) { return driver(gcc).empty(); });
  for (int gcc = 30; wanted.empty() && gcc >= 9; --gcc)
    if (!driver(gcc).empty())
      wanted = {gcc};
  REQUIRE(!wanted.empty());
  return wanted;
}

std::string library_of(int gcc) {
  const std::string named = output_of({driver(gcc), "-print-file-name=libstdc++.so.6"});
  return std::filesystem::canonical(named.substr(0, named.find('\n'))).string();
}

/// Symbols that nm finds in a library, by `@@`: the version that a link takes.
std::map<std::string, std::string> versions_in(const std::string& library) {
  std::map<std::string, std::string> versions;
  const std::string text = output_of({"nm", "-D", "--defined-only", "--with-symbol-versions", library});
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line, 3);
    const std::string_view name = words.size() == 3 ? words[2] : std::string_view();
    if (const std::size_t at = name.find("@@"); at != std::string_view::npos)
      versions.emplace(name.substr(0, at), name.substr(at + 2));
  }
  return versions;
}

/// The same command without -g, by the compiler itself, and the symbols that the object needs according to
/// nm.
std::string undefined_in(const probe::CompileCommand& command) {
  const std::string object =
      (std::filesystem::temp_directory_path() / ("hostpin-truth." + std::to_string(::getpid()) + ".o"))
          .string();
  std::vector<std::string> words = command.words;
  words.insert(words.end(), {"-c", command.source, "-o", object});
  output_of(words);
  std::string text = output_of({"nm", "-u", "--format=just-symbols", object});
  std::filesystem::remove(object);
  return text;
}

/// Those of them that the limit leaves.
Needs truth(const std::string& undefined, const std::map<std::string, std::string>& versions,
            const probe::Limit& limit) {
  Needs needs;
  for (const std::string_view symbol : lines_of(undefined))
    if (const auto known = versions.find(std::string(symbol)); known != versions.end())
      if (probe::is_libstdcxx_version(known->second) &&
          probe::standing(limit, known->first, known->second) == probe::Standing::above)
        needs.insert(known->first + '@' + known->second);
  return needs;
}

Needs needs_of(const probe::SourceAnswer& answer) {
  Needs needs;
  for (const probe::Need& need : answer.needs)
    needs.insert(need.symbol + '@' + need.version);
  return needs;
}

/// What is in `a` and not in `b`, one per line.
std::string only_in(const Needs& a, const Needs& b) {
  std::string text;
  for (const std::string& need : a)
    if (!b.contains(need))
      text += "\n  " + need;
  return text;
}

std::vector<std::string> lines_of_file(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// A location must be in the user's files, and something must be there.
void check_place(const probe::Place& place) {
  CHECK_MESSAGE(place.file.starts_with(sources), place.file);
  const std::vector<std::string> lines = lines_of_file(place.file);
  REQUIRE_MESSAGE((place.line > 0 && place.line <= lines.size()), place.file << ':' << place.line);
  const std::string& line = lines[place.line - 1];
  // At the end of a block destructors run, of the library's types.
  const bool ends = line.find_first_not_of(" \t};") == std::string::npos;
  const bool cleans = place.what.starts_with("std::") || place.what.starts_with("operator delete");
  CHECK_MESSAGE((!line.empty() && (!ends || cleans)),
                place.file << " line " << std::to_string(place.line) << ": " << place.what);
  CHECK_MESSAGE(!place.what.empty(), place.file << ':' << place.line);
}

struct World {
  Environment environment = Environment(Environment::Variables{{"PATH", std::getenv("PATH")}});
  DiskFiles files;
  HostProcesses processes;
  probe::ProbeContext context{environment, files, processes, hostpin::test::in_build("libexec/hostpin/clang"),
                              hostpin::test::shipped_data()};
  std::vector<SymbolRelease> releases = load_symbol_releases(files, hostpin::test::shipped_data()).value();
};

probe::CompileCommand command_for(const Source& source, int gcc, const char* level) {
  return {sources,
          {driver(gcc), std::string("-std=") + source.standard, level},
          sources + '/' + source.name + ".cpp"};
}

/// Every need has a line, and the needs are exactly those of the object.
void check_explained(const probe::SourceAnswer& answer, const Needs& expected) {
  REQUIRE_MESSAGE(!answer.error, answer.error->message);
  CHECK_FALSE(answer.predicted);
  CHECK_MESSAGE(only_in(expected, needs_of(answer)).empty(),
                "missed:" << only_in(expected, needs_of(answer)));
  CHECK_MESSAGE(only_in(needs_of(answer), expected).empty(),
                "invented:" << only_in(needs_of(answer), expected));
  for (const probe::Need& need : answer.needs) {
    CHECK_MESSAGE(!need.uses.empty(), "no line for " << need.demangled);
    CHECK_MESSAGE(need.gcc, "no release for " << need.version);
    for (const probe::NeedUse& use : need.uses)
      check_place(use.place);
  }
}

} // namespace

TEST_CASE("every need of a real object has a line, and nothing is listed that it does not need") {
  World world;
  const probe::Limit limit = probe::no_limit();
  probe::Checker checker(world.context, limit, world.releases, "", false);
  std::size_t combination = 0;
  for (const int gcc : gccs({13, 14, 15, 16})) {
    const auto versions = versions_in(library_of(gcc));
    REQUIRE(versions.size() > 4000);
    for (const Source& source : all_sources)
      for (const char* const level : levels) {
        if (!has_turn(combination++) || gcc < source.since)
          continue;
        CAPTURE(gcc);
        CAPTURE(std::string(source.name));
        CAPTURE(std::string(source.standard));
        CAPTURE(std::string(level));
        const probe::CompileCommand command = command_for(source, gcc, level);
        const probe::SourceAnswer answer = checker.check(command);
        CHECK_MESSAGE(answer.notes.empty(), answer.notes.front());
        check_explained(answer, truth(undefined_in(command), versions, limit));
      }
  }
}

TEST_CASE("a limit by version leaves what is newer, and so does one by library") {
  if (driver(14).empty() || driver(10).empty()) {
    MESSAGE("skipped: no g++-14 and g++-10 (./bootstrap lab provides them)");
    return;
  }
  World world;
  const Source iostreams{"iostreams", "c++17"};
  const Source format{"format", "c++20"};
  const auto versions = versions_in(library_of(14));
  const probe::Limit by_version =
      probe::limit_of(std::array<std::string, 1>{"GLIBCXX_3.4.30"}, world.releases).value();
  probe::Limit by_library;
  by_library.library = probe::library_symbols(world.files, library_of(10)).value();
  for (const Source& source : {iostreams, format}) {
    CAPTURE(std::string(source.name));
    const probe::CompileCommand command = command_for(source, 14, "-O0");
    const std::string undefined = undefined_in(command);
    for (const probe::Limit* const limit : {&std::as_const(by_version), &std::as_const(by_library)}) {
      probe::Checker checker(world.context, *limit, world.releases, "", false);
      const Needs expected = truth(undefined, versions, *limit);
      CHECK(!expected.empty());
      check_explained(checker.check(command), expected);
    }
  }
  // Its own library has all that it can need.
  probe::Limit own;
  own.library = probe::library_symbols(world.files, library_of(14)).value();
  probe::Checker checker(world.context, own, world.releases, "", false);
  CHECK(checker.check(command_for(iostreams, 14, "-O0")).needs.empty());
}

TEST_CASE("a prediction has at least what the object needs") {
  World world;
  const probe::Limit limit = probe::no_limit();
  std::size_t combination = 0;
  for (const int gcc : gccs({13, 16})) {
    const auto versions = versions_in(library_of(gcc));
    probe::Checker checker(world.context, limit, world.releases, "", true);
    for (const Source& source : all_sources) {
      if (!has_turn(combination++) || gcc < source.since)
        continue;
      CAPTURE(gcc);
      CAPTURE(std::string(source.name));
      CAPTURE(std::string(source.standard));
      const probe::CompileCommand command = command_for(source, gcc, "-O2");
      const probe::SourceAnswer answer = checker.check(command);
      REQUIRE_MESSAGE(!answer.error, answer.error->message);
      CHECK(answer.predicted);
      const std::string missed = only_in(truth(undefined_in(command), versions, limit), needs_of(answer));
      CHECK_MESSAGE(missed.empty(), "missed:" << missed);
    }
  }
}

TEST_CASE("objects of Clang are explained too") {
  World world;
  const probe::Limit limit = probe::no_limit();
  probe::Checker checker(world.context, limit, world.releases, "", false);
  std::string clang;
  for (const std::string& path : lab().drivers)
    if (path.ends_with("/clang++-19") || (clang.empty() && path.find("/clang++-") != std::string::npos))
      clang = path;
  if (clang.empty()) {
    MESSAGE("skipped: no Clang (./bootstrap lab provides some)");
    return;
  }
  for (const Source& source :
       {Source{"strings", "c++17"}, Source{"threads", "c++17"}, Source{"memory", "c++17"}}) {
    CAPTURE(std::string(source.name));
    probe::CompileCommand command = command_for(source, gccs({13}).front(), "-O2");
    command.words.front() = clang;
    const probe::SourceAnswer answer = checker.check(command);
    REQUIRE_MESSAGE(!answer.error, answer.error->message);
    check_explained(answer, truth(undefined_in(command), versions_in(answer.library), limit));
  }
}
