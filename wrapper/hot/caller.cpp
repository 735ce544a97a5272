// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/caller.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/identity/identity.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::hot {

std::string real_nvcc(const std::string& path) {
  char directory[PATH_MAX];
  if (base_name(path).find("nvcc") == std::string_view::npos ||
      realpath(directory_of(path).c_str(), directory) == nullptr ||
      access(concat({directory, "/nvcc.profile"}).c_str(), F_OK) != 0)
    return {};
  return concat({directory, "/nvcc"});
}

namespace {

constexpr std::string_view decision_variable = "HOSTPIN_DECISION";
constexpr std::size_t longest_value = 100'000; // the kernel takes 128 KB for one variable
constexpr int most_between = 8;                // wrapper scripts, ccache, shells above the launcher

std::string of_process(pid_t process, std::string_view name) {
  return concat({"/proc/", std::to_string(process), "/", name});
}

std::string program_of(pid_t process) {
  char program[PATH_MAX];
  const ssize_t length = readlink(of_process(process, "exe").c_str(), program, sizeof program);
  return length > 0 ? std::string(program, static_cast<std::size_t>(length)) : std::string();
}

/// A field of /proc/PID/stat as proc(5) numbers them, from 3 on.
std::string state_field(pid_t process, int number) {
  const std::string text = read_endless(of_process(process, "stat"));
  std::size_t at = text.rfind(") "); // the program's name, before it, may contain anything
  for (int field = 2; at != std::string::npos && field < number; ++field)
    at = text.find(' ', at == 0 ? 0 : at + 1);
  return at == std::string::npos ? std::string() : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

pid_t parent_of(pid_t process) {
  return static_cast<pid_t>(std::strtol(state_field(process, 4).c_str(), nullptr, 10));
}

/// No other process, earlier or later, has the same stamp.
std::string stamp_of(pid_t process) {
  const std::string started = state_field(process, 22);
  return started.empty() ? started : concat({std::to_string(process), " ", started});
}

/// The nvcc that a process runs: the path it was called by, as nvcc locates itself by that, else its file.
std::string nvcc_of(pid_t process, std::string_view command_line) {
  const std::string_view called = command_line.substr(0, command_line.find('\0'));
  if (called.find('/') != std::string_view::npos)
    if (std::string nvcc = real_nvcc(
            called.front() == '/' ? std::string(called) : concat({of_process(process, "cwd"), "/", called}));
        !nvcc.empty())
      return nvcc;
  return real_nvcc(program_of(process));
}

/// Whether a program between nvcc and the launcher passes on this call: a wrapper script, ccache, or nvcc's
/// shell. `make`, started by a program that `nvcc -run` started, does not.
bool passes_on(std::string_view command_line, std::string_view distinctive) {
  const std::size_t end = command_line.find('\0');
  return (!distinctive.empty() && command_line.find(distinctive) != std::string_view::npos) ||
         (end != std::string_view::npos &&
          command_line.substr(end + 1).starts_with(std::string_view("-c\0", 3)));
}

std::optional<Caller> nearest_nvcc(std::string_view distinctive) {
  pid_t process = getppid();
  for (int level = 0; process > 1 && level < most_between; ++level) {
    const std::string command_line = read_endless(of_process(process, "cmdline"));
    if (std::string nvcc = nvcc_of(process, command_line); !nvcc.empty())
      return Caller{std::move(nvcc), process};
    if (!passes_on(command_line, distinctive))
      break;
    process = parent_of(process);
  }
  return std::nullopt;
}

/// Whether only nvcc makes such a call; its links have no such mark.
bool has_marks(std::span<const char* const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](std::string_view argument) {
    return argument.starts_with("-D__CUDA_ARCH") || argument.starts_with("-D__CUDACC_VER_") ||
           argument.find("/tmpxft_") != std::string_view::npos;
  });
}

std::string_view longest(std::span<const char* const> arguments) {
  std::string_view found;
  for (const std::string_view argument : arguments)
    if (argument.size() > found.size())
      found = argument;
  return found;
}

} // namespace

bool same_toolkit(const std::string& nvcc, std::string_view other) {
  struct stat one {};
  struct stat two {};
  return stat(concat({nvcc, ".profile"}).c_str(), &one) == 0 &&
         stat(concat({other, ".profile"}).c_str(), &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

std::optional<Caller> calling_nvcc(std::span<const char* const> arguments, const char* const* envp) {
  // nvcc runs its query directly and with the environment that it was given, everything else through a shell
  // and with its own variables added.
  const bool is_query = !identity::asked_file(arguments).empty();
  const auto here = variable(envp, "_HERE_");
  if (!is_query && !here)
    return std::nullopt;
  if (auto found = nearest_nvcc(longest(arguments)))
    return found;
  if (!is_query && has_marks(arguments))
    if (std::string nvcc = real_nvcc(concat({*here, "/nvcc"})); !nvcc.empty())
      return Caller{std::move(nvcc), 0};
  return std::nullopt;
}

std::optional<Caller> other_nvcc(const plan::Plan& bound, std::string_view directory,
                                 std::span<const char* const> arguments, const char* const* envp) {
  if (identity::asked_file(arguments).empty()) {
    const auto here = variable(envp, "_HERE_");
    const bool is_own = here && bound.nvcc.starts_with(*here) && bound.nvcc.substr(here->size()) == "/nvcc";
    if (!here || is_own || *here == directory_of(nvcc_in_tree(bound, directory)))
      return std::nullopt;
  } else if (program_of(getppid()) == bound.nvcc)
    return std::nullopt;
  auto caller = calling_nvcc(arguments, envp);
  if (caller && same_toolkit(caller->nvcc, bound.nvcc))
    caller.reset();
  return caller;
}

std::optional<nvcc::VariableChange> handed_down(const plan::Plan& plan) {
  plan::Plan decision = plan;
  decision.files.clear(); // checked a moment ago
  decision.identity = {}; // there is no directory that could hold the answer
  std::string text = plan::write_plan(decision);
  std::replace(text.begin(), text.end(), '\0', '\n'); // a newline in a value breaks the checksum
  const std::string stamp = stamp_of(getpid());
  if (stamp.empty() || text.size() > longest_value)
    return std::nullopt;
  return nvcc::VariableChange{std::string(decision_variable), concat({stamp, "\n", text})};
}

std::optional<std::string> handed_plan(const Caller& caller, const char* const* envp) {
  const auto value = caller.process != 0 ? variable(envp, decision_variable) : std::nullopt;
  const std::string stamp = value ? concat({stamp_of(caller.process), "\n"}) : std::string();
  if (!value || stamp.size() == 1 || !value->starts_with(stamp))
    return std::nullopt;
  std::string bytes(value->substr(stamp.size()));
  std::replace(bytes.begin(), bytes.end(), '\n', '\0');
  return bytes;
}

bool is_below_ccache(const Caller& caller) {
  return caller.process > 0 && base_name(program_of(parent_of(caller.process))).starts_with("ccache");
}

} // namespace hostpin::hot
