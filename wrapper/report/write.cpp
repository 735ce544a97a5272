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

/// A report begins like the template, up to the end of its <html> tag, in every release.
bool is_report(const std::string& path) {
  const std::string_view sign =
      page_html.substr(0, page_html.find('>', page_html.find("data-hostpin-report")) + 1);
  std::ifstream file(path, std::ios::binary);
  std::string head(sign.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.gcount() == static_cast<std::streamsize>(head.size()) && head == sign;
}

Error not_ours(const std::string& path, const char* what) {
  return {fmt::format("{} {}; nothing was written", path, what), "name another file, or remove that one"};
}

constexpr const char* where_one_can = "name a file in a directory where you may write";

Error unseen(const std::string& path, const std::error_code& wrong) {
  return {fmt::format("cannot look at {}: {}", path, wrong.message()), where_one_can};
}

/// Checks the directory of a file that does not exist yet.
std::optional<Error> unfit_directory(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code wrong;
  if (fs::is_directory(parent, wrong))
    return std::nullopt;
  return Error{fmt::format("cannot write {}: there is no directory {}", path.string(), parent.string()),
               "make that directory, or name a file in another one"};
}

} // namespace

std::optional<Error> unfit_for_report(const std::string& path) {
  if (path.empty())
    return Error{"the page has no name", "name a file to write, or - for standard output"};
  std::error_code wrong;
  const fs::file_status itself = fs::symlink_status(path, wrong);
  if (itself.type() == fs::file_type::not_found)
    return unfit_directory(path);
  const fs::file_status status = fs::status(path, wrong);
  if (status.type() == fs::file_type::not_found)
    return not_ours(path, "is a symlink that leads nowhere");
  if (wrong)
    return unseen(path, wrong);
  if (status.type() == fs::file_type::directory)
    return not_ours(path, "is a directory");
  if (status.type() != fs::file_type::regular)
    return Error{fmt::format("{} is no regular file; nothing was written", path),
                 "for standard output say -o -"};
  if (fs::file_size(path, wrong) > 0 && !is_report(path))
    return not_ours(path, "is no report of hostpin");
  return std::nullopt;
}

Result<void> write_report(const std::string& path, std::string_view page) {
  if (auto unfit = unfit_for_report(path))
    return tl::unexpected(*std::move(unfit));
  std::error_code wrong;
  const fs::path real = fs::weakly_canonical(path, wrong);
  if (wrong)
    return tl::unexpected(unseen(path, wrong));
  auto written = replace_file(real.string(), page, false);
  if (!written)
    written.error().hint = where_one_can;
  return written;
}

} // namespace hostpin
