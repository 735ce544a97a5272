// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using End = Outcome::End;

namespace {

Command script(std::string text, std::string input = {}) {
  return {{"/bin/sh", "-c", std::move(text)}, std::move(input), {}};
}

Outcome run(const Command& command, HostProcesses::Limits limits = {}) {
  return HostProcesses(limits).run({&command, 1}).front();
}

HostProcesses::Limits short_time() {
  HostProcesses::Limits limits;
  limits.time = std::chrono::milliseconds(300);
  return limits;
}

/// A directory that is removed at the end of the test.
class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "hostpin-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text, bool executable) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file) << text;
    std::filesystem::permissions(file, executable ? std::filesystem::perms::owner_all
                                                  : std::filesystem::perms::owner_read);
    return file.string();
  }
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

/// True if a killed process is gone; a zombie of another parent counts as gone.
bool dies(pid_t pid) {
  for (int i = 0; i < 5000; ++i) {
    const auto status = DiskFiles().read("/proc/" + std::to_string(pid) + "/status", 65536);
    if (!status || status->find("State:\tZ") != std::string::npos)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

} // namespace

TEST_CASE("a program's two streams and its exit status come back apart") {
  const Outcome outcome = run(script("echo out; echo err >&2; exit 3"));
  CHECK(outcome.end == End::exited);
  CHECK(outcome.code == 3);
  CHECK(outcome.output == "out\n");
  CHECK(outcome.errors == "err\n");
  CHECK_FALSE(outcome.ok());
  CHECK(describe(outcome) == "exited with 3");
  CHECK(run(script("exit 0")).ok());
}

TEST_CASE("a program that crashes is distinguished from one that fails") {
  const Outcome outcome = run(script("echo before; kill -SEGV $$"));
  CHECK(outcome.end == End::signalled);
  CHECK(outcome.code == SIGSEGV);
  CHECK(outcome.output == "before\n");
  CHECK(describe(outcome) == "killed by signal 11");
}

TEST_CASE("a program that cannot start has the reason") {
  const Scratch scratch;
  struct Row {
    std::vector<std::string> argv;
    int error;
  };
  const Row rows[] = {{{"/nonexistent/c++"}, ENOENT},
                      {{"hostpin-no-such-program"}, ENOENT},
                      {{""}, ENOENT},
                      {{}, ENOENT},
                      {{"/"}, EACCES},
                      {{scratch.write("plain", "#!/bin/sh\n", false)}, EACCES},
                      {{scratch.write("garbage", "\x7f neither a script nor a program", true)}, ENOEXEC},
                      {{scratch.write("orphan", "#!/nonexistent/sh\n", true)}, ENOENT}};
  for (const Row& row : rows) {
    const Outcome outcome = run({row.argv, "", {}});
    CHECK(outcome.end == End::not_started);
    CHECK(outcome.code == row.error);
    CHECK_FALSE(describe(outcome).empty());
  }
}

TEST_CASE("a program that never ends is killed at the limit, with all that it started") {
  const Outcome outcome =
      run(script("sleep 600 & echo $!; trap '' TERM INT; while :; do sleep 600; done"), short_time());
  CHECK(outcome.end == End::timed_out);
  CHECK(describe(outcome) == "did not answer within 0.3 s");
  CHECK(dies(static_cast<pid_t>(std::atol(outcome.output.c_str()))));
}

TEST_CASE("a command may have its own limit") {
  Command command = script("sleep 600");
  command.time = std::chrono::milliseconds(200);
  CHECK(describe(run(command)) == "did not answer within 0.2 s");
  command = script("sleep 1; echo patience");
  command.time = std::chrono::minutes(5);
  CHECK(run(command, short_time()).output == "patience\n");
}

TEST_CASE("a program that closes its streams and hangs is killed at the limit") {
  CHECK(run(script("exec >&- 2>&- <&-; sleep 600"), short_time()).end == End::timed_out);
}

TEST_CASE("a background process does not delay the end of its program") {
  const Outcome outcome = run(script("sleep 600 & echo $!; exit 4"));
  CHECK(outcome.end == End::exited);
  CHECK(outcome.code == 4);
  CHECK(dies(static_cast<pid_t>(std::atol(outcome.output.c_str()))));
}

TEST_CASE("what a background process prints just after its program ended is still read") {
  // On a busy machine the one may start when the other is not waited for any more.
  bool is_read = false;
  for (int tries = 0; tries < 50 && !is_read; ++tries)
    is_read = run(script("(sleep 0.02; echo late) & exit 0")).output == "late\n";
  CHECK(is_read);
}

TEST_CASE("a flood is cut at the limit and the program still ends by itself") {
  HostProcesses::Limits limits;
  limits.output = 1000;
  const Outcome outcome = run(script("head -c 5000000 /dev/zero; echo done >&2"), limits);
  CHECK(outcome.end == End::exited);
  CHECK(outcome.truncated);
  CHECK(outcome.output == std::string(1000, '\0'));
  CHECK(outcome.errors == "done\n");
  CHECK_FALSE(outcome.ok());

  const Outcome exact = run(script("head -c 1000 /dev/zero"), limits);
  CHECK(exact.ok());
}

TEST_CASE("input of any size is fed, read or not") {
  const std::string megabytes(std::size_t{3} << 20, 'x');
  CHECK(run(script("cat; cat >&2", megabytes)).output == megabytes);
  CHECK(run(script("exit 0", megabytes)).ok());
  CHECK(run(script("cat")).output.empty());
}

TEST_CASE("outcomes keep the order of their commands, also when some do not start") {
  std::vector<Command> commands;
  for (int i = 0; i < 40; ++i)
    commands.push_back(i % 4 == 3 ? Command{{"/nonexistent"}, "", {}} : script("echo " + std::to_string(i)));
  HostProcesses::Limits limits;
  limits.parallel = 7;
  const std::vector<Outcome> outcomes = HostProcesses(limits).run(commands);
  REQUIRE(outcomes.size() == 40);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    CAPTURE(i);
    CHECK(outcomes[i].output == (i % 4 == 3 ? "" : std::to_string(i) + "\n"));
    CHECK(outcomes[i].end == (i % 4 == 3 ? End::not_started : End::exited));
  }
  CHECK(HostProcesses().run({}).empty());
}

