// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/cmdline/response.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/call.hpp"
#include "wrapper/hot/caller.hpp"
#include "wrapper/hot/compiler_cache.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/hot/gpu_note.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::hot {

namespace {

using cmdline::NvccCommand;
using By = cmdline::CcbinChoice::By;

/// What a bound directory adds to a call, whichever host compiler that names.
struct BoundSettings {
  std::string place;       ///< see nvcc_in_tree
  std::string_view slices; ///< where the work for each GPU is stored; empty: nvcc runs as one call
};

/// Becomes the program that runs nvcc's commands for each GPU as tasks. `argv`: the real call.
int become_slices(const plan::Plan& plan, std::string_view slices, std::vector<const char*> argv,
                  char* const* envp) {
  const std::string program = installed(plan, "nvcc-slices");
  if (program.empty())
    note(concat({"slices are not used: there is no libexec/hostpin/nvcc-slices where ", plan.hostpin,
                 " is installed"}));
  else
    argv.insert(argv.begin(), {program.c_str(), slices.data(), plan.nvcc.data()});
  return become(program.empty() ? plan.nvcc.data() : program.c_str(), argv, envp);
}

int become_nvcc(const plan::Plan& plan, const BoundSettings& bound, const NvccCommand& command,
                std::span<const char* const> arguments, const char* const* envp) {
  const std::string& place = bound.place;
  const bool sliced = !bound.slices.empty() && !command.informational && !command.preprocesses;
  std::vector<const char*> argv;
  argv.reserve(arguments.size() + 2);
  argv.push_back(plan.nvcc.data());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.push_back(nullptr);
  auto* const environment = const_cast<char* const*>(envp); // execve does not write through it
  const auto policy = lto_policy(plan, envp);
  if (!policy)
    return exit_broken;
  if (const int code = check_device_lto(plan, *policy, command, argv, environment); code != 0)
    return code;
  if (place.empty())
    return sliced ? become_slices(plan, bound.slices, std::move(argv), environment)
                  : become(argv, environment);
  const std::string tree = directory_of(directory_of(place));
  if (access(concat({place, ".profile"}).c_str(), F_OK) != 0) {
    complain(concat({plan.view ? "the toolkit view in " : "the tree of links to the toolkit in ", tree,
                     " is incomplete: ", place, ".profile is missing or a dangling symlink"}),
             plan.home.empty()
                 ? concat({"make it again: ",
                           bind_command(plan.hostpin, {"--refresh", plan.view ? tree : directory_of(tree)})})
                 : concat({"remove ", directory_of(tree)}));
    return exit_broken;
  }
  argv.front() = place.c_str();
  if (sliced)
    return become_slices(plan, bound.slices, std::move(argv), environment);
  return become(plan.nvcc.data(), argv, environment);
}

/// Prints what sccache's key needs besides the compiler's output, which may be the same for another decision.
/// Returns whether everything was written.
bool print_for_sccache(const plan::Plan& plan, const NvccCommand& command, const nvcc::GpuChange& gpus,
                       const char* const* envp) {
  if (!command.preprocesses || !under_sccache())
    return true;
  const std::string line = concat({"#pragma hostpin ", fingerprint(plan, envp), " ", gpus.made_text(), "\n"});
  if (write_all(STDOUT_FILENO, line).empty())
    return true;
  complain(concat({"cannot write the decision digest for sccache's key: ", strerror(errno)}));
  return false;
}

/// Unsets the variables that an outer nvcc has set for its children.
std::vector<nvcc::VariableChange> without_outer_nvcc(const nvcc::NvccEnvironment& environment) {
  std::vector<nvcc::VariableChange> changes;
  if (environment.inside_nvcc)
    for (const std::string_view name : nvcc::outer_nvcc_variables())
      changes.push_back({std::string(name), std::nullopt});
  return changes;
}

int refuse_path(const std::string& cxx) {
  complain(concat({"nvcc cannot be given ", cxx, ": nvcc passes that path to a shell unescaped"}),
           "move the bound directory, or point HOSTPIN_CACHE_DIR, to a path without \" $ ` \\ and newlines");
  return exit_broken;
}

/// `directory`: could be bound for the named host compiler.
int refuse_unstored(const plan::Plan& plan, const NvccCommand& command, std::string directory) {
  complain(
      concat({"the decision about ", command.ccbin.value, ", named by ", to_string(command.ccbin.by),
              ", cannot be stored"}),
      concat({"set HOSTPIN_CACHE_DIR to a directory that you own and can write to, or bind that compiler: ",
              bind_command(plan.hostpin, {std::move(directory), "--host", std::string(plan.host.front())})}));
  return exit_broken;
}

/// An nvcc of NVIDIA's wheels links only in a tree of links, which nothing could be stored in.
int refuse_treeless(const plan::Plan& plan) {
  complain(concat({"the nvcc of NVIDIA's wheels, ", plan.nvcc,
                   ", finds its libraries in a directory of links alone, which cannot be stored"}),
           concat({"set HOSTPIN_CACHE_DIR to a directory that you own and can write to, or bind it: ",
                   bind_command(plan.hostpin, {example_directory})}));
  return exit_broken;
}

} // namespace

