// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <memory>
#include <string>

namespace hostpin::setup {

/// apt on Debian, Ubuntu and what is derived from them, as any user. Packages come from the machine's own
/// mirror and through its proxy; apt checks them with the machine's own keys.
Result<std::unique_ptr<PackageClient>> apt_client(const Context& context, const std::string& state_directory,
                                                  const ClientOptions& options);

} // namespace hostpin::setup
