// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/launch.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/settled.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/remembered/remembering_processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// Real processes, counted.
class Counted final : public Processes {
public:
  std::vector<Outcome> run(std::span<const Command> commands) const override {
    count += commands.size();
    return HostProcesses().run(commands);
  }
  mutable std::size_t count = 0;
};

/// Redirects a symlink to another program while the first one runs.
class Turning final : public Processes {
public:
  Turning(std::string link, std::string target) : link_(std::move(link)), target_(std::move(target)) {}
  std::vector<Outcome> run(std::span<const Command> commands) const override {
    auto outcomes = HostProcesses().run(commands);
    fs::remove(link_);
    fs::create_symlink(target_, link_);
    return outcomes;
  }

private:
  std::string link_, target_;
};

/// The machine's own compiler, queried through a separate cache. Each query is as in a new process.
struct Asking {
  std::vector<Outcome> ask(std::vector<Command> commands, const Environment& around = {}) const {
    const RememberingProcesses processes(counted, scratch.value().path() + "/cache", {"this build"}, around,
                                         files);
    counted.count = 0;
    return processes.run(commands);
  }
  Outcome ask(const Command& command, const Environment& around = {}) const {
    return ask(std::vector{command}, around).front();
  }

  Result<ScratchDirectory> scratch = ScratchDirectory::make(Environment());
  DiskFiles files;
  Counted counted;
  // The first one on PATH may be a launcher, whose answers are not cached.
  std::string driver =
      files.status("/usr/bin/c++") ? "/usr/bin/c++" : executable("c++", Environment::from(::environ)).value();
};

/// Running loaders to query their search path, which is not cached, is not counted.
bool ran(const Asking& asking, const Command& command) {
  return asking.counted.count > 0 && !command.argv.empty();
}

} // namespace

TEST_CASE("a compiler that was seen before is not run, and answers the same") {
  const Asking asking;
  const Command command = probe_command({asking.driver});
  const Outcome first = asking.ask(command);
  REQUIRE(first.ok());
  CHECK(ran(asking, command));
  CHECK(asking.ask(command) == first);
  CHECK_FALSE(ran(asking, command));
}

TEST_CASE("how a compiler links is cached if it is known what the compiler is") {
  const Asking asking;
  Command where{
      {asking.driver, "-print-file-name=libstdc++.so"}, "", variables_a_probe_hides(), {}, Inquiry::link};
  asking.ask(where);
  asking.ask(where);
  CHECK(ran(asking, where));
  const std::vector<Command> both = {probe_command({asking.driver})};
  const Environment environment;
  for (int i = 0; i < 2; ++i) {
    const RememberingProcesses processes(asking.counted, asking.scratch.value().path() + "/cache",
                                         {"this build"}, environment, asking.files);
    processes.run(both);
    asking.counted.count = 0;
    CHECK(processes.run({&where, 1}).front().ok());
    CHECK(asking.counted.count == (i == 0 ? 1U : 0U));
  }
}

TEST_CASE("another environment, another build and another command have separate answers") {
  const Asking asking;
  const Command command = probe_command({asking.driver});
  asking.ask(command);
  asking.ask(command, Environment(Environment::Variables{{"PATH", "/usr/bin:/opt/bin"}}));
  CHECK(ran(asking, command));
  asking.ask(probe_command({asking.driver, "-m64"}));
  CHECK(ran(asking, command));
  const Environment environment;
  const RememberingProcesses other(asking.counted, asking.scratch.value().path() + "/cache",
                                   {"another build"}, environment, asking.files);
  asking.counted.count = 0;
  other.run({&command, 1});
  CHECK(ran(asking, command));
}

TEST_CASE("nothing is cached if the current directory or other programs could change an answer") {
  const Asking asking;
  const Command command = probe_command({asking.driver});
  for (const Environment::Variables& variables :
       {Environment::Variables{{"PATH", "/usr/bin:"}}, Environment::Variables{{"PATH", "bin:/usr/bin"}},
        Environment::Variables{{"PATH", "/usr/bin::/bin"}}, Environment::Variables{{"COMPILER_PATH", "/opt"}},
        Environment::Variables{{"GCC_EXEC_PREFIX", "/opt/"}}, Environment::Variables{{"LD_PRELOAD", "/x.so"}},
        Environment::Variables{{"LD_LIBRARY_PATH", "/opt/lib:"}}}) {
    CAPTURE(variables.begin()->second);
    asking.ask(command, Environment(variables));
    asking.ask(command, Environment(variables));
    CHECK(ran(asking, command));
  }
}

