// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// Creates the directory and its parents, private to the user. Existing ones are left as they are; an error
/// where that is the directory itself and it belongs to somebody else, or others may write to it.
Result<void> make_private_directories(const std::string& path);

/// Writes all of it, however often the system takes only a part; false, with errno set, when it takes no
/// more.
bool write_all(int descriptor, std::string_view content);

/// Keeps the numbers of standard streams that are closed from the files opened next, which would take what is
/// said for their content. Reading and writing the streams fails as before.
void keep_standard_streams();

/// Says it on stderr. That nobody could be told changes neither what is done nor the exit code.
void tell(std::string_view text);

/// What `answer` returns, once all that it printed on stdout is written; an error where stdout did not take
/// it, for an answer that is cut is not to pass for whole.
Result<int> written_whole(const std::function<int()>& answer);

/// Replaces a file in one step: written beside it, then renamed. Readers see the old or the new content.
/// `modified`: nanoseconds since the epoch, for a file that is to be known by them; where the file system
/// takes no such time it is the present.
Result<void> replace_file(const std::string& path, std::string_view content, bool executable,
                          std::optional<std::int64_t> modified = {});

} // namespace hostpin
