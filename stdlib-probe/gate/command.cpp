// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/command.hpp"

#include "stdlib-probe/gate/answer.hpp"
#include "toolchains/base/settled.hpp"

#include <string_view>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr const char* usage =
    "usage: hostpin stdlib-probe gate TOOLKIT [--json] [--target x86_64|aarch64]\n\n"
    "Which GCC and Clang the toolkit's own crt/host_config.h lets through, none of which need be installed.\n"
    "TOOLKIT is a toolkit's directory, its nvcc, or a crt/host_config.h or a copy of one.\n\n"
    "  --target T   machine that programs are for; default: this one\n"
    "  --release R  release of the toolkit, such as 12.4, where it cannot be told from TOOLKIT\n"
    "  --json       the same for programs; see stdlib-probe/gate/README.md\n";

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
  bool help = false;
};

tl::unexpected<Error> misuse(std::string message) {
  return failure(std::move(message), "hostpin stdlib-probe gate --help says what it takes");
}

Result<void> set_value(Options& options, std::string_view option, const std::string& value) {
  if (option == "--target") {
    const auto machine = machine_named(value);
    if (!machine)
      return misuse(fmt::format("'{}' is no target: x86_64 and aarch64 are known", value));
    options.machine = *machine;
  } else {
    options.release = parse_version(value);
    if (!options.release)
      return misuse(fmt::format("'{}' is no release", value));
  }
  return {};
}

Result<Options> parse(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--json") {
      options.json = true;
    } else if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--target" || word == "--release") {
      if (++i == arguments.size())
        return misuse(fmt::format("{} needs a value", word));
      if (auto set = set_value(options, word, arguments[i]); !set)
        return tl::unexpected(set.error());
    } else if (word.starts_with("-")) {
      return misuse(fmt::format("gate has no option {}", word));
    } else if (!options.toolkit.empty()) {
      return misuse("gate takes one toolkit at a time");
    } else {
      options.toolkit = word;
    }
  }
  if (options.toolkit.empty() && !options.help)
    return misuse("gate needs a toolkit");
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
  const auto options = parse(arguments);
  if (!options) {
    report(options.error());
    return probe_failed;
  }
  if (options->help) {
    fmt::print("{}", usage);
    return probe_fine;
  }
  const auto found = answer(*options, context);
  if (!found) {
    report(found.error());
    return probe_failed;
  }
  fmt::print("{}", options->json ? gate_json(*found) : gate_text(*found, context.terminal));
  return probe_fine;
}

} // namespace hostpin
