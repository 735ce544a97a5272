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

/// What AnswerCache stores for an outcome or a text, as JSON.
struct Kept {
  Outcome outcome;  ///< of a program that exited
  std::string text; ///< if it is not an outcome
  Ground ground;

  bool operator==(const Kept&) const = default;
};

/// Nothing for bytes that `kept_json` does not write.
std::optional<Kept> read_kept(std::string_view bytes);

/// The JSON, with the size and times of each dependency. Nothing if one of them has changed since `asked`, or
/// if the text is not UTF-8 and could not be read back unchanged.
std::optional<std::string> kept_json(const Kept& kept, std::int64_t asked, const Files& files);

} // namespace hostpin
