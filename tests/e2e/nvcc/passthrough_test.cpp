// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our nvcc against the real one with the same -ccbin: output, exit status, stdout and files must be the same.
#include "commands.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <ranges>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin::e2e;
namespace fs = std::filesystem;

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// A directory bound to one toolkit by the install under test.
struct Bound {
  explicit Bound(const Toolkit& toolkit)
      : nvcc(scratch.path() / "bound/nvcc"), cxx(scratch.path() / "bound/c++") {
    Variables environment = plain_environment();
    fs::path stdenv = "c++";
    std::string lab = setting("HOSTPIN_LAB");
    if (lab.empty())
      lab = setting("HOME") + "/.cache/hostpin/lab";
    if (fs::exists(lab + "/bin/g++-16")) {
      stdenv = lab + "/bin/g++-16";
      environment["PATH"] = lab + "/bin:" + environment["PATH"];
    }
    environment["HOSTPIN_CONFIG"] = scratch.write("config.toml", "");
    environment["HOSTPIN_CACHE_DIR"] = scratch.path() / "cache";
    const Ran bound = run({{setting("HOSTPIN_PREFIX") + "/bin/hostpin", "bind", scratch.path() / "bound",
                            "--toolkit", toolkit.root, "--stdenv", stdenv},
                           scratch.path(),
                           environment});
    REQUIRE_MESSAGE(bound.ok(), bound.err);
  }

  Scratch scratch;
  std::string nvcc;
  std::string cxx;
};

// One for all cases, since its first call of all compilers takes a second.
const Bound& bound_to(const Toolkit& toolkit) {
  static std::map<std::string, Bound> all;
  return all.try_emplace(toolkit.nvcc, toolkit).first->second;
}

using Tree = std::map<std::string, std::string>;

// Objects hold names of temporary files, and programs objects: of those the name counts, of all else the
// bytes.
bool same_each_time(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".d" || extension == ".ptx" || extension == ".cubin" || extension == ".txt" ||
         extension == ".h" || extension == ".cu";
}

Tree tree(const fs::path& root) {
  Tree files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes = entry.is_regular_file() && same_each_time(entry.path())
                                  ? std::string(std::istreambuf_iterator<char>(file), {})
                                  : "";
    files[comparable(fs::relative(entry.path(), root))] = bytes;
  }
  return files;
}

struct Seen {
  int status = -1;
  std::string out;
  std::string err;
  Tree files;
};

// Each call starts from the same files in the same place, because paths are part of the output.
Seen seen(const fs::path& place, Program program) {
  fs::remove_all(place);
  fs::create_directory(place);
  fs::copy(place.parent_path() / "sources", place, fs::copy_options::recursive);
  program.directory = place;
  const Ran ran = run(program);
  return {ran.status, comparable(ran.out), comparable(ran.err), tree(place)};
}

struct Place {
  Place() {
    fs::create_directory(scratch.path() / "sources");
    write_sources(sources);
    fs::copy(sources.path(), scratch.path() / "sources", fs::copy_options::recursive);
  }
  fs::path path() const { return scratch.path() / "work"; }
  Scratch scratch;
  Scratch sources;
};

Program ours(const Bound& bound, const CommandLine& line) {
  Program program{{bound.nvcc}, "/"};
  program.argv.insert(program.argv.end(), line.arguments.begin(), line.arguments.end());
  program.environment.insert(line.variables.begin(), line.variables.end());
  return program;
}

Program by_hand(const Toolkit& toolkit, const Bound& bound, const CommandLine& line) {
  Program program{{toolkit.nvcc, "-ccbin", bound.cxx}, "/"};
  program.argv.insert(program.argv.end(), line.arguments.begin(), line.arguments.end());
  program.environment.insert(line.variables.begin(), line.variables.end());
  return program;
}

// With threads nvcc loses or doubles a line of --dryrun in about every third run, so such a call may try
// again.
int tries(const CommandLine& line) {
  const std::string text = shown(line);
  return text.find("threads") != std::string::npos || text.find("[-t") != std::string::npos ? 15 : 1;
}

void compare(const Toolkit& toolkit, const Bound& bound, const Place& place, const CommandLine& line) {
  Seen expected;
  Seen got;
  for (int left = tries(line); left > 0 && (got.err != expected.err || got.status == -1); --left) {
    expected = seen(place.path(), by_hand(toolkit, bound, line));
    got = seen(place.path(), ours(bound, line));
  }
  CAPTURE(toolkit.version);
  CAPTURE(shown(line));
  CHECK(got.status == expected.status);
  CHECK(difference(got.out, expected.out) == "");
  CHECK(difference(got.err, expected.err) == "");
  CHECK(got.files.size() == expected.files.size());
  for (const auto& file : expected.files) {
    CAPTURE(file.first);
    CHECK((got.files.contains(file.first) && got.files.at(file.first) == file.second));
  }
}

