// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/command/options.hpp"

#include "toolchains/base/threads.hpp"
#include "toolchains/options/options.hpp"

#include <CLI/CLI.hpp>

namespace hostpin::redist {

Result<FetchArguments> read_fetch_arguments(std::span<const char* const> arguments) {
  CLI::App app{"Downloads the archives of a lock, compares them with their hashes, and unpacks them into a "
               "store, each once. What was interrupted continues.",
               "hostpin redist fetch"};
  options::add_usage(app, {"LOCK --store DIR [--jobs N] [--mirror URL|DIR]"});
  FetchArguments read;
  read.options.jobs = processor_threads();
  unsigned stall = static_cast<unsigned>(read.options.transfer.stall.count());
  app.add_option("--store", read.store, "the directory of the store; it is made if there is none")
      ->type_name("DIR");
  app.add_option("--jobs", read.options.jobs,
                 "archives to unpack at the same time; one for each processor if absent")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  app.add_option("--mirror", read.options.mirror,
                 "take archives from there, by their path or PRODUCT/redist/ and their path")
      ->type_name("URL|DIR");
  app.add_option("--retries", read.options.transfer.retries,
                 "attempts after errors of a server or connection, without progress in between; 5 if absent")
      ->type_name("N")
      ->check(CLI::Range(0, 100).description(""));
  app.add_option("--timeout", stall,
                 "an attempt with less than 1 KB a second for so long has failed; 30 if absent")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600).description(""));
  TRY_ASSIGN(const auto operands, options::read_options(app, arguments));
  read.help = operands.help;
  if (!read.help.empty())
    return read;
  if (operands.words.size() != 1)
    return options::misuse(app, "fetch needs one lock");
  if (read.store.empty())
    return options::misuse(app, "fetch needs --store DIR");
  read.lock = operands.words.front();
  read.options.transfer.stall = std::chrono::seconds(stall);
  return read;
}

} // namespace hostpin::redist
