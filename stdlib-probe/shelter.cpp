// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/shelter.hpp"

#include "toolchains/base/error_report.hpp"

#include <array>
#include <csignal>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

namespace hostpin::probe {

namespace {

constexpr rlim_t memory_limit = rlim_t{1} << 30U; // real headers take 40 MB, mostly the program itself
constexpr int could_not_answer = 2;

/// The address sanitizer maps more than any useful limit.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_be_limited = false;
#elif defined(__has_feature)
constexpr bool can_be_limited = !__has_feature(address_sanitizer);
#else
constexpr bool can_be_limited = true;
#endif

[[noreturn]] void give_up(std::string_view text) {
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  _exit(could_not_answer);
}

/// What the handlers print; they can make no text.
struct Reports {
  static std::string text(const char* message) {
    return failure_text({message, "compare them with those of a fresh download or package"});
  }
  std::string crash = text("Clang crashed on the headers: they nest deeper than it can read");
  std::string memory = text("the headers take more memory than any real ones");
  std::string time = text("the headers take longer to read than any real ones");
};

const Reports& reports() {
  static const Reports made;
  return made;
}

void crashed(int /*signal*/) {
  give_up(reports().crash);
}

void out_of_memory() {
  give_up(reports().memory);
}

void out_of_time(int /*signal*/) {
  give_up(reports().time);
}

} // namespace

void end_instead_of_crashing() {
  static_cast<void>(reports()); // before a handler needs them
  // The handler needs another stack, because the ordinary one overflows.
  static std::array<char, 65536> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGTRAP})
    sigaction(signal, &action, nullptr);
  std::set_new_handler(out_of_memory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { out_of_memory(); });
  llvm::install_fatal_error_handler([](void*, const char*, bool) { crashed(SIGABRT); });
}

void end_after(unsigned seconds) {
  rlimit limit{};
  if (can_be_limited && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > memory_limit) {
    limit.rlim_cur = memory_limit;
    setrlimit(RLIMIT_DATA, &limit);
  }
  signal(SIGPROF, out_of_time);
  const itimerval once{{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &once, nullptr);
}

} // namespace hostpin::probe
