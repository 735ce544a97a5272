// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/bind_for_driver.hpp"

#include "toolchains/base/own_programs.hpp"
#include "wrapper/bind/identity_record.hpp"
#include "wrapper/bind/lock.hpp"
#include "wrapper/bind/recorded.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/plan/plan.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::size_t plan_limit = std::size_t{1} << 20;

std::string parent(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

int print(const std::string& plan) {
  const bool whole =
      std::fwrite(plan.data(), 1, plan.size(), stdout) == plan.size() && std::fflush(stdout) == 0;
  return whole ? exit_fine : exit_broken;
}

/// The plan that another call put into the cache while this one waited for the lock.
std::optional<std::string> current_plan(const std::string& index) {
  auto bytes = hot::read_whole(index, plan_limit, true);
  if (!bytes)
    return std::nullopt;
  const auto plan = read_plan(*bytes);
  return plan && hot::first_change(plan->files) == nullptr ? std::move(bytes) : std::nullopt;
}

/// Writes the binding's directory and the plan that leads to it; the bytes of that plan.
Result<std::string> keep(const Context& context, const BindOptions& options, Binding& binding) {
  const std::string root = parent(parent(options.index));
  // Whoever may write to one of them could exchange what we put there.
  for (const std::string& directory : {parent(options.index), root + "/bindings"})
    if (auto made = make_private_directories(directory); !made)
      return tl::unexpected(made.error());
  const PlanPlace nowhere{{}, context.tree.command};
  const std::string home = root + "/bindings/" + decision_id(binding, nowhere, context.files);
  const PlanPlace place{binding.untouched ? "" : home, context.tree.command};
  if (!binding.untouched) {
    const Bundle bundle{plan_bytes(binding, Scope::decision, place, context.files),
                        binding_toml(binding, context.files), toolchain_cmake(binding), binding.identity,
                        context.tree.driver};
    if (auto written = write_cached_directory(home, bundle); !written)
      return tl::unexpected(written.error());
  }
  // On top of a bound directory only a name that PATH resolves depends on more than the files themselves: the
  // same name may appear earlier on PATH.
  const bool looked_up = options.base.empty() || options.named.find('/') == std::string::npos;
  const Scope scope = looked_up ? Scope::discovery : Scope::decision;
  std::string plan = plan_bytes(binding, scope, place, context.files);
  if (auto written = replace_file(options.index, plan, false); !written)
    return tl::unexpected(written.error());
  return plan;
}

/// The named compiler is a `c++` of ours, so its link is pinned already.
bool names_our_own(const BindOptions& options, const Context& context) {
  const IsOwn is_own = own_programs(context.files);
  if (options.named.find('/') != std::string::npos)
    return is_own(std::filesystem::absolute(options.named).string());
  const std::string path = context.environment["PATH"].value_or("");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = path.substr(at, end - at) + '/' + options.named;
    if (path[at] == '/' && context.files.status(candidate))
      return is_own(candidate);
    at = end + 1;
  }
  return false;
}

Result<Binding> make(const Survey& survey, const SurveyInputs& inputs, const BindOptions& options,
                     bool untouched) {
  if (untouched || (!options.named.empty() && inputs.config.named_as_is))
    return resolve_untouched(survey);
  auto binding = resolve(survey, inputs);
  if (!binding && options.informational)
    return resolve_untouched(survey);
  if (binding)
    binding->named = !options.named.empty();
  return binding;
}

int decide(const Context& context, const BindOptions& options, const Request& request, bool untouched) {
  return with_survey(context, request, [&](const Survey& survey, const SurveyInputs& inputs) {
    if (options.named_by == "NVCC_CCBIN" && survey.toolkit &&
        !inputs.table.has_feature("nvcc-ccbin-variable", survey.toolkit->version)) {
      BindOptions unnamed = options; // this nvcc does not look at the variable
      unnamed.named.clear();
      unnamed.named_by.clear();
      return decide(context, unnamed, options.request, false);
    }
    auto binding = make(survey, inputs, options, untouched);
    if (!binding) {
      report(binding.error());
      return exit_refused;
    }
    const bool provisional = binding->untouched && options.informational;
    if (!options.index.empty() && !provisional) {
      record_identity(*binding, context.environment, context.files, context.processes, inputs.memory);
      if (const auto plan = keep(context, options, *binding))
        return print(*plan);
      else
        report_note(fmt::format("the decision cannot be kept, so every call makes it anew: {}",
                                plan.error().message));
    }
    return print(plan_bytes(*binding, Scope::discovery, {{}, context.tree.command}, context.files));
  });
}

/// Remakes a binding in the cache, in place: build systems remember the path of its `c++`.
int refresh(const Context& context, const BindOptions& options) {
  const std::string& home = options.directory;
  const auto recorded = read_recorded(context.files, home);
  if (!recorded) {
    report(recorded.error());
    return exit_broken;
  }
  return with_survey(context, recorded->request, [&](const Survey& survey, const SurveyInputs& inputs) {
    auto binding = resolve(survey, inputs);
    if (!binding) {
      report(binding.error());
      return exit_refused;
    }
    binding->named = recorded->named;
    record_identity(*binding, context.environment, context.files, context.processes, inputs.memory);
    const PlanPlace place{home, context.tree.command};
    const Bundle bundle{plan_bytes(*binding, Scope::decision, place, context.files),
                        binding_toml(*binding, context.files), toolchain_cmake(*binding), binding->identity,
                        context.tree.driver};
    if (const auto written = write_cached_directory(home, bundle); !written)
      report_note(fmt::format("the decision cannot be kept, so every call makes it anew: {}",
                              written.error().message));
    return print(bundle.plan);
  });
}

} // namespace

int run_bind_for_driver(const Context& context, const BindOptions& options) {
  if (options.refresh)
    return refresh(context, options);
  Request request = options.request;
  if (!options.base.empty()) {
    const auto recorded = read_recorded(context.files, options.base);
    if (!recorded) {
      report(recorded.error());
      return exit_broken;
    }
    request = recorded->request;
    request.allow_unsupported = options.request.allow_unsupported;
  }
  const bool untouched = !options.named.empty() && names_our_own(options, context);
  if (!options.named.empty() && !untouched) {
    request.host = driver_named_to_nvcc(options.named, context.files);
    request.host_by = options.named_by;
  }
  std::optional<Lock> lock;
  if (!options.index.empty() && make_private_directories(parent(options.index))) {
    lock.emplace(options.index + ".lock");
    if (const auto plan = current_plan(options.index))
      return print(*plan);
  }
  return decide(context, options, request, untouched);
}

} // namespace hostpin
