// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// Whether an absolute path is one of hostpin's programs (`nvcc`, `c++`), which discovery must never find: a
/// launcher that selected itself would run itself forever.
using IsOwn = std::function<bool(const std::string& path)>;

/// The usual predicate: true if the file is inside a `libexec/hostpin` directory, is one of `known`
/// (symlinks resolved on both sides), or is in a bound directory, which contains `plan` and `binding.toml`.
/// `files` must outlive the predicate.
IsOwn own_programs(const Files& files, const std::vector<std::string>& known = {});

} // namespace hostpin
