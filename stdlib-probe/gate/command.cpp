// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/command.hpp"

#include "stdlib-probe/gate/answer.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/options/options.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

struct Options {
  std::string toolkit;
  std::optional<Version> release;
  Machine machine =
#if defined(__aarch64__)
      Machine::aarch64;
#else
      Machine::x86_64;
#endif
  bool json = false;
  std::string help;
};

Result<Options> parse(std::span<const char* const> arguments) {
  Options options;
  std::string release, machine;
  CLI::App app(
      "Which GCC and Clang the toolkit's own crt/host_config.h lets through, none of which need be "
      "installed.\nTOOLKIT is a toolkit's directory, its nvcc, or a crt/host_config.h or a copy of one.",
      "hostpin stdlib-probe gate");
  add_usage(app, {"TOOLKIT [--json] [--target x86_64|aarch64]"});
  app.add_option("--target", machine, "machine that programs are for, x86_64 or aarch64; default: this one")
      ->type_name("T");
  app.add_option("--release", release,
                 "release of the toolkit, such as 12.4, where it cannot be told from TOOLKIT")
      ->type_name("R");
  app.add_flag("--json", options.json, "the same for programs; see stdlib-probe/gate/README.md");
  auto operands = read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return error_or_help<Options>(operands);
  options.release = parse_version(release);
  if (!release.empty() && !options.release)
    return misuse(app, fmt::format("'{}' is no release", release));
  const auto known = machine.empty() ? options.machine : machine_named(machine);
  if (!known)
    return misuse(app, fmt::format("'{}' is no target: x86_64 and aarch64 are known", machine));
  options.machine = *known;
  if (operands->words.size() != 1)
    return misuse(app, operands->words.empty() ? "gate needs a toolkit" : "gate takes one toolkit at a time");
  options.toolkit = operands->words.front();
  return options;
}

using Identities = std::vector<std::pair<std::string, FileStatus>>;

/// Marks files whose content may have changed since it was read.
Identities settled(Identities identities, std::int64_t asked, const Files& files) {
  for (auto& [path, status] : identities) {
    const FileStatus now = settled_status(path, asked, files);
    if (now.size != status.size || now.modified != status.modified)
      status.modified = unsettled;
  }
  return identities;
}

void add(Identities& identities, const std::vector<std::string>& paths, const Files& files) {
  for (const std::string& path : paths)
    identities.emplace_back(path, files.status(path).value_or(FileStatus{}));
}

Result<GateAnswer> answer(const Options& options, const ProbeContext& context) {
  const std::int64_t asked = now();
  auto source = gate_source(options.toolkit, context);
  if (!source)
    return tl::unexpected(source.error());
  if (options.release)
    source->release = options.release;
  const auto table = load_table(context.files, context.data);
  if (!table)
    return tl::unexpected(table.error());
  auto evaluation = evaluate_header(source->header, source->release, options.machine, context.files);
  if (!evaluation)
    return failure(fmt::format("{} could not be evaluated: {}", source->header, evaluation.error().message),
                   evaluation.error().hint);
  GateAnswer answer{*std::move(source), options.machine, std::move(evaluation->gate), {}, {}};
  if (answer.source.release)
    if (const DocumentedRange* const row = table->documented(*answer.source.release))
      answer.documented = *row;
  Identities files = std::move(evaluation->files);
  add(files, answer.source.looked, context.files);
  add(files, table->files, context.files);
  answer.rests_on = settled(std::move(files), asked, context.files);
  return answer;
}

} // namespace

int run_gate(const ProbeContext& context, std::span<const char* const> arguments) {
  return answered(context, parse(arguments), answer, [&](const auto& options, const auto& found) {
    fmt::print("{}", options.json ? gate_json(found) : gate_text(found, context.terminal));
    return probe_fine;
  });
}

} // namespace hostpin
