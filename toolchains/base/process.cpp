// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"

#include "toolchains/base/ending.hpp"
#include "toolchains/base/isolation.hpp"
#include "toolchains/base/program.hpp"
#include "toolchains/base/scratch.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <sys/signalfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

namespace hostpin {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

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
class Ending {
public:
  Ending(asio::io_context& context, const std::vector<int>& signals) : stream_(context), context_(context) {
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
  std::optional<EndingHeldBack> held;
  if (limits.ending.empty() && OwnTemporary::is_wanted(commands))
    held.emplace();
  const OwnTemporary temporary(commands, environment); // outlives the programs
  // Where SIGCHLD is ignored the kernel reaps children itself and their status is lost.
  const SignalAction wait_for_children(SIGCHLD, SIG_DFL);
  asio::io_context context(1);
  Ending ending(context, held ? held->signals() : limits.ending);
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
        ending.forget();
    });
    programs[index]->start(commands[index], temporary.environment_of(commands[index]));
  };
  const unsigned parallel =
      limits.parallel != 0 ? limits.parallel : std::max(2U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < parallel; ++i)
    start_next();
  if (left > 0)
    context.run();
  if (ending.came())
    throw Interrupted();
}

} // namespace

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
