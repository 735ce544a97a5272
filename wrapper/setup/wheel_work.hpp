// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/setup/asked.hpp"
#include "wrapper/setup/plan.hpp"

#include <cstdint>
#include <string>

namespace hostpin::setup {

/// The toolkit that pip finds in the index. `data` is the directory of the tables, `state` an existing one
/// like `.work`: pip's answer is stored there for a later call, and the wheels that it downloads for it are
/// where `fetch_wheels` looks.
Result<Piece> find_wheels(const Context& context, const std::string& data, const Asked& asked,
                          const std::string& state);

/// The bytes of the wheels that calls with that `state` have downloaded.
std::uint64_t wheel_bytes(const std::string& state);

/// Downloads those wheels of the piece to `state`/files/cuda that are not there with the right hash.
Result<void> fetch_wheels(const Context& context, const Piece& piece, const std::string& state);

} // namespace hostpin::setup
