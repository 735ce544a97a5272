// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hostpin {

/// Pointers to the strings and a null pointer, as execve(2) takes them; the strings must outlive them.
std::vector<char*> pointers(const std::vector<std::string>& strings);

/// A program as execve(2) takes it.
struct Start {
  std::string path;
  std::vector<std::string> arguments; ///< with argv[0]
  std::vector<std::string> variables; ///< `NAME=value`: its whole environment
  std::array<int, 3> streams{};       ///< descriptors for its standard input, output and errors
};

/// A child process, or the reason why there is none.
struct Started {
  pid_t process = -1;
  int error = 0; ///< errno of what failed, execve(2) included; 0: the program runs
};

/// Starts a program in a new process group, which the kernel kills when this thread ends, with no signal
/// blocked and no descriptor but its streams. The caller has to wait for it. Uses only what Linux 4.18 has:
/// newer system calls may be missing or forbidden.
Started start(const Start& program);

/// A descriptor that becomes readable when the child process ends, or -1 where the kernel (before Linux 5.3)
/// or a sandbox gives none: waitpid(2) then has to be repeated.
int open_process(pid_t process);

} // namespace hostpin
