// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// Whether an absolute path is one of our own programs (`nvcc`, `c++`), which discovery must never find: a
/// wrapper that chose itself would run itself for ever.
using IsOwn = std::function<bool(const std::string& path)>;

/// The usual answer: a path is ours when its file is inside a `libexec/hostpin` directory, is one of `known`
/// (symlinks resolved on both sides), or lies in a bound directory, which holds `plan` and `binding.toml`.
/// `files` must outlive the predicate.
IsOwn own_programs(const Files& files, const std::vector<std::string>& known = {});

} // namespace hostpin
