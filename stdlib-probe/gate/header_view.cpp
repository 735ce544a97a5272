// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/header_view.hpp"

#include <chrono>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <memory>
#include <system_error>

namespace hostpin {

namespace {

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

llvm::vfs::FileSystem* header_view(HeaderFiles& files) {
  return new HeaderView(files);
}

} // namespace hostpin
