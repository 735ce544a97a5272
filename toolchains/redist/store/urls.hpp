// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/redist/lock.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// Where a download starts. Only https is allowed, file, and http to this machine or a host that a user
/// named.
struct Url {
  std::string scheme; ///< lower case
  std::string host;   ///< lower case; of IPv6 addresses with brackets; empty for file
  std::string port;   ///< the scheme's if the URL has none
};

/// The parts of an absolute URL; an error if it is not one.
Result<Url> parse_url(const std::string& url);

/// Whether archives may be downloaded from there. `named`: the user gave this URL, so that http is accepted.
/// The error is the reason.
Result<void> check_url(const std::string& url, bool named);

/// Whether a server may redirect a download: on the same host, and not from https to http. Otherwise bytes
/// and credentials would go to or come from a host that nobody named.
Result<void> check_redirect(const std::string& from, const std::string& to);

/// The URLs to try for an archive, in order: that of the lock; with the URL of a mirror, the archive's path
/// there, and that below `PRODUCT/redist/`.
Result<std::vector<std::string>> urls_of(const Lock& lock, const LockedArchive& archive,
                                         const std::string& mirror);

/// The archive in a directory that is a mirror: one of the same two paths. An error if there is neither.
Result<std::string> mirrored_file(const LockedArchive& archive, const std::string& mirror,
                                  const Files& files);

} // namespace hostpin::redist
