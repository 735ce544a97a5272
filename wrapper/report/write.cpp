// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/report/page.hpp"
#include "wrapper/report/page_files.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace hostpin {

namespace {

namespace fs = std::filesystem;

/// A report begins as the template does, up to the end of its <html> tag; any release's is to.
bool is_report(const std::string& path) {
  const std::string_view sign =
      page_html.substr(0, page_html.find('>', page_html.find("data-hostpin-report")) + 1);
  std::ifstream file(path, std::ios::binary);
  std::string head(sign.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.gcount() == static_cast<std::streamsize>(head.size()) && head == sign;
}

tl::unexpected<Error> not_ours(const std::string& path, const char* what) {
  return failure(fmt::format("{} {}; nothing was written", path, what),
                 "name another file, or remove that one");
}

} // namespace

Result<void> write_report(const std::string& path, std::string_view page) {
  std::error_code wrong;
  const fs::file_status itself = fs::symlink_status(path, wrong);
  if (itself.type() == fs::file_type::not_found)
    return replace_file(path, page, false);
  const fs::file_status status = fs::status(path, wrong);
  if (status.type() == fs::file_type::not_found)
    return not_ours(path, "is a symlink that leads nowhere");
  if (wrong)
    return failure(fmt::format("cannot look at {}: {}", path, wrong.message()));
  if (status.type() == fs::file_type::directory)
    return not_ours(path, "is a directory");
  if (status.type() != fs::file_type::regular)
    return failure(fmt::format("{} is no regular file; nothing was written", path),
                   "for standard output say -o -");
  if (fs::file_size(path, wrong) > 0 && !is_report(path))
    return not_ours(path, "is no report of hostpin");
  const fs::path real = fs::canonical(path, wrong);
  if (wrong)
    return failure(fmt::format("cannot look at {}: {}", path, wrong.message()));
  return replace_file(real.string(), page, false);
}

} // namespace hostpin
