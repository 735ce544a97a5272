// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"
#include "wrapper/command/command_line.hpp"
#include "wrapper/hot/system.hpp"

#include <unistd.h>

namespace {

using namespace hostpin;
using namespace hostpin::command;

int run_fatbin_command(const Context& context, const CommandLine& line) {
  const FatbinChanges& changes = line.fatbin_changes;
  if (changes.command == "slim")
    return run_fatbin_slim(context, changes.slim);
  if (changes.command == "slice")
    return run_fatbin_slice(context, changes.slice);
  if (changes.command == "merge")
    return run_fatbin_merge(context, changes.merge);
  if (changes.command == "repack")
    return run_fatbin_repack(context, changes.repack);
  if (changes.command == "prove")
    return run_fatbin_prove(context, changes.prove);
  return run_fatbin(context, line.fatbin);
}

int run_command(const Context& context, const CommandLine& line) {
  if (line.command == "bind")
    return line.plan.asked ? run_bind_for_driver(context, line.bind, line.plan)
                           : run_bind(context, line.bind);
  if (line.command == "setup")
    return run_setup(context, line.setup);
  if (line.command == "doctor")
    return run_readonly(context, [&](const Context& inner) { return run_doctor(inner, line.doctor); });
  if (line.command == "explain")
    return run_readonly(context, [&](const Context& inner) { return run_explain(inner, line.explain); });
  if (line.command == "capabilities")
    return run_readonly(context,
                        [&](const Context& inner) { return run_capabilities(inner, line.capabilities); });
  if (line.command == "fatbin")
    return run_fatbin_command(context, line);
  if (line.command == "report")
    return run_report(context, line.report);
  if (line.command == "slices")
    return run_slices(context, line.slices);
  return run_env(context, line.env);
}

int run(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  const DiskFiles files;
  const HostProcesses processes;
  CommandLine line;
  if (const auto code = parse_command_line(argc, argv, environment, line))
    return *code;
  const auto tree = find_install_tree(hot::own_path(), files);
  if (!tree) {
    report(tree.error());
    return exit_broken;
  }
  if (line.command == "stdlib-probe" || line.command == "lto-check" || line.command == "leak-check" ||
      line.command == "redist" || line.command == "wheel" || line.command == "matrix")
    return run_program(*tree, line.command, line.arguments);
  const bool colours =
      isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  return run_command({environment, files, processes, *tree,
                      Terminal(colours, terminal_width(environment, STDOUT_FILENO)),
                      program_word(environment, *tree, files)},
                     line);
}

} // namespace

int main(int argc, char** argv, char** envp) {
  keep_standard_streams();
  const auto code = written_whole([&] { return run(argc, argv, envp); });
  if (code)
    return *code;
  report(code.error());
  return exit_broken;
}
