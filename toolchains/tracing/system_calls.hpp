// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace hostpin::tracing {

/// A system call at its start, as the kernel reports it.
struct SystemCall {
  std::uint32_t machine = 0; ///< AUDIT_ARCH_*
  std::uint64_t number = 0;
  std::uint64_t instruction = 0; ///< address of the instruction that makes it
  std::array<std::uint64_t, 6> arguments{};
};

/// The call in which a traced process stopped; nothing if the kernel does not report it.
std::optional<SystemCall> stopped_call(pid_t process);

/// Whether the kernel reports calls (PTRACE_GET_SYSCALL_INFO, Linux 5.3).
bool can_read_calls();

/// Stops this process and its descendants at each call of the table from now on; they cannot gain privileges
/// by executing set-user-ID programs any more. False with errno set if a filter cannot be installed.
bool filter_calls();

/// Bits next to those of Access: the path is created if it does not exist; it is changed, renamed or removed
/// if it does; if it is a directory, later paths can start there.
inline constexpr unsigned access_created = 1U << 16U, access_changed = 1U << 17U, access_entered = 1U << 18U;
inline constexpr unsigned access_mask = access_created - 1; ///< the bits of Access

/// Which argument of a call is a path. -1: none.
struct PathArgument {
  int path = -1;       ///< index of the argument with the address of the text
  int directory = -1;  ///< index of the descriptor that a relative path starts from, or that is meant itself
  unsigned access = 0; ///< combination of Access and the bits above
  int flags = -1;      ///< index of open(2)'s flags, which decide about the access
};

/// What a call of the table does.
struct CallRow {
  std::uint32_t number = 0;
  std::array<PathArgument, 2> paths{};
  std::string_view uncertain{}; ///< not empty: the result may depend on more than files, for this reason
  bool is_connection = false;   ///< only if its address is one of a network
  bool is_execution = false;    ///< a script's first line names another file, which the kernel opens
};

/// Nothing for a call of another machine type: only calls of the table stop.
const CallRow* row_of(const SystemCall& call);

/// What the call does with that path.
unsigned access_of(const SystemCall& call, const PathArgument& argument);

/// Values of sa_family_t.
inline constexpr std::uint16_t address_inet = 2, address_inet6 = 10;

} // namespace hostpin::tracing
