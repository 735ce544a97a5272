// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"

#include "toolchains/base/scratch.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/start.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/termination.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>

namespace hostpin {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// A program may exit while a background process that it started still has its output open (`exec > >(tee
// log)`): wait this long for what that process writes.
constexpr std::chrono::milliseconds grace{100};
// SIGKILL takes effect at once, unless the program hangs in the kernel (a dead network file system).
constexpr std::chrono::milliseconds patience{1000};
// Where the kernel gives no descriptor for a process, its end is polled this often: at first, and at last.
constexpr std::chrono::milliseconds soon{1};
constexpr std::chrono::milliseconds seldom{16};

/// Sets a signal's action while programs run; the destructor restores the former one.
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

/// What the program may run by name: a script or an MPI driver that is probed must not start files of the
/// current directory either. Empty if PATH has no absolute directory, as an empty PATH means that directory.
std::string path_variable(const Environment& environment) {
  std::string list;
  for (const std::string& directory : path_directories(environment))
    list += (list.empty() ? "PATH=" : ":") + directory;
  return list;
}

/// The `NAME=value` block of a command: the caller's, without the variables in `unset`, with the absolute
/// directories of PATH, and with LC_ALL=C.
std::vector<std::string> variables_for(const Command& command, const Environment& environment) {
  // The program may be a script that runs our nvcc or c++ in turn; HOSTPIN_PROBING keeps these from probing
  // again.
  std::vector<std::string> result{"LC_ALL=C", "HOSTPIN_PROBING=1"};
  if (command.errors_as_json)
    result.push_back(std::string(errors_variable) + "=json");
  for (const auto& [name, value] : environment.variables()) {
    const bool hidden = name == "LC_ALL" || name == "LANGUAGE" || name == "HOSTPIN_PROBING" ||
                        name == errors_variable ||
                        std::find(command.unset.begin(), command.unset.end(), name) != command.unset.end();
    std::string variable = name == "PATH" ? path_variable(environment) : name + '=' + value;
    if (!hidden && !variable.empty())
      result.push_back(std::move(variable));
  }
  return result;
}

/// One program, from its start until its outcome is complete. Its handlers hold raw pointers, so it must
/// outlive the context's run. If an exception ends that run, the program is killed.
class Program {
public:
  /// `finished` is called once: by `start` if the program does not start, else while the context runs.
  Program(asio::io_context& context, const HostProcesses::Limits& limits, Outcome& outcome,
          std::function<void()> finished)
      : streams_{{{context, limits.output, &outcome.output}, {context, limits.output, &outcome.errors}}},
        context_(context), deadline_(context), outcome_(outcome), time_(limits.time), strict_(limits.strict),
        handle_(context), again_(context), finished_(std::move(finished)) {}

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (group_ <= 0 || ended_)
      return;
    ::kill(-group_, SIGKILL);
    if (!gone_)
      while (::waitpid(group_, nullptr, 0) < 0 && errno == EINTR) {
      }
  }

  /// Throws std::system_error as described at Limits::strict.
  void start(const Command& command, const Environment& environment) {
    const int error = launch(command, environment);
    if (error != 0) {
      check(error, command.argv.empty() ? std::string() : command.argv.front());
      outcome_.code = error;
      return end();
    }
    for (Stream& stream : streams_)
      read(stream);
    name_ = command.argv.front();
    open_handle();
    if (command.time.count() > 0)
      time_ = command.time;
    enough_ = command.enough;
    after(time_, &Program::time_out);
    wait();
  }

private:
  struct Stream {
    Stream(asio::io_context& context, std::size_t limit_in_bytes, std::string* target)
        : pipe(context), limit(limit_in_bytes), text(target) {}
    asio::readable_pipe pipe;
    std::size_t limit;
    std::string* text;
    std::array<char, 16384> chunk{};
  };

  /// Throws if strict and the program did not start because this process lacks a resource.
  void check(int error, const std::string& name) const {
    if (strict_ &&
        (is_trouble(error) || error == EAGAIN || error == ECHILD || error == ENOSYS || error == ENOSPC))
      throw std::system_error(error, std::generic_category(), "cannot run " + name);
  }

