// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/devicecode/command_line.hpp"

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::command {

namespace {

void add_reading(CLI::App& app, FatbinOptions& options) {
  app.add_option("path", options.paths,
                 "objects, archives, programs, libraries, .fatbin, .cubin, .ptx, or directories of them")
      ->type_name("FILE|TREE");
  CLI::Option* const expect =
      app.add_option("--expect", options.list,
                     "exit 1 unless each FILE, and each file with device code in a TREE, contains what this "
                     "list requires and nothing else; a list as for capabilities")
          ->type_name("LIST");
  app.add_option("--toolkit", options.request.toolkit, "CUDA toolkit to check LIST with; without it, any")
      ->type_name("DIR")
      ->needs(expect);
  app.add_flag("--no-forward-compatibility", options.no_forward_compatibility,
               "add no PTX of the newest GPU to LIST")
      ->needs(expect);
  app.add_flag(
         "--each", options.each,
         "exit 1 also if only some fatbins of a file lack what LIST requires; without it that is a note")
      ->needs(expect);
  app.add_flag("--members", options.members, "a table for each member of an archive too");
  app.add_flag("--json", options.json, "print JSON");
}

constexpr const char* licence_text =
    "also change files of NVIDIA's, whose licence forbids that unless NVIDIA permits it";

/// The output of a command that can also replace its input.
void add_output(CLI::App& app, std::optional<std::string>& output, bool& in_place) {
  CLI::Option* const named = app.add_option("-o,--output", output, "what to write")->type_name("OUT");
  app.add_flag("--in-place", in_place, "replace what is read, once the new content is complete")
      ->excludes(named);
}

void add_slim(CLI::App& app, SlimOptions& options) {
  app.add_option("path", options.path, "object, static archive, program, library, .fatbin, or a directory")
      ->type_name("FILE|TREE")
      ->required();
  app.add_option(
         "--keep", options.keep,
         "the GPUs whose code stays, such as \"9.0;12.0\"; exit 1, and nothing is written, if one of them "
         "cannot run all of it")
      ->type_name("LIST")
      ->required();
  app.add_option("--ptx", options.ptx, "the PTX that stays: newest, none or all; default: newest")
      ->check(CLI::IsMember({"newest", "none", "all"}));
  add_output(app, options.output, options.in_place);
  app.add_flag("--allow-missing", options.allow_missing,
               "write the output also if the exit code is 1; of a TREE, refused files as they were");
  app.add_flag("--licensed-to-modify", options.licensed_to_modify, licence_text);
  app.add_flag("--json", options.json, "print JSON");
}

void add_slice(CLI::App& app, SliceOptions& options) {
  app.add_option("path", options.path, "program or shared library")->type_name("FILE")->required();
  app.add_option("--gpu", options.gpu, "the GPU whose code to write, such as 9.0")
      ->type_name("GPU")
      ->required();
  app.add_option("-o,--output", options.output, "the slice to write")->type_name("X.slice")->required();
}

void add_merge(CLI::App& app, MergeOptions& options) {
  app.add_option("path", options.path, "program or shared library that gets more device code")
      ->type_name("FILE")
      ->required();
  app.add_option("sources", options.sources, "slices, or the same program built for other GPUs")
      ->type_name("SLICE|TWIN")
      ->required();
  app.add_option("-o,--output", options.output, "the program or library to write")
      ->type_name("OUT")
      ->required();
  app.add_flag("--licensed-to-modify", options.licensed_to_modify, licence_text);
}

void add_repack(CLI::App& app, RepackOptions& options) {
  app.add_option("path", options.path, "program or shared library")->type_name("FILE")->required();
  app.add_option("--compress", options.compress, "size, balance, speed or none, as nvcc's -compress-mode")
      ->check(CLI::IsMember({"size", "balance", "speed", "none"}))
      ->required();
  app.add_flag("--all", options.all,
               "compress machine code too with balance and speed, as fatbinary's -compress-all");
  add_output(app, options.output, options.in_place);
  app.add_flag("--licensed-to-modify", options.licensed_to_modify, licence_text);
}

void add_prove(CLI::App& app, ProveOptions& options) {
  app.add_option("old", options.before, "the file before the change")->type_name("OLD")->required();
  app.add_option("new", options.after, "the file after it")->type_name("NEW")->required();
  app.add_option("--gpus", options.gpus, "the GPUs to compare for, such as \"8.0;9.0\"")
      ->type_name("LIST")
      ->required();
  app.add_option("--driver", options.driver,
                 "NVIDIA driver, such as 580.65.06, or its CUDA release, such as 13.0; default: any")
      ->type_name("V");
  app.add_flag("--json", options.json, "print JSON");
}

/// Not for users: `hostpin doctor FILE` runs it.
void add_served(CLI::App& app, ServedOptions& options) {
  app.add_option("file", options.files)->required();
  app.add_option("--capabilities", options.list);
  app.add_option("--release", options.release);
  app.add_option("--width", options.width);
  app.add_flag("--colours", options.colours);
  app.add_flag("--json", options.json);
}

/// What a command that can replace its input lacks.
std::optional<Error> no_output(const std::string& command, const std::optional<std::string>& output,
                               bool in_place) {
  if (output || in_place)
    return std::nullopt;
  return Error{fmt::format("fatbin {} needs -o OUT, or --in-place to replace what it reads", command),
               fmt::format("hostpin fatbin {} --help lists its options", command)};
}

} // namespace

void add_fatbin(CLI::App& app, FatbinOptions& options, FatbinChanges& changes) {
  add_reading(app, options);
  add_slim(*app.add_subcommand("slim", "keep the device code of some GPUs, in a file or a tree"),
           changes.slim);
  add_slice(*app.add_subcommand("slice", "write the device code of one GPU to a file"), changes.slice);
  add_merge(*app.add_subcommand("merge", "add the device code of slices or of another build"), changes.merge);
  add_repack(*app.add_subcommand("repack", "compress device code differently"), changes.repack);
  add_prove(*app.add_subcommand("prove", "exit 1 unless GPUs get the same device code from two files"),
            changes.prove);
  add_served(*app.add_subcommand("served")->group(""), changes.served);
}

std::optional<Error> fatbin_misuse(const CLI::App& app, const FatbinOptions& options,
                                   FatbinChanges& changes) {
  if (!app.parsed())
    return std::nullopt;
  const auto commands = app.get_subcommands([](const CLI::App* each) { return each->parsed(); });
  if (commands.empty())
    return options.paths.empty() ? std::optional(Error{"fatbin needs a file or a directory",
                                                       "hostpin fatbin --help lists its options"})
                                 : std::nullopt;
  changes.command = commands.front()->get_name();
  for (const CLI::Option* const option : app.get_options())
    if (option->count() > 0)
      return Error{fmt::format("fatbin {0} does not accept what precedes {0}", changes.command),
                   fmt::format("its arguments follow it: hostpin fatbin {0} ...; a file of that name is "
                               "./{0}",
                               changes.command)};
  if (changes.command == "slim")
    return no_output("slim", changes.slim.output, changes.slim.in_place);
  if (changes.command == "repack")
    return no_output("repack", changes.repack.output, changes.repack.in_place);
  return std::nullopt;
}

} // namespace hostpin::command
