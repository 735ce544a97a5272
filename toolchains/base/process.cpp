// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"

#include "toolchains/base/environment.hpp"
#include "toolchains/base/launch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

// Process v2 of Boost 1.81 uses these three without including them once it is told to use std::filesystem.
#include <boost/optional.hpp>
#include <boost/type_traits/decay.hpp>
#include <boost/type_traits/is_convertible.hpp>

#define BOOST_PROCESS_USE_STD_FS
#include <boost/asio/io_context.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>

namespace hostpin {

namespace {

namespace asio = boost::asio;
namespace child = boost::process::v2;
using boost::system::error_code;

// A program may exit while something it started in the background still holds its output; what such a helper
// writes right after (`exec > >(tee log)`) is waited for this long.
constexpr std::chrono::milliseconds grace{100};
// SIGKILL takes effect at once, unless the program hangs in the kernel (a dead network file system).
constexpr std::chrono::milliseconds patience{1000};

void make_descriptors_close_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned close_on_exec = 1U << 2; // CLOSE_RANGE_CLOEXEC, absent from older headers
  if (::syscall(SYS_close_range, 3U, ~0U, close_on_exec) == 0)
    return;
#endif
  const long open_limit = std::clamp(::sysconf(_SC_OPEN_MAX), 1024L, 65536L);
  for (int fd = 3; fd < open_limit; ++fd)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// Initializer for Boost.Process: what a program that is not trusted gets besides its streams.
struct Isolation {
  const char* const* environment;

  template <typename Launcher, typename... Rest>
  error_code on_setup(Launcher& launcher, const Rest&...) const {
    launcher.env = environment;
    return {};
  }

  template <typename... Arguments>
  error_code on_exec_setup(const Arguments&...) const {
    ::setpgid(0, 0);
    // Whoever ends us ends our programs: outside our process group they would miss a Ctrl-C.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Boost 1.81 closes only what lies above its own error pipe, so lower descriptors of ours would be
    // inherited.
    make_descriptors_close_on_exec();
    return {};
  }

  // Boost 1.81 ends a child that could not exec with exit(), which would flush our buffers a second time. It
  // also looks for this member with five arguments but calls it with four, hence any number.
  template <typename... Arguments>
  void on_exec_error(const Arguments&...) const {
    ::_exit(127);
  }
};

/// A signal's action while programs run; the former one comes back at the end.
class SignalAction {
public:
  SignalAction(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction wanted {};
    wanted.sa_handler = handler;
    ::sigaction(signal_, &wanted, &former_);
  }
  SignalAction(const SignalAction&) = delete;
  SignalAction& operator=(const SignalAction&) = delete;
  ~SignalAction() { ::sigaction(signal_, &former_, nullptr); }

private:
  int signal_;
  struct sigaction former_ {};
};

/// One running program. Its handlers hold plain pointers, so it must outlive the context's run.
class Program {
public:
  Program(asio::io_context& context, const HostProcesses::Limits& limits, Outcome& outcome,
          std::function<void()> finished)
      : streams_{{{context, limits.output, &outcome.output}, {context, limits.output, &outcome.errors}}},
        deadline_(context), outcome_(outcome), time_(limits.time), process_(context.get_executor()),
        finished_(std::move(finished)) {}

  void start(asio::io_context& context, const Command& command, const Environment& environment) {
    const int error = launch(context, command, environment);
    if (error != 0) {
      outcome_.code = error;
      return end();
    }
    for (Stream& stream : streams_)
      read(stream);
    process_.async_wait([this](error_code, int) { exited(); });
    if (command.time.count() > 0)
      time_ = command.time;
    after(time_, &Program::time_out);
  }

private:
  struct Stream {
    Stream(asio::io_context& context, std::size_t limit_in_bytes, std::string* target)
        : pipe(context), limit(limit_in_bytes), kept(target) {}
    asio::readable_pipe pipe;
    std::size_t limit;
    std::string* kept;
    std::array<char, 16384> chunk{};
  };

