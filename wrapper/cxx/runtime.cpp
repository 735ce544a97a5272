// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/runtime.hpp"

#include "toolchains/cmdline/driver_options.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>

namespace hostpin::cxx {

namespace {

std::string_view asked_by(const CxxCall& call, std::string_view feature) {
  for (std::size_t i = 0; i < runtime_feature_names.size(); ++i)
    if (runtime_feature_names[i] == feature)
      return call.features[i];
  return {};
}

/// The first rule of that kind whose feature the call turns on.
const plan::PlanRuntime* applying(const plan::Plan& plan, const CxxCall& call, plan::PlanRuntime::Rule rule) {
  for (const plan::PlanRuntime& runtime : plan.runtimes)
    if (runtime.rule == rule && !asked_by(call, runtime.feature).empty())
      return &runtime;
  return nullptr;
}

Decision refusal(const plan::Plan& plan, const plan::PlanRuntime& runtime, std::string_view flag) {
  Decision decision{Decision::Act::refuse, {}, {}, false, false};
  decision.message.append(flag).append(": objects of ").append(plan.host_label);
  decision.message.append(" cannot be linked by ").append(plan.link_label).append(" with it: ");
  decision.message.append(runtime.reason);
  decision.hint.append("build without ").append(flag).append(", or set ").append(runtime.feature);
  decision.hint.append(
      " = \"one-compiler\" under [runtime] in hostpin's configuration: links with it then go to ");
  decision.hint.append(plan.host_label).append(" and use its libstdc++");
  if (runtime.feature == to_string(RuntimeFeature::lto)) {
    decision.kind = ErrorKind::lto;
    decision.hint.append("; or on-mismatch = \"drop\" under [lto]: these objects are then made without it");
  }
  return decision;
}

Decision unpinned(const plan::Plan& plan, const plan::PlanRuntime& runtime, std::string_view flag) {
  Decision decision{Decision::Act::run_host, {}, {}, false, true};
  decision.message.append(flag).append(": linked by ").append(plan.host_label);
  decision.message.append(", with its libstdc++, because ").append(runtime.feature);
  decision.message.append(" = \"one-compiler\"");
  return decision;
}

Decision without_lto(const plan::Plan& plan, const plan::PlanRuntime& runtime, std::string_view flag) {
  Decision decision{Decision::Act::run_host, {}, {}, true, false};
  decision.message.append(flag).append(": not passed to ").append(plan.host_label);
  decision.message.append(", because on-mismatch = \"drop\": ").append(runtime.reason);
  return decision;
}

/// Why an object cannot be made as requested; nothing if it can.
std::optional<Decision> obstacle(const plan::Plan& plan, const CxxCall& call, CheckPolicy lto_policy) {
  for (const plan::PlanRuntime& runtime : plan.runtimes) {
    const std::string_view flag = asked_by(call, runtime.feature);
    if (runtime.rule != plan::PlanRuntime::Rule::refuse || flag.empty())
      continue;
    Decision decision = refusal(plan, runtime, flag);
    if (runtime.feature != to_string(RuntimeFeature::lto) || lto_policy == CheckPolicy::error)
      return decision;
    if (lto_policy == CheckPolicy::warn)
      return Decision{
          Decision::Act::run_host, decision.message + "\nhint: " + decision.hint, {}, false, false};
  }
  if (const plan::PlanRuntime* const dropped = applying(plan, call, plan::PlanRuntime::Rule::drop))
    return without_lto(plan, *dropped, asked_by(call, dropped->feature));
  return std::nullopt;
}

/// Whether an option turns on a feature that nvcc's registration stub must be compiled without.
bool asks_in_vain(const plan::Plan& plan, const cmdline::DriverOption& option) {
  if (option.meaning != cmdline::DriverMeaning::runtime_on &&
      option.meaning != cmdline::DriverMeaning::sanitize_on)
    return false;
  const RuntimeFeature feature = option.meaning == cmdline::DriverMeaning::sanitize_on
                                     ? RuntimeFeature::sanitize
                                     : feature_of(option.toggle);
  if (feature == RuntimeFeature::lto && plan.family == "gcc")
    return true;
  return std::any_of(plan.runtimes.begin(), plan.runtimes.end(), [&](const plan::PlanRuntime& runtime) {
    return runtime.feature == to_string(feature) &&
           (runtime.rule == plan::PlanRuntime::Rule::refuse || runtime.rule == plan::PlanRuntime::Rule::drop);
  });
}

} // namespace

Decision choose_driver(const plan::Plan& plan, const CxxCall& call, CheckPolicy lto_policy) {
  if (call.role == CxxCall::Role::query_link)
    return {Decision::Act::run_link, {}, {}, false, false};
  if (call.role == CxxCall::Role::link) {
    const plan::PlanRuntime* const one = applying(plan, call, plan::PlanRuntime::Rule::one_compiler);
    return one == nullptr ? Decision{Decision::Act::run_link, {}, {}, false, false}
                          : unpinned(plan, *one, asked_by(call, one->feature));
  }
  if (call.generates_code)
    if (auto found = obstacle(plan, call, lto_policy))
      return *std::move(found);
  return {Decision::Act::run_host, {}, {}, false, false};
}

std::vector<const char*> stub_arguments(const plan::Plan& plan, std::span<const char* const> arguments) {
  std::vector<const char*> crossing;
  for (std::size_t i = 0; i < arguments.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(arguments, i);
    const auto words = arguments.subspan(i, read.size);
    if (read.option == nullptr || !asks_in_vain(plan, *read.option))
      crossing.insert(crossing.end(), words.begin(), words.end());
    i += read.size;
  }
  return crossing;
}

std::string_view reason_not_verified(const plan::Plan& plan, const CxxCall& call) {
  if (plan.link_proof == CheckPolicy::off)
    return "link-proof = \"off\" in the configuration";
  if (plan.loader.empty())
    return "the driver that links shows no loader of glibc's";
  if (!call.sysroot.empty() && call.sysroot != plan.loader_root) // the output need not run there
    return "--sysroot names another system";
  return {};
}

std::vector<const char*> exec_arguments(const plan::Plan& plan, const Decision& decision,
                                        std::span<const char* const> arguments,
                                        std::span<const char* const> added) {
  assert(decision.act != Decision::Act::refuse);
  const bool links = decision.act == Decision::Act::run_link;
  const std::vector<std::string_view>& command = links ? plan.link : plan.host;
  std::vector<const char*> argv;
  const std::vector<std::string_view>& last = decision.unpinned ? plan.host_link_last : plan.link_last;
  argv.reserve(command.size() + arguments.size() + last.size() + added.size() + 2);
  for (const std::string_view word : command)
    argv.push_back(word.data()); // in a plan a NUL follows each view
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  if (decision.without_lto)
    argv.push_back("-fno-lto"); // the last such option applies, in GCC and in Clang
  if (links || decision.unpinned)
    for (const std::string_view word : last)
      argv.push_back(word.data());
  argv.insert(argv.end(), added.begin(), added.end());
  argv.push_back(nullptr);
  return argv;
}

} // namespace hostpin::cxx
