// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/options.hpp"

#include "toolchains/options/options.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::probe {

namespace {

constexpr const char* description =
    "Which functions the toolkit and the C library of a host compiler declare with different exception "
    "specifications: nvcc refuses every .cu file because of them, with any compiler. Exit code 1 if there "
    "are "
    "any.";

Result<LibcOptions> checked(const CLI::App& app, LibcOptions options) {
  const int ways =
      int{!options.driver.empty()} + int{!options.headers.empty()} + int{!options.sysroot.empty()};
  if (options.toolkit.empty() == options.toolkit_include.empty())
    return options::misuse(app, "libc needs a toolkit, or its include directories");
  if (ways != 1)
    return options::misuse(app, "libc needs a driver, or --headers, or --sysroot, and only one of them");
  return options;
}

void add_options(CLI::App& app, LibcOptions& options, std::string& compiler, std::string& release) {
  // The arguments are parsed in several steps, whose values are collected.
  const auto append = [](std::vector<std::string>& all) {
    return [&all](const std::vector<std::string>& more) { all.insert(all.end(), more.begin(), more.end()); };
  };
  app.add_option_function<std::vector<std::string>>(
         "--headers", append(options.headers),
         "include directories in place of a compiler, in the order of search")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--sysroot", options.sysroot, "the usual include directories of an extracted system")
      ->type_name("DIR");
  app.add_option("--compiler", compiler,
                 "with --headers or --sysroot: the compiler to read them as (12.2, or clang-16)")
      ->type_name("VERSION");
  app.add_option("--target", options.target, "with --headers or --sysroot: the target")->type_name("TRIPLE");
  app.add_option_function<std::vector<std::string>>("--toolkit-include", append(options.toolkit_include),
                                                    "the toolkit's include directories in place of TOOLKIT")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--release", release, "release of the toolkit, if it cannot be determined")->type_name("R");
  app.add_flag("--json", options.json, "print JSON");
}

} // namespace

Result<LibcOptions> libc_options(std::span<const char* const> arguments) {
  LibcOptions options;
  std::string compiler, release;
  CLI::App app(description, "hostpin stdlib-probe libc");
  options::add_usage(
      app, {"[OPTION...] TOOLKIT DRIVER [FLAGS...]", "[OPTION...] TOOLKIT --sysroot DIR | --headers DIR..."});
  app.prefix_command();
  add_options(app, options, compiler, release);
  // Options may follow TOOLKIT and directories, and those after DRIVER are the driver's.
  for (bool more = true; more;) {
    auto operands = options::read_options(app, arguments);
    if (!operands || !operands->help.empty())
      return options::error_or_help<LibcOptions>(operands);
    const std::vector<std::string>& words = operands->words;
    more = !words.empty();
    if (!more)
      break;
    arguments = arguments.last(words.size() - 1);
    if (options.toolkit.empty() && options.toolkit_include.empty()) {
      options.toolkit = words.front();
    } else if (!options.headers.empty()) {
      options.headers.push_back(words.front());
    } else {
      options.driver = words; // the rest is the driver's
      break;
    }
  }
  options.clang = compiler.starts_with("clang-");
  options.compiler = parse_version(options.clang ? compiler.substr(compiler.find('-') + 1) : compiler);
  if (!compiler.empty() && !options.compiler)
    return options::misuse(app, fmt::format("'{}' is not a release of a compiler", compiler));
  options.release = parse_version(release);
  if (!release.empty() && !options.release)
    return options::misuse(app, fmt::format("'{}' is not a release", release));
  return checked(app, std::move(options));
}

} // namespace hostpin::probe
