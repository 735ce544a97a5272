// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/forms.hpp"

#include <string>
#include <string_view>

namespace hostpin::matrix {

// Forms, in which @HOSTPIN@, @MATRIX@, @STEP@ and @BEFORE@ are still to be replaced.

/// What those names, and @EMIT@, stand for in the files of a pipeline.
FormValues pipeline_values(const Pipeline& pipeline, std::string_view engine);

/// A line of shell after which GitHub's and Forgejo's runners take no line of a step for a workflow command.
extern const std::string_view no_commands;

/// The job of a workflow that comments on a pull request of the repository itself.
enum class Workflows { github, forgejo };
std::string comment_job(Workflows service);

/// A file for the default branch that comments on pull requests whose own jobs have no token, those of forks
/// and at GitLab all: `github-comment`, `gitlab-comment` or `forgejo-comment`; empty: another engine. The
/// service says which pull requests there are; the artifact of a run says only what differs.
std::string trusted_pipeline(std::string_view engine, const Pipeline& pipeline);

} // namespace hostpin::matrix
