// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/decision.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/caller.hpp"
#include "wrapper/hot/compiler_cache.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/identity/identity.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::hot {

using cmdline::NvccCommand;
using By = cmdline::CcbinChoice::By;

namespace {

/// The path of a program that is named without a directory; empty if PATH has none.
std::string found_on_path(std::string_view name, std::string_view path) {
  for (const std::string& directory : absolute_directories(path))
    if (std::string program = concat({directory, "/", name}); access(program.c_str(), X_OK) == 0)
      return program;
  return {};
}

/// Decides as a launcher of the nvcc that runs this `c++` would. `base` null: no binding to build on.
Obtained obtain_for_caller(const Self& self, const Loaded* base, const std::string& caller, bool noted,
                           char* const* envp) {
  Naming naming;
  naming.caller = caller;
  naming.noted = noted;
  std::vector<std::string> owned;
  const auto around = nvcc::changed_environment(envp, nvcc::around_nvcc(envp), owned);
  return obtain_cached(self, base, naming, const_cast<char* const*>(around.data()));
}

/// A bound `c++` that another toolkit's nvcc runs is judged for that toolkit.
Obtained judged_by_caller(const Self& self, Obtained bound, std::span<const char* const> arguments,
                          char* const* envp) {
  const auto other = other_nvcc(bound.loaded->plan, self.directory, arguments, envp);
  if (!other)
    return bound;
  const bool is_query =
      !identity::asked_file(arguments).empty(); // each nvcc does so once, before anything else
  if (is_query) {
    const std::string toolkit = directory_of(directory_of(other->nvcc));
    const bool in_cache = !bound.loaded->plan.home.empty();
    note(concat({in_cache ? "the build directory" : self.directory, " is bound to CUDA ",
                 bound.loaded->plan.toolkit, ", and another nvcc runs its c++: ", other->nvcc,
                 "; this call uses that nvcc's toolkit. Bind for it: ",
                 bind_command(bound.loaded->plan.hostpin,
                              {bound_for(self, in_cache, toolkit), "--toolkit", toolkit})}));
  }
  return obtain_for_caller(self, bound.loaded.get(), other->nvcc, !is_query, envp);
}

} // namespace

Obtained obtain_for_cxx(Self self, std::span<const char* const> arguments, char* const* envp) {
  Obtained bound = obtain_bound(self, envp);
  if (bound.exit_code != 0)
    return bound;
  if (bound.loaded != nullptr)
    return judged_by_caller(self, std::move(bound), arguments, envp);
  if (under_unconfigured_ccache(self, envp))
    return {nullptr, exit_broken};
  const auto caller = calling_nvcc(arguments, envp);
  if (caller && is_below_ccache(*caller)) {
    refuse_uncheckable_ccache(self);
    return {nullptr, exit_broken};
  }
  if (auto handed = caller ? handed_plan(*caller, envp) : std::nullopt)
    if (auto loaded = parse(std::move(*handed), self.directory))
      return {std::move(loaded), 0};
  BuildDirectory build(self, arguments, caller.has_value(), envp, caller ? caller->nvcc : std::string_view());
  bound = build.recorded(self, envp);
  if (bound.exit_code != 0)
    return bound;
  if (bound.loaded != nullptr)
    return judged_by_caller(self, std::move(bound), arguments, envp);
  const bool is_query = !identity::asked_file(arguments).empty();
  Obtained decided =
      obtain_for_caller(self, nullptr, caller ? caller->nvcc : std::string(), caller && !is_query, envp);
  if (decided.loaded != nullptr)
    if (const int code = build.settle(*decided.loaded); code != 0)
      return {nullptr, code};
  return decided;
}

cmdline::NvccCall call_of(std::span<const char* const> arguments, const nvcc::NvccEnvironment& environment,
                          const Loaded* bound) {
  return {environment.prepend_flags,
          arguments,
          environment.append_flags,
          environment.ccbin,
          bound == nullptr || bound->plan.nvcc_reads_ccbin_variable,
          bound == nullptr || bound->plan.nvcc_escapes_quotes};
}

bool keeps_user_ccbin(const NvccCommand& command, const Loaded* bound, const Self& self) {
  if (command.ccbin.by == By::nobody)
    return false;
  return command.ccbin.value.empty() || (bound != nullptr && command.ccbin.value == bound->cxx) ||
         command.ccbin.value == concat({self.directory, "/c++"});
}

bool names_host_of(const plan::Plan& plan, std::string_view name, std::string_view path) {
  if (plan.host.size() != 1 || base_name(name) != base_name(plan.host.front()))
    return false;
  const std::string program =
      name.find('/') == std::string_view::npos ? found_on_path(name, path) : std::string(name);
  struct stat named {};
  struct stat own {};
  return !program.empty() && stat(directory_of(program).c_str(), &named) == 0 &&
         stat(directory_of(plan.host.front()).c_str(), &own) == 0 && named.st_dev == own.st_dev &&
         named.st_ino == own.st_ino;
}

Obtained obtain(const Self& self, Obtained&& bound, const NvccCommand& command, char* const* envp) {
  const Loaded* const base = bound.loaded.get();
  if (base != nullptr &&
      (command.ccbin.by == By::nobody || base->plan.named_as_is ||
       names_host_of(base->plan, command.ccbin.value, variable(envp, "PATH").value_or(std::string_view()))))
    return std::move(bound);
  Naming named{{}, {}, command.allow_unsupported, command.informational};
  if (command.ccbin.by != By::nobody) {
    named.value = command.ccbin.value;
    named.by = to_string(command.ccbin.by);
  }
  return obtain_cached(self, base, named, envp);
}

} // namespace hostpin::hot
