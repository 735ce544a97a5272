// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::cxx {

/// Nothing if every key is a feature and every value `refuse` or `one-compiler`.
/// `places`: the location of each, as in Config.
std::optional<Error> runtime_override_error(const std::map<std::string, std::string>& overrides,
                                            const std::map<std::string, std::string>& places = {});

/// One rule for each feature, in the order of RuntimeFeature, for objects made by `host` and linked by
/// `link`. Empty if both are the same compiler. A combination that was not measured is refused. An override
/// replaces the rule and keeps the reason.
std::vector<plan::RuntimeRule> runtime_rules(const Compiler& host, const Compiler& link,
                                             const std::map<std::string, std::string>& overrides);

/// Where that feature would be refused, the host compiler compiles without it instead.
void drop_refused(std::vector<plan::RuntimeRule>& rules, RuntimeFeature feature);

} // namespace hostpin::cxx
