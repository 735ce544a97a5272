// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/file_lock.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/identity_record.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/context.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/hot/cache.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/plan/plan.hpp"
#include "wrapper/view/view.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

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
  auto bytes = hot::read_whole(index, hot::plan_limit, true);
  if (!bytes)
    return std::nullopt;
  const auto plan = plan::read_plan(*bytes);
  return plan && hot::first_change(plan->files) == nullptr && hot::has_home(*plan) ? std::move(bytes)
                                                                                   : std::nullopt;
}

/// What a directory for the decision in the cache has.
bind::Bundle bundle_of(const Context& context, const bind::Binding& binding, const bind::PlanPlace& place) {
  bind::Bundle bundle{bind::plan_bytes(binding, bind::Scope::decision, place, context.files),
                      bind::binding_toml(binding, context.files), bind::toolchain_cmake(binding),
                      binding.identity, context.tree.driver};
  if (binding.plan.tree)
    bundle.more = view::toolkit_writer(binding.toolkit, true, context.files);
  return bundle;
}

/// Writes the binding's directory and the plan that leads to it, `index`, in a directory of plans of the
/// cache or of the temporary one; returns the bytes of that plan.
Result<std::string> keep(const Context& context, const PlanRequest& asked, const std::string& index,
                         bind::Binding& binding) {
  const std::string root = parent(parent(index));
  // Whoever can write to one of them could replace its files.
  for (const std::string& directory : {parent(index), root + "/bindings"})
    TRY(make_private_directories(directory));
  const bind::PlanPlace nowhere{{}, context.tree.command};
  const std::string home = root + "/bindings/" + bind::decision_id(binding, nowhere, context.files);
  const bind::PlanPlace place{binding.plan.untouched ? "" : home, context.tree.command};
  if (!binding.plan.untouched) {
    TRY(bind::write_cached_directory(home, bundle_of(context, binding, place)));
  }
  // On top of a bound directory, only a name that PATH resolves depends on more than the files themselves:
  // the same name may appear earlier on PATH.
  const bool looked_up = asked.base.empty() || asked.names.value.find('/') == std::string::npos;
  const bind::Scope scope = looked_up ? bind::Scope::discovery : bind::Scope::decision;
  std::string plan = bind::plan_bytes(binding, scope, place, context.files);
  TRY(replace_file(index, plan, false));
  return plan;
}

/// Whether a plan is not enough: a bound nvcc whose call names a host compiler needs a `c++` that follows it,
/// and an nvcc of NVIDIA's wheels a tree of links.
bool needs_programs(const PlanRequest& asked, const bind::Binding& binding) {
  return binding.plan.tree || (!asked.base.empty() && !asked.names.value.empty());
}

void note_unstored(const Context& context, const PlanRequest& asked, const std::string& reason,
                   const std::string& instead = {}) {
  if (!asked.noted)
    report_note(fmt::format("the decision cannot be stored in the cache: {}; {}; to store it permanently: {}",
                            reason,
                            instead.empty() ? "each call decides again" : "it is in " + instead + " for now",
                            hot::bind_command(context.tree.command, {hot::example_directory})));
}

/// Creates the directory for decisions that the cache cannot store; false if it is not this user's alone.
bool make_temporary(const std::string& directory) {
  constexpr mode_t owner = 0700;
  return (mkdir(directory.c_str(), owner) == 0 || errno == EEXIST) && hot::is_own_directory(directory);
}

/// Stores a decision there; returns that directory, empty if it failed. `plan`: its bytes, to be replaced if
/// the decision gets a directory.
std::string keep_for_now(const Context& context, const PlanRequest& asked, bind::Binding& binding,
                         std::string& plan) {
  if (asked.spare.empty())
    return {};
  if (!needs_programs(asked, binding)) {
    const std::string directory = parent(asked.spare);
    return make_temporary(directory) && replace_file(asked.spare, plan, false) ? directory : std::string();
  }
  const std::string directory = parent(parent(asked.spare));
  if (!make_temporary(directory))
    return {};
  auto kept = keep(context, asked, asked.spare, binding);
  if (!kept)
    return {};
  plan = *std::move(kept);
  return directory;
}

