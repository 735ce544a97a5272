// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

struct Logger {
  std::vector<std::string> lines;
  ~Logger();
};
thread_local Logger logger;

const std::string& name() {
  static const std::string text(100, 'x');
  return text;
}
void log(const char* line) {
  logger.lines.emplace_back(line);
}
int* many(std::size_t count) {
  return new int[count];
}
struct alignas(64) Wide {
  char bytes[64];
};
Wide* wide() {
  return new Wide;
}
