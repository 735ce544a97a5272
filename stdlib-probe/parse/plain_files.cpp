// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/parse/plain_files.hpp"

#include <llvm/Support/VirtualFileSystem.h>
#include <memory>
#include <utility>

namespace hostpin {

namespace {

class PlainFiles final : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::status(path);
    if (found && !found->isRegularFile() && !found->isDirectory())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (const auto found = status(path); !found)
      return found.getError();
    return ProxyFileSystem::openFileForRead(path);
  }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
plain_files(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all) {
  return llvm::makeIntrusiveRefCnt<PlainFiles>(std::move(all));
}

} // namespace hostpin
