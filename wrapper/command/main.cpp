// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"
#include "wrapper/command/command_line.hpp"
#include "wrapper/command/programs.hpp"

namespace {

using namespace hostpin;
using namespace hostpin::command;

int run_command(const Context& context, const CommandLine& line) {
  if (installed_program(line.command) != nullptr)
    return run_program(context.tree, line.command, line.arguments);
  if (line.command == "bind")
    return line.plan.asked || line.plan.decision ? run_bind_for_driver(context, line.bind, line.plan)
                                                 : run_bind(context, line.bind);
  if (line.command == "doctor")
    return run_readonly(context, [&](const Context& inner) { return run_doctor(inner, line.doctor); });
  if (line.command == "explain")
    return run_readonly(context, [&](const Context& inner) { return run_explain(inner, line.explain); });
  if (line.command == "capabilities")
    return run_readonly(context,
                        [&](const Context& inner) { return run_capabilities(inner, line.capabilities); });
  return run_env(context, line.env);
}

int run(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  CommandLine line;
  if (const auto code = parse_command_line(argc, argv, environment, line))
    return *code;
  return with_context(environment, [&](const Context& context) { return run_command(context, line); });
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
