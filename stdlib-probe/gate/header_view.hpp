// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/gate/header_files.hpp"

namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace hostpin {

/// `files` as Clang sees them; they must outlive it. It belongs to the first llvm::IntrusiveRefCntPtr that
/// holds it.
llvm::vfs::FileSystem* header_view(HeaderFiles& files);

} // namespace hostpin
