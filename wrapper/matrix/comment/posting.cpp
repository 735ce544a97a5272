// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/posting.hpp"

#include "toolchains/base/text.hpp"
#include "wrapper/matrix/forms.hpp"

#include <utility>

namespace hostpin::matrix {

namespace {

/// Functions of shell, which end at each error also where `set -e` does not count. The marker is that of the
/// path in the file, and comments of other authors do not count: neither an artifact nor a stranger's comment
/// chooses what is changed.
constexpr std::string_view post =
    R"(# OPTION... URL: one call of the service; the token is in no argument, which other processes see
api() {
  printf 'header = "%s"\n' "$AUTH" | curl --config - -fsS --retry 3 --max-time 60 "$@"
}
# LIST COMMENTS METHOD AUTHOR: updates the comment of this author with this marker; creates it if something is broken
post() {
  code=0
  @HOSTPIN@ matrix diff --format request --matrix @MATRIX@ difference.json >request.json || code=$?
  [ -s request.json ] || return 2
  marker=$(@HOSTPIN@ matrix diff --format marker --matrix @MATRIX@ difference.json) || [ $? -le 2 ]
  [ -n "$marker" ] || return 2
  id='' page=1
  while [ -z "$id" ]; do
    [ "$page" -le 20 ] || return 2 # it may be on a page that was not read
    api "$1?per_page=100&page=$page" -o comments.json || return 2
    more=0
    id=$(@HOSTPIN@ matrix answer comments.json --where "$4" --starts "body=$marker plan " --print id) || more=$?
    case $more in 0) ;; 1) break ;; *) return 2 ;; esac
    [ "$page" != "${PAGES-}" ] || break
    page=$((page + 1))
  done
  id=$(printf '%s\n' "$id" | head -n 1)
  if [ -n "$id" ]; then
    api -X "$3" -H 'Content-Type: application/json' --data-binary @request.json -o answer.json "$2/$id" || return 2
  elif [ "$code" != 0 ]; then
    # not again: a call without an answer may have created it
    api --retry 0 -H 'Content-Type: application/json' --data-binary @request.json -o answer.json "$1" || return 2
  fi
})";

/// @DOWNLOAD@: the action that fetches an artifact; @PAGES@: the pages of a list, where the service has one.
constexpr std::string_view workflow_job = R"(  comment:
    needs: merge
    if: ${{ !cancelled() && github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository }}
    runs-on: @RUNNER@
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@v4
@STEP@      - uses: @DOWNLOAD@
        continue-on-error: true # there was nothing to compare with
        with:
          name: difference
      - env:
          AUTH: "Authorization: @SCHEME@ ${{ github.token }}"
          PULL: ${{ github.event.pull_request.number }}
@PAGES@        run: |
          @STOP@
          [ -e difference.json ] || exit 0
@POST@
          issues=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
          post "$issues/$PULL/comments" "$issues/comments" PATCH 'user.login=@AUTHOR@'
)";

constexpr std::string_view trusted_head =
    R"(# Comments on pull requests whose own jobs have no token. It belongs on the default branch, next to the pipeline of
# the matrix: what differs is the artifact of their run, what may be changed is not. Written by:
#   @EMIT@
)";

/// The event names the run and the branch; the service names the open pull requests of that branch.
constexpr std::string_view github_trusted = R"(name: matrix-comment
on:
  workflow_run:
    workflows: [matrix]
    types: [completed]
permissions: {}
jobs:
  comment:
    if: github.event.workflow_run.event == 'pull_request' && github.event.workflow_run.head_repository.full_name != github.repository
    runs-on: ubuntu-latest
    concurrency: # a run at a time for each branch of a fork, so that none creates a second comment
      group: matrix-comment-${{ github.event.workflow_run.head_repository.full_name }}-${{ github.event.workflow_run.head_branch }}
      cancel-in-progress: true
    permissions:
      actions: read
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@v4
@STEP@      - uses: actions/download-artifact@v4
        continue-on-error: true # there was nothing to compare with
        with:
          name: difference
          path: untrusted
          run-id: ${{ github.event.workflow_run.id }}
          github-token: ${{ github.token }}
      - env:
          AUTH: "Authorization: Bearer ${{ github.token }}"
          HEAD: ${{ github.event.workflow_run.head_repository.owner.login }}:${{ github.event.workflow_run.head_branch }}
          COMMIT: ${{ github.event.workflow_run.head_sha }}
        run: |
          @STOP@
          [ -f untrusted/difference.json ] && [ ! -L untrusted/difference.json ] || exit 0
          mv untrusted/difference.json difference.json
@POST@
          repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
          api --get --data-urlencode "head=$HEAD" -o pulls.json "$repository/pulls?state=open&per_page=100"
          # none: it is closed, or has newer commits, whose run comments
          pulls=$(@HOSTPIN@ matrix answer pulls.json --where "head.sha=$COMMIT" --print number) || [ $? = 1 ]
          for pull in $pulls; do
            post "$repository/issues/$pull/comments" "$repository/issues/comments" PATCH 'user.login=github-actions[bot]'
          done
)";

/// Forgejo's API has no artifacts: they are where its pages have them.
constexpr std::string_view forgejo_trusted = R"(name: matrix-comment
on:
  schedule:
    - cron: "*/15 * * * *"
  workflow_dispatch:
