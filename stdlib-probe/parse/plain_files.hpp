// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

namespace llvm::vfs {
class FileSystem;
}

namespace hostpin {

/// `all` without what is neither a regular file nor a directory: opening a pipe or a device that is named
/// like a header would keep the reader waiting for ever. Such a path is one that does not exist.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
plain_files(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all);

} // namespace hostpin
