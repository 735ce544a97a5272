// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/setup/other_sources.hpp"
#include "toolchains/setup/packages.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/setup/asked.hpp"
#include "wrapper/setup/plan.hpp"

#include <functional>
#include <optional>
#include <string>

namespace hostpin::setup {

/// Makes the package client when it is needed first: what needs nothing of a distribution starts none.
using ClientMaker = std::function<Result<PackageClient*>()>;

/// The text of the lock of NVIDIA's archives, for one of its platforms.
using LockMaker = std::function<Result<std::string>(const std::string& platform)>;

/// The toolkit that NVIDIA's wheels make.
using WheelMaker = std::function<Result<Piece>()>;

/// The toolkit of this machine that is used: the first that the user asks for; nothing if one is fetched.
std::optional<Toolkit> present_toolkit(const Survey& survey, const Asked& asked);

/// What has to be fetched to bind as the user asks. `survey` is one with `present_toolkit` named, if there is
/// one. Without a C++ compiler on the machine a stdenv is fetched, unless one is named. `lock` is called for
/// Source::redist, `wheels` for Source::wheels, and for Source::any where the distribution has no such
/// toolkit.
Planned<Plan> make_plan(const Survey& survey, const SurveyInputs& inputs, const Asked& asked,
                        const ClientMaker& client, const LockMaker& lock, const WheelMaker& wheels);

/// The toolkit that a lock makes for this machine. The error says what the lock lacks.
Result<Piece> redist_piece(const std::string& lock, const std::string& file, const std::string& platform);

/// The error with the ways to such a compiler that need no package client, as commands at the end of its
/// hint.
Error with_other_sources(Error error, const Wish& wish, const Environment& environment);

} // namespace hostpin::setup
