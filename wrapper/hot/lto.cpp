// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/lto.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/kind.hpp"
#include "wrapper/hot/child.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace hostpin::hot {

namespace {

// Exit codes of lto-check.
constexpr int all_fits = 0, does_not_fit = 1;

/// <prefix>/libexec/hostpin/lto-check for <prefix>/bin/hostpin. Empty if it does not exist.
std::string checker(const Plan& plan) {
  const std::size_t name = plan.hostpin.rfind('/');
  const std::size_t directory = name == std::string_view::npos ? name : plan.hostpin.rfind('/', name - 1);
  if (name == 0 || directory == std::string_view::npos)
    return {};
  std::string path = concat({plan.hostpin.substr(0, directory), "/libexec/hostpin/lto-check"});
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

/// The result of a link whose link-time code could not be checked.
int unchecked(CheckPolicy policy, std::string_view reason) {
  if (policy == CheckPolicy::warn) {
    note(concat({"the link continues although its link-time code was not checked: ", reason}));
    return 0;
  }
  complain(concat({"link-time code could not be checked: ", reason}),
           "fix that; HOSTPIN_LTO=warn continues the link, HOSTPIN_LTO=off skips the check");
  return exit_refused;
}

/// Signals that request termination, not ones that report a failure of the program.
bool asks_to_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

int check(const Plan& plan, CheckPolicy policy, const std::vector<const char*>& argv, char* const* envp) {
  const std::string program = checker(plan);
  if (program.empty())
    return unchecked(policy,
                     concat({"there is no libexec/hostpin/lto-check where ", plan.hostpin, " is installed"}));
  std::vector<const char*> words{program.c_str()};
  if (policy == CheckPolicy::warn)
    words.push_back("--warn");
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end()); // argv and environment both end with a null
  const Ended ended = run(words, envp);
  if (asks_to_end(ended.signal))
    return as_it_ended(ended);
  if (ended.signal != 0)
    return unchecked(policy, concat({program, " was killed by signal ", std::to_string(ended.signal)}));
  if (ended.code == all_fits)
    return 0;
  return ended.code == does_not_fit ? exit_refused : unchecked(policy, "lto-check printed the reason above");
}

/// A directory can be the value of some linker option; GNU ld reads an empty file as an empty script.
bool holds_lto(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return is_trouble(errno); // lto-check then reports it, if it has the same problem
  if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size == 0))
    return false;
  return access(path.c_str(), R_OK) == 0 ? binary::may_hold_lto(path) : is_trouble(errno);
}

/// Whether a file may be a linker script that names inputs. Source files are text too.
bool names_inputs(const std::string& path) {
  constexpr std::size_t longest_script = 65536;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  struct stat status {};
  std::string text;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::size_t>(status.st_size) <= longest_script) {
    std::array<char, 16> head{};
    const ssize_t count = pread(descriptor, head.data(), head.size(), 0);
    const std::string_view seen(head.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    if (seen.find('\0') == std::string_view::npos) {
      text.resize(static_cast<std::size_t>(status.st_size));
      const ssize_t all = pread(descriptor, text.data(), text.size(), 0);
      text.resize(all > 0 ? static_cast<std::size_t>(all) : 0);
    }
  }
  close(descriptor);
  for (const char* const command : {"INPUT", "GROUP", "INCLUDE"})
    if (text.find(command) != std::string::npos)
      return true;
  return false;
}

bool may_name_lto(const std::string& path) {
  return holds_lto(path) || names_inputs(path);
}

/// Whether -l finds a linker script in a directory of the command.
bool library_names_inputs(const LinkInputs& inputs) {
  for (const std::string& library : inputs.libraries)
    for (const std::string& directory : inputs.directories)
      if (!library.starts_with(':') && names_inputs(concat({directory, "/lib", library, ".so"})))
        return true;
  return false;
}

/// Whether -l finds an archive in the linker's default directories. Shared libraries come first there.
bool own_directories_hold_lto(const Plan& plan, const LinkInputs& inputs,
                              std::span<const std::string_view> arguments) {
  const bool static_too = std::any_of(arguments.begin(), arguments.end(), [](std::string_view word) {
    return word.find("static") != std::string_view::npos;
  });
  std::vector<std::string_view> directories{"/usr/local/lib", "/usr/local/lib64"}; // defaults of GNU ld
  directories.insert(directories.end(), plan.loader_directories.begin(), plan.loader_directories.end());
  const auto in = [&](std::string_view directory, const std::string& library) {
    if (library.starts_with(':'))
      return holds_lto(concat({directory, "/", std::string_view(library).substr(1)}));
    return (static_too || access(concat({directory, "/lib", library, ".so"}).c_str(), F_OK) != 0) &&
           holds_lto(concat({directory, "/lib", library, ".a"}));
  };
  for (const std::string& library : inputs.libraries)
    for (const std::string_view directory : directories)
      if (in(directory, library))
        return true;
  return false;
}

bool device_inputs_hold_lto(const cmdline::NvccCommand& command) {
  for (const cmdline::NvccWord& word : command.words)
    if (word.input && holds_lto(std::string(word.text)))
      return true;
  for (const cmdline::NvccWord& directories : command.words)
    if (directories.meaning == cmdline::NvccMeaning::library_directory)
      for (const std::string& directory : filled_parts(directories.value(), ","))
        for (const cmdline::NvccWord& libraries : command.words)
          if (libraries.meaning == cmdline::NvccMeaning::library)
            for (const std::string& library : filled_parts(libraries.value(), ","))
              if (holds_lto(concat({directory, "/lib", library, ".a"})))
                return true;
  return false;
}

} // namespace

std::optional<CheckPolicy> lto_policy(const Plan& plan, const char* const* envp) {
  const auto wish = variable(envp, "HOSTPIN_LTO");
  if (!wish)
    return plan.lto_check;
  const auto known = check_policy(*wish);
  if (!known)
    complain(concat({"HOSTPIN_LTO is ", *wish}), lto_policy_hint);
  return known;
}

int check_lto(const Plan& plan, CheckPolicy policy, const CxxCall& call, const std::vector<const char*>& argv,
              std::span<const std::string_view> arguments, char* const* envp) {
  if (policy == CheckPolicy::off || call.shows)
    return 0;
  const bool asked = !call.features[static_cast<std::size_t>(RuntimeFeature::lto)].empty();
  if (!asked) {
    const LinkInputs inputs = possible_inputs(arguments, envp);
    if (!inputs.in_other_files && std::none_of(inputs.files.begin(), inputs.files.end(), may_name_lto) &&
        !library_names_inputs(inputs) && !own_directories_hold_lto(plan, inputs, arguments))
      return 0;
  }
  return check(plan, policy, argv, envp);
}

int check_device_lto(const Plan& plan, CheckPolicy policy, const cmdline::NvccCommand& command,
                     const std::vector<const char*>& argv, char* const* envp) {
  if (policy == CheckPolicy::off || !command.links || command.informational ||
      !device_inputs_hold_lto(command))
    return 0;
  return check(plan, policy, argv, envp);
}

} // namespace hostpin::hot
