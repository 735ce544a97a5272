// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/command_line.hpp"

#include "wrapper/command/frame.hpp"
#include "wrapper/command/programs.hpp"
#include "wrapper/command/version.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace hostpin::command {

namespace {

void add_doctor(CLI::App& app, DoctorOptions& options) {
  add_request(app, options.request);
  add_target(app, options.request);
  CLI::Option* const json = app.add_flag("--json", options.json, "print JSON");
  CLI::Option* const verify = app.add_flag(
      "--verify", options.verify, "compile with every candidate and show where the verdict was wrong");
  CLI::Option* const suggest =
      app.add_flag("--suggest", options.suggest,
                   "print only the compilers that would fit if installed, newest first")
          ->excludes(json)
          ->excludes(verify);
  CLI::Option* const files =
      app.add_option("file", options.files,
                     "programs, libraries, objects, or directories of them: exit 1 if a GPU of this machine "
                     "finds nothing in their device code")
          ->type_name("FILE|TREE")
          ->excludes(suggest);
  app.add_option("--capabilities", options.capabilities,
                 "compare FILE with these GPUs instead, such as \"8.0;9.0\"")
      ->type_name("LIST")
      ->needs(files);
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  add_request(app, options.request);
  app.add_option("--bound", options.bound, "explain calls through this bound directory")->type_name("DIR");
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("call", options.call, "after --: [nvcc|c++] ARGS...");
}

/// Names are not checked here: the calls that use them do.
void add_env(CLI::App& app, EnvOptions& options) {
  Request& request = options.request;
  app.add_option("--toolkit", request.toolkit,
                 "CUDA toolkit for calls to use: its directory, an nvcc, or a release that is found")
      ->type_name("DIR");
  app.add_option("--stdenv", request.stdenv, "C++ compiler driver that builds everything else")
      ->type_name("CXX");
  app.add_option("--host", request.host, "host compiler for calls to use; they judge it, env does not")
      ->type_name("CXX");
  app.add_flag("--allow-unsupported", request.allow_unsupported)
      ->group(""); // accepted, then refused with a hint
  app.add_option("--bound", options.bound, "export this bound directory instead of the names above")
      ->type_name("DIR");
  app.add_option("--shell", options.shell, "sh, fish, csh or cmake; default: after $SHELL")
      ->check(CLI::IsMember({"sh", "fish", "csh", "cmake"}));
}

void add_bind(CLI::App& app, BindOptions& options) {
  add_request(app, options.request);
  add_target(app, options.request);
  app.add_option("directory", options.directory,
                 "where to write nvcc, c++, binding.toml, plan, toolchain.cmake")
      ->type_name("DIR");
  app.add_flag("--view", options.view,
               "make DIR a whole toolkit tree of links in which bin/nvcc is the bound one, for CUDA_HOME");
  app.add_flag("--refresh", options.refresh,
               "make the decision in DIR again, after a compiler or toolkit changed");
  CLI::Option* const capabilities =
      app.add_option("--capabilities", options.capabilities,
                     "GPUs that builds compile for unless they name others; a list as for capabilities")
          ->type_name("LIST");
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "add no PTX of the newest GPU to LIST")
      ->needs(capabilities);
  CLI::Option* const enforce =
      app.add_flag("--enforce", options.enforce,
                   "compile for the list in every call of nvcc, also if that names other GPUs");
  app.add_flag("--no-enforce", options.no_enforce, "compile for the GPUs that a call names")
      ->excludes(enforce);
  app.add_option("--slices", options.slices,
                 "run nvcc's work for each GPU as tasks side by side, and store what they make in STORE; "
                 "with --refresh, \"\" ends that")
      ->type_name("STORE");
  app.add_option("--policy", options.policy,
                 "refuse to link shared libraries that need what systems of this manylinux policy, such as "
                 "manylinux_2_28, do not have; with --refresh, \"\" ends that")
      ->type_name("POLICY");
  app.add_option("--allow-library", options.request.allowed_libraries,
                 "a library that they may need beyond it, such as one that is put into the wheel")
      ->type_name("SONAME")
      ->allow_extra_args(false);
  app.add_option(
         "--run-path", options.run_path,
         "add these directories, with a colon between them, to the run paths of what is linked: "
         "absolute ones, $ORIGIN/..., or toolkit for CUDA's libraries; with --refresh, \"\" ends that")
      ->type_name("PATH");
  CLI::Option* const pack = app.add_option("--pack", options.pack,
                                           "write an archive of DIR and everything it compiles and links "
                                           "with, which works when extracted into an empty root")
                                ->type_name("FILE.tar.zst");
  app.add_option("--with", options.with, "add this file or directory to the archive")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs(pack);
}

