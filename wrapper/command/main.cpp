// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/command/bind_for_driver.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/undisturbed.hpp"
#include "wrapper/command/usage.hpp"
#include "wrapper/command/version.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace hostpin;

void add_request(CLI::App& app, Request& request) {
  app.add_option("--toolkit", request.toolkit, "CUDA toolkit: its directory, or an nvcc")->type_name("DIR");
  app.add_option("--stdenv", request.stdenv, "C++ driver that everything else is built with")
      ->type_name("CXX");
  app.add_option("--host", request.host, "host compiler to use, judged all the same")->type_name("CXX");
  app.add_flag("--allow-unsupported", request.allow_unsupported, "use a host compiler that does not fit");
}

/// Names are not checked here: the calls that use them do.
void add_env(CLI::App& app, EnvOptions& options) {
  Request& request = options.request;
  app.add_option("--toolkit", request.toolkit, "CUDA toolkit for calls to use: its directory, or an nvcc")
      ->type_name("DIR");
  app.add_option("--stdenv", request.stdenv, "C++ driver that everything else is built with")
      ->type_name("CXX");
  app.add_option("--host", request.host, "host compiler for calls to use; they judge it, env does not")
      ->type_name("CXX");
  app.add_flag("--allow-unsupported", request.allow_unsupported)
      ->group(""); // accepted, then refused with a hint
  app.add_option("--bound", options.bound, "export this bound directory, and none of the names above")
      ->type_name("DIR");
  app.add_option("--shell", options.shell, "sh, fish, csh or cmake; default: after $SHELL")
      ->check(CLI::IsMember({"sh", "fish", "csh", "cmake"}));
}

void add_bind(CLI::App& app, BindOptions& options) {
  add_request(app, options.request);
  app.add_option("directory", options.directory,
                 "where to write nvcc, c++, binding.toml, plan, toolchain.cmake")
      ->type_name("DIR");
  app.add_flag("--view", options.view,
               "make DIR a whole toolkit tree of links in which bin/nvcc is the bound one, for CUDA_HOME");
  app.add_flag("--refresh", options.refresh,
               "decide again what DIR holds, after a compiler or toolkit changed");
  CLI::Option* const capabilities =
      app.add_option(
             "--capabilities", options.capabilities,
             "GPUs that builds are told to compile for, where they do not say so themselves; a list as "
             "capabilities takes it")
          ->type_name("LIST");
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "LIST asks for no PTX of the newest by itself")
      ->needs(capabilities);
  CLI::Option* const pack =
      app.add_option(
             "--pack", options.pack,
             "write an archive of DIR and all it compiles and links with: unpacked in an empty root, it "
             "works")
          ->type_name("FILE.tar.zst");
  app.add_option("--with", options.with, "the archive is to hold this file or directory too")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs(pack);
}

/// Not for users: the launcher runs it.
void add_plan_request(CLI::App& app, PlanRequest& asked) {
  app.add_flag("--plan", asked.asked)->group("");
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
  app.add_option(
         "list", options.list,
         "such as \"8.0;8.6;9.0a+ptx\", or all, all-major, default, native; without it: what the toolkit "
         "takes")
      ->type_name("LIST");
  app.add_option("--toolkit", options.request.toolkit, "CUDA toolkit: its directory, or an nvcc")
      ->type_name("DIR");
  app.add_option("--format", options.format,
                 "print this spelling alone: nvcc, cmake, torch, nccl, xla or kokkos")
      ->check(CLI::IsMember({"nvcc", "cmake", "torch", "nccl", "xla", "kokkos"}))
      ->needs("list");
  app.add_flag("--json", options.json, "the same for programs")->excludes("--format");
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "no PTX of the newest for GPUs to come");
  app.add_flag("--ask-driver", options.ask_driver)->group(""); // run by hostpin itself
}

