// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace hostpin::slices {

/// Where make's or ninja's jobserver is, as MAKEFLAGS names it.
struct JobserverAddress {
  std::string fifo; ///< a path; if empty, the descriptors of a pipe
  int read = -1, write = -1;
};

/// The last `--jobserver-auth` or `--jobserver-fds` of MAKEFLAGS; nothing if there is none, or if make
/// withheld it.
std::optional<JobserverAddress> jobserver_address(std::string_view makeflags);

/// Permission to run tasks in addition to the first: tokens of a jobserver if there is one, else processors
/// that no process uses at the moment.
class Permits {
public:
  explicit Permits(const Environment& environment);
  Permits(const Permits&) = delete;
  Permits& operator=(const Permits&) = delete;
  ~Permits(); ///< returns all tokens

  bool take();      ///< false: not now
  void give_back(); ///< a token that was taken
  int waiting_on() const {
    return read_;
  } ///< readable when there may be a token; -1 if there is no jobserver

private:
  int read_ = -1, write_ = -1;
  std::vector<char> tokens_; // that were taken; a token is a byte, and the same byte is returned
  int taken_ = 0;
  long processors_ = 1;
};

/// What a program printed, and how it ended.
struct Ended {
  int code = 0; ///< 128 + signal if it was killed
  std::string output, errors;
  double seconds = 0; ///< of processor time, with its children
  pid_t process = 0;
};

/// Programs that run at the same time, each in a process group that is killed if this object is destroyed
/// first.
class Running {
public:
  Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  /// Starts a program; `id` identifies it. False, with errno set, if there is no process for it.
  bool start(std::size_t id, const char* program, const std::vector<std::string>& argv,
             const std::vector<std::string>& environment);
  std::size_t count() const { return children_.size(); }

  /// One that has ended. Nothing after `milliseconds` (-1: no limit), when `descriptor` is readable, or when
  /// a termination signal is pending.
  std::optional<std::pair<std::size_t, Ended>> wait(int milliseconds, int descriptor);

private:
  struct Child {
    std::size_t id;
    pid_t process;
    int output, errors;
  };
  std::optional<std::pair<std::size_t, Ended>> reaped();

  std::vector<Child> children_;
  int signals_ = -1;
  struct Mask;
  std::unique_ptr<Mask> former_;
};

} // namespace hostpin::slices
