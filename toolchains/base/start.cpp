// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/start.hpp"

#include "toolchains/base/system_call.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hostpin {

namespace {

// From here to `become` only system calls: this runs between fork and exec.

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

/// A copy of the descriptor above the standard three, or -1.
int raised(int descriptor) {
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

/// A caller without standard streams has the pipes under their numbers, so they are copied away first.
bool set_streams(const std::array<int, 3>& streams) {
  std::array<int, 3> copies{};
  for (std::size_t i = 0; i < streams.size(); ++i)
    if ((copies[i] = raised(streams[i])) < 0)
      return false;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (::dup2(copies[i], static_cast<int>(i)) < 0)
      return false;
  return true;
}

void set_signals_and_group() {
  ::setpgid(0, 0);
  // The program must not outlive this process: outside its process group it would miss a Ctrl-C.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Becomes the program; returns only if that failed, with errno set.
void become(const char* path, char* const* arguments, char* const* variables,
            const std::array<int, 3>& streams) {
  set_signals_and_group();
  if (!set_streams(streams))
    return;
  make_descriptors_close_on_exec();
  ::execve(path, arguments, variables);
}

/// The errno that the child wrote before it ended, or 0 if exec closed the pipe.
int reported(int pipe) {
  int error = 0;
  while (::read(pipe, &error, sizeof error) < 0 && errno == EINTR) {
  }
  return error;
}

} // namespace

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& each : strings)
    result.push_back(const_cast<char*>(each.c_str())); // execve does not write to it
  result.push_back(nullptr);
  return result;
}

Started start(const Start& program) {
  const std::vector<char*> arguments = pointers(program.arguments);
  const std::vector<char*> variables = pointers(program.variables);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return {-1, errno};
  const Descriptor reader(ends[0]);
  int error = 0;
  pid_t process = -1;
  {
    const Descriptor low(ends[1]);
    const Descriptor writer(raised(low.number()));
    if (writer.number() < 0 || (process = ::fork()) < 0)
      return {-1, errno};
    if (process == 0) {
      become(program.path.c_str(), arguments.data(), variables.data(), program.streams);
      error = errno;
      [[maybe_unused]] const ssize_t written = ::write(writer.number(), &error, sizeof error);
      ::_exit(127); // exit would flush what the parent has buffered
    }
  }
  if ((error = reported(reader.number())) == 0)
    return {process, 0};
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {-1, error};
}

int open_process([[maybe_unused]] pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); // close-on-exec by itself
#else
  return -1;
#endif
}

} // namespace hostpin
