// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/proof.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

Finding changed(const Origin& origin, const OriginEntry& entry, std::string what) {
  Finding one = finding(Rule::changed_file, entry.path, {}, entry.path, std::move(what));
  if (entry.archive) {
    one.package = origin.archives[*entry.archive].package;
    one.platform = origin.archives[*entry.archive].platform;
  }
  return one;
}

std::string owner(const Origin& origin, const OriginEntry& entry) {
  return entry.archive ? name_of(origin.archives[*entry.archive]) : std::string("hostpin");
}

/// What is wrong with the entry on disk; empty: nothing.
Result<std::string> difference(const std::string& path, const Origin& origin, const OriginEntry& entry,
                               const FileDigest& digest) {
  std::error_code error;
  const auto kind = fs::symlink_status(path, error).type();
  if (kind == fs::file_type::not_found)
    return "is missing; it is of " + owner(origin, entry);
  if (!entry.link.empty()) {
    if (kind != fs::file_type::symlink)
      return std::string("is not the symbolic link that was composed");
    const std::string link = fs::read_symlink(path, error).string();
    return link == entry.link ? std::string() : "leads to " + escaped(link) + " instead of " + entry.link;
  }
  struct stat status {};
  if (kind != fs::file_type::regular || ::lstat(path.c_str(), &status) != 0)
    return std::string("is not a regular file");
  if (std::string wrong = wrong_mode(status.st_mode, entry.executable); !wrong.empty())
    return wrong;
  TRY_ASSIGN(const auto now, digest(path));
  return now == entry.digest() ? std::string() : "is not the file of " + owner(origin, entry);
}

/// An error if a directory cannot be read: what is in it is not known then.
Result<std::vector<Finding>> extra_files(const std::string& directory, const Origin& origin) {
  std::set<std::string_view> known;
  for (const OriginEntry& entry : origin.entries)
    known.insert(entry.path);
  std::vector<Finding> findings;
  std::error_code error, ignored;
  std::string opened = directory;
  const std::size_t below = directory.size() + (directory.ends_with('/') ? 0 : 1);
  for (fs::recursive_directory_iterator walk(directory, error);
       !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->symlink_status(ignored).type() == fs::file_type::directory) {
      opened = walk->path().string();
      continue;
    }
    std::string path = walk->path().string().substr(below);
    if (path != origin_name && !known.contains(path))
      findings.push_back(finding(Rule::changed_file, path, {}, path, "is of no archive of the tree"));
  }
  if (error)
    return failure("cannot read " + escaped(opened) + ": " + error.message());
  return findings;
}

} // namespace

bool is_composed_root(const std::string& directory) {
  return DiskFiles().status(directory + '/' + std::string(origin_name)).has_value();
}

Result<Origin> origin_at(const std::string& directory) {
  const std::string file = directory + '/' + std::string(origin_name);
  const auto text = DiskFiles().read(file, largest_origin);
  return text ? read_origin(*text, file) : tl::unexpected(text.error());
}

Result<std::vector<Finding>> prove_root(const std::string& directory, const Origin& origin,
                                        const FileDigest& digest) {
  auto extra = extra_files(directory, origin);
  if (!extra)
    return extra;
  std::vector<Finding> findings = *std::move(extra);
  for (const OriginEntry& entry : origin.entries) {
    TRY_ASSIGN(auto what, difference(directory + '/' + entry.path, origin, entry, digest));
    if (!what.empty())
      findings.push_back(changed(origin, entry, std::move(what)));
    else if (!origin.patched && entry.output == "lib" && !entry.changed.empty())
      findings.push_back(changed(
          origin, entry, "was changed (" + entry.changed + "), and the tree is to have unmodified files"));
  }
  sort(findings);
  return findings;
}

} // namespace hostpin::redist
