// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/identity.hpp"
#include "wrapper/hot/in_front.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/lto.hpp"
#include "wrapper/hot/system.hpp"

#include <vector>

namespace hostpin::hot {

int run_cxx(const Self& self, std::span<const char* const> arguments, char* const* envp) {
  Obtained obtained = obtain_bound(self, envp);
  if (obtained.loaded == nullptr && obtained.exit_code == 0) {
    if (kept_blindly(envp))
      return exit_broken;
    obtained = obtain_cached(self, nullptr, {}, envp);
  }
  if (obtained.loaded == nullptr)
    return obtained.exit_code;
  if (const auto answered = answer_identity(*obtained.loaded, arguments, envp))
    return *answered;
  const Plan& plan = obtained.loaded->plan;

  const std::vector<std::string_view> words(arguments.begin(), arguments.end());
  const CxxCall call = cxx_call(words, DiskResponseFiles());
  const auto policy = lto_policy(plan, envp);
  if (!policy)
    return exit_broken;
  const Decision decision = decide(plan, call, *policy);
  if (decision.act == Decision::Act::refuse) {
    complain(decision.message, decision.hint);
    return exit_refused;
  }
  if (!decision.message.empty())
    note(decision.message);
  const std::vector<const char*> argv = exec_arguments(plan, decision, arguments);
  if (call.role == CxxCall::Role::link) {
    if (const int code = check_lto(plan, *policy, call, argv, words, envp); code != 0)
      return code;
    const std::string_view reason = unproven_because(plan, call);
    if (reason.empty())
      return link_and_prove(plan, call, argv, words, envp);
    if (call.verbose)
      note(concat({"not proven: ", reason}));
  }
  return become(argv, envp);
}

} // namespace hostpin::hot
