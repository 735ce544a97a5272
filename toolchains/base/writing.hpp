// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// Creates the directory and its parents, private to the user. Existing ones are left unchanged; an error if
/// the directory itself exists and belongs to another user, or others may write to it.
Result<void> make_private_directories(const std::string& path);

/// The same for a directory whose files are trusted by path: also an error if others could exchange it in a
/// directory above it.
Result<void> make_trusted_directories(const std::string& path);

/// Writes all of it, repeating after partial writes; false, with errno set, if a write fails or takes
/// nothing.
bool write_all(int descriptor, std::string_view content);

/// Occupies the numbers of closed standard streams. Otherwise files opened next would get them, and messages
/// would be written into those files. Reading and writing the streams fails as before.
void keep_standard_streams();

/// Writes to stderr; failures to write are ignored.
void print_error(std::string_view text);

/// What `answer` returns, once everything it printed on stdout is written; an error if a write failed, so
/// that truncated output does not pass for complete.
Result<int> written_whole(const std::function<int()>& answer);

/// Replaces a file atomically: writes a file next to it and renames that. Readers see the old or new content.
/// `modified`: nanoseconds since the epoch, for a file that is identified by its time; the current time if
/// the file system does not accept it.
Result<void> replace_file(const std::string& path, std::string_view content, bool executable,
                          std::optional<std::int64_t> modified = {});

/// The same, and the content is on disk before the file has its name: after a crash of the machine too, there
/// is the old content or the new one.
Result<void> replace_file_on_disk(const std::string& path, std::string_view content);

/// Likewise, a file that only the user may read.
Result<void> replace_private_file(const std::string& path, std::string_view content);

} // namespace hostpin
