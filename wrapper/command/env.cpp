// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

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
    else if (c == '!' || c == '\n') // history and line ends are live inside csh's single quotes
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
    return fmt::format("set(ENV{{{}}} {})\n", each.name, cmake_string(each.value));
  return fmt::format("export {}={}\n", each.name, shell_word(each.value));
}

/// What the binding says of GPUs; a variable that is set has the last word.
void append_capabilities(std::vector<Export>& exports, const BoundCapabilities& bound,
                         const Environment& environment) {
  for (const auto& [name, value] : bound.variables) {
    const auto set = environment[name];
    if (!set)
      exports.push_back({name, value});
    else if (*set != value)
      report_note(fmt::format("{} stays {}, which is set already; the binding says {}", name, *set, value));
  }
}

std::string shell_at_hand(const Environment& environment) {
  const std::string shell = environment["SHELL"].value_or("");
  const std::string name = shell.substr(shell.rfind('/') + 1);
  if (name == "fish")
    return name;
  return name == "csh" || name == "tcsh" ? "csh" : "sh";
}

} // namespace

int run_env(const Context& context, const EnvOptions& options) {
  std::string directory = context.tree.prefix + "/libexec/hostpin";
  std::vector<Export> exports;
  if (!options.bound.empty()) {
    const auto recorded = read_recorded(context.files, options.bound);
    if (!recorded) {
      report(recorded.error());
      return exit_broken;
    }
    directory = context.files.real_path(options.bound).value_or(options.bound);
    // ccache hashes the compiler it is given, not the one the binding chose; the plan names that one.
    exports.push_back({"CCACHE_EXTRAFILES", directory + "/plan"});
    if (recorded->capabilities)
      append_capabilities(exports, *recorded->capabilities, context.environment);
  } else {
    for (const auto& [name, value] : {std::pair{"HOSTPIN_TOOLKIT", options.request.toolkit},
                                      {"HOSTPIN_STDENV", options.request.stdenv},
                                      {"HOSTPIN_HOST", options.request.host}})
      if (value)
        exports.push_back({name, *value});
  }
  exports.push_back({"CUDACXX", directory + "/nvcc"});
  exports.push_back({"CUDAHOSTCXX", directory + "/c++"});
  const std::string shell = options.shell.empty() ? shell_at_hand(context.environment) : options.shell;
  for (const Export& each : exports)
    fmt::print("{}", line(each, shell));
  return exit_fine;
}

} // namespace hostpin