/// Not for users: the launcher runs it.
void add_plan_request(CLI::App& app, PlanRequest& asked) {
  app.add_flag("--plan", asked.asked)->group("");
  app.add_flag("--decision", asked.decision)->group("");
  for (const auto& [name, value] : {std::pair("--index", &asked.index),
                                    {"--unstored", &asked.unstored},
                                    {"--spare", &asked.spare},
                                    {"--base", &asked.base},
                                    {"--named", &asked.names.value},
                                    {"--named-by", &asked.names.by},
                                    {"--called-by", &asked.called_by}})
    app.add_option(name, *value)->group("");
  app.add_flag("--informational", asked.names.informational)->group("");
  app.add_flag("--noted", asked.noted)->group("");
}

void add_capabilities(CLI::App& app, CapabilitiesOptions& options) {
  app.add_option("list", options.list,
                 "such as \"8.0;8.6;9.0a+ptx\", or all, all-major, default, native; without it: what the "
                 "toolkit supports")
      ->type_name("LIST");
  app.add_option("--toolkit", options.request.toolkit,
                 "CUDA toolkit: its directory, an nvcc, or a release that is found")
      ->type_name("DIR");
  app.add_option("--format", options.format,
                 "print only this spelling: nvcc, cmake, torch, nccl, xla or kokkos")
      ->check(CLI::IsMember({"nvcc", "cmake", "torch", "nccl", "xla", "kokkos"}))
      ->needs("list");
  app.add_flag("--json", options.json, "print JSON")->excludes("--format");
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "add no PTX of the newest GPU for later ones");
  app.add_flag("--ask-driver", options.ask_driver)->group(""); // run by hostpin itself
}

/// The commands that are programs of the installation: everything after their names is for them.
void add_program(CLI::App& app, std::string_view name) {
  const InstalledProgram& row = *installed_program(name);
  CLI::App& program = *app.add_subcommand(std::string(row.name), row.description);
  program.prefix_command();
  program.set_help_flag();
}

void add_commands(CLI::App& app, CommandLine& line) {
  CLI::App& bind = *app.add_subcommand("bind", "resolve and write a bound toolchain");
  add_bind(bind, line.bind);
  add_plan_request(bind, line.plan);
  add_program(app, "setup");
  add_doctor(*app.add_subcommand("doctor", "what was found, what fits, what was rejected and why"),
             line.doctor);
  add_explain(*app.add_subcommand("explain", "what an nvcc call would do, and why"), line.explain);
  for (const char* const name : {"stdlib-probe", "lto-check", "leak-check", "redist", "wheel", "matrix"})
    add_program(app, name);
  add_env(*app.add_subcommand("env", "what to export for the current shell and for CMake"), line.env);
  add_capabilities(
      *app.add_subcommand("capabilities",
                          "a list of GPUs in the spelling of nvcc, CMake, PyTorch and others, checked"),
      line.capabilities);
  for (const char* const name : {"fatbin", "slices", "report"})
    add_program(app, name);
}

} // namespace

std::optional<int> parse_command_line(int argc, char** argv, const Environment& environment,
                                      CommandLine& line) {
  CLI::App app{description, "hostpin"};
  app.set_version_flag("-V,--version", version_text);
  add_commands(app, line);
  const std::vector<char*> arguments = with_usual_arguments(argc, argv);
  // The arguments of programs, which can include `--`, are not parsed here.
  const bool is_program = arguments.size() > 1 && installed_program(arguments[1]) != nullptr;
  const std::span<char* const> parsed(arguments.data(), is_program ? 2 : arguments.size());
  if (const auto code = parse(app, parsed, environment))
    return code;
  line.command = app.get_subcommands().front()->get_name();
  line.arguments.assign(arguments.begin() + 2, arguments.end());
  return std::nullopt;
}

} // namespace hostpin::command
