// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/compiler_cache.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/response.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/plan/plan.hpp"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::hot {

namespace {

// Variables that nvcc reads itself: ccache hashes none of them.
constexpr std::string_view flag_variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"};

constexpr std::string_view blind =
    "ccache cannot see which compiler an unbound program selects, and would return objects of other "
    "compilers";

/// Compares files: ccache is also called through links that have compilers' names.
bool is_run_by(std::string_view name) {
  char program[PATH_MAX];
  const std::string link = concat({"/proc/", std::to_string(getppid()), "/exe"});
  const ssize_t length = readlink(link.c_str(), program, sizeof program);
  return length > 0 &&
         base_name(std::string_view(program, static_cast<std::size_t>(length))).starts_with(name);
}

Obtained current_decision(Self self, char* const* envp) {
  Obtained bound = obtain_bound(self, envp);
  if (bound.loaded == nullptr && bound.exit_code == 0)
    bound = BuildDirectory(self, {}, self.name == "nvcc", envp).recorded(self, envp);
  if (bound.exit_code != 0)
    return bound;
  if (self.name == "c++")
    return bound.loaded != nullptr ? std::move(bound) : obtain_cached(self, nullptr, {}, envp);
  const nvcc::NvccEnvironment environment = nvcc::read_nvcc_environment(envp);
  cmdline::DiskArgumentFiles texts;
  const cmdline::NvccCommand command =
      cmdline::nvcc_command(call_of({}, environment, bound.loaded.get()), texts);
  const cmdline::NvccCommand nobody{};
  const bool alone = keeps_user_ccbin(command, bound.loaded.get(), self);
  return obtain(self, std::move(bound), alone ? nobody : command, envp);
}

/// An unbound call's plan also depends on everything that discovery read, such as directories of PATH; the
/// decision itself, and its files, are in the binding that the plan leads to.
std::string stored_digest(const plan::Plan& plan) {
  const std::optional<std::string> bytes =
      plan.home.empty() ? std::nullopt : read_whole(concat({plan.home, "/plan"}), plan_limit, true);
  const std::optional<plan::Plan> stored = bytes ? plan::read_plan(*bytes) : std::nullopt;
  return plan::decision_digest(stored ? *stored : plan);
}

} // namespace

std::string fingerprint(const plan::Plan& plan, const char* const* envp) {
  std::string text = stored_digest(plan);
  for (const std::string_view name : flag_variables)
    text.append(1, '\0').append(variable(envp, name).value_or(std::string_view()));
  std::string digits;
  for (const std::uint64_t seed : {0U, 1U}) {
    const auto half = hexadecimal(checksum(text, seed));
    digits.append(half.data(), half.size());
  }
  return digits;
}

int print_fingerprint(const char* program, char* const* envp) {
  struct stat status {};
  if (stat(program, &status) != 0) {
    complain(concat({"cannot examine ", program, ": ", strerror(errno)}));
    return exit_broken;
  }
  std::string text = concat({std::to_string(status.st_size), " ", std::to_string(status.st_mtim.tv_sec), ".",
                             std::to_string(status.st_mtim.tv_nsec), "\n"});
  if (const Self self = self_of(program); is_ours(self)) {
    const Obtained obtained = current_decision(self, envp);
    if (obtained.loaded == nullptr)
      return obtained.exit_code;
    text.append(fingerprint(obtained.loaded->plan, envp)).append(1, '\n');
  }
  if (write_all(STDOUT_FILENO, text).empty())
    return 0;
  complain(concat({"cannot write the fingerprint of ", program, ": ", strerror(errno)}));
  return exit_broken;
}

bool under_unconfigured_ccache(const Self& self, const char* const* envp) {
  // ccache sets the first variable for the programs it runs, and the second one disables it.
  if (!variable(envp, "CCACHE_DISABLE"))
    return false;
  const auto check = variable(envp, "CCACHE_COMPILERCHECK");
  if ((check && check->find(fingerprint_option) != std::string_view::npos) || !is_run_by("ccache"))
    return false;
  const std::string command = installed_command(self);
  complain(blind, concat({"set its compiler check: eval \"$(", shell_word(command),
                          " env)\"; or bind: ", bind_command(command, {example_directory})}));
  return true;
}

void refuse_uncheckable_ccache(const Self& self) {
  complain(blind, concat({"bind, and name the bound c++: ",
                          bind_command(installed_command(self), {example_directory})}));
}

bool under_sccache() {
  return is_run_by("sccache");
}

} // namespace hostpin::hot
