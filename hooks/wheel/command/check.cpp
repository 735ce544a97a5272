// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::ordered_json;

Result<Terms> terms_of(const CheckOptions& options, const Tables& tables) {
  Terms terms;
  terms.budget = bytes_named(options.budget);
  if (!options.driver.empty()) {
    auto driver = gpus::driver_named(tables.drivers, options.driver);
    if (!driver)
      return tl::unexpected(driver.error());
    if (const auto exact = parse_version(options.driver); exact && exact->major > 99)
      driver->version = *exact; // between two rows
    terms.driver = *std::move(driver);
  }
  if (!options.expected.empty()) {
    auto expected = gpus::expand(options.expected, {tables.gpus, std::nullopt, false, {}});
    if (!expected)
      return tl::unexpected(expected.error());
    terms.expected = *std::move(expected);
  }
  return terms;
}

std::string version_or_none(const Version& version) {
  return version == Version{} ? std::string() : to_string(version);
}

Json json_of(const SystemNeeds& needs) {
  Json json = Json::object();
  for (const auto& [name, version] : {std::pair("glibc", needs.glibc), std::pair("glibcxx", needs.glibcxx),
                                      std::pair("cxxabi", needs.cxxabi), std::pair("gcc", needs.gcc)})
    json[name] = version == Version{} ? Json() : Json(version_or_none(version));
  return json;
}

Json json_of(const WheelFile& wheel, const Needs& needs, const Tables& tables) {
  SystemNeeds all = needs.own;
  all.add(needs.required);
  const ManylinuxPolicy* const lowest = lowest_policy(tables.policies, all);
  Json json{{"name", wheel.distribution()},
            {"version", wheel.name.version},
            {"tags", wheel.name.tags()},
            {"size", wheel.size}};
  json["needs"] = {{"own", json_of(needs.own)},
                   {"required", json_of(needs.required)},
                   {"lowest_policy", lowest == nullptr ? Json() : Json(lowest->name)},
                   {"libraries", needs.libraries},
                   {"cuda", needs.cuda == 0 ? Json() : Json(needs.cuda)},
                   {"driver", needs.driver ? Json(to_string(needs.driver->version)) : Json()}};
  return {{"wheel", std::move(json)}};
}

/// One line: what the wheel needs of a machine.
std::string needs_text(const Needs& needs, const Tables& tables) {
  SystemNeeds all = needs.own;
  all.add(needs.required);
  const ManylinuxPolicy* const lowest = lowest_policy(tables.policies, all);
  std::string text = "needs: ";
  if (tables.policies.empty())
    text += "no manylinux policy of its architecture is known";
  else
    text += lowest == nullptr ? "more than any manylinux policy" : lowest->name + " or later";
  if (needs.cuda != 0)
    text += fmt::format(", CUDA {}", needs.cuda);
  if (needs.driver)
    text += fmt::format(", NVIDIA driver {} or later", to_string(needs.driver->version));
  return text + '\n';
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Result<int> report(const CheckOptions& options, const leak::Findings& findings, const WheelFile& wheel,
                   const Needs& needs, const Tables& tables, const Terminal& terminal) {
  if (!options.junit.empty())
    if (auto written = replace_file(options.junit, leak::report_junit(findings, leak::Tool::wheel), false);
        !written)
      return tl::unexpected(written.error());
  if (options.sarif)
    put(leak::report_sarif(findings, HOSTPIN_VERSION, leak::Tool::wheel));
  else if (options.json)
    put(leak::report_json(
        findings, json_of(wheel, needs, tables).dump(-1, ' ', false, Json::error_handler_t::replace)));
  else
    put(leak::report_text(findings, options.notes, terminal) + needs_text(needs, tables));
  if (!findings.unseen.empty())
    return exit_failed;
  const auto most_severe = findings.most_severe();
  return most_severe && options.fail_on && *most_severe >= *options.fail_on ? exit_found : exit_clean;
}

Result<int> check(const Context& context, const CheckOptions& options) {
  TRY_ASSIGN(const auto tables, load_tables(context, options.wheel));
  TRY_ASSIGN(const auto terms, terms_of(options, tables));
  TRY_ASSIGN(const auto directory, site_directory(options.site));
  TRY_ASSIGN(const auto wheel, read_wheel(options.wheel, {reading_threads(), Depth::all, true}));
  TRY_ASSIGN(auto others, read_others(options.with));
  auto site = Site::make(wheel, std::move(others), directory);
  if (!site)
    return tl::unexpected(site.error());
  const Required required = required_by(wheel, *site, tables.cuda_wheels, tables.packages);
  if (options.site.empty()) // what is in a directory is all there is
    site->assume(tables.cuda_wheels, required);
  const Checked checked{wheel, *site, required, tables, terms};
  const Needs needs = needs_of(checked);
  return report(options, findings_of(checked, needs), wheel, needs, tables, context.terminal);
}

} // namespace

Result<int> run_check(const Context& context, Arguments arguments) {
  const auto options = check_options(arguments);
  if (!options)
    return tl::unexpected(options.error());
  if (!options->help.empty() || options->rules) {
    put(options->rules ? leak::rules_text(context.terminal, leak::Tool::wheel)
                       : options::wrapped_help(options->help, context.terminal.width()));
    return exit_clean;
  }
  return check(context, *options);
}

} // namespace hostpin::wheel
