// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lower bound of any wrapper's cost: a static C program that only executes COMMAND, which is set at
// compile time.
#include <unistd.h>

int main(int argc, char** argv, char** envp) {
  (void)argc;
  argv[0] = (char[]){COMMAND};
  execve(argv[0], argv, envp);
  return 127;
}
