// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/tasks.hpp"

#include "toolchains/base/start.hpp"
#include "toolchains/base/termination.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hostpin::slices {

namespace {

/// Opens the pipe again, so that it can be non-blocking for this process alone.
int reopened(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor >= 0 && (::fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

long usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

/// Processes that run or are ready to, this one not counted: the fourth field of /proc/loadavg. Many if
/// unknown.
long busy_processors() {
  std::FILE* const file = std::fopen("/proc/loadavg", "re");
  long running = 1L << 20;
  if (file != nullptr) {
    if (std::fscanf(file, "%*s %*s %*s %ld/", &running) != 1) // NOLINT(cert-err34-c): a file of the kernel
      running = 1L << 20;
    std::fclose(file);
  }
  return running - 1;
}

std::string content_of(int descriptor) {
  std::string content;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0)
    content.resize(static_cast<std::size_t>(status.st_size));
  const ssize_t got = ::pread(descriptor, content.data(), content.size(), 0);
  content.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  ::close(descriptor);
  return content;
}

/// In the child: makes system calls only.
[[noreturn]] void become(const char* program, char* const* argv, char* const* environment, int output,
                         int errors) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(errors, STDERR_FILENO) >= 0)
    ::execve(program, argv, environment);
  ::_exit(127);
}

} // namespace

std::optional<JobserverAddress> jobserver_address(std::string_view makeflags) {
  constexpr std::array<std::string_view, 2> options{"--jobserver-auth=", "--jobserver-fds="};
  constexpr std::string_view fifo = "fifo:";
  std::optional<JobserverAddress> address;
  for (const std::string_view option : options)
    for (std::size_t at = makeflags.find(option); at != std::string_view::npos;
         at = makeflags.find(option, at + 1)) {
      std::string_view value = makeflags.substr(at + option.size());
      value = value.substr(0, value.find(' '));
      JobserverAddress found;
      if (value.starts_with(fifo)) {
        found.fifo = value.substr(fifo.size());
      } else {
        const char* const end = value.data() + value.size();
        const auto [comma, error] = std::from_chars(value.data(), end, found.read);
        if (error != std::errc() || comma == end || std::from_chars(comma + 1, end, found.write).ptr != end)
          continue;
      }
      address = std::move(found);
    }
  if (address && address->fifo.empty() && (address->read < 0 || address->write < 0))
    return std::nullopt; // make's way to withhold it
  return address;
}

Permits::Permits(const Environment& environment) : processors_(usable_processors()) {
  const auto address = jobserver_address(environment["MAKEFLAGS"].value_or(""));
  if (!address)
    return;
  const auto path = [&](int descriptor) {
    return address->fifo.empty() ? "/proc/self/fd/" + std::to_string(descriptor) : address->fifo;
  };
  read_ = reopened(path(address->read), O_RDONLY);
  write_ = read_ < 0 ? -1 : reopened(path(address->write), O_WRONLY);
  if (write_ < 0 && read_ >= 0)
    ::close(std::exchange(read_, -1));
}

Permits::~Permits() {
  while (!tokens_.empty())
    give_back();
  for (const int descriptor : {read_, write_})
    if (descriptor >= 0)
      ::close(descriptor);
}

bool Permits::take() {
  if (taken_ + 1 >= processors_)
    return false;
  char token = 0;
  if (read_ < 0 ? busy_processors() >= processors_ : ::read(read_, &token, 1) != 1)
    return false;
  if (read_ >= 0)
    tokens_.push_back(token);
  ++taken_;
  return true;
}

void Permits::give_back() {
  --taken_;
  if (tokens_.empty())
    return;
  static_cast<void>(::write(write_, &tokens_.back(), 1) == 1); // the pipe had room for it before
  tokens_.pop_back();
}

struct Running::Mask {
  DeferTermination deferred; // first: it blocks the signals that `former` must not contain
  sigset_t former{};
};

Running::Running() : former_(std::make_unique<Mask>()) {
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &watched, &former_->former);
  for (const int signal : former_->deferred.signals())
    ::sigaddset(&watched, signal);
  signals_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

Running::~Running() {
  for (const Child& child : children_) {
    ::kill(-child.process, SIGKILL);
    ::waitpid(child.process, nullptr, 0);
    ::close(child.output);
    ::close(child.errors);
  }
  if (signals_ >= 0)
    ::close(signals_);
  ::sigprocmask(SIG_SETMASK, &former_->former, nullptr);
}

bool Running::start(std::size_t id, const char* program, const std::vector<std::string>& argv,
                    const std::vector<std::string>& environment) {
  const int output = ::memfd_create("output", MFD_CLOEXEC);
  const int errors = ::memfd_create("errors", MFD_CLOEXEC);
  const std::vector<char*> arguments = pointers(argv), variables = pointers(environment);
  const pid_t process = output < 0 || errors < 0 ? -1 : ::fork();
  if (process == 0)
    become(program, arguments.data(), variables.data(), output, errors);
  if (process < 0) {
    ::close(output);
    ::close(errors);
    return false;
  }
  ::setpgid(process, process); // also here: it may be killed before it runs
  children_.push_back({id, process, output, errors});
  return true;
}

std::optional<std::pair<std::size_t, Ended>> Running::reaped() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    int status = 0;
    struct rusage usage {};
    if (::wait4(child->process, &status, WNOHANG, &usage) != child->process)
      continue;
    constexpr double micro = 1e-6;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * micro;
    };
    std::pair<std::size_t, Ended> ended{child->id,
                                        {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                                         content_of(child->output), content_of(child->errors),
                                         seconds(usage.ru_utime) + seconds(usage.ru_stime), child->process}};
    children_.erase(child);
    return ended;
  }
  return std::nullopt;
}

std::optional<std::pair<std::size_t, Ended>> Running::wait(int milliseconds, int descriptor) {
  if (auto ended = reaped())
    return ended;
  std::array<pollfd, 2> watched{pollfd{signals_, POLLIN, 0}, pollfd{descriptor, POLLIN, 0}};
  ::poll(watched.data(), watched.size(), milliseconds);
  // Termination signals stay pending: only those of children are taken.
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  constexpr timespec now{0, 0};
  ::sigtimedwait(&children, nullptr, &now);
  return reaped();
}

} // namespace hostpin::slices
