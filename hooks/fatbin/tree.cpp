// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/fatbin/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace hostpin {

namespace {

namespace fs = std::filesystem;

/// The entries of one directory in order; the error is why some are missing.
std::vector<fs::directory_entry> entries_of(const fs::path& directory, std::error_code& failed) {
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator next(directory, failed), end; !failed && next != end; next.increment(failed))
    entries.push_back(*next);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.path().native() < b.path().native(); });
  return entries;
}

} // namespace

void each_file(const std::string& root, const std::function<void(const std::string& path)>& file,
               const std::function<void(const std::string& path)>& link,
               const std::function<void(const std::string& path, const Error&)>& trouble) {
  std::vector<fs::path> directories{root}; // the next one last
  while (!directories.empty()) {
    const fs::path directory = std::move(directories.back());
    directories.pop_back();
    std::error_code failed;
    std::vector<fs::path> below;
    for (const fs::directory_entry& entry : entries_of(directory, failed)) {
      std::error_code ignored; // deleted meanwhile: ignored
      const fs::file_type type = entry.symlink_status(ignored).type();
      if (type == fs::file_type::directory)
        below.push_back(entry.path());
      else if (type == fs::file_type::regular)
        file(entry.path().native());
      else if (type == fs::file_type::symlink && entry.is_regular_file(ignored))
        link(entry.path().native());
    }
    if (failed)
      trouble(directory.native(), {"it cannot be read: " + failed.message(), {}});
    directories.insert(directories.end(), below.rbegin(), below.rend());
  }
}

} // namespace hostpin