  /// Opens a pipe: `stream` gets the read end, `other` the program's end. Returns 0 or errno.
  static int open_stream(Stream& stream, int& other) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return errno;
    other = ends[1];
    error_code failed;
    stream.pipe.assign(ends[0], failed);
    if (failed)
      ::close(ends[0]);
    return failed.value();
  }

  static void close_all(std::initializer_list<int> descriptors) {
    for (const int descriptor : descriptors)
      if (descriptor >= 0)
        ::close(descriptor);
  }

  /// Starts the program; returns 0 or errno.
  int launch(const Command& command, const Environment& environment) {
    const auto path = command.argv.empty() ? std::nullopt : executable(command.argv.front(), environment);
    if (!path)
      return ENOENT;
    const int input = open_input(command.input);
    if (input < 0)
      return errno;
    std::array<int, 2> outputs{-1, -1};
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const int error = open_stream(streams_[i], outputs[i]); error != 0) {
        close_all({input, outputs[0], outputs[1]});
        return error;
      }
    const Started started = hostpin::start(
        {*path, command.argv, variables_for(command, environment), {input, outputs[0], outputs[1]}});
    close_all({input, outputs[0], outputs[1]});
    group_ = started.process;
    return started.error;
  }

  void open_handle() {
    const int handle = open_process(group_);
    if (handle < 0)
      return;
    error_code failed;
    handle_.assign(handle, failed);
    if (failed)
      ::close(handle);
  }

  /// Until the program has ended: woken by its descriptor, or again and again by a timer.
  void wait() {
    const pid_t ended = ::waitpid(group_, &status_, WNOHANG);
    if (ended < 0 && errno != EINTR)
      return lost(errno);
    if (ended > 0)
      return exited();
    const auto look_again = [this](error_code cancelled) {
      if (!cancelled && !ended_)
        wait();
    };
    if (handle_.is_open())
      return handle_.async_wait(asio::posix::stream_descriptor::wait_read, look_again);
    again_.expires_after(pause_);
    pause_ = std::min(2 * pause_, seldom);
    again_.async_wait(look_again);
  }

  /// Its status went to another part of this process, which must not happen.
  void lost(int error) {
    check(error, name_);
    outcome_.code = error;
    gone_ = true;
    end();
  }

  void read(Stream& stream) {
    stream.pipe.async_read_some(asio::buffer(stream.chunk),
                                [this, &stream](error_code failed, std::size_t count) {
                                  if (ended_)
                                    return;
                                  const std::size_t room = stream.limit - stream.text->size();
                                  stream.text->append(stream.chunk.data(), std::min(count, room));
                                  // Output beyond the limit is read and dropped, so that the program can run
                                  // to its end.
                                  outcome_.truncated = outcome_.truncated || count > room;
                                  look_for_enough(count);
                                  if (!failed)
                                    return read(stream);
                                  if (failed != asio::error::eof)
                                    check(failed.value(), "a program and read its output");
                                  error_code ignored;
                                  stream.pipe.close(ignored);
                                  if (gone_ && drained())
                                    end();
                                });
  }

  /// `added`: upper bound of the bytes appended since the last call.
  void look_for_enough(std::size_t added) {
    const std::string& output = outcome_.output;
    const std::size_t unseen = added + enough_.size();
    if (enough_.empty() || is_enough_ ||
        output.find(enough_, output.size() - std::min(output.size(), unseen)) == std::string::npos)
      return;
    is_enough_ = true;
    ::kill(-group_, SIGKILL);
  }

  bool drained() const {
    return std::none_of(streams_.begin(), streams_.end(),
                        [](const Stream& stream) { return stream.pipe.is_open(); });
  }

  void exited() {
    if (ended_)
      return;
    gone_ = true;
    if (is_enough_) {
      outcome_.end = Outcome::End::exited;
      outcome_.code = 0;
    } else if (outcome_.end != Outcome::End::timed_out) {
      outcome_.end = WIFSIGNALED(status_) ? Outcome::End::signalled : Outcome::End::exited;
      outcome_.code = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
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

  /// Some process still has the streams open, or the program cannot be killed: end with the output so far.
  void give_up() {
    ::kill(-group_, SIGKILL);
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
    handle_.close(ignored);
    again_.cancel();
    deadline_.cancel();
    finished_();
  }

  std::array<Stream, 2> streams_;
  asio::io_context& context_;
  asio::steady_timer deadline_;
  Outcome& outcome_;
  std::chrono::milliseconds time_;
  bool strict_;
  std::string enough_;
  bool is_enough_ = false;
  asio::posix::stream_descriptor handle_; // of the process, where the kernel gives one
  asio::steady_timer again_;
  std::chrono::milliseconds pause_ = soon;
  std::string name_;
  int status_ = 0;
  std::function<void()> finished_;
  pid_t group_ = -1;
  bool gone_ = false;
  bool ended_ = false;
};

/// A TMPDIR for programs that may be killed before they remove their temporary files. Programs that do not
/// ask for it, and all programs if it cannot be created, see the user's.
class OwnTemporary {
public:
  OwnTemporary(std::span<const Command> commands, const Environment& environment) : others_(environment) {
    if (!is_wanted(commands))
      return;
    if (auto made = ScratchDirectory::make(environment)) {
      Environment::Variables variables = environment.variables();
      variables.insert_or_assign("TMPDIR", made->path());
      directory_.emplace(*std::move(made));
      own_ = Environment(std::move(variables));
    }
  }

  const Environment& environment_of(const Command& command) const {
    return command.own_temporary && directory_ ? own_ : others_;
  }

  static bool is_wanted(std::span<const Command> commands) {
    return std::any_of(commands.begin(), commands.end(),
                       [](const Command& command) { return command.own_temporary; });
  }

private:
  const Environment& others_;
  std::optional<ScratchDirectory> directory_;
  Environment own_;
};

/// Stops the context when one of the blocked signals arrives. The signal stays pending.
class TerminationWatch {
public:
  TerminationWatch(asio::io_context& context, const std::vector<int>& signals)
      : stream_(context), context_(context) {
    if (signals.empty())
      return;
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : signals)
      ::sigaddset(&set, signal);
    const int descriptor = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor < 0)
      throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
    stream_.assign(descriptor);
    stream_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code failed) {
      came_ = !failed;
      if (came_)
        context_.stop();
    });
  }
  void forget() {
    error_code ignored;
    if (stream_.is_open())
      stream_.close(ignored);
  }
  bool came() const { return came_; }

