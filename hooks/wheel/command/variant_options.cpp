// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/options/options.hpp"

#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::wheel {

namespace {

constexpr const char* split_description =
    "Experimental, until PEP 825 is accepted. Writes variants of a wheel: for each GPU one with the device "
    "code of that GPU, the null variant with all of it, and the file that describes them to installers.\n"
    "Each variant is compared with the wheel: its GPU gets the same code.";

constexpr const char* select_description =
    "Experimental, until PEP 825 is accepted. Prints which wheel of a directory an installer would take that "
    "knows variants, and which device code the NVIDIA driver would not find in it.";

} // namespace

Result<SplitOptions> split_options(Arguments arguments) {
  SplitOptions options;
  CLI::App app(split_description, "hostpin wheel split");
  options::add_usage(app, {"--gpus LIST [-o DIR] [--level N] [--json] WHEEL"});
  app.add_option("--gpus", options.gpus, "one variant for each, such as \"8.0;9.0;12.0\"")
      ->type_name("LIST")
      ->required();
  app.add_option("-o,--output", options.directory, "where to write them; default: next to the wheel")
      ->type_name("DIR");
  constexpr int most = 9;
  app.add_option("--level", options.level, "zlib's level for files that change, 0 to 9; default: 6")
      ->type_name("N")
      ->check(CLI::Range(0, most));
  app.add_flag("--licensed-to-modify", options.may_change_nvidia,
               "also change files of NVIDIA's, whose licence forbids that unless NVIDIA permits it");
  app.add_flag("--json", options.json, "print JSON");
  app.footer(
      "Exit code: 0 they were written, 2 the wheel cannot be read, or not be split so that each GPU finds "
      "what it did; then nothing was written.");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<SplitOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "split takes one wheel");
  options.wheel = operands->words.front();
  return options;
}

Result<SelectOptions> select_options(Arguments arguments) {
  SelectOptions options;
  CLI::App app(select_description, "hostpin wheel select");
  options::add_usage(app, {"--python VERSION [--gpu GPU --driver VERSION] [OPTION]... DIR"});
  app.add_option("--python", options.python, "of the environment, such as 3.12")
      ->type_name("VERSION")
      ->required();
  CLI::Option* const driver =
      app.add_option("--driver", options.driver,
                     "NVIDIA driver of the machine, such as 580.65.06, or its CUDA release, such as 13.0")
          ->type_name("VERSION");
  app.add_option("--gpu", options.gpu, "compute capability of its GPU, such as 9.0; default: it has none")
      ->type_name("GPU")
      ->needs(driver);
  app.add_option("--platform", options.platform,
                 "its glibc and architecture, as a tag; default: those of this machine")
      ->type_name("TAG");
  app.add_option("--name", options.name, "distribution, if the directory has several")->type_name("NAME");
  app.add_option("--version", options.version, "version, if it has several")->type_name("VERSION");
  app.add_flag("--json", options.json, "print JSON");
  app.footer(
      "Exit code: 0 a wheel was selected, and all of its device code is loaded; 1 none is compatible, or "
      "some code is missing; 2 that could not be determined.");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<SelectOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "select takes a directory of wheels");
  options.directory = operands->words.front();
  return options;
}

} // namespace hostpin::wheel
