// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"

#include <system_error>

namespace hostpin {

namespace {

std::string seconds(int milliseconds) {
  std::string text = std::to_string(milliseconds / 1000);
  if (milliseconds % 1000 != 0) {
    text += '.' + std::to_string(1000 + milliseconds % 1000).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " s";
}

} // namespace

std::string describe(const Outcome& outcome) {
  switch (outcome.end) {
  case Outcome::End::exited:
    return outcome.truncated && outcome.code == 0 ? "printed more than could be read"
                                                  : "exited with " + std::to_string(outcome.code);
  case Outcome::End::signalled:
    return "killed by signal " + std::to_string(outcome.code);
  case Outcome::End::timed_out:
    return "did not answer within " + seconds(outcome.code);
  case Outcome::End::not_started:
    break;
  }
  return std::generic_category().message(outcome.code);
}

} // namespace hostpin
