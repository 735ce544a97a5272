// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/command.hpp"

#include "stdlib-probe/gate/evaluate.hpp"
#include "stdlib-probe/gate/source.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/gate/gate.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/table/table.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

/// The complete answer about one gate.
struct GateAnswer {
  GateSource source;
  Machine machine = Machine::x86_64;
  Gate derived;
  std::optional<DocumentedRange> documented; ///< from the table; nothing without a known release
  std::vector<std::pair<std::string, FileStatus>> dependencies; ///< as they were before they were read
};

using Json = nlohmann::ordered_json;

Json bound_json(const std::optional<int>& bound) {
  return bound ? Json(*bound) : Json();
}

Json bounds_json(const Bounds& bounds) {
  return {{"min", bound_json(bounds.min)}, {"max", bound_json(bounds.max)}};
}

bool inside(int major, const Bounds& bounds) {
  return (!bounds.min || *bounds.min <= major) && (!bounds.max || major <= *bounds.max);
}

Json derived_json(const Gate& gate, Family family) {
  Json json = bounds_json(gate.bounds(family));
  json["except"] = Json::array();
  for (const Gate::Refusal& hole : holes(gate, family))
    if (json["except"].empty() || json["except"].back() != hole.major)
      json["except"].push_back(hole.major);
  return json;
}

/// Where majors beyond the bounds are refused: `crt/host_config.h:143`, each location once.
std::string locations(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::vector<std::string> all;
  for (const Gate::Refusal& refusal : gate.refusals)
    if (refusal.family == family && !inside(refusal.major, bounds) &&
        std::find(all.begin(), all.end(), refusal.where) == all.end())
      all.push_back(refusal.where);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<Cell> row(const char* name, const std::optional<Bounds>& documented, const Gate& gate,
                      Family family) {
  return {{name},
          {documented ? span(*documented) : "not known"},
          {span(gate, family)},
          {locations(gate, family)}};
}

/// As README.md describes it.
std::string gate_json(const GateAnswer& answer) {
  Json json;
  json["header"] = answer.source.header;
  json["release"] = answer.source.release ? Json(to_string(*answer.source.release)) : Json();
  json["target"] = to_string(answer.machine);
  const Gate& gate = answer.derived;
  json["derived"] = {{"gcc", derived_json(gate, Family::gcc)}, {"clang", derived_json(gate, Family::clang)}};
  if (answer.documented) {
    const DocumentedRange& row = *answer.documented;
    json["documented"] = {{"gcc", bounds_json({row.gcc_min, row.gcc_max})},
                          {"clang", bounds_json({row.clang_min, row.clang_max})}};
  } else {
    json["documented"] = {{"gcc", bounds_json({})}, {"clang", bounds_json({})}};
  }
  json["refusals"] = Json::array();
  for (const Gate::Refusal& refusal : answer.derived.refusals)
    json["refusals"].push_back({{"family", to_string(refusal.family)},
                                {"major", refusal.major},
                                {"minors", refusal.minors},
                                {"where", refusal.where},
                                {"text", refusal.text}});
  json["rests_on"] = Json::array();
  for (const auto& [path, status] : answer.dependencies)
    json["rests_on"].push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// As text: what is documented and what is enforced, side by side, and where.
std::string gate_text(const GateAnswer& answer, const Terminal& terminal) {
  std::string text = fmt::format("{}{}, for {}\n\n", answer.source.header,
                                 answer.source.release ? " of CUDA " + to_string(*answer.source.release) : "",
                                 to_string(answer.machine));
  std::optional<Bounds> gcc;
  std::optional<Bounds> clang;
  if (answer.documented) {
    gcc = Bounds{answer.documented->gcc_min, answer.documented->gcc_max};
    clang = Bounds{answer.documented->clang_min, answer.documented->clang_max};
  }
  const Gate& gate = answer.derived;
  text += columns({{{""}, {"documented"}, {"enforced"}},
                   row("GCC", gcc, gate, Family::gcc),
                   row("Clang", clang, gate, Family::clang)},
                  terminal);
  if (gate.refusals.empty())
    text += "\nThis header has no gate: it accepts every GCC and Clang.\n";
  return text;
}

struct Options {
  std::string toolkit;
  std::optional<Version> release;
  Machine machine =
#if defined(__aarch64__)
      Machine::aarch64;
#elif defined(__powerpc64__)
      Machine::ppc64le;
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
      "Which versions of GCC and Clang the toolkit's own crt/host_config.h accepts; none of them need be "
      "installed.\nTOOLKIT is a toolkit's directory, its nvcc, or a crt/host_config.h or a copy of one.",
      "hostpin stdlib-probe gate");
  options::add_usage(app, {"TOOLKIT [--json] [--target x86_64|aarch64|ppc64le]"});
  app.add_option("--target", machine, "the target machine, x86_64, aarch64 or ppc64le; default: this one")
      ->type_name("T");
  app.add_option("--release", release,
                 "release of the toolkit, such as 12.4, if it cannot be determined from TOOLKIT")
      ->type_name("R");
  app.add_flag("--json", options.json, "print JSON");
  auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<Options>(operands);
  options.release = parse_version(release);
  if (!release.empty() && !options.release)
    return options::misuse(app, fmt::format("'{}' is not a release", release));
  const auto known = machine.empty() ? options.machine : machine_named(machine);
  if (!known)
    return options::misuse(app, fmt::format("'{}' is not a target: use x86_64, aarch64 or ppc64le", machine));
  options.machine = *known;
  if (operands->words.size() != 1)
    return options::misuse(app, operands->words.empty() ? "gate needs a toolkit"
                                                        : "gate takes one toolkit at a time");
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
  TRY_ASSIGN(const auto table, load_table(context.files, context.data));
  auto evaluation = evaluate_header(source->header, source->release, options.machine, context.files);
  if (!evaluation)
    return failure(fmt::format("{} could not be evaluated: {}", source->header, evaluation.error().message),
                   evaluation.error().hint);
  GateAnswer answer{*std::move(source), options.machine, std::move(evaluation->gate), {}, {}};
  if (answer.source.release)
    if (const DocumentedRange* const row = table.documented(*answer.source.release))
      answer.documented = *row;
  Identities files = std::move(evaluation->files);
  add(files, answer.source.looked, context.files);
  add(files, table.files, context.files);
  answer.dependencies = settled(std::move(files), asked, context.files);
  return answer;
}

} // namespace

int run_gate(const ProbeContext& context, std::span<const char* const> arguments) {
  return answered(context, parse(arguments), answer, [&](const auto& options, const auto& found) {
    fmt::print("{}", options.json ? gate_json(found) : gate_text(found, context.terminal));
    return probe_fine;
  });
}

} // namespace hostpin::probe