void add_fatbin(CLI::App& app, FatbinOptions& options) {
  app.add_option("path", options.paths,
                 "objects, archives, programs, libraries, .fatbin, .cubin, .ptx, or directories of them")
      ->type_name("FILE|TREE")
      ->required();
  CLI::Option* const expect =
      app.add_option(
             "--expect", options.list,
             "exit 1 unless each FILE, and each file with device code in a TREE, holds what this list "
             "asks for and nothing else; a list as capabilities takes it")
          ->type_name("LIST");
  app.add_option("--toolkit", options.request.toolkit,
                 "CUDA toolkit that LIST is held against; without it, any")
      ->type_name("DIR")
      ->needs(expect);
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "LIST asks for no PTX of the newest by itself")
      ->needs(expect);
  app.add_flag(
         "--each", options.each,
         "exit 1 also where only some fatbins of a file lack what LIST asks for; without it that is a note")
      ->needs(expect);
  app.add_flag("--members", options.members, "a table for each member of an archive too");
  app.add_flag("--json", options.json, "the same for programs");
}

void add_report(CLI::App& app, ReportOptions& options) {
  add_request(app, options.request);
  app.add_option("--bound", options.bound, "show this bound directory, and none of the names above")
      ->type_name("DIR");
  app.add_option("-o,--output", options.output,
                 "the page: a new file, or an earlier report to replace; - for standard output")
      ->type_name("FILE")
      ->required();
  app.add_option(
         "--tree", options.trees,
         "an installed tree or a file: its leaks, and which file leads to which libstdc++; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option("--leaks", options.answers,
                 "leaks that leak-check --json has found already, in FILE; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* const lto =
      app.add_option("--lto", options.lto, "objects and archives whose link-time code is judged")
          ->type_name("FILE");
  app.add_option("link", options.link,
                 "after --: a link command, which is not run, whose link-time code is judged")
      ->excludes(lto);
}

/// Treats `help [COMMAND]` and `version` as the options of the same meaning.
std::vector<char*> with_usual_words(int argc, char** argv) {
  static char help[] = "--help", version[] = "--version"; // main's argv is not const
  std::vector<char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "version")
    words[1] = version;
  if (first == "help") {
    words.erase(words.begin() + 1);
    words.push_back(help);
  }
  return words;
}

