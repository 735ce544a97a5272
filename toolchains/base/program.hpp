// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace hostpin {

/// One program, from its start until its outcome is complete. Its handlers hold raw pointers, so it must
/// outlive the context's run. If an exception ends that run, the program is killed.
class Program {
public:
  /// `finished` is called once: by `start` if the program does not start, else while the context runs.
  Program(boost::asio::io_context& context, const HostProcesses::Limits& limits, Outcome& outcome,
          std::function<void()> finished);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Throws std::system_error as described at Limits::strict.
  void start(const Command& command, const Environment& environment);

private:
  class Running;
  std::unique_ptr<Running> running_;
};

} // namespace hostpin
