// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/command_line.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/fatbin_command_line.hpp"
#include "wrapper/command/version.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::command {

namespace {

bool is_option(const std::string& word) {
  return word.starts_with('-') && word != "-";
}

/// Whether an unparsed option precedes the command.
bool precedes_command(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining();
  return command != nullptr && !left.empty() && is_option(left.front());
}

/// `fatbin slim`: the command, after the one that it belongs to.
std::string name_of(const CLI::App& app, const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == &app || parent == nullptr ? command.get_name()
                                             : parent->get_name() + ' ' + command.get_name();
}

std::string message(const CLI::App& app, const CLI::App* command, const CLI::ParseError& wrong) {
  const std::vector<std::string> left = app.remaining(true); // arguments that nothing has parsed
  const std::string name = command != nullptr ? name_of(app, *command) : app.get_name();
  if (command == nullptr && left.empty())
    return name + " needs a command";
  // A misspelt option leaves the right one missing, and is the one to report.
  const bool lacks = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const bool has_more = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (left.empty() || !(has_more || (lacks && (command == nullptr || is_option(left.front())))))
    return name + ": " + options::in_words(wrong);
  if (precedes_command(app, command))
    return fmt::format("{} has no option {}", app.get_name(), escaped(app.remaining().front()));
  const std::string word = escaped(left.front());
  if (is_option(left.front()))
    return fmt::format("{} has no option {}", name, word);
  return command != nullptr ? fmt::format("{} does not accept '{}'", name, word)
                            : fmt::format("{} has no command '{}'", name, word);
}

/// The arguments of an unquoted list, as one argument.
std::string as_list(const CLI::App& capabilities) {
  auto list = capabilities.get_option("list")->as<std::string>();
  for (const std::string& word : capabilities.remaining())
    list += ';' + word;
  return shell_word(list);
}

/// A suggestion, if the unparsed arguments show what was meant.
std::optional<std::string> likely(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty())
    return std::nullopt;
  const std::string name = app.get_name() + ' ' + command.get_name();
  if (command.get_name() == "explain" && is_option(left.front()))
    return fmt::format("the call follows --: {0} -- nvcc {1} ...; {0} --help lists its options", name,
                       escaped(left.front()));
  if (command.get_name() == "capabilities" && std::none_of(left.begin(), left.end(), is_option) &&
      command.count("list") > 0)
    return fmt::format("quote the list, so that it is one argument: {} {}", name, escaped(as_list(command)));
  return std::nullopt;
}

/// The unparsed argument, if it is similar to a command or an option.
std::string meant(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty())
    return {};
  if (is_option(left.front()))
    return options::option_near(command != nullptr ? *command : app, left.front());
  std::vector<std::string> known;
  if (command == nullptr)
    for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(each->get_name());
  return nearest(left.front(), known);
}

/// The command that was parsed, or that command's own one; null if there is none.
const CLI::App* parsed_command(const CLI::App& app) {
  const auto is_parsed = [](const CLI::App* each) { return each->parsed(); };
  const CLI::App* command = nullptr;
  for (auto found = app.get_subcommands(is_parsed); !found.empty();
       found = command->get_subcommands(is_parsed))
    command = found.front();
  return command;
}

/// What is wrong with a command line, in the form of the other programs here, and which help to read.
Error usage_error(const CLI::App& app, const CLI::ParseError& wrong) {
  const CLI::App* const command = parsed_command(app);
  if (precedes_command(app, command))
    return {message(app, command, wrong),
            fmt::format("options follow the command: {} {} ...", app.get_name(), name_of(app, *command))};
  if (command != nullptr)
    if (auto next = likely(app, *command))
      return {message(app, command, wrong), *std::move(next)};
  const std::string near = meant(app, command);
  const std::string help =
      command != nullptr ? app.get_name() + ' ' + name_of(app, *command) : app.get_name();
  return {message(app, command, wrong),
          fmt::format("{}{} --help {}", near.empty() ? "" : fmt::format("did you mean {}? ", near), help,
                      command != nullptr ? "lists its options" : "lists the commands")};
}

void add_request(CLI::App& app, Request& request) {
  app.add_option("--toolkit", request.toolkit, "CUDA toolkit: its directory, or an nvcc")->type_name("DIR");
  app.add_option("--stdenv", request.stdenv, "C++ compiler driver that builds everything else")
      ->type_name("CXX");
  app.add_option("--host", request.host, "host compiler to use; it has to fit")->type_name("CXX");
  app.add_flag("--allow-unsupported", request.allow_unsupported, "use a host compiler that does not fit");
}

