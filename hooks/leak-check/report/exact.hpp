// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/list.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

// What a report says of one thing, and the way back: of a shard's report nothing may be lost.

namespace hostpin {

using ReportJson = nlohmann::ordered_json;

/// As command/README.md has it. `exact`: with `tree` and `raw`, so that it can be read again.
ReportJson json_of(const Finding& finding, bool exact);
ReportJson json_of(const Unseen& unseen, bool exact);
ReportJson json_of(const HeldCode& held, const HeldAmount& amount, bool exact);

/// Numbers in reports, which any program can read exactly.
constexpr std::uint64_t most_in_json = std::uint64_t{1} << 53U;

/// What `json_of` made exact ones of; the error is what is wrong with it: `its rule is none`.
Result<Finding> finding_of(const ReportJson& json);
Result<Unseen> unseen_of(const ReportJson& json);
Result<std::pair<HeldCode, HeldAmount>> held_of(const ReportJson& json);

/// A member of an object; the error says what it should be.
Result<std::string> text_in(const ReportJson& json, const char* key);
Result<std::uint64_t> number_in(const ReportJson& json, const char* key);
/// Of 16 hexadecimal digits.
Result<std::uint64_t> digest_in(const ReportJson& json, const char* key);
Result<Rule> rule_in(const ReportJson& json);
Result<Severity> severity_in(const ReportJson& json);

} // namespace hostpin