int decide(const Context& context, const PlanRequest& asked, const Request& request) {
  return with_decision(
      context, request, asked.names,
      [&](const Survey& survey, const SurveyInputs&, Result<bind::Binding> binding) {
        if (!binding) {
          report(binding.error());
          return code_of_refusal(survey);
        }
        const bool provisional = binding->plan.untouched && asked.names.informational;
        if (!asked.noted && !provisional)
          for (const std::string& text : ignored_variables(survey.toolkits, binding->toolkit))
            report_note(text);
        std::string reason = asked.unstored;
        if (!asked.index.empty() && !provisional) {
          bind::record_identity(*binding, context.environment, context.files, context.processes);
          if (const auto plan = keep(context, asked, asked.index, *binding))
            return print(*plan);
          else
            reason = plan.error().message;
        }
        std::string plan =
            bind::plan_bytes(*binding, bind::Scope::discovery, {{}, context.tree.command}, context.files);
        // The first call that decides reports it.
        if (!reason.empty() && !provisional &&
            (!asked.names.informational || needs_programs(asked, *binding)))
          note_unstored(context, asked, reason, keep_for_now(context, asked, *binding, plan));
        return print(plan);
      });
}

/// Remakes a binding in the cache, in place: build systems store the path of its `c++`.
int refresh(const Context& context, const std::string& home, const PlanRequest& asked) {
  const auto recorded = bind::read_recorded(context.files, home);
  if (!recorded) {
    report(recorded.error());
    return exit_broken;
  }
  const Request request = for_decision(recorded->request);
  return with_survey(context, request, [&](const Survey& survey, const SurveyInputs& inputs) {
    auto binding = bind::resolve(survey, inputs);
    if (!binding) {
      report(binding.error());
      return code_of_refusal(survey);
    }
    binding->plan.named = recorded->named;
    bind::record_identity(*binding, context.environment, context.files, context.processes);
    const bind::PlanPlace place{home, context.tree.command};
    const bind::Bundle bundle = bundle_of(context, *binding, place);
    if (const auto written = bind::write_cached_directory(home, bundle); !written)
      note_unstored(context, asked, written.error().message);
    return print(bundle.plan);
  });
}

int answer(const Context& context, const BindOptions& options, const PlanRequest& asked) {
  if (options.refresh)
    return refresh(context, options.directory, asked);
  Request request = options.request;
  if (!asked.base.empty()) {
    const auto recorded = bind::read_recorded(context.files, asked.base);
    if (!recorded) {
      report(recorded.error());
      return exit_broken;
    }
    request = recorded->request;
    request.allow_unsupported = options.request.allow_unsupported;
  }
  if (!asked.called_by.empty()) { // this is the nvcc that runs, even if another one is configured
    request.toolkit = asked.called_by;
    request.toolkit_by = "the calling nvcc";
  }
  if (!asked.names.value.empty())
    request.own_cxx = (asked.base.empty() ? context.tree.programs : asked.base) + "/c++";
  request.host_option = "-ccbin";
  request.insist_option = "-allow-unsupported-compiler";
  std::optional<FileLock> lock;
  if (!asked.index.empty() && make_private_directories(parent(asked.index))) {
    lock = FileLock::of_file(asked.index + ".lock");
    if (const auto plan = current_plan(asked.index))
      return print(*plan);
  }
  return decide(context, asked, for_decision(request));
}

/// Prints the directory of the decision that an unbound nvcc would use, made if there is none; an empty line
/// if it is stored nowhere.
int print_decision(const Context& context) {
  ::unsetenv("HOSTPIN_PROBING"); // leak-check runs this as it runs programs that it does not trust
  const hot::Self self = hot::self_of(context.tree.driver.c_str());
  const hot::Obtained obtained = hot::obtain_cached(self, nullptr, {}, ::environ);
  if (obtained.loaded == nullptr)
    return obtained.exit_code;
  return print(std::string(obtained.loaded->plan.home) + '\n');
}

} // namespace

int run_bind_for_driver(const Context& context, const BindOptions& options, const PlanRequest& asked) {
  if (asked.decision)
    return print_decision(context);
  return run_and_commit(context, [&](const Context& inner) { return answer(inner, options, asked); });
}

} // namespace hostpin::command