void add_target(CLI::App& app, Request& request) {
  app.add_option("--target", request.target,
                 "what programs are made for: a triple, or NVIDIA's name of a platform (default: what the "
                 "stdenv makes)")
      ->type_name("TRIPLE");
  app.add_option("--sysroot", request.sysroot,
                 "root of the target's system, for the stdenv and host compilers")
      ->type_name("DIR");
}

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
  app.add_option("call", options.call, "after --: [nvcc|c++] ARGS...");
}

/// Names are not checked here: the calls that use them do.
void add_env(CLI::App& app, EnvOptions& options) {
  Request& request = options.request;
  app.add_option("--toolkit", request.toolkit, "CUDA toolkit for calls to use: its directory, or an nvcc")
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
  CLI::Option* const pack = app.add_option("--pack", options.pack,
                                           "write an archive of DIR and everything it compiles and links "
                                           "with, which works when extracted into an empty root")
                                ->type_name("FILE.tar.zst");
  app.add_option("--with", options.with, "add this file or directory to the archive")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs(pack);
}

void add_setup(CLI::App& app, SetupOptions& options) {
  app.add_option("directory", options.directory, "everything is made there; rm -r DIR removes it")
      ->type_name("DIR");
  app.add_option("--cuda", options.cuda, "CUDA release, such as 12.4 (default: the toolkit that is here)")
      ->type_name("RELEASE");
  CLI::Option* const gcc =
      app.add_option("--gcc", options.gcc,
                     "major version of the GCC that compiles (default: the newest that fits)")
          ->type_name("N");
  app.add_option("--clang", options.clang, "the same for Clang")->type_name("N")->excludes(gcc);
  app.add_option("--from", options.from,
                 "distribution: fetch also what is here; redist: the toolkit from NVIDIA's archives; "
                 "redist:LOCK|URL: "
                 "those of a lock or a manifest; a directory: files that were carried over")
      ->type_name("SOURCE");
  app.add_option("--libraries", options.libraries,
                 "with redist or distribution: libraries to add, such as cublas,cusolver; they bring what "
                 "they need")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--suite", options.suites,
                 "further suite of the distribution, such as trixie; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--stdenv", options.stdenv, "C++ compiler driver that builds everything else")
      ->type_name("CXX");
  app.add_option("--keyring", options.keyring, "keys that sign the packages (default: those of the machine)")
      ->type_name("FILE");
  CLI::Option* const dry = app.add_flag("--dry-run", options.dry_run, "print what would be done, and stop");
  app.add_flag("--json", options.json, "print that as JSON, with every file")->needs(dry);
  app.add_flag("-y,--yes", options.yes, "do it without a question");
  app.add_flag("--accept-eula", options.accept_eula, "accept NVIDIA's license of the toolkit");
  app.add_flag("--refresh", options.refresh,
               "decide again for a directory that is set up, and fetch what differs");
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
  app.add_option("list", options.list,
                 "such as \"8.0;8.6;9.0a+ptx\", or all, all-major, default, native; without it: what the "
                 "toolkit supports")
      ->type_name("LIST");
  app.add_option("--toolkit", options.request.toolkit, "CUDA toolkit: its directory, or an nvcc")
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

/// What a page of a matrix has, which is made of stored results alone.
void add_report_matrix(CLI::App& app, ReportOptions& options) {
  CLI::Option* const matrix =
      app.add_option("--matrix", options.matrix,
                     "a page of the results that hostpin matrix merge wrote to FILE, a row for each cell")
          ->type_name("FILE");
  for (CLI::Option* const other : app.get_options())
    if (other != matrix && other->get_name() != "--help" && other->get_name() != "--output")
      matrix->excludes(other);
  app.add_option("--before", options.before, "with --matrix: earlier results; what differs comes first")
      ->type_name("FILE")
      ->needs(matrix);
}

void add_report(CLI::App& app, ReportOptions& options) {
  add_request(app, options.request);
  app.add_option("--bound", options.bound, "show this bound directory instead of the names above")
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
                 "findings that leak-check --json printed before, in FILE; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* const lto =
      app.add_option("--lto", options.lto, "objects and archives whose link-time code is judged")
          ->type_name("FILE");
  app.add_option("link", options.link,
                 "after --: a link command, which is not run, whose link-time code is judged")
      ->excludes(lto);
  add_report_matrix(app, options);
}

void add_slices(CLI::App& app, SlicesOptions& options) {
  app.add_option("store", options.store, "the directory given to hostpin bind --slices")
      ->type_name("STORE")
      ->required();
  app.add_flag("--time", options.by_time, "the most expensive first");
  CLI::Option* const json = app.add_flag("--json", options.json, "print JSON");
  app.add_option("--emit", options.emit, "print the tasks of the recorded calls for make, slurm or nix")
      ->type_name("ENGINE")
      ->check(CLI::IsMember({"make", "slurm", "nix"}))
      ->excludes(json);
}

