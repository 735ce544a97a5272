// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/rules.hpp"

#include "toolchains/options/options.hpp"
#include "toolchains/redist/command/commands.hpp"

#include <cstdio>

namespace hostpin::redist {

namespace {

std::string rules_as_text(const Terminal& terminal) {
  std::string text;
  for (const RuleText& rule : rules()) {
    text += std::string(rule.name) + " (" + std::string(to_string(rule.severity)) + ", " +
            std::string(to_string(rule.scope)) + ")\n";
    text += paragraph(rule.explanation, terminal, 4, 4);
    text += paragraph("fix: " + std::string(rule.cure), terminal, 4, 9);
  }
  return text;
}

} // namespace

Result<int> run_rules(const Context& context, Arguments arguments) {
  CLI::App app{"The rules of `redist check`, each with its severity and what it needs: the text of a file, "
               "several files, archives, or a "
               "composed tree."};
  options::add_usage(app, {"redist rules"});
  const auto operands = options::read_options(app, arguments);
  if (!operands)
    return tl::unexpected(operands.error());
  const std::string text = operands->help.empty()
                               ? rules_as_text(context.terminal)
                               : options::wrapped_help(operands->help, context.terminal.width());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_clean;
}

} // namespace hostpin::redist
