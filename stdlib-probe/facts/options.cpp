// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/options.hpp"

#include "toolchains/options/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace hostpin::probe {

namespace {

constexpr const char* description =
    "Properties of a compiler's C++ standard library: its headers, the library that a link with these flags "
    "uses, and the versions that this library defines. FLAGS are the flags of a compile command.";

Result<FactsOptions> checked(const CLI::App& app, FactsOptions options) {
  const bool headers = !options.sysroot.empty() || !options.headers.empty();
  const int subjects = int{options.all} + int{headers} + int{!options.driver.empty()};
  if (std::any_of(options.headers.begin(), options.headers.end(),
                  [](const std::string& word) { return word.starts_with('-'); }))
    return options::misuse(app, "--headers needs a value");
  if (subjects == 0)
    return options::misuse(app, "facts needs a compiler, --all, --sysroot or --headers");
  if (subjects > 1)
    return options::misuse(app, "facts needs only one of: a compiler, --all, headers");
  if (!headers && (!options.target.empty() || !options.gcc.empty()))
    return failure("--target and --gcc need --sysroot or --headers",
                   "put flags for a compiler after its name");
  if (options.all && !options.flags.empty())
    return failure("--all does not accept flags", "name one compiler, and its flags after it");
  return options;
}

} // namespace

Result<FactsOptions> facts_options(std::span<const char* const> arguments) {
  FactsOptions options;
  CLI::App app(description, "hostpin stdlib-probe facts");
  options::add_usage(app, {"[--json] DRIVER [FLAGS...]", "[--json] --all",
                           "[--json] --sysroot DIR [--target T] [--gcc VERSION] [-- FLAGS...]",
                           "[--json] --headers DIR... [--target T] [-- FLAGS...]"});
  app.prefix_command();
  app.add_flag("--all", options.all, "every compiler on this machine");
  app.add_option("--sysroot", options.sysroot, "the root of another system; none of its compilers is run")
      ->type_name("DIR");
  app.add_option("--headers", options.headers,
                 "include directories, or the directory of an extracted package")
      ->type_name("DIR");
  app.add_option("--target", options.target, "the target triple, if there are headers for several")
      ->type_name("T");
  app.add_option("--gcc", options.gcc, "one of several GCCs of a sysroot")->type_name("VERSION");
  app.add_flag("--json", options.json, "print JSON");
  auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<FactsOptions>(operands);
  options.flags = operands->after_dashes ? *std::move(operands->after_dashes) : std::move(operands->words);
  if (!operands->after_dashes && !options.flags.empty()) {
    options.driver = options.flags.front();
    options.flags.erase(options.flags.begin());
  }
  // After the driver too, `--json` is an option of facts: no driver has one of that name.
  options.json |= std::erase(options.flags, "--json") > 0;
  return checked(app, std::move(options));
}

} // namespace hostpin::probe
