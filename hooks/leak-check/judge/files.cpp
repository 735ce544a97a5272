// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/files.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "toolchains/base/symlinks.hpp"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin::leak {

std::optional<std::string> CachedFiles::resolved(std::string_view path) const {
  constexpr std::size_t longest = 4096; // PATH_MAX: also bounds how deep directories are followed
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash + 1); // all of it where there is no slash
  if (slash == std::string_view::npos || slash == 0 || path.size() >= longest || name.empty() ||
      name == "." || name == "..")
    return disk_.real_path(std::string(path));
  const std::string* const directory = real_directory(path.substr(0, slash));
  if (directory == nullptr)
    return std::nullopt;
  std::string real = *directory;
  if (!real.ends_with('/'))
    real += '/';
  real += name;
  char target = 0;
  if (::readlink(real.c_str(), &target, 1) >= 0)
    return disk_.real_path(std::string(path));
  return errno == EINVAL ? std::optional(std::move(real)) : std::nullopt; // it exists and is not a symlink
}

const std::string* CachedFiles::real_directory(std::string_view path) const {
  auto known = directories_.find(path);
  if (known == directories_.end()) {
    // Paths below a missing directory are not cached: there may be very many.
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos && slash > 0 && real_directory(path.substr(0, slash)) == nullptr)
      return nullptr;
    known = directories_.emplace(path, resolved(path)).first;
  }
  return known->second ? &*known->second : nullptr;
}

namespace {

bool is_there(const std::string& path) {
  std::error_code failed;
  const auto type = std::filesystem::symlink_status(path, failed).type();
  return !failed && type != std::filesystem::file_type::not_found;
}

std::optional<std::string> link_target(const std::string& path) {
  std::error_code failed;
  const auto target = std::filesystem::read_symlink(path, failed);
  return failed ? std::nullopt : std::optional(target.string());
}

} // namespace

std::optional<std::string> RootedFiles::place_of(const std::string& path) const {
  if (is_there(root_ + path))
    return root_ + path;
  // The tree will not be where it is now.
  const bool in_tree = path.starts_with(root_) && (path.size() == root_.size() || path[root_.size()] == '/');
  return !alone_ && !in_tree && is_there(path) ? std::optional(path) : std::nullopt;
}

std::optional<FileStatus> RootedFiles::status(const std::string& path) const {
  const auto disk = on_disk(path);
  return disk ? disk_.status(*disk) : std::nullopt;
}

std::optional<std::string> RootedFiles::real_path(const std::string& path) const {
  if (!path.starts_with('/'))
    return disk_.real_path(path);
  return resolved(path, [this](const std::string& one) {
    const auto place = place_of(one);
    return place ? std::optional(link_target(*place).value_or("")) : std::nullopt;
  });
}

std::vector<std::string> RootedFiles::entries(const std::string& directory) const {
  const auto disk = on_disk(directory);
  return disk ? disk_.entries(*disk) : std::vector<std::string>();
}

Result<std::string> RootedFiles::read(const std::string& path, std::size_t limit) const {
  return disk_.read(on_disk(path).value_or(root_ + path), limit);
}

std::optional<std::string> RootedFiles::on_disk(const std::string& path) const {
  if (!path.starts_with('/'))
    return path;
  const auto found = real_path(path);
  return !found ? std::nullopt : *found == "/" ? std::optional(root_) : place_of(*found);
}

std::optional<std::string> RootedFiles::installed_path(const std::string& file) const {
  const std::size_t slash = file.rfind('/');
  const auto above = disk_.real_path(slash == std::string::npos ? "." : file.substr(0, slash + 1));
  if (!above)
    return std::nullopt;
  const std::string name = file.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string whole = *above == "/" ? '/' + name : *above + (name.empty() ? "" : '/' + name);
  if (root_ == "/")
    return whole;
  if (!whole.starts_with(root_) || (whole.size() > root_.size() && whole[root_.size()] != '/'))
    return std::nullopt;
  return whole.size() == root_.size() ? "/" : whole.substr(root_.size());
}

void LaidOutFiles::add(const std::string& path, const std::string& archive) {
  members_.insert(path);
  archives_.insert(archive);
}

std::optional<FileStatus::Kind> LaidOutFiles::kind_of(const std::string& normal_path) const {
  if (members_.contains(normal_path))
    return FileStatus::Kind::regular;
  const auto below = members_.lower_bound(normal_path + '/');
  const bool is_directory = below != members_.end() && below->starts_with(normal_path + '/');
  return is_directory ? std::optional(FileStatus::Kind::directory) : std::nullopt;
}

std::optional<FileStatus> LaidOutFiles::status(const std::string& path) const {
  if (members_.empty())
    return files_.status(path);
  const std::string normal = lexically_normal(path);
  auto status = archives_.contains(normal) ? std::nullopt : files_.status(path);
  if (const auto kind = status ? std::nullopt : kind_of(normal))
    status.emplace().kind = *kind;
  return status;
}

std::optional<std::string> LaidOutFiles::real_path(const std::string& path) const {
  auto real = files_.real_path(path);
  if (!real && !members_.empty())
    if (std::string normal = lexically_normal(path); kind_of(normal))
      real = std::move(normal);
  return real;
}

} // namespace hostpin::leak
