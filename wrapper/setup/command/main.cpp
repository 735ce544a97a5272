// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/frame.hpp"
#include "wrapper/setup/command/setup.hpp"

#include <CLI/CLI.hpp>

namespace {

using namespace hostpin;
using namespace hostpin::command;

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
                 "those of a lock or a manifest; wheels: the toolkit from NVIDIA's wheels, by pip; a "
                 "directory: files that were carried over")
      ->type_name("SOURCE");
  app.add_option(
         "--libraries", options.libraries,
         "with redist, wheels or distribution: libraries to add, such as cublas,cusolver; they bring what "
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

} // namespace

int main(int argc, char** argv, char** envp) {
  SetupOptions options;
  return separate_main(argc, argv, envp,
                       {"setup", [&](CLI::App& app) { add_setup(app, options); },
                        [&](const Context& context) { return run_setup(context, options); }});
}
