// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/decide.hpp"

#include "toolchains/compiler/probe.hpp"
#include "toolchains/gpus/expansion.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/matrix/cause.hpp"

#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

/// Runs each command once.
class Decisions::AskedOnce final : public Processes {
public:
  explicit AskedOnce(const Processes& processes) : processes_(processes) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override {
    std::vector<Command> unknown;
    std::vector<std::string> keys;
    for (const Command& command : commands) {
      keys.push_back(key_of(command));
      if (!known_.contains(keys.back()))
        unknown.push_back(command);
    }
    std::size_t next = 0;
    if (!unknown.empty())
      for (Outcome& outcome : processes_.run(unknown))
        known_[key_of(unknown[next++])] = std::move(outcome);
    std::vector<Outcome> outcomes;
    for (const std::string& key : keys)
      outcomes.push_back(known_.at(key));
    return outcomes;
  }

private:
  static std::string key_of(const Command& command) {
    std::string key;
    for (const auto* const list : {&command.argv, &command.unset}) {
      for (const std::string& word : *list)
        key += word + '\0';
      key += '\1';
    }
    return key + command.enough + '\0' + command.input;
  }

  const Processes& processes_;
  mutable std::map<std::string, Outcome> known_;
};

namespace {

std::string version_of(const Compiler& compiler) {
  return fmt::format("{} {}", to_string(compiler.family), to_string(compiler.version));
}

/// Programs and releases: what a binding is, wherever its directory is.
std::string text_of(const bind::Binding& binding) {
  std::string text = fmt::format("CUDA {} ({}), compiled by {} ({})", to_string(binding.toolkit.version),
                                 binding.toolkit.root, version_of(binding.host.compiler),
                                 fmt::join(binding.host.compiler.command, " "));
  text +=
      fmt::format(", linked by {} ({})", version_of(binding.stdenv), fmt::join(binding.stdenv.command, " "));
  for (const plan::RuntimeRule& rule : binding.plan.runtimes) // what the configuration has changed
    if (rule.rule == plan::PlanRuntime::Rule::drop || rule.rule == plan::PlanRuntime::Rule::one_compiler)
      text += fmt::format(", {} {}", rule.feature,
                          rule.rule == plan::PlanRuntime::Rule::drop ? "dropped" : "by one compiler");
  return text;
}

/// The reason by which the bound compilers refuse link-time code, see cxx::runtime_rules.
std::string lto_refusal(const bind::Binding& binding) {
  for (const plan::RuntimeRule& rule : binding.plan.runtimes)
    if (rule.feature == "lto" && rule.rule == plan::PlanRuntime::Rule::refuse)
      return fmt::format("link-time code of {} cannot be linked by {}: {}", version_of(binding.host.compiler),
                         version_of(binding.stdenv), rule.reason);
  return "";
}

void refuse(Decided& decided, const Error& error) {
  decided.reason = error.message;
  decided.hint = error.hint;
  decided.kind = error.kind;
}

constexpr const char* lto_hint =
    "build without -flto, or set on-mismatch = \"drop\" under [lto] in hostpin's "
    "configuration: these objects are then made without it";

} // namespace

Decisions::Decisions(const DecisionInputs& inputs)
    : inputs_(inputs), processes_(std::make_unique<AskedOnce>(inputs.processes)) {}
Decisions::~Decisions() = default;

const Decided& Decisions::of(const Coordinates& at) {
  Coordinates what = at;
  what[static_cast<std::size_t>(Axis::project)].clear();
  const auto known = known_.find(what);
  if (known != known_.end())
    return known->second;
  std::string& gpus = what[static_cast<std::size_t>(Axis::gpus)];
  const std::string wanted = std::exchange(gpus, "");
  const auto found = bound_.find(what);
  const Bound& bound =
      found != bound_.end() ? found->second : bound_.emplace(what, decide(what)).first->second;
  gpus = wanted;
  Decided decided = bound.decided;
  if (!decided.text.empty() && !wanted.empty() && wanted != "native") {
    const gpus::ExpansionTerms terms{inputs_.gpus, bound.release, false, {}, "hostpin capabilities"};
    if (const auto expansion = gpus::expand(wanted, terms); !expansion) {
      decided.text.clear();
      refuse(decided, expansion.error());
    }
  }
  return known_.emplace(std::move(what), std::move(decided)).first->second;
}

Decided Decisions::of(const Coordinates& at, const Project& project) {
  Decided decided = of(at);
  if (project.lto && !decided.text.empty() && !decided.lto.empty()) {
    decided.text.clear();
    refuse(decided, {decided.lto, lto_hint, ErrorKind::lto});
  }
  return decided;
}

std::string Decisions::toolkit_named(const std::string& name) {
  const auto release = parse_version(name);
  if (name.find('/') != std::string::npos || !release)
    return name;
  if (!std::exchange(has_toolkits_, true)) {
    const SurveyInputs inputs{inputs_.environment, inputs_.files, *processes_,
                              inputs_.config,      inputs_.table, inputs_.headers};
    const Survey found = survey(completed({}, inputs_.environment, inputs_.config), inputs);
    for (const Toolkit& toolkit : found.toolkits.toolkits)
      toolkits_.emplace(fmt::format("{}.{}", toolkit.version.major, toolkit.version.minor), toolkit.root);
    for (const ToolkitRejection& rejection : found.toolkits.rejected)
      if (rejection.kind == ErrorKind::no_answer)
        slow_ += fmt::format("\n  {} {}", rejection.path, rejection.reason);
  }
  const auto found = toolkits_.find(name);
  return found == toolkits_.end() ? "" : found->second;
}

Decisions::Bound Decisions::decide(const Coordinates& at) {
  const auto value = [&](Axis axis) {
    const std::string& text = at[static_cast<std::size_t>(axis)];
    return text.empty() ? std::nullopt : std::optional(text);
  };
  Bound bound;
  Decided& decided = bound.decided;
  Request request;
  if (const auto toolkit = value(Axis::toolkit)) {
    request.toolkit = toolkit_named(*toolkit);
    if (request.toolkit->empty()) {
      std::string found;
      for (const auto& [release, root] : toolkits_)
        found += (found.empty() ? "" : ", ") + release;
      refuse(decided, {fmt::format("no CUDA {} was found{}", *toolkit, slow_),
                       found.empty() ? "name its directory" : "name its directory; found: " + found,
                       slow_.empty() ? ErrorKind::other : ErrorKind::no_answer});
      return bound;
    }
    decided.toolkit = *request.toolkit;
  }
  request.stdenv = value(Axis::stdenv);
  request.host = value(Axis::host);
  if (const auto root = value(Axis::c_library); root && *root != own_c_library)
    request.sysroot = root;
  request.one_toolkit = true;
  const SurveyInputs inputs{inputs_.environment, inputs_.files, *processes_,
                            inputs_.config,      inputs_.table, inputs_.headers};
  const Survey found = survey(completed(request, inputs_.environment, inputs_.config), inputs);
  const auto binding = bind::resolve(found, inputs);
  if (!binding) {
    refuse(decided, binding.error());
    return bound;
  }
  decided.toolkit = binding->toolkit.root;
  decided.text = text_of(*binding);
  decided.host = request.host                                             ? "named"
                 : same_compiler(binding->host.compiler, binding->stdenv) ? "stdenv"
                                                                          : "another";
  decided.lto = lto_refusal(*binding);
  bound.release = binding->toolkit.version;
  return bound;
}

} // namespace hostpin::matrix
