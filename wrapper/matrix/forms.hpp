// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/templates.hpp"

#include <string>
#include <string_view>

namespace hostpin::matrix {

/// The files in templates/, by their names.
namespace templates {
extern const std::string_view buildbot_py, matrix_mk, matrix_nix, slurm_sh;
extern const std::string_view github_yml, github_plan_yml, github_cells_yml, github_merge_yml,
    concurrency_yml, forgejo_yml, merge_sh, show_sh;
extern const std::string_view gitlab_yml, gitlab_jobs_yml, gitlab_take_yml;
extern const std::string_view comment_head_yml, comment_job_yml, github_comment_yml, gitlab_comment_yml,
    forgejo_comment_yml, post_sh;
} // namespace templates

/// The values of a template, and those that only a part of it has.
TemplateValues plus(TemplateValues values, const TemplateValues& own);

/// Text in double quotes, as JSON, which is YAML and Python.
std::string yaml_text(const std::string& text);

} // namespace hostpin::matrix
