// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/shelter.hpp"

#include <array>
#include <csignal>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace hostpin {

namespace {

constexpr rlim_t memory_limit = rlim_t{1} << 30U; // a real header takes 40 MB, most of it the program itself
constexpr int could_not_answer = 2;

[[noreturn]] void give_up(std::string_view text) {
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  _exit(could_not_answer);
}

void crashed(int /*signal*/) {
  give_up("hostpin: error: reading the header broke Clang's preprocessor: it nests deeper than can be read\n"
          "hint: compare it with that of a fresh download of the toolkit\n");
}

void out_of_memory() {
  give_up("hostpin: error: reading the header takes more memory than any real one\n"
          "hint: compare it with that of a fresh download of the toolkit\n");
}

} // namespace

void end_instead_of_crashing() {
  // The ordinary stack is what overflows.
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

  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > memory_limit) {
    limit.rlim_cur = memory_limit;
    setrlimit(RLIMIT_DATA, &limit);
  }
  std::set_new_handler(out_of_memory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { out_of_memory(); });
  llvm::install_fatal_error_handler([](void*, const char*, bool) { crashed(SIGABRT); });
}

} // namespace hostpin
