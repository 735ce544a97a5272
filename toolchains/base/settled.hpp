// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstdint>
#include <string>

namespace hostpin {

/// Nanoseconds since the epoch; taken before files are read.
std::int64_t now();

/// Used as the time of a file whose content may have changed since it was read: an answer that depends on it
/// is not cached.
inline constexpr std::int64_t unsettled = -1;

/// The file's current status, zeros if there is none; its time is `unsettled` if it was written, replaced or
/// created since `asked` or shortly before. A file moved over another one keeps an old `modified`, but not an
/// old `changed`.
FileStatus settled_status(const std::string& path, std::int64_t asked, const Files& files);

} // namespace hostpin