int run_nvcc(const Self& called, std::span<const char* const> arguments, char* const* envp) {
  Self self = called;
  Obtained bound = obtain_bound(self, envp);
  std::optional<BuildDirectory> build;
  if (bound.loaded == nullptr && bound.exit_code == 0) {
    if (under_unconfigured_ccache(self, envp))
      return exit_broken;
    build.emplace(self, arguments, true, envp);
    bound = build->recorded(self, envp);
  }
  if (bound.exit_code != 0)
    return bound.exit_code;

  const bool is_bound = bound.loaded != nullptr;
  const nvcc::NvccEnvironment environment = nvcc::read_nvcc_environment(envp);
  cmdline::NvccCall call = call_of(arguments, environment, bound.loaded.get());
  cmdline::DiskArgumentFiles texts;
  NvccCommand command = cmdline::nvcc_command(call, texts);
  bool untouched = keeps_user_ccbin(command, bound.loaded.get(), self);
  const NvccCommand nobody{};
  BoundSettings added;
  nvcc::GpuChange gpus;
  if (bound.loaded != nullptr) {
    const plan::Plan& settings = bound.loaded->plan;
    added = {nvcc_in_tree(settings, self.directory), settings.slices};
    if (!settings.gpus.empty())
      gpus.decide(command, {settings.gpus, settings.gpu_variants});
    note_gpus(gpus, settings, self.directory, envp);
  }
  // `bound` still has the settings afterwards, if the decision is another one.
  Obtained obtained = obtain(self, std::move(bound), untouched ? nobody : command, envp);
  if (obtained.loaded == nullptr)
    return obtained.exit_code;
  if (build && !is_bound)
    if (const int code = build->settle(*obtained.loaded); code != 0)
      return code;
  const plan::Plan& plan = obtained.loaded->plan;
  if (!is_bound)
    added.place = nvcc_in_tree(plan, {});
  if (plan.tree && added.place.empty())
    return refuse_treeless(plan);
  call.reads_variable = plan.nvcc_reads_ccbin_variable;
  if (command.ccbin.by == By::ccbin_variable && !call.reads_variable) {
    command.ccbin.by = By::nobody; // this release of nvcc does not read the variable
    untouched = false;
  }

  if (!print_for_sccache(plan, command, gpus, envp))
    return exit_broken;
  std::vector<nvcc::VariableChange> changes = without_outer_nvcc(environment);
  // Nothing is stored that hostpin's `c++`, called by nvcc, could read, so it gets the decision through its
  // environment.
  const bool unstored = !is_bound && !plan.untouched && plan.home.empty();
  if (auto handed = unstored ? handed_down(plan) : std::nullopt)
    changes.push_back(*std::move(handed));
  const auto run = [&](nvcc::Rewrite rewritten) {
    std::move(rewritten.variables.begin(), rewritten.variables.end(), std::back_inserter(changes));
    std::vector<std::string> owned;
    return become_nvcc(plan, added, command, rewritten.arguments,
                       changed_environment(envp, changes, owned).data());
  };
  if (untouched || plan.untouched || (plan.named_as_is && command.ccbin.by != By::nobody))
    return run(nvcc::as_given(call, command, &gpus));

  if (!survives_the_shell(obtained.loaded->cxx))
    return refuse_path(obtained.loaded->cxx);
  if (plan.named && plan.home.empty()) {
    // The `c++` in a bound directory would use its own host compiler. The launcher decides again if it cannot
    // verify that a decision it was given is for its call, as without /proc.
    if (is_bound)
      return refuse_unstored(plan, command, bound_for(self, build.has_value(), plan.host.front()));
    changes.push_back({"HOSTPIN_HOST", concat({"'", plan.host.front(), "'"})}); // parsed as shell words
  }
  return run(nvcc::rewrite(call, command, obtained.loaded->cxx.c_str(), plan.target_directory.data(), &gpus));
}

} // namespace hostpin::hot
