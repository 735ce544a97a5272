// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/command/slices.hpp"

#include "wrapper/command/json_text.hpp"
#include "wrapper/slices/listing.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using slices::Cost;

std::string seconds(double value) {
  return value > 0 ? fmt::format("{:.2f}", value) : std::string("-");
}

void print_table(const Context& context, const std::vector<Cost>& costs) {
  std::vector<std::vector<Cell>> rows{{{"source", Tone::heading},
                                       {"GPU", Tone::heading},
                                       {"cicc", Tone::heading},
                                       {"ptxas", Tone::heading},
                                       {"nvlink", Tone::heading},
                                       {"seconds", Tone::heading},
                                       {"last call", Tone::heading}}};
  Cost sum;
  for (const Cost& cost : costs) {
    const std::string path = (std::filesystem::path(cost.directory) / cost.source).string();
    rows.push_back({{cost.source.empty() ? cost.directory : path, Tone::plain, true},
                    {cost.gpu},
                    {seconds(cost.compile)},
                    {seconds(cost.assemble)},
                    {seconds(cost.link)},
                    {seconds(cost.total())},
                    {cost.reused ? "reused" : "made", Tone::quiet}});
    sum.compile += cost.compile;
    sum.assemble += cost.assemble;
    sum.link += cost.link;
  }
  rows.push_back({{"all"},
                  {""},
                  {seconds(sum.compile)},
                  {seconds(sum.assemble)},
                  {seconds(sum.link)},
                  {seconds(sum.total())}});
  fmt::print("{}", columns(rows, context.terminal, 0));
}

void print_json(const std::vector<Cost>& costs) {
  Json list = Json::array();
  for (const Cost& cost : costs)
    list.push_back({{"directory", cost.directory},
                    {"source", cost.source},
                    {"gpu", cost.gpu},
                    {"cicc", cost.compile},
                    {"ptxas", cost.assemble},
                    {"nvlink", cost.link},
                    {"seconds", cost.total()},
                    {"reused", cost.reused}});
  fmt::print("{}\n", Json{{"slices", list}}.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace

int run_slices(const Context& context, const SlicesOptions& options) {
  std::error_code error;
  const std::string directory = std::filesystem::absolute(options.store, error).string();
  if (!context.files.status(directory + "/calls")) {
    report({options.store + " contains no slices", "name the directory given to hostpin bind --slices"});
    return exit_broken;
  }
  const auto store = slices::Store::open(directory);
  if (!store) {
    report(store.error());
    return exit_broken;
  }
  const auto calls = store->calls();
  const slices::Emission emission{context.tree.programs + "/nvcc-slices", directory};
  if (options.emit == "make")
    fmt::print("{}", slices::makefile(calls, emission));
  else if (options.emit == "slurm")
    fmt::print("{}", slices::slurm_script(calls, emission));
  else if (options.emit == "nix")
    fmt::print("{}", slices::nix_expression(calls, emission));
  if (!options.emit.empty())
    return exit_fine;
  auto costs = slices::costs(calls);
  if (options.by_time)
    std::stable_sort(costs.begin(), costs.end(),
                     [](const Cost& a, const Cost& b) { return a.total() > b.total(); });
  if (options.json)
    print_json(costs);
  else
    print_table(context, costs);
  return exit_fine;
}

} // namespace hostpin::command
