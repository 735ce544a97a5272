// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/setup/plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// A license that has to be accepted before something is fetched.
struct License {
  std::string name;    ///< `NVIDIA CUDA EULA`
  std::string of;      ///< `CUDA 12.4.1`
  std::string address; ///< of its text; may be empty
};

/// Those of a plan, each once. The rows of licenses.toml in `data` have the addresses.
Result<std::vector<License>> licenses_of(const Plan& plan, const Files& files, const std::string& data);

/// How a question is put to the user.
struct Questions {
  bool terminal = false; ///< somebody can answer
  /// Prints a question and returns the answer, a line without its end; nothing at the end of the input.
  std::function<std::optional<std::string>(const std::string& question)> ask;
};

/// An accepted license.
struct Consent {
  License license;
  std::string by;   ///< `--accept-eula`, or `typed on a terminal`
  std::string when; ///< UTC, `2026-11-26T01:30:00Z`
};

/// Asks for each license, unless `accepted` by an option. An error if it was not accepted.
Result<std::vector<Consent>> accept(const std::vector<License>& licenses, bool accepted,
                                    const Questions& questions, const std::string& now);

/// The time as in Consent::when.
std::string utc_text(std::int64_t seconds);

} // namespace hostpin::setup
