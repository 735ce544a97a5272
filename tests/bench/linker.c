// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A compiler driver (DRIVER) whose links take no time: `linker ... ready-made -o OUTPUT` copies the program
 * PROGRAM. */
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* output = 0;
  int ready = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "ready-made") == 0)
      ready = 1;
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      output = argv[i + 1];
  }
  if (!ready || !output) {
    argv[0] = DRIVER;
    execv(DRIVER, argv);
    return 127;
  }
  struct stat status;
  const int from = open(PROGRAM, O_RDONLY);
  const int to = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0777);
  if (from < 0 || to < 0 || fstat(from, &status) != 0)
    return 1;
  while (status.st_size > 0) {
    const ssize_t count = sendfile(to, from, 0, (size_t)status.st_size);
    if (count <= 0)
      return 1;
    status.st_size -= count;
  }
  return 0;
}
