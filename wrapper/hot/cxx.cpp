// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/response.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/hot/advice.hpp"
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/hot/identity.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/lto.hpp"
#include "wrapper/hot/system.hpp"

#include <string>
#include <unistd.h>
#include <vector>

namespace hostpin::hot {

namespace {

/// A bound directory stores the configuration at the time of bind; an unbound call reads it again.
std::string refreshing(const Plan& plan, const Self& self) {
  if (!plan.home.empty() || access(concat({self.directory, "/plan"}).c_str(), F_OK) != 0)
    return {};
  return concat({"; after a change of the configuration: ",
                 bind_command(plan.hostpin, {"--refresh", bound_by_user(self)})});
}

} // namespace

int run_cxx(const Self& self, std::span<const char* const> arguments, char* const* envp) {
  const Obtained obtained = obtain_for_cxx(self, arguments, envp);
  if (obtained.loaded == nullptr)
    return obtained.exit_code;
  if (const auto answered = answer_identity(*obtained.loaded, arguments, envp))
    return *answered;
  const Plan& plan = obtained.loaded->plan;

  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  CxxCall call = cxx_call(words, cmdline::DiskArgumentFiles());
  std::vector<const char*> for_stub;
  if (call.registration) {
    for_stub = stub_arguments(plan, arguments);
    arguments = for_stub;
    words.assign(arguments.begin(), arguments.end());
    call = cxx_call(words, cmdline::DiskArgumentFiles());
  }
  const auto policy = lto_policy(plan, envp);
  if (!policy)
    return exit_broken;
  const Decision decision = decide(plan, call, *policy);
  if (decision.act == Decision::Act::refuse) {
    complain(decision.message, concat({decision.hint, refreshing(plan, self)}));
    return exit_refused;
  }
  if (call.compiles && decision.act == Decision::Act::run_link && plan.host != plan.link)
    return compile_and_link(obtained.loaded->cxx, plan, words, envp);
  if (!decision.message.empty())
    note(decision.message);
  const std::vector<const char*> argv = exec_arguments(plan, decision, arguments);
  if (call.role == CxxCall::Role::link) {
    if (const int code = check_lto(plan, *policy, call, argv, words, envp); code != 0)
      return code;
    const std::string_view reason = unproven_because(plan, call);
    if (!reason.empty() && call.verbose)
      note(concat({"not verified: ", reason}));
    if (reason.empty() || plan.newer_host)
      return link_and_prove(plan, call, argv, words, envp);
  }
  return become(argv, envp);
}

} // namespace hostpin::hot
