// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/options.hpp"

#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::wheel {

namespace {

const std::map<std::string, std::optional<leak::Severity>> thresholds = {{"error", leak::Severity::error},
                                                                         {"warning", leak::Severity::warning},
                                                                         {"note", leak::Severity::note},
                                                                         {"never", std::nullopt}};

constexpr const char* check_description =
    "Checks that a wheel is what its name and metadata say, and that what it needs is found once it is "
    "installed.\n"
    "Nothing is installed, unpacked or run: the wheel is laid over the others in memory.";

constexpr const char* repair_description = "Writes a copy of a wheel that loads what it needs: run paths, "
                                           "libraries of this machine that other machines do "
                                           "not have, requirements on NVIDIA's wheels, tags and RECORD.\n"
                                           "Nothing is written unless the copy passes hostpin wheel check. "
                                           "The same wheel and libraries give the same bytes; "
                                           "SOURCE_DATE_EPOCH sets the date of its files.";

constexpr const char* repair_footer =
    "Exit code: 0 the wheel was written, 1 it would still have findings that are "
    "errors, 2 it cannot be read, changed or written.";

constexpr const char* check_footer = "Exit code: 0 nothing found at the level of --fail-on, 1 something was "
                                     "found, 2 the wheel cannot be read or "
                                     "installed, or not all of it could be scanned.";

} // namespace

Result<CheckOptions> check_options(Arguments arguments) {
  CheckOptions options;
  std::string threshold = "error";
  CLI::App app(check_description, "hostpin wheel check");
  options::add_usage(app, {"[--with WHEEL]... [--site DIR] [OPTION]... WHEEL", "--rules"});
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return app.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
  };
  add("--with", options.with, "WHEEL", "a wheel that is installed with it; may be repeated");
  add("--site", options.site, "DIR",
      "a directory with installed wheels (site-packages) that it is installed to; an installed release of it "
      "does "
      "not count");
  add("--expect", options.expected, "LIST",
      "GPUs that each file with device code has code for, such as \"8.0;9.0a\"; a list as for hostpin "
      "capabilities");
  add("--driver", options.driver, "VERSION",
      "the oldest NVIDIA driver that it has to run with, such as 525.60.13");
  add("--budget", options.budget, "SIZE", "the largest size of the wheel, such as 100M");
  app.add_flag("--notes", options.notes, "include notes in the report");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--sarif", options.sarif, "print SARIF 2.1.0")->excludes("--json");
  add("--junit", options.junit, "FILE", "also write JUnit's XML to FILE");
  add("--fail-on", threshold, "WHAT", "the lowest severity that causes exit code 1; default: error")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}));
  app.add_flag("--rules", options.rules, "print every rule with its explanation and fix");
  app.footer(check_footer);
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<CheckOptions>(operands);
  if (options.rules)
    return options;
  if (operands->words.size() != 1)
    return options::misuse(app, "check takes one wheel; those that are installed with it follow --with");
  if (!options.budget.empty() && !bytes_named(options.budget))
    return options::misuse(app, "--budget takes bytes, or a number with K, M or G, not " + options.budget);
  options.wheel = operands->words.front();
  options.fail_on = thresholds.at(threshold);
  return options;
}