// With HOSTPIN_FULL=1 all releases, of which the newest takes every call. Else the oldest and the newest,
// each one of forty, and not the same: what differs between them is in the rules' tests.
bool takes_calls(const Toolkit& toolkit) {
  return setting("HOSTPIN_FULL") == "1" || &toolkit == &toolkits().front() || &toolkit == &toolkits().back();
}
std::size_t step(const Toolkit& toolkit) {
  return setting("HOSTPIN_FULL") == "1" && toolkit.nvcc == toolkits().back().nvcc ? 1 : 40;
}
std::size_t first(const Toolkit& toolkit) {
  return toolkits().back().nvcc == toolkit.nvcc
             ? 0
             : 5 * static_cast<std::size_t>(&toolkit - toolkits().data() + 1);
}

// Waits until the compiler reads the header that never ends, then sends the signal to what was started.
void interrupt(const fs::path& header, pid_t nvcc, int signal) {
  int end = -1;
  for (int tries = 0; end < 0 && tries < 3000; ++tries) {
    end = ::open(header.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(nvcc, signal);
  siginfo_t ended{};
  for (int tries = 0; ended.si_pid == 0 && tries < 3000; ++tries) {
    ::waitid(P_PID, static_cast<id_t>(nvcc), &ended, WEXITED | WNOHANG | WNOWAIT);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (end >= 0)
    ::close(end);
}

int status_after(const Place& place, Program program, int signal) {
  fs::remove_all(place.path());
  fs::create_directory(place.path());
  const fs::path header = place.path() / "endless.h";
  REQUIRE(::mkfifo(header.c_str(), 0600) == 0);
  std::ofstream(place.path() / "endless.cu") << "#include \"endless.h\"\n";
  program.directory = place.path();
  program.once_started = [=](pid_t nvcc) { interrupt(header, nvcc, signal); };
  return run(program).status;
}

} // namespace

TEST_CASE("the calls of build systems pass through") {
  const Place place;
  for (const Toolkit& toolkit : toolkits() | std::views::filter(takes_calls)) {
    const Bound& bound = bound_to(toolkit);
    for (const CommandLine& line : build_system_calls())
      compare(toolkit, bound, place, line);
  }
}

TEST_CASE("each spelling of each option passes through") {
  const Place place;
  const auto calls = single_option_calls();
  CHECK(calls.size() > 300);
  for (const Toolkit& toolkit : toolkits() | std::views::filter(takes_calls)) {
    const Bound& bound = bound_to(toolkit);
    for (std::size_t i = first(toolkit); i < calls.size(); i += step(toolkit))
      compare(toolkit, bound, place, calls[i]);
  }
}

TEST_CASE("options at random pass through") {
  const Place place;
  for (const Toolkit& toolkit : toolkits() | std::views::filter(takes_calls)) {
    const Bound& bound = bound_to(toolkit);
    for (std::size_t seed = first(toolkit); seed < 150; seed += step(toolkit))
      compare(toolkit, bound, place, random_call(static_cast<unsigned>(seed)));
  }
}

TEST_CASE("what is really compiled, linked, run or refused comes out the same") {
  const Place place;
  const Toolkit& toolkit = toolkits().back();
  const Bound& bound = bound_to(toolkit);
  for (const CommandLine& line : real_calls())
    compare(toolkit, bound, place, line);
}

TEST_CASE("the exit status of a program that nvcc runs passes") {
  const Place place;
  const Toolkit& toolkit = toolkits().back();
  const Bound& bound = bound_to(toolkit);
  const Seen ran = seen(place.path(), ours(bound, {{"-run", "x.cu"}}));
  CHECK(WIFEXITED(ran.status));
  CHECK(WEXITSTATUS(ran.status) == 7);
  CHECK(ran.out == "ran\n");
}

TEST_CASE("a signal ends our nvcc as it ends the real one") {
  const Place place;
  const Toolkit& toolkit = toolkits().back();
  const Bound& bound = bound_to(toolkit);
  const CommandLine line{{"-c", "endless.cu"}};
  // Not SIGINT, which nvcc ignores while it waits for a tool: a terminal sends that to the tool as well.
  for (const int signal : {SIGTERM, SIGHUP, SIGKILL}) {
    CAPTURE(signal);
    const int expected = status_after(place, by_hand(toolkit, bound, line), signal);
    CHECK(status_after(place, ours(bound, line), signal) == expected);
  }
}
