// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstdint>
#include <string>

namespace hostpin {

/// Nanoseconds since the epoch: the beginning of a look at files, for what follows.
std::int64_t now();

/// Stands for the time of a file whose bytes may be others than were read: an answer that rests on it is not
/// remembered.
inline constexpr std::int64_t unsettled = -1;

/// The file as it is now, zeros where there is none; its time is `unsettled` if it was written, replaced or
/// put here since `asked` or shortly before. A file moved over another one keeps an old `modified`, but not
/// an old `changed`.
FileStatus settled_status(const std::string& path, std::int64_t asked, const Files& files);

} // namespace hostpin
