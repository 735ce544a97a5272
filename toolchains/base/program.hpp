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

/// One program, from its start to the time when nothing more is expected of it. Its handlers hold plain
/// pointers, so it must outlive the context's run. Where an exception ends that, the program is killed.
class Program {
public:
  /// `finished` is called once, by `start` where the program does not start, else while the context runs.
  Program(boost::asio::io_context& context, const HostProcesses::Limits& limits, Outcome& outcome,
          std::function<void()> finished);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Throws std::system_error as Limits::strict says.
  void start(const Command& command, const Environment& environment);

private:
  class Running;
  std::unique_ptr<Running> running_;
};

} // namespace hostpin
