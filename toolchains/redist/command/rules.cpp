// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/rules.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace hostpin::redist {

namespace {

/// All rules if `names` is empty.
std::string rules_as_text(const Terminal& terminal, const std::vector<std::string>& names) {
  std::string text;
  for (const RuleText& rule : rules()) {
    if (!names.empty() && std::ranges::find(names, rule.name) == names.end())
      continue;
    text += std::string(rule.name) + " (" + std::string(to_string(rule.severity)) + ", " +
            std::string(to_string(rule.scope)) + ")\n";
    text += paragraph(rule.explanation, terminal, 4, 4);
    text += paragraph("fix: " + std::string(rule.fix), terminal, 4, 9);
  }
  return text;
}

Result<void> check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const RuleText& rule : rules())
    known.emplace_back(rule.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end())
      continue;
    const std::string near = nearest(name, known);
    return failure("there is no rule '" + escaped(name) + '\'',
                   near.empty() ? "hostpin redist rules lists all" : "did you mean " + near + '?');
  }
  return {};
}

} // namespace

Result<int> run_rules(const Context& context, Arguments arguments) {
  CLI::App app{"The rules of `redist check` and `redist audit`, each with its severity and what it needs: "
               "the text of a file, "
               "several files, archives, a "
               "composed tree, or any tree or wheel.",
               "hostpin redist rules"};
  options::add_usage(app, {"[RULE]..."});
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  TRY(check_names(operands.words));
  const std::string text = operands.help.empty()
                               ? rules_as_text(context.terminal, operands.words)
                               : options::wrapped_help(operands.help, context.terminal.width());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace hostpin::redist
