// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/forms.hpp"

#include <string>
#include <string_view>

namespace hostpin::matrix {

/// The values of the names that the files of a pipeline have in common.
TemplateValues pipeline_values(const Pipeline& pipeline, std::string_view engine);

/// A line of shell after which GitHub's and Forgejo's runners take no line of a step for a workflow command.
inline constexpr const char* no_commands =
    "echo \"::stop-commands::$(cat /proc/sys/kernel/random/uuid)\" # what cells print is no command";

/// The job of a workflow that comments on a pull request of the repository itself.
enum class Workflows { github, forgejo };
std::string comment_job(Workflows service, const TemplateValues& values);

/// A file for the default branch that comments on pull requests whose own jobs have no token, those of forks
/// and at GitLab all: `github-comment`, `gitlab-comment` or `forgejo-comment`; empty: another engine. The
/// service says which pull requests there are; the artifact of a run says only what differs.
std::string trusted_pipeline(std::string_view engine, const Pipeline& pipeline);

} // namespace hostpin::matrix
