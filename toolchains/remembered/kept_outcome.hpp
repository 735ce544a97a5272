// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/remembered/driver_ground.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// What AnswerCache holds for an outcome or a text: JSON.
struct Kept {
  Outcome outcome;  ///< of a program that ended by itself
  std::string text; ///< where it is no outcome
  Ground ground;

  bool operator==(const Kept&) const = default;
};

/// Nothing for any other bytes than `kept_json` writes.
std::optional<Kept> read_kept(std::string_view bytes);

/// With the identity of each file of the ground. Nothing where that is not settled since `asked`, or bytes
/// are no UTF-8 and could not be read back as they were.
std::optional<std::string> kept_json(const Kept& kept, std::int64_t asked, const Files& files);

} // namespace hostpin