int run(int argc, char** argv, char** envp) {
  const Environment environment = Environment::from(envp);
  const DiskFiles files;
  const HostProcesses processes;

  CLI::App app{"An nvcc that picks a host compiler that fits and pins the libstdc++ of everything else.",
               "hostpin"};
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_text);
  BindOptions bind;
  DoctorOptions doctor;
  ExplainOptions explain;
  EnvOptions env;
  CLI::App& bind_app = *app.add_subcommand("bind", "resolve and write a bound toolchain");
  add_bind(bind_app, bind);
  PlanRequest plan;
  add_plan_request(bind_app, plan);
  CLI::App& doctor_app =
      *app.add_subcommand("doctor", "what was found, what fits, what was turned down and why");
  add_request(doctor_app, doctor.request);
  CLI::Option* const json = doctor_app.add_flag("--json", doctor.json, "the same for programs");
  CLI::Option* const verify = doctor_app.add_flag(
      "--verify", doctor.verify, "compile with every candidate and show where the verdict was wrong");
  doctor_app.add_flag("--suggest", doctor.suggest, "only the drivers that would fit, newest first")
      ->excludes(json)
      ->excludes(verify);
  CLI::App& explain_app = *app.add_subcommand("explain", "what an nvcc call would do, and why");
  add_request(explain_app, explain.request);
  explain_app.add_option("--bound", explain.bound, "explain calls through this bound directory")
      ->type_name("DIR");
  explain_app.add_option("call", explain.call, "after --: [nvcc|c++] ARGS...");
  CLI::App& probe_app = *app.add_subcommand(
      "stdlib-probe", "what the headers of a standard library, a C library or a toolkit really say");
  probe_app.prefix_command(); // everything after it belongs to the probe
  probe_app.set_help_flag();
  CLI::App& lto_app = *app.add_subcommand(
      "lto-check", "whether link-time code in objects and archives fits the linker that would read it");
  lto_app.set_help_flag();
  CLI::App& leak_app = *app.add_subcommand(
      "leak-check", "references to the wrong libraries and paths in what was built and installed");
  leak_app.set_help_flag();
  CLI::App& env_app = *app.add_subcommand("env", "what to export for the shell at hand and for CMake");
  add_env(env_app, env);
  CapabilitiesOptions capabilities;
  CLI::App& capabilities_app = *app.add_subcommand(
      "capabilities", "a list of GPUs in the spelling of nvcc, CMake, PyTorch and others, checked");
  add_capabilities(capabilities_app, capabilities);
  FatbinOptions fatbin;
  CLI::App& fatbin_app =
      *app.add_subcommand("fatbin", "which device code files hold, for which GPUs, and what it costs");
  add_fatbin(fatbin_app, fatbin);
  ReportOptions report_options;
  CLI::App& report_app =
      *app.add_subcommand("report", "all of it as one page for a browser: verdicts, the binding, LTO, leaks");
  add_report(report_app, report_options);
  // The arguments of the checks, which can include `--`, are not parsed here.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool is_check = first == "lto-check" || first == "leak-check";
  try {
    app.parse(is_check ? 2 : argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) { // help or version; std::cout would lose the reason of a write error
      std::ostringstream text;
      const int code = app.exit(error, text, text);
      std::fputs(wrapped_help(text.str(), terminal_width(environment, STDOUT_FILENO)).c_str(), stdout);
      return code;
    }
    report(usage_error(app, error));
    if (argc == 1) // without arguments: list the commands on stderr
      print_error('\n' + wrapped_help(app.help(), terminal_width(environment, STDOUT_FILENO)));
    return exit_broken;
  }

  const auto tree = find_install_tree(hot::own_path(), files);
  if (!tree) {
    report(tree.error());
    return exit_broken;
  }
  if (probe_app.parsed())
    return run_program(*tree, "stdlib-probe", {argv + 2, argv + argc});
  if (lto_app.parsed())
    return run_program(*tree, "lto-check", {argv + 2, argv + argc});
  if (leak_app.parsed())
    return run_program(*tree, "leak-check", {argv + 2, argv + argc});
  const bool colours =
      isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  const Context context{environment,
                        files,
                        processes,
                        *tree,
                        Terminal(colours, terminal_width(environment, STDOUT_FILENO)),
                        program_word(environment, *tree, files)};
  if (bind_app.parsed())
    return plan.asked ? run_bind_for_driver(context, bind, plan) : run_bind(context, bind);
  if (doctor_app.parsed())
    return tidied(context, [&](const Context& inner) { return run_doctor(inner, doctor); });
  if (explain_app.parsed())
    return tidied(context, [&](const Context& inner) { return run_explain(inner, explain); });
  if (capabilities_app.parsed())
    return tidied(context, [&](const Context& inner) { return run_capabilities(inner, capabilities); });
  if (fatbin_app.parsed())
    return run_fatbin(context, fatbin);
  if (report_app.parsed()) {
    if (!report_options.link.empty() && std::find(argv, argv + argc, std::string_view("--")) == argv + argc) {
      report({"report takes no " + report_options.link.front(),
              "a tree follows --tree, a link command follows --"});
      return exit_broken;
    }
    return run_report(context, report_options);
  }
  return run_env(context, env);
}

} // namespace

int main(int argc, char** argv, char** envp) {
  keep_standard_streams();
  std::vector<char*> words = with_usual_words(argc, argv);
  const int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  const auto code = written_whole([&] { return run(count, words.data(), envp); });
  if (code)
    return *code;
  report(code.error());
  return exit_broken;
}
