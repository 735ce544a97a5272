// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/header_files.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <memory>
#include <system_error>

namespace hostpin::probe {

namespace {

// The largest header of a toolkit's crt/ has 0.3 MB, and a gate needs none of those.
constexpr std::size_t whole_budget = std::size_t{16} << 20U;

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The only macros of a C library's features.h that depend on the compiler.
constexpr std::string_view features =
    "#ifndef _FEATURES_H\n"
    "#define _FEATURES_H 1\n"
    "#define __GNUC_PREREQ(major, minor) \\\n"
    "  (__GNUC__ > (major) || (__GNUC__ == (major) && __GNUC_MINOR__ >= (minor)))\n"
    "#ifdef __clang__\n"
    "#define __glibc_clang_prereq(major, minor) \\\n"
    "  (__clang_major__ > (major) || (__clang_major__ == (major) && __clang_minor__ >= (minor)))\n"
    "#else\n"
    "#define __glibc_clang_prereq(major, minor) 0\n"
    "#endif\n"
    "#endif\n";

bool is_stub(std::string_view path) {
  return path.starts_with(HeaderFiles::c_library);
}

bool is_features(std::string_view path) {
  return is_stub(path) && path.substr(HeaderFiles::c_library.size()) == "/features.h";
}

std::optional<FileStatus> own_status(std::string_view path) {
  FileStatus status;
  if (path == HeaderFiles::c_library) {
    status.kind = FileStatus::Kind::directory;
    return status;
  }
  if (!is_features(path))
    return std::nullopt;
  status.kind = FileStatus::Kind::regular;
  status.size = features.size();
  return status;
}

namespace vfs = llvm::vfs;

class OpenedHeader final : public vfs::File {
public:
  OpenedHeader(vfs::Status status, std::string_view content)
      : status_(std::move(status)), content_(content) {}

  llvm::ErrorOr<vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t /*size*/,
                                                               bool /*terminated*/,
                                                               bool /*is_volatile*/) override {
    return llvm::MemoryBuffer::getMemBufferCopy({content_.data(), content_.size()}, name);
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status status_;
  std::string_view content_;
};

class HeaderView final : public vfs::FileSystem {
public:
  explicit HeaderView(HeaderFiles& files) : files_(files) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& name) override {
    const std::string path = name.str();
    const auto found = files_.status(path);
    if (!found)
      return std::make_error_code(std::errc::no_such_file_or_directory);
    using llvm::sys::fs::file_type;
    const file_type type = found->kind == FileStatus::Kind::directory ? file_type::directory_file
                           : found->kind == FileStatus::Kind::regular ? file_type::regular_file
                                                                      : file_type::type_unknown;
    return vfs::Status(name, {0, files_.number(path)}, {}, 0, 0, found->size, type,
                       llvm::sys::fs::perms::all_read);
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& name) override {
    const auto content = files_.content(name.str());
    if (!content)
      return std::make_error_code(std::errc::no_such_file_or_directory);
    auto known = status(name);
    if (!known)
      return known.getError();
    // The size that was read is used: the file may have grown since its status was taken.
    auto opened = vfs::Status(name, known->getUniqueID(), {}, 0, 0, content->size(), known->getType(),
                              known->getPermissions());
    return std::make_unique<OpenedHeader>(std::move(opened), *content);
  }

  vfs::directory_iterator dir_begin(const llvm::Twine& /*directory*/, std::error_code& error) override {
    error = std::make_error_code(std::errc::operation_not_supported);
    return {};
  }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string("/"); }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine& /*path*/) override {
    return std::make_error_code(std::errc::operation_not_supported);
  }

private:
  HeaderFiles& files_;
};

} // namespace

HeaderFiles::HeaderFiles(const Files& files, const std::string& header)
    : files_(files), shown_directory_(parent(header)), budget_(whole_budget) {
  // Distributions install toolkits in /usr/include.
  const std::string above = parent(shown_directory_);
  if (files.status(above + "/features.h"))
    hidden_directory_ = above;
  // A copy of the header may be anywhere, even among those of a C library.
  if (files.status(shown_directory_ + "/features.h")) {
    hidden_directory_ = shown_directory_;
    shown_directory_ = header;
  }
}

bool HeaderFiles::hidden(const std::string& path) const {
  const auto below = [&](const std::string& directory) {
    return path == directory ||
           (path.starts_with(directory) && (directory == "/" || path[directory.size()] == '/'));
  };
  return !hidden_directory_.empty() && path != hidden_directory_ && below(hidden_directory_) &&
         !below(shown_directory_);
}

std::optional<FileStatus> HeaderFiles::status(const std::string& path) {
  if (is_stub(path))
    return own_status(path);
  if (hidden(path))
    return std::nullopt;
  const auto [known, is_new] = statuses_.try_emplace(path);
  if (is_new)
    known->second = files_.status(path);
  return known->second;
}

std::optional<std::string_view> HeaderFiles::content(const std::string& path) {
  if (is_features(path))
    return features;
  const auto known = contents_.find(path);
  if (known != contents_.end())
    return known->second;
  const auto found = status(path);
  if (!found || found->kind == FileStatus::Kind::directory)
    return std::nullopt;
  if (found->kind != FileStatus::Kind::regular) {
    complain(path + " is not a regular file");
    return std::nullopt;
  }
  if (found->size > budget_) {
    complain("the files it includes are larger than any toolkit's, " + path + " among them");
    return std::nullopt;
  }
  auto text = files_.read(path, budget_);
  if (!text) {
    complain(text.error().message);
    return std::nullopt;
  }
  budget_ -= text->size();
  return contents_.emplace(path, *std::move(text)).first->second;
}

std::uint64_t HeaderFiles::number(const std::string& path) {
  const std::string real = is_stub(path) ? path : files_.real_path(path).value_or(path);
  return numbers_.try_emplace(real, numbers_.size()).first->second;
}

std::vector<std::pair<std::string, FileStatus>> HeaderFiles::identities() const {
  std::vector<std::pair<std::string, FileStatus>> all;
  for (const auto& [path, status] : statuses_)
    if (!status || status->kind != FileStatus::Kind::directory)
      all.emplace_back(path, status.value_or(FileStatus{}));
  return all;
}

void HeaderFiles::complain(std::string text) {
  if (complaint_.empty())
    complaint_ = std::move(text);
}

llvm::vfs::FileSystem* header_view(HeaderFiles& files) {
  return new HeaderView(files);
}

} // namespace hostpin::probe
