// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/tracing/system_calls.hpp"
#include "toolchains/tracing/trace.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <sys/prctl.h>

#include <doctest/doctest.h>

using namespace hostpin::tracing;

namespace {

/// The stamp of a file: its bytes.
std::string bytes_of(const std::string& path, unsigned /*access*/) {
  std::stringstream bytes;
  bytes << std::ifstream(path).rdbuf();
  return bytes.str();
}

struct Ran {
  TracedOutcome outcome;
  Trace trace;
  std::string log;
};

Ran run(const hostpin::test::Tree& tree, const std::string& shell, std::chrono::seconds time = {},
        std::size_t output = std::size_t{1} << 20, const std::string& ignored = "/dev") {
  TracedCommand command;
  command.shell = shell;
  command.directory = tree.root();
  command.variables = {"PATH=/usr/bin:/bin"};
  command.log = tree.path("log");
  command.time = time;
  command.output = output;
  command.ignored = {"/proc", "/dev", "/sys", ignored};
  Ran ran;
  ran.trace.stamp = bytes_of;
  const auto outcome = run_traced(command, ran.trace);
  REQUIRE(outcome);
  ran.outcome = *outcome;
  ran.log = bytes_of(command.log, 0);
  return ran;
}

bool has(const Ran& ran, const std::string& path, Access kind) {
  const auto found = ran.trace.accessed.find(path);
  return found != ran.trace.accessed.end() && (found->second & static_cast<unsigned>(kind)) != 0;
}

} // namespace

TEST_CASE("files that a command reads, looks for in vain, lists and executes are seen") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  tree.write("sub/file", "text");
  const Ran ran = run(tree, "cat sub/../sub//file; cd sub; cat none || true; ls .; readlink link || true");
  CHECK(ran.outcome.code == 0);
  CHECK(ran.log.find("text") != std::string::npos);
  CHECK(has(ran, tree.path("sub/file"), Access::content));
  CHECK(has(ran, tree.path("sub/none"), Access::content));
  CHECK(has(ran, tree.path("sub"), Access::listing));
  CHECK(has(ran, tree.path("sub/link"), Access::target));
  CHECK(ran.trace.written.empty());
  CHECK(ran.trace.uncertain.empty());
}

TEST_CASE("links that lead to a directory are seen where files are named by its real path") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  tree.write("v1/sub/file", "text");
  std::filesystem::create_directory_symlink("v1", tree.path("current"));
  std::filesystem::create_directory_symlink("current", tree.path("newest"));
  for (const char* const shell : {"cd newest/sub; cat file", "cat newest/sub/../sub/file", "ls newest/sub"}) {
    CAPTURE(shell);
    const Ran ran = run(tree, shell);
    CHECK(has(ran, tree.path("newest"), Access::target));
    CHECK(has(ran, tree.path("current"), Access::target));
  }
  CHECK(has(run(tree, "cat none/../v1/sub/file || true"), tree.path("none"), Access::status));
}

TEST_CASE("what is reached by links of an ignored directory is seen, and what they alone change is not") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree, source;
  source.write("file", "text");
  source.write("sub/other", "");
  const std::string links = "ln -s " + source.root() + "/sub sub; ln -s " + source.root() + "/file file; ";
  const Ran ran =
      run(tree, links + "cat file; cat /proc/self/cwd/sub/other; rm file; rm sub", {}, 1000, tree.root());
  CHECK(ran.outcome.code == 0);
  CHECK(has(ran, source.path("file"), Access::content));
  CHECK(has(ran, source.path("sub/other"), Access::content));
  CHECK(ran.trace.written.empty());
  CHECK(run(tree, links + "echo >sub/new", {}, 1000, tree.root())
            .trace.written.contains(source.path("sub/new")));
}

TEST_CASE("the path by which the kernel opens a script's interpreter is seen") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  std::filesystem::create_symlink("/bin/sh", tree.path("interpreter"));
  const std::string script = tree.write("script", "#! " + tree.path("interpreter") + " -e\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Ran ran = run(tree, "./script");
  CHECK(ran.outcome.code == 0);
  CHECK(has(ran, tree.path("interpreter"), Access::content));
}

