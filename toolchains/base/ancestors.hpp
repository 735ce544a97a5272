// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// The first directory or link on the way to an absolute path, itself included, that another user owns, or in
/// which others can exchange entries: they can replace whatever is below it at any time. Empty if there is
/// none. Parts that do not exist are skipped. The owner of `/` is trusted like root, whose number is another
/// one in a user namespace, and so is a group with its owner's number, which is the owner's private group.
std::string exchangeable_by_others(const std::string& path);

/// The first link on the way to an absolute path, itself included, that belongs to a user who is not trusted,
/// by the same rule. Empty if there is none. Its owner chooses the directory in which files are read and
/// written.
std::string link_of_another(const std::string& path);

} // namespace hostpin