concurrency:
  group: matrix-comment
jobs:
  comment:
    runs-on: docker
    steps:
      - uses: actions/checkout@v4
@STEP@      - env:
          AUTH: "Authorization: token ${{ github.token }}"
@PAGES@        run: |
          @STOP@
@POST@
          repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
          api -o pulls.json "$repository/pulls?state=open&limit=50"
          api -o tasks.json "$repository/actions/tasks?limit=50"
          @HOSTPIN@ matrix answer pulls.json --print number --print head.sha >pulls || [ $? = 1 ]
          while read -r pull commit; do
            run=$(@HOSTPIN@ matrix answer tasks.json --list workflow_runs --where "head_sha=$commit" \
              --where event=pull_request --where name=merge --print run_number | sort -n | tail -n 1)
            [ -n "$run" ] || continue # it has not run yet
            artifact=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$run/artifacts/difference
            api -L --max-filesize 67108864 -o difference.zip "$artifact" || continue
            unzip -p difference.zip difference.json | head -c 67108864 >difference.json || continue
            post "$repository/issues/$pull/comments" "$repository/issues/comments" PATCH 'user.login=forgejo-actions' || true
          done <pulls
)";

/// It ignores `page`, and answers with all comments.
constexpr const char* one_page = "          PAGES: 1\n";

/// The scheduled pipeline's job, for all merge requests: a protected variable is not in their own pipelines.
/// The project of its branch has the run of a merge request, and the artifact.
constexpr std::string_view gitlab_trusted =
    R"(# Include it, and make a schedule with the variable MATRIX_COMMENT. MATRIX_TOKEN is a token of the project (api) in a
# variable that is protected and masked; the schedule is for a protected branch.
matrix-comment:
  stage: plan
  resource_group: matrix-comment # one at a time, so that none creates a second comment
  rules:
    - if: $MATRIX_COMMENT && $MATRIX_TOKEN
@BEFORE@  script:
    - |
      AUTH="Authorization: Bearer $MATRIX_TOKEN" # the header that curl does not send on to another host
@POST@
      projects=$CI_API_V4_URL/projects
      api -o user.json "$CI_API_V4_URL/user"
      author=$(@HOSTPIN@ matrix answer user.json --print id)
      api -o requests.json "$projects/$CI_PROJECT_ID/merge_requests?state=opened&per_page=100"
      @HOSTPIN@ matrix answer requests.json --print iid --print sha --print source_project_id >requests ||
        [ $? = 1 ]
      first() { @HOSTPIN@ matrix answer "$@" | head -n 1; }
      while read -r request commit source; do
        api -o pipelines.json "$projects/$source/pipelines?sha=$commit&source=merge_request_event" || continue
        parent=$(first pipelines.json --print id) && [ -n "$parent" ] || continue
        api -o bridges.json "$projects/$source/pipelines/$parent/bridges" || continue
        child=$(first bridges.json --where name=cells --print downstream_pipeline.id) && [ -n "$child" ] || continue
        api -o jobs.json "$projects/$source/pipelines/$child/jobs?per_page=100" || continue
        job=$(first jobs.json --where name=merge --print id) && [ -n "$job" ] || continue
        artifact=$projects/$source/jobs/$job/artifacts/difference.json
        api -L --max-filesize 67108864 -o difference.json "$artifact" || continue
        notes=$projects/$CI_PROJECT_ID/merge_requests/$request/notes
        post "$notes" "$notes" PUT "author.id=$author" || true
      done <requests
)";

std::string form_of(std::string_view form, std::size_t spaces) {
  return with(form, {{"@POST@", indented(post, spaces)}, {"@STOP@", std::string(no_commands)}});
}

} // namespace

const std::string_view no_commands =
    "echo \"::stop-commands::$(cat /proc/sys/kernel/random/uuid)\" # what cells print is no command";

std::string comment_job(Workflows service) {
  constexpr std::size_t spaces = 10;
  const bool is_github = service == Workflows::github;
  return with(form_of(workflow_job, spaces),
              {{"@RUNNER@", is_github ? "ubuntu-latest" : "docker"},
               {"@DOWNLOAD@", is_github ? "actions/download-artifact@v4"
                                        : "https://data.forgejo.org/forgejo/download-artifact@v4"},
               {"@SCHEME@", is_github ? "Bearer" : "token"},
               {"@PAGES@", is_github ? "" : one_page},
               {"@AUTHOR@", is_github ? "github-actions[bot]" : "forgejo-actions"}});
}

std::string trusted_pipeline(std::string_view engine, const Pipeline& pipeline) {
  constexpr std::size_t deep = 10, flat = 6;
  const std::pair<std::string_view, std::string> forms[] = {
      {"github-comment", form_of(github_trusted, deep)},
      {"forgejo-comment", with(form_of(forgejo_trusted, deep), {{"@PAGES@", one_page}})},
      {"gitlab-comment", form_of(gitlab_trusted, flat)}};
  for (const auto& [name, form] : forms)
    if (name == engine)
      return with(std::string(trusted_head) + form, pipeline_values(pipeline, engine));
  return "";
}

} // namespace hostpin::matrix
