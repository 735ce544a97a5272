// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/decide.hpp"

#include "toolchains/gpus/expansion.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/resolve.hpp"

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
  return text;
}

} // namespace

Decisions::Decisions(const DecisionInputs& inputs)
    : inputs_(inputs), processes_(std::make_unique<AskedOnce>(inputs.processes)) {}
Decisions::~Decisions() = default;

const Decided& Decisions::of(const Coordinates& at) {
  Coordinates what = at;
  what[static_cast<std::size_t>(Axis::project)].clear();
  const auto known = known_.find(what);
  return known != known_.end() ? known->second : known_.emplace(what, decide(what)).first->second;
}

std::string Decisions::toolkit_named(const std::string& name) {
  const auto release = parse_version(name);
  if (name.find('/') != std::string::npos || !release)
    return name;
  if (!std::exchange(has_toolkits_, true)) {
    const SurveyInputs inputs{inputs_.environment, inputs_.files, *processes_,
                              inputs_.config,      inputs_.table, inputs_.headers};
    for (const Toolkit& toolkit :
         survey(completed({}, inputs_.environment, inputs_.config), inputs).toolkits.toolkits)
      toolkits_.emplace(fmt::format("{}.{}", toolkit.version.major, toolkit.version.minor), toolkit.root);
  }
  const auto found = toolkits_.find(name);
  return found == toolkits_.end() ? "" : found->second;
}

Decided Decisions::decide(const Coordinates& at) {
  const auto value = [&](Axis axis) {
    const std::string& text = at[static_cast<std::size_t>(axis)];
    return text.empty() ? std::nullopt : std::optional(text);
  };
  Decided decided;
  Request request;
  if (const auto toolkit = value(Axis::toolkit)) {
    request.toolkit = toolkit_named(*toolkit);
    if (request.toolkit->empty()) {
      std::string found;
      for (const auto& [release, root] : toolkits_)
        found += (found.empty() ? "" : ", ") + release;
      decided.reason = fmt::format("no CUDA {} was found", *toolkit);
      decided.hint = found.empty() ? "name its directory" : "name its directory; found: " + found;
      return decided;
    }
  }
  request.stdenv = value(Axis::stdenv);
  request.host = value(Axis::host);
  request.one_toolkit = true;
  const SurveyInputs inputs{inputs_.environment, inputs_.files, *processes_,
                            inputs_.config,      inputs_.table, inputs_.headers};
  const Survey found = survey(completed(request, inputs_.environment, inputs_.config), inputs);
  const auto binding = bind::resolve(found, inputs);
  if (!binding) {
    decided.reason = binding.error().message;
    decided.hint = binding.error().hint;
    return decided;
  }
  if (const auto gpus = value(Axis::gpus); gpus && *gpus != "native") {
    gpus::ExpansionTerms terms{inputs_.gpus, binding->toolkit.version, false, {}, "hostpin capabilities"};
    if (const auto expansion = gpus::expand(*gpus, terms); !expansion) {
      decided.reason = expansion.error().message;
      decided.hint = expansion.error().hint;
      return decided;
    }
  }
  decided.toolkit = binding->toolkit.root;
  decided.text = text_of(*binding);
  return decided;
}

} // namespace hostpin::matrix
