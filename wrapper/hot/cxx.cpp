// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/response.hpp"
#include "wrapper/cxx/run_path.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/identity/identity.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace hostpin::hot {

namespace {

/// A bound directory stores the configuration at the time of bind; an unbound call reads it again.
std::string refreshing(const plan::Plan& plan, const Self& self) {
  if (!plan.home.empty() || access(concat({self.directory, "/plan"}).c_str(), F_OK) != 0)
    return {};
  return concat({"; after a change of the configuration: ",
                 bind_command(plan.hostpin, {"--refresh", bound_by_user(self)})});
}

constexpr std::size_t record_limit = 65536;

std::string record_path(const Loaded& loaded) {
  const std::string_view cxx = loaded.cxx;
  return concat({cxx.substr(0, cxx.rfind('/')), "/identity"});
}

/// Whether LIBRARY_PATH leads GCC's driver to no other specs file.
bool no_other_specs(const identity::Identity& identity, const char* const* envp) {
  const auto library_path = variable(envp, "LIBRARY_PATH");
  const auto paths = identity::specs_files(identity, library_path.value_or(std::string_view()));
  return paths && std::all_of(paths->begin(), paths->end(), [](const std::string& path) {
           return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
         });
}

bool is_same(const plan::PlanFile& a, const plan::PlanFile& b) {
  return a.modified == b.modified && a.size == b.size && a.kind == b.kind && a.path == b.path;
}

/// The plan's other dependencies were checked a moment ago.
bool is_current(const identity::Identity& identity, const plan::Plan& plan) {
  return std::all_of(identity.files.begin(), identity.files.end(), [&](const plan::PlanFile& file) {
    return std::any_of(plan.files.begin(), plan.files.end(),
                       [&](const plan::PlanFile& looked_at) { return is_same(looked_at, file); }) ||
           first_change({&file, 1}) == nullptr;
  });
}

/// The exit code; nothing if nothing was written, so that the compiler can still be run.
std::optional<int> print(std::string_view text) {
  const std::string_view left = write_all(STDOUT_FILENO, text);
  if (left.empty())
    return 0;
  if (left.size() == text.size())
    return std::nullopt;
  complain(
      concat({"cannot write the complete answer to nvcc's query for its host compiler: ", strerror(errno)}));
  return exit_broken;
}

/// Answers nvcc's query for its host compiler in place of that compiler, with exactly its output: the exit
/// code. Returns nothing, and prints nothing, if the call is anything else, or the compiler has to be run:
/// there is no record, it may be stale, a variable could change the answer, or HOSTPIN_IDENTITY forbids it.
std::optional<int> answer_identity(const Loaded& loaded, std::span<const char* const> arguments,
                                   char* const* envp) {
  const std::string_view name = identity::asked_file(arguments);
  if (name.empty() || loaded.plan.identity.empty() ||
      variable(envp, "HOSTPIN_IDENTITY").value_or("on") != "on")
    return std::nullopt;
  const auto bytes = read_whole(record_path(loaded), record_limit, false);
  if (!bytes)
    return std::nullopt;
  const auto digest = hexadecimal(checksum(*bytes));
  if (loaded.plan.identity != std::string_view(digest.data(), digest.size()))
    return std::nullopt;
  const auto identity = identity::read_identity(*bytes);
  if (!identity || !identity::disturbing_variable(*identity, envp).empty() ||
      !no_other_specs(*identity, envp) || !is_current(*identity, loaded.plan))
    return std::nullopt;
  const auto question = read_whole(std::string(name), identity->question.size(), false);
  if (!question || *question != identity->question)
    return std::nullopt;
  return print(identity::answer_for(*identity, name));
}

} // namespace

int run_cxx(const Self& self, std::span<const char* const> arguments, char* const* envp) {
  const Obtained obtained = obtain_for_cxx(self, arguments, envp);
  if (obtained.loaded == nullptr)
    return obtained.exit_code;
  if (const auto answered = answer_identity(*obtained.loaded, arguments, envp))
    return *answered;
  const plan::Plan& plan = obtained.loaded->plan;

  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  cxx::CxxCall call = cxx::cxx_call(words, cmdline::DiskArgumentFiles());
  std::vector<const char*> for_stub;
  if (call.registration) {
    for_stub = cxx::stub_arguments(plan, arguments);
    arguments = for_stub;
    words.assign(arguments.begin(), arguments.end());
    call = cxx::cxx_call(words, cmdline::DiskArgumentFiles());
  }
  const auto policy = lto_policy(plan, envp);
  if (!policy)
    return exit_broken;
  const cxx::Decision decision = cxx::choose_driver(plan, call, *policy);
  if (decision.act == cxx::Decision::Act::refuse) {
    complain(decision.message, concat({decision.hint, refreshing(plan, self)}), decision.kind);
    return exit_refused;
  }
  // A policy names the object that breaks it, so objects are left until after the link.
  if (call.compiles && decision.act == cxx::Decision::Act::run_link &&
      (plan.host != plan.link || !plan.policy.empty()))
    return compile_and_link(obtained.loaded->cxx, plan, words, envp);
  if (!decision.message.empty())
    note(decision.message);
  std::vector<const char*> added;
  if (call.role == cxx::CxxCall::Role::link)
    added = cxx::run_path_arguments(plan, words, variable(envp, "LD_RUN_PATH").value_or(std::string_view()),
                                    cmdline::DiskArgumentFiles());
  const std::vector<const char*> argv = cxx::exec_arguments(plan, decision, arguments, added);
  if (call.role == cxx::CxxCall::Role::link) {
    if (const int code = check_lto(plan, *policy, call, argv, words, envp); code != 0)
      return code;
    const std::string_view reason = cxx::reason_not_verified(plan, call);
    if (!reason.empty() && call.verbose)
      note(concat({"not verified: ", reason}));
    if (reason.empty() || plan.newer_host || !plan.policy.empty())
      return link_and_prove(plan, call, argv, words, envp);
  }
  return become(argv, envp);
}

} // namespace hostpin::hot