private:
  asio::posix::stream_descriptor stream_;
  asio::io_context& context_;
  bool came_ = false;
};

void run_all(std::span<const Command> commands, const HostProcesses::Limits& limits,
             std::vector<Outcome>& outcomes) {
  const Environment environment = Environment::from(::environ);
  // Unless the caller defers termination, it is deferred here until the temporary directory is removed.
  std::optional<DeferTermination> held;
  if (limits.ending.empty() && OwnTemporary::is_wanted(commands))
    held.emplace();
  const OwnTemporary temporary(commands, environment); // outlives the programs
  // Where SIGCHLD is ignored the kernel reaps children itself and their status is lost.
  const SignalAction wait_for_children(SIGCHLD, SIG_DFL);
  asio::io_context context(1);
  TerminationWatch watch(context, held ? held->signals() : limits.ending);
  std::vector<std::unique_ptr<Program>> programs(commands.size());
  std::size_t next = 0;
  std::size_t left = commands.size();
  const std::function<void()> start_next = [&] {
    if (next == commands.size())
      return;
    const std::size_t index = next++;
    // Posted: a program that cannot start ends at once, and a long row of such programs must not recurse.
    programs[index] = std::make_unique<Program>(context, limits, outcomes[index], [&] {
      asio::post(context, start_next);
      if (--left == 0)
        watch.forget();
    });
    programs[index]->start(commands[index], temporary.environment_of(commands[index]));
  };
  const unsigned parallel =
      limits.parallel != 0 ? limits.parallel : std::max(2U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < parallel; ++i)
    start_next();
  if (left > 0)
    context.run();
  if (watch.came())
    throw Interrupted();
}

std::string seconds(int milliseconds) {
  std::string text = std::to_string(milliseconds / 1000);
  if (milliseconds % 1000 != 0) {
    text += '.' + std::to_string(1000 + milliseconds % 1000).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " s";
}

} // namespace

int open_input(const std::string& bytes) {
  const int fd = ::memfd_create("hostpin-input", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) {
      const int error = errno;
      ::close(fd);
      errno = error;
      return -1;
    }
    written += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

std::string describe(const Outcome& outcome) {
  switch (outcome.end) {
  case Outcome::End::exited:
    return outcome.truncated && outcome.code == 0 ? "printed more than could be read"
                                                  : "exited with " + std::to_string(outcome.code);
  case Outcome::End::signalled:
    return "killed by signal " + std::to_string(outcome.code);
  case Outcome::End::timed_out:
    return std::string(unanswered_text) + ' ' + seconds(outcome.code);
  case Outcome::End::not_started:
    break;
  }
  return std::generic_category().message(outcome.code);
}

std::vector<Outcome> HostProcesses::run(std::span<const Command> commands) const {
  std::vector<Outcome> outcomes(commands.size());
  if (commands.empty())
    return outcomes;
  try {
    run_all(commands, limits_, outcomes);
  } catch (const boost::system::system_error& error) { // no descriptor is left to wait with
    if (limits_.strict)
      throw std::system_error(error.code().value(), std::generic_category(), "cannot run programs");
    for (Outcome& outcome : outcomes)
      if (outcome.end == Outcome::End::not_started)
        outcome.code = error.code().value();
  }
  return outcomes;
}

} // namespace hostpin