TEST_CASE("what a loader reads of its cache is looked up, and what other programs read is its bytes") {
  const std::string cache = "/etc/ld.so.cache";
  if (!can_read_calls() || !std::filesystem::exists(cache))
    return;
  const hostpin::test::Tree tree;
  const Ran loaded = run(tree, "ls");
  CHECK(has(loaded, cache, Access::lookup));
  CHECK_FALSE(has(loaded, cache, Access::content));
  CHECK(has(run(tree, "cat " + cache + " >/dev/null"), cache, Access::content));
  tree.write("etc/ld.so.cache", "");
  CHECK_FALSE(has(run(tree, "cat etc/ld.so.cache"), tree.path("etc/ld.so.cache"), Access::lookup));
}

TEST_CASE("git's index may be written again, and counts as it is then") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  tree.write(".git/index", "one");
  const std::string rewriting = "cat .git/index; echo two >.git/index.lock; mv .git/index.lock .git/index";
  const Ran ran = run(tree, rewriting);
  CHECK(ran.trace.written.empty());
  CHECK(has(ran, tree.path(".git/index"), Access::content));
  CHECK_FALSE(has_changed(ran.trace, tree.path(".git/index")));
  CHECK_FALSE(ran.trace.accessed.contains(tree.path(".git/index.lock")));
  CHECK_FALSE(run(tree, "echo >.git/config").trace.written.empty());
}

TEST_CASE("where a trace becomes uncertain, all of the tree counts as it was then") {
  const hostpin::test::Tree tree;
  const std::string file = tree.write("file", "text");
  Trace trace;
  trace.stamp = bytes_of;
  TracedCommand command;
  command.shell = can_read_calls() ? "bash -c ': </dev/tcp/127.0.0.1/9' || true" : "true";
  command.directory = "/";
  command.variables = {"PATH=/usr/bin:/bin"};
  command.log = tree.path("log");
  command.tree = tree.root();
  REQUIRE(run_traced(command, trace));
  CHECK_FALSE(trace.uncertain.empty());
  CHECK_FALSE(has_changed(trace, file));
  tree.write("file", "other");
  CHECK(has_changed(trace, file));
}

TEST_CASE("what a command writes is seen, and what it cannot change is not") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  tree.write("old", "");
  const Ran ran = run(tree, "mkdir -p . made; echo > new; mv old moved; rm -f none");
  CHECK(ran.trace.written ==
        std::set<std::string>{tree.path("made"), tree.path("moved"), tree.path("new"), tree.path("old")});
}

TEST_CASE("a command is bounded in time, output and processes") {
  const hostpin::test::Tree tree;
  const Ran slow = run(tree, "sleep 1000", std::chrono::seconds(1));
  CHECK(slow.outcome.end == TracedOutcome::End::timed_out);
  const Ran flood = run(tree, "yes | head -c 1000000", {}, 1000);
  CHECK(flood.outcome.truncated);
  CHECK(flood.outcome.code == 0);
  const Ran daemon = run(tree, "setsid sleep 1000 & echo $! >process; exit 3");
  CHECK(daemon.outcome.code == 3);
  pid_t process = 0;
  std::ifstream(tree.path("process")) >> process;
  REQUIRE(process > 0);
  // QEMU's user emulation has no tracing and no subreapers: what leaves the group is not found there, nor
  // waited for.
  int is_reaper = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &is_reaper, 0, 0, 0);
  CHECK((kill(process, is_reaper != 0 ? 0 : SIGKILL) != 0) == (is_reaper != 0));
  const Ran killed = run(tree, "kill -TERM $$");
  CHECK(killed.outcome.end == TracedOutcome::End::signalled);
  CHECK(killed.outcome.code == SIGTERM);
}

TEST_CASE("an address of a network makes the trace uncertain") {
  if (!can_read_calls())
    return;
  const hostpin::test::Tree tree;
  const Ran ran = run(tree, "bash -c ': </dev/tcp/127.0.0.1/9' || true");
  CHECK(ran.trace.uncertain.contains("a program used the network"));
}

TEST_CASE("a log that cannot be written is an error") {
  Trace trace;
  TracedCommand command;
  command.shell = "true";
  command.directory = "/";
  command.log = "/nonexistent/log";
  const auto outcome = run_traced(command, trace);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().message.find("/nonexistent/log") != std::string::npos);
}
