// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hostpin::tracing {

inline constexpr std::size_t longest_path = 4096;

/// A string in the memory of another process; nothing if it cannot be read.
std::optional<std::string> string_at(pid_t process, std::uint64_t address);

/// The absolute path to which a link in /proc/PID leads; nothing if that is no file.
std::optional<std::string> link_target(const std::string& path);

/// The files that the process has mapped, each once for each mapping.
std::vector<std::string> mapped_files(pid_t process);

/// Whether the code at an address is of the loader that the kernel started with the process' program (its
/// ELF interpreter). A loader that is run as a program is none.
bool is_of_loader(pid_t process, std::uint64_t address);

/// The program that a script's first line names, if it has an absolute path.
std::string interpreter_of(const std::string& script);

} // namespace hostpin::tracing
