// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/document/value.hpp"

namespace hostpin::document {

/// Parses TOML 1.0. Nesting is limited to 256 levels.
tl::expected<Value, Problem> parse_toml(std::string_view content);

/// Reads and parses a file of at most 1 MiB.
Result<Value> read_toml(const Files& files, const std::string& path);

} // namespace hostpin::document
