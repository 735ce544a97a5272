// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Cleanup {
  ~Cleanup();
};

std::exception_ptr keep() {
  return std::make_exception_ptr(Failed("kept"));
}
void nested() {
  try {
    throw Failed("inner");
  } catch (const Failed&) {
    std::throw_with_nested(std::system_error(std::make_error_code(std::errc::io_error)));
  }
}
// What leaves this calls terminate.
void never(void (*call)()) noexcept {
  Cleanup cleanup;
  call();
}
int count() {
  return std::uncaught_exceptions();
}
