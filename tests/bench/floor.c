// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floor of what any wrapper can cost: a static C program that only executes COMMAND, fixed when it is
// compiled.
#include <unistd.h>

int main(int argc, char** argv, char** envp) {
  (void)argc;
  argv[0] = (char[]){COMMAND};
  execve(argv[0], argv, envp);
  return 127;
}
