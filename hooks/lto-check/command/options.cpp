// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/options.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/options/options.hpp"

#include <CLI/CLI.hpp>

namespace hostpin::lto {

Result<CheckOptions> check_options(std::span<const char* const> arguments) {
  CheckOptions options;
  std::string linker;
  CLI::App app(
      "Checks whether the link-time code in objects and archives fits the linker that would read it. Does "
      "not "
      "link.\nINPUT is an object, an archive, bitcode, a linker script or @file. LINK COMMAND calls a "
      "compiler driver, a linker or nvcc (also with -dlink or -dlto); of archives, only the members that the "
      "link needs are checked.",
      "hostpin lto-check");
  options::add_usage(app, {"[--json] [--warn] [--linker \"DRIVER ARGS\"] [--nvlink PATH] INPUT...",
                           "[--json] [--warn] -- LINK COMMAND"});
  app.add_option("--linker", linker,
                 "the driver or linker, with its options, such as \"g++-13 -flto\" or \"ld.lld\"; default: "
                 "$CXX, else c++")
      ->type_name("W");
  app.add_option("--nvlink", options.nvlink,
                 "the device linker; default: nvlink on PATH, for inputs with device code")
      ->type_name("PATH");
  app.add_flag("--warn", options.warn, "report what does not match as a warning, and exit 0");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--before-link", options.before_link)->group(""); // by the launcher
  app.footer("Exit code: 0 all inputs fit, 1 some do not, 2 some could not be checked.");
  auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<CheckOptions>(operands);
  auto words = driver_words(DiskFiles(), linker);
  if (!words)
    return tl::unexpected(words.error());
  if (words->empty() && !linker.empty())
    return options::misuse(app, "--linker needs a driver or linker and its arguments, as one argument");
  options.linker = *std::move(words);
  options.inputs = std::move(operands->words);
  options.command = std::move(operands->after_dashes).value_or(std::vector<std::string>{});
  if (operands->after_dashes && options.command.empty())
    return options::misuse(app, "there is no command after --");
  if (!options.command.empty() &&
      (!options.inputs.empty() || !options.linker.empty() || !options.nvlink.empty()))
    return options::misuse(app,
                           "a link command names its inputs and its linker itself: remove those before --");
  if (options.command.empty() && options.inputs.empty())
    return options::misuse(app, "lto-check needs inputs, or -- and a link command");
  return options;
}

} // namespace hostpin::lto
