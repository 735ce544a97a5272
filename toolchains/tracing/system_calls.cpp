// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/tracing/system_calls.hpp"

#include "toolchains/tracing/trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace hostpin::tracing {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_machine = AUDIT_ARCH_AARCH64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
constexpr std::uint32_t own_machine = AUDIT_ARCH_PPC64LE;
#else
#error "name this machine's AUDIT_ARCH"
#endif

constexpr auto content = static_cast<unsigned>(Access::content);
constexpr auto status = static_cast<unsigned>(Access::status);
constexpr auto listing = static_cast<unsigned>(Access::listing);
constexpr auto target = static_cast<unsigned>(Access::target);
constexpr unsigned created = access_created;
constexpr unsigned changed = access_changed;
constexpr unsigned entered = access_entered;

constexpr CallRow reads(std::uint32_t number, PathArgument argument) {
  return {number, {argument}};
}
constexpr CallRow executes(std::uint32_t number, PathArgument argument) {
  return {number, {argument}, {}, false, true};
}
constexpr CallRow unknown(std::uint32_t number, std::string_view why) {
  return {number, {}, why};
}

constexpr std::string_view network = "a program used the network";
constexpr std::string_view namespaces = "a program changed its root directory, mounts or namespaces";

/// What man-pages(7) list under files and directories for path names; calls that get descriptors are decided
/// by the open(2) before them. Older calls do not exist on newer machines (`asm-generic/unistd.h`).
constexpr CallRow rows[] = {
#ifdef SYS_open
    reads(SYS_open, {0, -1, 0, 1}),
    {SYS_creat, {{{0, -1, created | changed}}}},
    reads(SYS_stat, {0, -1, status}),
    reads(SYS_lstat, {0, -1, status | target}),
    reads(SYS_access, {0, -1, status}),
    reads(SYS_readlink, {0, -1, target}),
    {SYS_mkdir, {{{0, -1, created}}}},
    {SYS_rmdir, {{{0, -1, changed}}}},
    {SYS_unlink, {{{0, -1, changed}}}},
    {SYS_rename, {{{0, -1, changed}, {1, -1, created | changed}}}},
    {SYS_link, {{{0, -1, content | target}, {1, -1, created}}}},
    {SYS_symlink, {{{1, -1, created}}}},
    {SYS_chmod, {{{0, -1, changed}}}},
    {SYS_chown, {{{0, -1, changed}}}},
    {SYS_lchown, {{{0, -1, changed}}}},
    {SYS_mknod, {{{0, -1, created}}}},
    {SYS_utimes, {{{0, -1, changed}}}},
    {SYS_futimesat, {{{1, 0, changed}}}},
    {SYS_utime, {{{0, -1, changed}}}},
    reads(SYS_getdents, {-1, 0, listing}),
#endif
#ifdef SYS_renameat
    {SYS_renameat, {{{1, 0, changed}, {3, 2, created | changed}}}},
#endif
#ifdef SYS_newfstatat
    reads(SYS_newfstatat, {1, 0, status | target}),
#endif
    reads(SYS_openat, {1, 0, 0, 2}),
    // its flags are in memory: anything may have been meant
    {SYS_openat2, {{{1, 0, content | status | listing | target | entered}}}},
    reads(SYS_statx, {1, 0, status | target}),
    reads(SYS_faccessat, {1, 0, status}),
    reads(SYS_faccessat2, {1, 0, status}),
    reads(SYS_readlinkat, {1, 0, target}),
    reads(SYS_statfs, {0, -1, status}),
    reads(SYS_chdir, {0, -1, status | entered}),
    executes(SYS_execve, {0, -1, content}),
    executes(SYS_execveat, {1, 0, content}),
    reads(SYS_getdents64, {-1, 0, listing}),
    {SYS_mkdirat, {{{1, 0, created}}}},
    {SYS_unlinkat, {{{1, 0, changed}}}},
    {SYS_renameat2, {{{1, 0, changed}, {3, 2, created | changed}}}},
    {SYS_linkat, {{{1, 0, content | target}, {3, 2, created}}}},
    {SYS_symlinkat, {{{2, 1, created}}}},
    {SYS_fchmodat, {{{1, 0, changed}}}},
    {SYS_fchownat, {{{1, 0, changed}}}},
    {SYS_mknodat, {{{1, 0, created}}}},
    {SYS_utimensat, {{{1, 0, changed}}}},
    {SYS_truncate, {{{0, -1, changed}}}},
#ifdef SYS_fchmodat2
    {SYS_fchmodat2, {{{1, 0, changed}}}},
#endif
    // which attributes a file has is not part of its state
    {SYS_setxattr, {{{0, -1, changed}}}},
    {SYS_lsetxattr, {{{0, -1, changed}}}},
    {SYS_removexattr, {{{0, -1, changed}}}},
    {SYS_lremovexattr, {{{0, -1, changed}}}},
    reads(SYS_getxattr, {0, -1, status}),
    reads(SYS_lgetxattr, {0, -1, status | target}),
    reads(SYS_listxattr, {0, -1, status}),
    reads(SYS_llistxattr, {0, -1, status | target}),
    reads(SYS_name_to_handle_at, {1, 0, status | target}),
    reads(SYS_inotify_add_watch, {1, -1, status}),
    {SYS_connect, {}, network, true},
    unknown(SYS_io_uring_setup, "a program accessed files by io_uring"),
    unknown(SYS_open_by_handle_at, "a program opened files by handle"),
    unknown(SYS_chroot, namespaces),
    unknown(SYS_pivot_root, namespaces),
    unknown(SYS_mount, namespaces),
    unknown(SYS_unshare, namespaces),
    unknown(SYS_setns, namespaces),
};

} // namespace

