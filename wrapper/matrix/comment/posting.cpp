// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/posting.hpp"

#include "toolchains/base/text.hpp"
#include "wrapper/matrix/forms.hpp"

#include <utility>

namespace hostpin::matrix {

namespace {

/// Forgejo ignores `page`, and answers with all comments.
constexpr const char* one_page = "PAGES: 1";

} // namespace

std::string comment_job(Workflows service, const TemplateValues& values) {
  const bool is_github = service == Workflows::github;
  return expanded(
      templates::comment_job_yml,
      plus(values, {{"RUNNER", is_github ? "ubuntu-latest" : "docker"},
                    {"DOWNLOAD", is_github ? "actions/download-artifact@v4"
                                           : "https://data.forgejo.org/forgejo/download-artifact@v4"},
                    {"SCHEME", is_github ? "Bearer" : "token"},
                    {"PAGES", is_github ? "" : one_page},
                    {"AUTHOR", is_github ? "github-actions[bot]" : "forgejo-actions"}}));
}

std::string trusted_pipeline(std::string_view engine, const Pipeline& pipeline) {
  const std::pair<std::string_view, std::string_view> forms[] = {
      {"github-comment", templates::github_comment_yml},
      {"forgejo-comment", templates::forgejo_comment_yml},
      {"gitlab-comment", templates::gitlab_comment_yml}};
  for (const auto& [name, form] : forms)
    if (name == engine)
      return expanded(std::string(templates::comment_head_yml).append(form),
                      plus(pipeline_values(pipeline, engine), {{"PAGES", one_page}}));
  return "";
}

} // namespace hostpin::matrix
