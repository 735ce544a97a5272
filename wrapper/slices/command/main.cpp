// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/frame.hpp"
#include "wrapper/slices/command/slices.hpp"

#include <CLI/CLI.hpp>

namespace {

using namespace hostpin;
using namespace hostpin::command;

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

} // namespace

int main(int argc, char** argv, char** envp) {
  SlicesOptions options;
  return separate_main(argc, argv, envp,
                       {"slices", [&](CLI::App& app) { add_slices(app, options); },
                        [&](const Context& context) { return run_slices(context, options); }});
}
