// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

namespace llvm::vfs {
class FileSystem;
}

namespace hostpin {

/// `all` with only regular files and directories: opening a pipe or a device that is named like a header
/// would block the reader forever. Such paths do not exist for the reader.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
plain_files(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all);

} // namespace hostpin
