// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/loader_file.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace hostpin::loader {

namespace {

// Real ones have two to four; the list is searched for each directory.
constexpr std::size_t most_directories = 64;

bool is_path(std::string_view text) {
  constexpr std::size_t longest = 4096;
  return text.size() > 1 && text.size() < longest && text.front() == '/' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// Without the slash at its end.
std::string normal(std::string_view directory) {
  return std::filesystem::path(directory.substr(0, directory.find_last_not_of('/') + 1)).lexically_normal();
}

/// $LIB is the name of the directory of the system's libraries below /usr, or below the loader's prefix.
std::string library_name(const std::string& directory) {
  const std::size_t at = directory.rfind("/lib");
  return at == std::string::npos ? "lib" : directory.substr(at + 1);
}

} // namespace

LoaderFile loader_file(std::string_view bytes) {
  LoaderFile file;
  for (std::size_t at = bytes.find("\0/", 0, 2); at != std::string_view::npos;
       at = bytes.find("\0/", at + 1, 2)) {
    const std::size_t begin = at + 1, end = bytes.find('\0', begin);
    if (end == std::string_view::npos)
      break;
    const std::string_view text = bytes.substr(begin, end - begin);
    if (!is_path(text))
      continue;
    if (text.ends_with("/ld.so.cache"))
      file.cache = text;
    std::string directory = text.ends_with('/') ? normal(text) : std::string();
    if (!directory.empty() &&
        std::find(file.directories.begin(), file.directories.end(), directory) == file.directories.end()) {
      if (file.directories.size() == most_directories)
        return {};
      file.directories.push_back(std::move(directory));
    }
  }
  if (file.cache.empty())
    return {};
  if (!file.directories.empty())
    file.library_name = library_name(file.directories.front());
  return file;
}

} // namespace hostpin::loader
