// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/root.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/symlinks.hpp"
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

/// Of a root that is not written: no machine has it.
constexpr const char* planned_directory = "/.root/";

bool may_be_image(const OriginEntry& entry) {
  return entry.link.empty() &&
         (entry.output == "lib" || entry.output == "stubs" || entry.output == "compat" || entry.executable);
}

std::optional<binary::Image> image_of(const std::string& path) {
  const auto file = binary::MappedFile::open(path);
  if (!file || !file->bytes().starts_with("\x7f"
                                          "ELF"))
    return std::nullopt;
  auto image = binary::read_image(file->bytes());
  return image ? *std::move(image) : std::nullopt;
}

} // namespace

Root::Root(Origin origin, const std::map<std::string, std::string>& sources, std::string directory)
    : origin_(std::move(origin)), directory_(std::move(directory)) {
  files_.reserve(origin_.entries.size());
  for (const OriginEntry& entry : origin_.entries) {
    RootFile one{&entry, sources.at(entry.path), 0, {}};
    std::error_code error;
    if (entry.link.empty() && !one.file.empty())
      one.size = std::filesystem::file_size(one.file, error);
    if (error)
      one.size = 0;
    if (may_be_image(entry))
      one.image = image_of(one.file);
    by_path_.emplace(entry.path, files_.size());
    files_.push_back(std::move(one));
  }
}

Root Root::of_directory(const std::string& directory, Origin origin) {
  std::map<std::string, std::string> sources;
  for (const OriginEntry& entry : origin.entries)
    sources.emplace(entry.path, directory + '/' + entry.path);
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(directory, error);
  return {std::move(origin), sources, error ? planned_directory : real.string() + '/'};
}

Root Root::of_plan(const RootPlan& plan) {
  Origin origin = plan.origin;
  std::map<std::string, std::string> sources;
  for (const RootPiece& piece : plan.pieces) {
    origin.entries.push_back(piece.entry);
    sources.emplace(piece.entry.path, piece.source);
  }
  return {std::move(origin), sources, planned_directory};
}

const RootFile* Root::at(const std::string& path) const {
  std::string now = path;
  for (int links = 0; links < 8; ++links) {
    const auto found = by_path_.find(now);
    if (found == by_path_.end())
      return nullptr;
    const RootFile& file = files_[found->second];
    if (file.entry->link.empty())
      return &file;
    now = (std::filesystem::path(now).parent_path() / file.entry->link).lexically_normal().string();
  }
  return nullptr;
}

const LockedArchive* Root::archive_of(const RootFile& file) const {
  return file.entry->archive ? &origin_.archives[*file.entry->archive] : nullptr;
}

std::string Root::directory_of(const RootFile& file) {
  return file.entry->path.substr(0, file.entry->path.rfind('/') + 1);
}

std::optional<std::string> Root::real_path(const std::string& path) const {
  return resolved(path, [this](const std::string& one) -> std::optional<std::string> {
    if (!one.starts_with(directory_))
      return (one + '/') == directory_ || directory_.starts_with(one + '/') ? std::optional<std::string>("")
                                                                            : std::nullopt;
    const std::string below = one.substr(directory_.size());
    if (const auto found = by_path_.find(below); found != by_path_.end())
      return files_[found->second].entry->link;
    const auto within = by_path_.lower_bound(below + '/');
    return within != by_path_.end() && within->first.starts_with(below + '/') ? std::optional<std::string>("")
                                                                              : std::nullopt;
  });
}

const RootFile* Root::loaded_from(const std::string& path) const {
  const auto real = path.starts_with('/') ? real_path(path) : std::nullopt;
  return real && real->starts_with(directory_) ? at(real->substr(directory_.size())) : nullptr;
}

/// `targets/NAME/lib` for a file anywhere below `targets/NAME`, the default target's for all others.
std::string Root::library_directory(const RootFile& user) const {
  const std::string& path = user.entry->path;
  const std::size_t end =
      path.starts_with("targets/") ? path.find('/', std::strlen("targets/")) : std::string::npos;
  return directory_ + (end == std::string::npos ? "" : path.substr(0, end + 1)) + "lib";
}

const RootFile* Root::library(const RootFile& user, std::string_view name) const {
  loader::LoaderPlaces places;
  places.library_path = {library_directory(user)};
  if (user.entry->output == "compat") // a program finds these by its run path, which leads to all of them
    places.library_path.push_back(directory_ + directory_of(user));
  places.real_path = [this](const std::string& path) { return real_path(path).value_or(path); };
  const auto read = [this](const std::string& path) {
    const RootFile* const file = loaded_from(path);
    return file == nullptr ? std::nullopt : file->image;
  };
  const auto found =
      loader::found(std::string(name), directory_ + user.entry->path, *user.image, places, read);
  return found ? loaded_from(found->path) : nullptr;
}

const RootFile* Root::opened(const RootFile& user, std::string_view name) const {
  if (const RootFile* const found = library(user, name))
    return found;
  // `libnvrtc.so.%d` is a format of names.
  if (const std::string_view version = library_version(name); version.starts_with('%'))
    name.remove_suffix(version.size() + 1);
  else if (!version.empty())
    return nullptr;
  // libcudnn opens "libcudnn_ops.so" with its own major appended.
  const std::string own = directory_of(user);
  const std::string prefix = own + std::string(name) + '.';
  const auto found = by_path_.lower_bound(prefix);
  return found != by_path_.end() && found->first.starts_with(prefix) ? at(found->first) : nullptr;
}

} // namespace hostpin::redist
