// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Needs the preprocessor, the libstdc++ headers, the library and its run-time to agree. Prints "ok FAMILY
// MAJOR GLIBC-MINOR".
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

static std::optional<std::string> joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  if (words.empty())
    throw std::runtime_error("ok");
  return words.front() + words.back();
}

int main() {
#ifdef __clang__
  const char* family = "clang";
  const int major = __clang_major__;
#else
  const char* family = "gcc";
  const int major = __GNUC__;
#endif
  if (joined({"b", "a"}) != "ab" || std::filesystem::path("/a/b").filename() != "b")
    return 1;
  try {
    joined({});
  } catch (const std::exception& thrown) {
    std::cout << thrown.what() << ' ' << family << ' ' << major << ' ' << __GLIBC_MINOR__ << '\n';
  }
}