TEST_CASE("a program that has printed enough is killed, and counts as exited with 0") {
  Command command = script("echo first; echo enough; sleep 600; exit 3");
  command.enough = "\nenough";
  const Outcome outcome = run(command);
  CHECK(outcome.ok());
  CHECK(outcome.output == "first\nenough\n");
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  command = script("printf '\\neno'; printf 'ugh'; exec sleep 600"); // in two pieces, mostly
  command.enough = "\nenough";
  CHECK(run(command).ok());
}

TEST_CASE("a program that never prints enough ends as any other") {
  Command command = script("echo enough; exit 3");
  command.enough = "\nenough";
  const Outcome outcome = run(command);
  CHECK(outcome.end == End::exited);
  CHECK(outcome.code == 3);
}

TEST_CASE("no zombie remains, whatever happened") {
  const Command commands[] = {
      script("exit 0"), script("kill -9 $$"), script("sleep 600"), {{"/nonexistent"}, "", {}}};
  HostProcesses(short_time()).run(commands);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("a parent that ignores SIGCHLD still gets the status, and continues to ignore it") {
  struct sigaction former {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &ignore, &former);
  const Outcome outcome = run(script("exit 7"));
  struct sigaction after {};
  ::sigaction(SIGCHLD, &former, &after);
  CHECK(outcome.end == End::exited);
  CHECK(outcome.code == 7);
  CHECK((after.sa_handler == SIG_IGN));
}

TEST_CASE("a program inherits no descriptor but its three streams") {
  // Deliberately without O_CLOEXEC, and never the number of a standard stream that the test itself lacks.
  const int null = ::open("/dev/null", O_RDONLY);
  const int low = ::fcntl(null, F_DUPFD, 3);
  const int high = ::fcntl(null, F_DUPFD, 200);
  ::close(null);
  const std::string numbers = "0 1 2 " + std::to_string(low) + ' ' + std::to_string(high);
  const Outcome outcome =
      run(script("for fd in " + numbers + "; do [ -e /proc/$$/fd/$fd ] && echo $fd; done"));
  ::close(low);
  ::close(high);
  CHECK(outcome.output == "0\n1\n2\n");
}

TEST_CASE("programs run even when the caller has no standard streams") {
  std::array<int, 3> saved{};
  for (int fd = 0; fd < 3; ++fd)
    saved[static_cast<std::size_t>(fd)] = ::fcntl(fd, F_DUPFD_CLOEXEC, 100);
  for (int fd = 0; fd < 3; ++fd)
    ::close(fd);
  const Outcome outcome = run(script("cat; echo errors >&2", "fed"));
  const bool closed_again = ::fcntl(STDIN_FILENO, F_GETFD) == -1;
  for (int fd = 0; fd < 3; ++fd) {
    ::dup2(saved[static_cast<std::size_t>(fd)], fd);
    ::close(saved[static_cast<std::size_t>(fd)]);
  }
  CHECK(outcome.output == "fed");
  CHECK(outcome.errors == "errors\n");
  CHECK(closed_again);
}

TEST_CASE("programs run in the C locale, and do not see the variables that were removed") {
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  ::setenv("LANGUAGE", "de", 1);
  ::setenv("INCLUDES", "-I/elsewhere", 1);
  ::setenv("INCLUDES_TOO", "kept", 1);
  Command command = script("echo $LC_ALL,${LANGUAGE-unset},${INCLUDES-unset},$INCLUDES_TOO");
  command.unset = {"INCLUDES"};
  const Outcome outcome = run(command);
  for (const char* name : {"LC_ALL", "LANGUAGE", "INCLUDES", "INCLUDES_TOO"})
    ::unsetenv(name);
  CHECK(outcome.output == "C,unset,unset,kept\n");
}

TEST_CASE("a program's own temporary directory is removed, and other programs see the caller's") {
  Command kept = script("echo $TMPDIR; : > $TMPDIR/left");
  Command killed = script("echo $TMPDIR; mkdir $TMPDIR/deep; : > $TMPDIR/deep/left; exec sleep 60");
  kept.own_temporary = killed.own_temporary = true;
  killed.time = std::chrono::seconds(2);
  const Command plain = script("echo ${TMPDIR-none}");
  const std::array commands = {kept, killed, plain};
  const auto outcomes = HostProcesses().run(commands);
  CHECK(outcomes[0].ok());
  CHECK(outcomes[1].end == End::timed_out);
  const char* const ours = ::getenv("TMPDIR");
  CHECK(outcomes[2].output == std::string(ours == nullptr ? "none" : ours) + '\n');
  for (const Outcome& outcome : {outcomes[0], outcomes[1]}) {
    const std::string directory = outcome.output.substr(0, outcome.output.find('\n'));
    CHECK(directory.find("/hostpin.") != std::string::npos);
    CHECK_FALSE(DiskFiles().status(directory));
  }
}

TEST_CASE("a bare name is looked up in the absolute entries of PATH only") {
  const Scratch scratch;
  const std::string program = scratch.write("hostpin-test-program", "#!/bin/sh\necho $0\n", true);
  const std::string former = std::getenv("PATH");
  const std::filesystem::path here = std::filesystem::current_path();
  const Command command{{"hostpin-test-program"}, "", {}};

  ::setenv("PATH", ("/nonexistent::" + scratch.path() + ":/bin").c_str(), 1);
  CHECK(run(command).output == program + "\n");
  CHECK(run(script("echo $PATH")).output == "/nonexistent:" + scratch.path() + ":/bin\n");

  std::filesystem::current_path(scratch.path());
  for (const char* path : {":/bin", ".:/bin", "/bin:", "relative:/bin"}) {
    CAPTURE(path);
    ::setenv("PATH", path, 1);
    CHECK(run(command).end == End::not_started);
    CHECK(run(script("hostpin-test-program")).output.empty()); // nor by a program that is run
  }
  std::filesystem::current_path(here);
  ::setenv("PATH", former.c_str(), 1);
}

TEST_CASE("a child that could not start does not flush what its parent had buffered") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::FILE* const buffered = ::fdopen(ends[1], "w");
  std::fputs("once", buffered);
  run({{"/nonexistent"}, "", {}});
  std::fclose(buffered);
  std::array<char, 32> text{};
  CHECK(::read(ends[0], text.data(), text.size()) == 4);
  CHECK(::read(ends[0], text.data(), text.size()) == 0);
  ::close(ends[0]);
}
