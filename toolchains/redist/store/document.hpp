// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/transfer.hpp"

#include <cstdint>
#include <string>

namespace hostpin::redist {

/// Downloads a file that is read as a whole, such as a manifest, by the rules of archives: over HTTPS, from
/// files and from this machine, with redirects on the same server only. `most`: its largest size in bytes.
/// `scratch`: a directory of this process for the download. The error names the URL.
Result<std::string> fetch_document(const std::string& url, std::uint64_t most, const std::string& scratch,
                                   const TransferOptions& options);

} // namespace hostpin::redist
