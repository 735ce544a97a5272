// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/gpus/item.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/hot/compiler_cache.hpp"
#include "wrapper/view/view.hpp"

#include <filesystem>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

struct Export {
  std::string name, value;
};

std::string fish_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

std::string csh_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\'";
    else if (c == '!' || c == '\n') // csh expands history and line ends even inside single quotes
      quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

std::string line(const Export& each, const std::string& shell) {
  if (shell == "fish")
    return fmt::format("set -gx {} {};\n", each.name, fish_word(each.value));
  if (shell == "csh")
    return fmt::format("setenv {} {};\n", each.name, csh_word(each.value));
  if (shell == "cmake")
    return fmt::format("set(ENV{{{}}} {})\n", each.name, bind::cmake_string(each.value));
  return fmt::format("export {}={}\n", each.name, shell_word(each.value));
}

/// GPU variables of the binding; a variable that is set to a non-empty value keeps it.
void append_capabilities(std::vector<Export>& exports, const bind::BoundCapabilities& bound,
                         const Environment& environment) {
  for (const auto& [name, value] : bound.variables) {
    const auto set = environment[name];
    if (!set || set->empty())
      exports.push_back({name, value});
    else if (*set != value)
      report_note(fmt::format("{0} is already set to {1}; unset it to use the binding's value, {2}", name,
                              gpus::visible(*set, 200), value));
  }
}

std::string shell_at_hand(const Environment& environment) {
  const std::string shell = environment["SHELL"].value_or("");
  const std::string name = shell.substr(shell.rfind('/') + 1);
  if (name == "fish")
    return name;
  return name == "csh" || name == "tcsh" ? "csh" : "sh";
}

/// ccache identifies a compiler by its size and time, so it notices neither what an unbound nvcc selects nor
/// a change of a bound one's dependencies; a command that it runs for every compiler does. For other
/// compilers that command prints what ccache knows anyway.
void append_compiler_check(std::vector<Export>& exports, const Context& context,
                           const std::string& directory) {
  constexpr std::string_view name = "CCACHE_COMPILERCHECK";
  if (const auto set = context.environment[name];
      set && !set->empty() && set->find(hot::fingerprint_option) == std::string::npos) {
    report_note(fmt::format("{0} is already set to {1}, with which ccache does not detect that another "
                            "compiler is selected or changed; unset it to use hostpin's check",
                            name, gpus::visible(*set, 200)));
    return;
  }
  for (const std::string& place : {directory, context.tree.prefix + "/libexec/hostpin"})
    // ccache splits the command at spaces and semicolons, and does not interpret quotes.
    if (place.find_first_of(" \t\n;%\"'\\") == std::string::npos) {
      exports.push_back(
          {std::string(name), fmt::format("{}/nvcc {} %compiler%", place, hot::fingerprint_option)});
      return;
    }
  report_note(fmt::format("ccache cannot run a program in {}, because of a character in that path; it "
                          "detects neither which compilers are selected nor that they change",
                          gpus::visible(directory, 200)));
}

/// Exports for one bound directory, assigned to `directory`; its nvcc is assigned to `nvcc`.
Result<std::vector<Export>> of_binding(const Context& context, const EnvOptions& options,
                                       std::string& directory, std::string& nvcc) {
  if (auto wrong = conflict_with_bound(options.request, *options.bound))
    return tl::unexpected(*std::move(wrong));
  const std::string room = bound_room(context.files, *options.bound);
  TRY_ASSIGN(const auto recorded, bind::read_recorded(context.files, room));
  directory = context.files.real_path(room).value_or(room);
  nvcc = fmt::format("{}/{}/bin/nvcc", directory, view::tree_room);
  if (!context.files.status(nvcc))
    nvcc = directory + "/nvcc";
  std::vector<Export> exports;
  if (recorded.capabilities)
    append_capabilities(exports, *recorded.capabilities, context.environment);
  if (recorded.view) {
    const std::string view = directory_of(directory);
    nvcc = view + "/bin/nvcc";
    for (const char* const name : {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"})
      exports.push_back({name, view});
  }
  return exports;
}

/// Exports for calls that decide themselves, with these names.
Result<std::vector<Export>> of_names(const Context& context, const Request& request) {
  if (request.allow_unsupported)
    return failure("--allow-unsupported applies to a call or a binding; there is no variable for it",
                   fmt::format("bind with it, and export that: {0} bind --allow-unsupported toolchain && {0} "
                               "env --bound toolchain",
                               context.program));
  std::vector<Export> exports;
  for (const auto& [option, name, value] : {std::tuple{"--toolkit", "HOSTPIN_TOOLKIT", request.toolkit},
                                            {"--stdenv", "HOSTPIN_STDENV", request.stdenv},
                                            {"--host", "HOSTPIN_HOST", request.host}}) {
    if (!value)
      continue;
    if (value->empty())
      return failure(std::string(option) + " is empty", "leave it out, or name what to use");
    exports.push_back({name, *value});
  }
  // Variables outlive the current directory; compilers without a slash are searched on PATH.
  if (request.toolkit && !request.toolkit->starts_with('/') &&
      !named_toolkit(context.files, *request.toolkit, {}).is_release)
    exports.front().value = context.files.real_path(".").value_or("") + '/' + *request.toolkit;
  return exports;
}

/// Exports for calls that decide themselves do not reach a binding that comes first on PATH.
void note_what_is_bound(const Context& context) {
  const auto here = call_here(context, {});
  if (here && !here->directory.empty() && here->origin != "$CUDACXX")
    report_note(fmt::format("nvcc on PATH is bound in {0}, and ignores these variables; to use that "
                            "binding: {1} env --bound {0}",
                            shell_word(here->directory), context.program));
}

/// Flags that nvcc reads itself override the exports. `directory`: of the exported programs.
void note_what_outranks(const Context& context, const std::string& directory, std::string_view exported) {
  for (const char* const flags : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (const auto set = context.environment[flags]) {
      cmdline::DiskArgumentFiles texts;
      const cmdline::NvccCommand naming = cmdline::nvcc_command({*set, {}, {}, {}, false}, texts);
      if (naming.ccbin.by != cmdline::CcbinChoice::By::nobody && naming.ccbin.value != directory + "/c++")
        report_note(
            fmt::format("{0} names {1}, which takes precedence over {2}: unset {0} or, where it has to "
                        "name a host compiler, name {3}/c++",
                        flags, gpus::visible(naming.ccbin.value, 200), exported, directory));
    }
}

} // namespace

int run_env(const Context& context, const EnvOptions& options) {
  std::string directory = context.tree.prefix + "/libexec/hostpin";
  std::string nvcc = directory + "/nvcc";
  auto exports =
      options.bound ? of_binding(context, options, directory, nvcc) : of_names(context, options.request);
  if (!exports) {
    report(exports.error());
    return exit_broken;
  }
  append_compiler_check(*exports, context, directory);
  if (!options.bound)
    note_what_is_bound(context);
  note_what_outranks(context, directory, options.bound ? "the binding" : "these variables");
  exports->push_back({"CUDACXX", nvcc});
  exports->push_back({"CUDAHOSTCXX", directory + "/c++"});
  const std::string shell = options.shell.empty() ? shell_at_hand(context.environment) : options.shell;
  for (const Export& each : *exports)
    fmt::print("{}", line(each, shell));
  return exit_fine;
}

} // namespace hostpin::command