  /// Starts the program; returns 0 or errno.
  int launch(asio::io_context& context, const Command& command, const Environment& environment) {
    const auto path = command.argv.empty() ? std::nullopt : executable(command.argv.front(), environment);
    if (!path)
      return ENOENT;
    const std::vector<std::string> variables = variables_for(command, environment);
    std::vector<const char*> block;
    for (const std::string& variable : variables)
      block.push_back(variable.c_str());
    block.push_back(nullptr);
    const std::vector<std::string> arguments(command.argv.begin() + 1, command.argv.end());

    const int input = open_input(command.input);
    if (input < 0)
      return errno;
    child::posix::default_launcher launcher;
    error_code failed;
    try {
      process_ =
          launcher(context.get_executor(), failed, *path, arguments,
                   child::process_stdio{input, streams_[0].pipe, streams_[1].pipe}, Isolation{block.data()});
    } catch (const std::exception&) {
      // Thrown only after the fork, where the kernel has no pidfd_open (before Linux 5.3) or no descriptor is
      // left.
      failed = error_code(ENOSYS, boost::system::system_category());
      if (launcher.pid > 0)
        ::kill(launcher.pid, SIGKILL);
    }
    ::close(input);
    // Boost 1.81 leaves a child that could not exec behind as a zombie.
    if (failed && launcher.pid > 0)
      while (::waitpid(launcher.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    group_ = failed ? -1 : launcher.pid;
    return failed.value();
  }

  void read(Stream& stream) {
    stream.pipe.async_read_some(asio::buffer(stream.chunk),
                                [this, &stream](error_code failed, std::size_t count) {
                                  if (ended_)
                                    return;
                                  const std::size_t room = stream.limit - stream.kept->size();
                                  stream.kept->append(stream.chunk.data(), std::min(count, room));
                                  // What exceeds the limit is read and dropped, so that the program can go on
                                  // to its own end.
                                  outcome_.truncated = outcome_.truncated || count > room;
                                  if (!failed)
                                    return read(stream);
                                  error_code ignored;
                                  stream.pipe.close(ignored);
                                  if (gone_ && drained())
                                    end();
                                });
  }

  bool drained() const {
    return std::none_of(streams_.begin(), streams_.end(),
                        [](const Stream& stream) { return stream.pipe.is_open(); });
  }

  void exited() {
    if (ended_)
      return;
    gone_ = true;
    if (outcome_.end != Outcome::End::timed_out) {
      const int status = process_.native_exit_code();
      outcome_.end = WIFSIGNALED(status) ? Outcome::End::signalled : Outcome::End::exited;
      outcome_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (drained())
      return end();
    after(grace, &Program::give_up);
  }

  void time_out() {
    outcome_.end = Outcome::End::timed_out;
    outcome_.code = static_cast<int>(time_.count());
    ::kill(-group_, SIGKILL);
    after(patience, &Program::give_up);
  }

  /// Something still holds the streams or the program cannot die: take what there is.
  void give_up() {
    ::kill(-group_, SIGKILL);
    // The destructor of a process that is not detached would wait for it.
    if (!gone_)
      process_.detach();
    end();
  }

  void after(std::chrono::milliseconds time, void (Program::*action)()) {
    deadline_.expires_after(time);
    deadline_.async_wait([this, action](error_code cancelled) {
      if (!cancelled && !ended_)
        (this->*action)();
    });
  }

  void end() {
    ended_ = true;
    error_code ignored;
    for (Stream& stream : streams_)
      stream.pipe.close(ignored);
    deadline_.cancel();
    finished_();
  }

  std::array<Stream, 2> streams_;
  asio::steady_timer deadline_;
  Outcome& outcome_;
  std::chrono::milliseconds time_;
  child::process process_;
  std::function<void()> finished_;
  pid_t group_ = -1;
  bool gone_ = false;
  bool ended_ = false;
};

} // namespace

std::vector<Outcome> HostProcesses::run(std::span<const Command> commands) const {
  std::vector<Outcome> outcomes(commands.size());
  const Environment environment = Environment::from(::environ);
  // Where SIGCHLD is ignored the kernel reaps children itself and their status is lost.
  const SignalAction wait_for_children(SIGCHLD, SIG_DFL);
  asio::io_context context(1);
  std::vector<std::unique_ptr<Program>> programs(commands.size());
  std::size_t next = 0;
  const std::function<void()> start_next = [&] {
    if (next == commands.size())
      return;
    const std::size_t index = next++;
    // Posted: a program that cannot start ends at once, and a long row of such must not nest.
    programs[index] = std::make_unique<Program>(context, limits_, outcomes[index],
                                                [&] { asio::post(context, start_next); });
    programs[index]->start(context, commands[index], environment);
  };
  const unsigned parallel =
      limits_.parallel != 0 ? limits_.parallel : std::max(2U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < parallel; ++i)
    start_next();
  context.run();
  return outcomes;
}

} // namespace hostpin