/// A program of the installation: everything after its name is for it.
void add_program(CLI::App& app, const char* name, const char* description) {
  CLI::App& program = *app.add_subcommand(name, description);
  program.prefix_command();
  program.set_help_flag();
}

void add_commands(CLI::App& app, CommandLine& line) {
  CLI::App& bind = *app.add_subcommand("bind", "resolve and write a bound toolchain");
  add_bind(bind, line.bind);
  add_plan_request(bind, line.plan);
  add_setup(*app.add_subcommand("setup", "fetch what is missing into a directory, without root, and bind it"),
            line.setup);
  add_doctor(*app.add_subcommand("doctor", "what was found, what fits, what was rejected and why"),
             line.doctor);
  add_explain(*app.add_subcommand("explain", "what an nvcc call would do, and why"), line.explain);
  add_program(app, "stdlib-probe",
              "what the headers of a standard library, a C library or a toolkit contain");
  add_program(app, "lto-check",
              "whether link-time code in objects and archives fits the linker that would read it");
  add_program(app, "leak-check",
              "references to the wrong libraries and paths in what was built and installed");
  add_program(app, "redist", "NVIDIA's redistributables: check, lock, fetch, compose");
  add_program(app, "wheel", "CUDA wheels: checked, compared, split by GPU, selected");
  add_program(app, "matrix", "what a change breaks: cells of compilers, GPUs and projects, run and compared");
  add_env(*app.add_subcommand("env", "what to export for the current shell and for CMake"), line.env);
  add_capabilities(
      *app.add_subcommand("capabilities",
                          "a list of GPUs in the spelling of nvcc, CMake, PyTorch and others, checked"),
      line.capabilities);
  add_fatbin(*app.add_subcommand("fatbin", "which device code files contain, for which GPUs, and its size"),
             line.fatbin, line.fatbin_changes);
  add_slices(
      *app.add_subcommand("slices", "what each source and GPU cost; its tasks for make, Slurm and Nix"),
      line.slices);
  add_report(*app.add_subcommand("report",
                                 "all results as one page for a browser: verdicts, the binding, LTO, leaks"),
             line.report);
}

/// Treats `help [COMMAND]` and `version` as the options of the same meaning.
std::vector<char*> with_usual_arguments(int argc, char** argv) {
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

/// Link commands follow `--`; without it, an argument is more likely a tree.
std::optional<Error> misplaced_link(const ReportOptions& options, const std::vector<char*>& arguments) {
  if (options.link.empty() ||
      std::find(arguments.begin(), arguments.end(), std::string_view("--")) != arguments.end())
    return std::nullopt;
  return Error{"report does not accept " + options.link.front(),
               "a tree follows --tree, a link command follows --"};
}

} // namespace

std::optional<int> parse_command_line(int argc, char** argv, const Environment& environment,
                                      CommandLine& line) {
  CLI::App app{"An nvcc that selects a host compiler that fits and pins the libstdc++ of everything else.",
               "hostpin"};
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_text);
  add_commands(app, line);
  const std::vector<char*> arguments = with_usual_arguments(argc, argv);
  const std::size_t width = terminal_width(environment, STDOUT_FILENO);
  // The arguments of programs, which can include `--`, are not parsed here.
  const std::string_view first = arguments.size() > 1 ? arguments[1] : "";
  const bool is_program = first == "lto-check" || first == "leak-check" || first == "redist" ||
                          first == "wheel" || first == "matrix";
  try {
    app.parse(is_program ? 2 : static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) { // help or version; std::cout would lose the reason of a write error
      std::ostringstream text;
      const int code = app.exit(error, text, text);
      std::fputs(options::wrapped_help(text.str(), width).c_str(), stdout);
      return code;
    }
    report(usage_error(app, error));
    if (argc == 1) // without arguments: list the commands on stderr
      print_error('\n' + options::wrapped_help(app.help(), width));
    return exit_broken;
  }
  line.command = app.get_subcommands().front()->get_name();
  line.arguments.assign(arguments.begin() + 2, arguments.end());
  auto wrong = misplaced_link(line.report, arguments);
  if (!wrong)
    wrong = fatbin_misuse(*app.get_subcommand("fatbin"), line.fatbin, line.fatbin_changes);
  if (wrong) {
    report(*wrong);
    return exit_broken;
  }
  return std::nullopt;
}

} // namespace hostpin::command