TEST_CASE("failures and unknown queries are run each time, in order") {
  const Asking asking;
  const std::vector<Command> commands = {{{"/bin/echo", "one"}, "", {}},
                                         probe_command({asking.driver}),
                                         probe_command({"/nonexistent"}),
                                         probe_command({asking.driver, "--no-such-option"}),
                                         {{"/bin/echo", "two"}, "", {}}};
  for (int i = 0; i < 2; ++i) {
    const std::vector<Outcome> outcomes = asking.ask(commands);
    REQUIRE(outcomes.size() == 5);
    CHECK(outcomes[0].output == "one\n");
    CHECK(outcomes[1].ok());
    CHECK(outcomes[2].end == Outcome::End::not_started);
    CHECK(outcomes[3].code != 0);
    CHECK(outcomes[4].output == "two\n");
  }
  CHECK(asking.counted.count == 4);
}

TEST_CASE("a text is cached with its dependencies, and only with programs that are known") {
  const Asking asking;
  const std::string file = asking.scratch.value().path() + "/file";
  std::ofstream(file) << "one";
  const auto life = [&](const auto& use) {
    const Environment environment;
    const RememberingProcesses memory(asking.counted, asking.scratch.value().path() + "/cache",
                                      {"this build"}, environment, asking.files);
    const Command command = probe_command({asking.driver});
    memory.run({&command, 1});
    use(memory);
  };
  constexpr std::int64_t second = 1'000'000'000;
  const Strings question = {"a", "question"};
  life([&](const RememberingProcesses& memory) {
    CHECK_FALSE(memory.recall(question));
    const std::vector<Strings> unknown = {{"/nonexistent"}};
    memory.remember(question, "text", unknown, {file}, now() + second);
    CHECK_FALSE(memory.recall(question));
    const std::vector<Strings> known = {{asking.driver, "-fPIE"}};
    memory.remember(question, std::string_view("te\0xt", 5), known, {file}, now() + second);
  });
  life([&](const RememberingProcesses& memory) {
    CHECK(memory.recall(question) == std::string("te\0xt", 5));
    std::ofstream(file) << "another";
    CHECK_FALSE(memory.recall(question));
  });
}

TEST_CASE("an answer is not cached for another program to which its symlink was redirected meanwhile") {
  const Asking asking;
  const std::string place = asking.scratch.value().path();
  const Strings scripts = {place + "/one-g++", place + "/other-g++"};
  for (const std::string& script : scripts) {
    std::ofstream(script) << "#!/bin/sh\nexec " << asking.driver << " \"$@\"\n";
    fs::permissions(script, fs::perms::owner_all);
  }
  const std::string link = place + "/g++";
  fs::create_symlink(scripts[0], link);
  const Command command = probe_command({link});
  const auto settled = [&] {
    return std::all_of(scripts.begin(), scripts.end(), [&](const std::string& script) {
      return settled_status(script, now(), asking.files).modified != unsettled;
    });
  };
  while (!settled())
    ::usleep(10'000);
  const Environment environment;
  const Turning turning(link, scripts[1]);
  const RememberingProcesses memory(turning, place + "/cache", {"this build"}, environment, asking.files);
  memory.run({&command, 1});
  REQUIRE(asking.files.real_path(link) == asking.files.real_path(scripts[1]));
  REQUIRE(asking.ask(command).ok());
  CHECK(ran(asking, command));
  asking.ask(command); // whose answer is still cached
  CHECK_FALSE(ran(asking, command));
}

TEST_CASE("a new directory of front ends that a script names invalidates the answer") {
  const Asking asking;
  const std::string place = asking.scratch.value().path();
  const std::string script = place + "/g++";
  std::ofstream(script) << "#!/bin/sh\nCOMPILER_PATH=" << place << "/parts exec " << asking.driver
                        << " \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  while (settled_status(script, now(), asking.files).modified == unsettled)
    ::usleep(10'000);
  const Command command = probe_command({script});
  asking.ask(command);
  asking.ask(command);
  CHECK_FALSE(ran(asking, command));
  fs::create_directory(place + "/parts");
  asking.ask(command);
  CHECK(ran(asking, command));
}
