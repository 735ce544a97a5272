// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

std::uintmax_t total(const fs::path& root) {
  std::uintmax_t sum = 0;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file())
        sum += entry.file_size();
    std::ofstream(root / "total") << sum;
  } catch (const fs::filesystem_error& error) {
    sum += error.path1().native().size();
  }
  return sum;
}