Result<RepairOptions> repair_options(Arguments arguments) {
  RepairOptions options;
  std::string cuda = "wheels";
  CLI::App app(repair_description, "hostpin wheel repair");
  options::add_usage(app, {"-o DIR [OPTION]... WHEEL"});
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return app.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
  };
  add("-o,-w,--output,--wheel-dir", options.output, "DIR", "the directory for the repaired wheel");
  add("--cuda", cuda, "WHERE",
      "where CUDA's libraries come from: `wheels`, which it then requires (default), `bundle`: packed into "
      "it, or "
      "`system`")
      ->check(CLI::IsMember({"wheels", "bundle", "system"}));
  add("--with", options.with, "WHEEL", "a wheel that is installed with it; may be repeated");
  add("--site", options.site, "DIR", "a directory with installed wheels (site-packages)");
  add("--library-path", options.library_paths, "DIR",
      "a directory with libraries that the wheel needs, before LD_LIBRARY_PATH; may be repeated");
  add("--exclude", options.terms.excluded, "PATTERN",
      "a library that is not packed, by its name or path, such as 'libnccl.so.*': something else has to load "
      "it; "
      "may be repeated");
  add("--gpus", options.gpus, "LIST",
      "keep device code for these GPUs only, such as \"8.0;9.0a\", as hostpin fatbin slim does");
  app.add_flag("--licensed-to-modify", options.terms.licensed_to_modify,
               "change NVIDIA's files as well, which their licence forbids");
  app.add_flag("--sbom", options.sbom, "add documents of what the wheel contains: CycloneDX and SPDX");
  add("--level", options.level, "0-9",
      "compress all files again, at this level of zlib; without it, unchanged files are copied as they are")
      ->check(CLI::Range(0, 9));
  app.footer(repair_footer);
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<RepairOptions>(operands);
  if (operands->words.size() != 1)
    return options::misuse(app, "repair takes one wheel");
  if (options.output.empty())
    return options::misuse(app, "repair needs a directory for the repaired wheel: -o DIR");
  options.wheel = operands->words.front();
  options.terms.cuda = cuda == "wheels"   ? CudaSource::wheels
                       : cuda == "bundle" ? CudaSource::bundle
                                          : CudaSource::system;
  return options;
}

Result<DiffOptions> diff_options(Arguments arguments) {
  DiffOptions options;
  CLI::App app("Compares two wheels: size, tags, requirements, what they need of a machine, GPUs and files.",
               "hostpin wheel diff");
  options::add_usage(app, {"[--json] OLD NEW"});
  app.add_flag("--json", options.json, "print JSON");
  app.footer("Exit code: 0 they do not differ, 1 they do, 2 one of them cannot be read.");
  const auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<DiffOptions>(operands);
  if (operands->words.size() != 2)
    return options::misuse(app, "diff takes two wheels, the older one first");
  options.before = operands->words[0];
  options.after = operands->words[1];
  return options;
}

std::optional<std::uint64_t> bytes_named(std::string_view text) {
  constexpr unsigned step = 10;
  constexpr std::string_view units = "KMG";
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  if (read.ec != std::errc() || rest.size() > 1)
    return std::nullopt;
  if (rest.empty())
    return number;
  const std::size_t unit = units.find(rest.front());
  const auto shift = static_cast<unsigned>(step * (unit + 1));
  if (unit == std::string_view::npos || number > ~std::uint64_t{0} >> shift)
    return std::nullopt;
  return number << shift;
}

Result<Tables> load_tables(const Context& context, const std::string& wheel) {
  TRY_ASSIGN(const auto name, read_wheel_name(base_name(wheel)));
  const std::string architecture = architecture_of_tag(name.platforms.front());
  TRY_ASSIGN(auto policies,
             load_policies(context.files, context.data, architecture == "any" ? "x86_64" : architecture));
  TRY_ASSIGN(auto wheels, load_cuda_wheels(context.files, context.data));
  TRY_ASSIGN(auto packages, load_cuda_packages(context.files, context.data));
  if (architecture != "x86_64" && architecture != "any")
    packages.clear();
  auto gpus = gpus::load_gpus(context.files, context.data);
  if (!gpus)
    return tl::unexpected(gpus.error());
  TRY_ASSIGN(auto drivers, gpus::load_drivers(context.files, context.data));
  return Tables{std::move(policies), std::move(wheels), std::move(packages), *std::move(gpus),
                std::move(drivers)};
}

unsigned reading_threads() {
  constexpr unsigned most = 8; // each of them has a decoder and a window on the file
  return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

} // namespace hostpin::wheel
