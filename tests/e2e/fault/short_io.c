// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// short_io BYTES COMMAND...: runs a program whose reads and writes move at most that many bytes each, up to
// its exec of another program. Works for static programs too, unlike a preloaded library.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "registers are known for x86-64 only"
#endif

static int moves_bytes(unsigned long long call) {
  return call == SYS_read || call == SYS_write || call == SYS_pread64;
}

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  const unsigned long long most = strtoull(argv[1], NULL, 10);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(argv[2], argv + 2);
    return 127;
  }
  int status = 0, execs = 0, entering = 1;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  for (int signal = 0; execs < 2;) {
    if (ptrace(PTRACE_SYSCALL, child, 0, signal) != 0 || waitpid(child, &status, 0) != child)
      return 2;
    if (WIFEXITED(status) || WIFSIGNALED(status))
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    signal = 0;
    if (status >> 16 == PTRACE_EVENT_EXEC) {
      ++execs;
    } else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      struct user_regs_struct registers;
      ptrace(PTRACE_GETREGS, child, 0, &registers);
      if (entering && moves_bytes(registers.orig_rax) && registers.rdx > most) {
        registers.rdx = most;
        ptrace(PTRACE_SETREGS, child, 0, &registers);
      }
      entering = !entering;
    } else {
      signal = WSTOPSIG(status);
    }
  }
  ptrace(PTRACE_DETACH, child, 0, 0);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
