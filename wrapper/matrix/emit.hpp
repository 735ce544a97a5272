// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/matrix/plan.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// What the jobs of an engine call, as they find it: absolute paths, or relative to where they start.
struct Jobs {
  std::string hostpin;  ///< the program
  std::string plan;     ///< directory of the plan
  std::string results;  ///< directory for the results
  std::string setup{};  ///< a command that CI services run before, in each job; may be empty
  std::string matrix{}; ///< the description, in the repository; may be empty
};

/// The command that runs a cell.
std::string run_command(const Jobs& jobs, const std::string& id);

/// The engines that a plan can be written for: `make`, `slurm`, `nix`, `github`, `gitlab`, `buildbot`, and
/// what the pipelines of `pipeline_emission` call: `github-outputs`, `gitlab-child`, `cells`.
std::vector<std::string> engines();

/// The engine's own file, in which each job is a call of `hostpin matrix run`, and one merges. The error says
/// which engines there are.
Result<std::string> emission(std::string_view engine, const Plan& plan, const Jobs& jobs);

/// A pipeline of a CI service that makes the plan itself, each time it runs.
struct Pipeline {
  std::string hostpin; ///< the program, as the jobs find it
  std::string matrix;  ///< the description, in the repository
  std::string setup;   ///< a command that each job runs before; may be empty
};

/// The file for `github`, `gitlab` or `forgejo`, which runs what changed since the run before, whose results
/// are in the service's cache; for `github-comment`, `gitlab-comment` or `forgejo-comment` the file that
/// comments on pull requests of forks; an error for another engine.
Result<std::string> pipeline_emission(std::string_view engine, const Pipeline& pipeline);

/// Cells by name, and whether they need a GPU.
using ServiceCells = std::vector<std::pair<std::string, bool>>;

/// The pipeline that GitLab runs as the child of that one.
std::string gitlab_child_pipeline(const ServiceCells& cells, const Pipeline& pipeline);

/// The pipeline of a plan that exists. `merge`: the command that merges.
std::string gitlab_plan_pipeline(const ServiceCells& cells, const Jobs& jobs, const std::string& merge);

/// The cells of each job, separated by spaces, by what the jobs need.
struct GithubJobs {
  std::vector<std::string> cpu, gpu;
};

/// The workflow of a plan that exists. `merge`: the command that merges.
std::string github_plan_workflow(const GithubJobs& cells, const Jobs& jobs, const std::string& merge);

} // namespace hostpin::matrix
