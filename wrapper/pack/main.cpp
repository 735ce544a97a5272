// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pack FILE: writes the files listed on standard input to an archive that appears whole or not at all.
// `hostpin bind --pack` becomes this program once everything is decided.
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/pack/archive.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace hostpin;
using namespace hostpin::pack;

constexpr int exit_broken = 2;

int give_up(const Error& error) {
  print_failure(error);
  return exit_broken;
}

/// The file that the signal handler removes; a handler can only use globals.
char draft_name[4096]; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void leave(int number) {
  unlink(draft_name);
  std::signal(number, SIG_DFL); // async-signal-safe; no way to report an error
  raise(number);
}

/// The parent process keeps these signals blocked until no file could be left half written.
void hear_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    struct sigaction current {};
    sigaction(number, nullptr, &current);
    if (current.sa_handler != SIG_IGN) { // as under nohup
      struct sigaction action {};
      action.sa_handler = leave;
      sigaction(number, &action, nullptr);
    }
    sigaddset(&set, number);
  }
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

Result<pack::Written> write_draft(int descriptor, const pack::Order& order, const std::string& file) {
  auto written = pack::write_archive(descriptor, order);
  if (written &&
      (fchmod(descriptor, 0644) != 0 || fsync(descriptor) != 0 || rename(draft_name, file.c_str()) != 0))
    return os_failure("write " + file);
  return written;
}

Result<pack::Written> write_whole(const pack::Order& order, const std::string& file) {
  const std::string draft = file + ".XXXXXX";
  if (draft.size() >= sizeof draft_name)
    return os_failure("write " + file, ENAMETOOLONG);
  struct stat status {};
  if (lstat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return failure(file + " exists and is not a regular file; nothing was written", "name another file");
  draft.copy(draft_name, draft.size());
  const int descriptor = mkostemp(draft_name, O_CLOEXEC);
  if (descriptor < 0)
    return os_failure("write " + file, errno, "name a file in a directory that exists and is writable");
  hear_signals();
  auto written = write_draft(descriptor, order, file);
  close(descriptor);
  if (!written)
    unlink(draft_name);
  return written;
}

int run(const std::string& file, const char* name) {
  const auto order =
      pack::read_order(read_all(STDIN_FILENO, std::numeric_limits<std::size_t>::max()).value_or(""));
  if (!order)
    return give_up(order.error());
  const auto written = write_whole(*order, file);
  if (!written)
    return give_up(written.error());
  constexpr double megabyte = 1e6;
  std::printf("  packed    %s: %.1f MB, %llu files of %.1f MB\n", file.c_str(),
              static_cast<double>(written->packed) / megabyte,
              static_cast<unsigned long long>(written->files),
              static_cast<double>(written->bytes) / megabyte);
  std::printf("  extracts  as %s, in a directory that then becomes the root: tar -C DIR -xf FILE\n", name);
  return std::fflush(stdout) == 0 ? 0 : give_up({"cannot write to standard output", {}});
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return give_up({"wrong arguments", "run hostpin bind --pack"});
  return run(argv[1], argv[2]);
}
