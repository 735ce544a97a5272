// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/frame.hpp"
#include "wrapper/devicecode/command_line.hpp"

#include <span>

namespace {

using namespace hostpin;
using namespace hostpin::command;

int run(const Context& context, const FatbinOptions& options, const FatbinChanges& changes) {
  if (changes.command == "slim")
    return run_fatbin_slim(context, changes.slim);
  if (changes.command == "slice")
    return run_fatbin_slice(context, changes.slice);
  if (changes.command == "merge")
    return run_fatbin_merge(context, changes.merge);
  if (changes.command == "repack")
    return run_fatbin_repack(context, changes.repack);
  if (changes.command == "prove")
    return run_fatbin_prove(context, changes.prove);
  if (changes.command == "served")
    return run_readonly(context,
                        [&](const Context& inner) { return run_fatbin_served(inner, changes.served); });
  return run_fatbin(context, options);
}

} // namespace

int main(int argc, char** argv, char** envp) {
  FatbinOptions options;
  FatbinChanges changes;
  return separate_main(
      argc, argv, envp,
      {"fatbin", [&](CLI::App& app) { add_fatbin(app, options, changes); },
       [&](const Context& context) { return run(context, options, changes); },
       [&](const CLI::App& app, std::span<char* const>) { return fatbin_misuse(app, options, changes); }});
}