std::optional<SystemCall> stopped_call(pid_t process) {
  __ptrace_syscall_info info{};
  // glibc declares the request for an enumeration, which differs between C libraries.
  const long size = ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info);
  if (size <= 0 || info.op != PTRACE_SYSCALL_INFO_SECCOMP)
    return std::nullopt;
  SystemCall call;
  call.machine = info.arch;
  call.number = info.seccomp.nr;
  call.instruction = info.instruction_pointer;
  std::copy(std::begin(info.seccomp.args), std::end(info.seccomp.args), call.arguments.begin());
  return call;
}

bool can_read_calls() {
  // Without such a process an old kernel answers EIO to a request that it does not know, a newer one ESRCH.
  return ptrace(PTRACE_GET_SYSCALL_INFO, 0, 0, nullptr) == -1 && errno == ESRCH;
}

bool filter_calls() {
  constexpr auto machine = static_cast<std::uint32_t>(offsetof(seccomp_data, arch));
  constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, machine),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own_machine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
#ifdef __x86_64__
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1), // x32
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
#endif
  };
  for (const CallRow& row : rows) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row.number, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

const CallRow* row_of(const SystemCall& call) {
  if (call.machine != own_machine)
    return nullptr;
  const auto* const row = std::ranges::find(rows, call.number, &CallRow::number);
  return row == std::end(rows) ? nullptr : row;
}

unsigned access_of(const SystemCall& call, const PathArgument& argument) {
  if (argument.flags < 0)
    return argument.access;
  const auto flags = static_cast<int>(call.arguments[static_cast<std::size_t>(argument.flags)]);
  const unsigned writes = ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0 ? changed : 0) |
                          ((flags & O_CREAT) != 0 ? created : 0);
  const unsigned seen = entered | ((flags & O_NOFOLLOW) != 0 ? target : 0);
  if ((flags & O_PATH) != 0)
    return status | seen;
  if ((flags & O_DIRECTORY) != 0) // O_TMPFILE too, whose file has no name; what is listed is seen by getdents
    return status | seen;
  return content | writes | seen;
}

} // namespace hostpin::tracing
